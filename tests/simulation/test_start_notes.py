"""A run says where free joints start at rest on links that move."""

import numpy as np
import pytest

import sim
from sim import JointMotion, Scenario
from sim.robots import read_urdf

INERTIAL = (
    '<inertial><origin xyz="{x} 0 0"/><mass value="1"/>'
    '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>'
)
HINGE = (
    '<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
    '<origin xyz="{x} 0 0"/><axis xyz="0 0 1"/></joint>'
)
URDF = (
    '<robot name="crank"><link name="base"/>'
    f'<link name="arm">{INERTIAL.format(x=0.5)}</link>'
    f'<link name="bob">{INERTIAL.format(x=0.3)}</link>'
    + HINGE.format(name="hinge", parent="base", child="arm", x=0)
    + HINGE.format(name="pin", parent="arm", child="bob", x=1)
    + "</robot>"
)


def notes(drive):
    motion = JointMotion.displacement({"hinge": drive}, free=["pin"])
    scenario = Scenario(read_urdf(URDF), motion, duration=0.02, dt=0.01, gravity=(0, 0, 0))
    return [note for note in sim.run(scenario).run.notes if "at rest" in note]


def test_a_free_joint_behind_one_that_starts_moving_is_named_with_its_speeds():
    (note,) = notes("30D*TIME")
    v, w = 1.3 * np.radians(30), np.radians(30)
    assert f"pin (bob at {v:.4g} m/s, {w:.4g} rad/s)" in note


@pytest.mark.parametrize("drive", ["30D*TIME**2", "30D"])
def test_nothing_is_said_where_nothing_moves_at_the_start(drive):
    assert notes(drive) == []


def test_nothing_is_said_of_a_joint_whose_start_speed_is_given():
    start = JointMotion.torque({}, qd0={"pin": 0.0})
    motion = start | JointMotion.displacement({"hinge": "30D*TIME"}, free=["pin"])
    scenario = Scenario(read_urdf(URDF), motion, duration=0.02, dt=0.01, gravity=(0, 0, 0))
    assert not [note for note in sim.run(scenario).run.notes if "at rest" in note]
