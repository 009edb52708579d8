"""An engine reads the URDF by itself, and a model that reads it otherwise is named before a run."""

from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from sim.engine_names import ENGINES
from sim.engines.opening import open_engine
from sim.errors import EngineError
from sim.maths import pose, rotation_from_rpy
from sim.robots import load_robot, shipped_robots, urdf
from tests.helpers.small_robots import double_pendulum

G = (0.0, 0.0, -9.81)

# Each is a slip of the model's own reader: the engine is not told.
SLIPS = {
    "a flipped axis": (lambda j: replace(j, axis=-j.axis), "axis: .* inst"),
    "an axis that leans": (
        lambda j: replace(j, axis=rotation_from_rpy((2e-9, 0, 2e-9)) @ j.axis),
        "axis",
    ),
    "an origin that is off": (
        lambda j: replace(j, T_pc=j.T_pc + 1e-8 * np.eye(4, k=3)),
        r"origin \[m, 1\]",
    ),
    "an origin that is turned": (
        lambda j: replace(j, T_pc=j.T_pc @ pose(rotation_from_rpy((0, 0, 1e-7)))),
        r"origin \[m, 1\]",
    ),
    "a limit": (
        lambda j: replace(j, limits=structs.replace(j.limits, lower=j.limits.lower - 1e-3)),
        "lower limit",
    ),
    "a rating that is not there": (
        lambda j: replace(j, limits=structs.replace(j.limits, effort=np.inf)),
        "effort limit: .* instead of inf",
    ),
    "a rating of speed": (
        lambda j: replace(j, limits=structs.replace(j.limits, velocity=99.0)),
        "velocity limit: 100.0 instead of 99.0",
    ),
}


@pytest.fixture(params=ENGINES)
def kind(request):
    return request.param


@pytest.mark.parametrize("slip", SLIPS)
def test_a_joint_that_the_model_reads_otherwise_is_named(kind, slip):
    change, message = SLIPS[slip]
    arm = double_pendulum(1.0, 1.0, 0.5, 0.5)
    joints = tuple(change(joint) if joint.name == "elbow" else joint for joint in arm.joints)
    with pytest.raises(EngineError, match=f"read joint 'elbow' with another {message}"):
        open_engine(kind, replace(arm, joints=joints), G)


def test_a_reader_that_flips_axes_is_caught_before_the_first_step(kind, monkeypatch):
    axis = urdf._axis
    monkeypatch.setattr(urdf, "_axis", lambda *arguments: -axis(*arguments))
    with pytest.raises(EngineError, match="with another axis"):
        open_engine(kind, load_robot("ur10"), G)


@pytest.mark.parametrize("name", shipped_robots())
def test_what_is_held_of_shipped_robots_is_what_the_text_says(kind, name):
    robot = load_robot(name).mounted((1.0, -2.0, 3.0), (0.3, -0.4, 0.5))
    with open_engine(kind, robot, G) as engine:
        held = engine.readback()
    for joint in robot.joints:
        np.testing.assert_allclose(held.origins[joint.name], joint.T_pc, rtol=0, atol=1e-14)
    for joint in robot.tree_joints:
        np.testing.assert_allclose(held.axes[joint.name], joint.axis, rtol=0, atol=1e-14)
        assert held.limits[joint.name] == joint.limits
