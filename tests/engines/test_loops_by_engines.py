"""Closed loops by engines that know of none: their answers to unit efforts are enough."""

import numpy as np
import pytest

from sim.dynamics import ConstrainedDynamics, LagrangianDynamics
from sim.engines.coupled import EngineDynamics
from sim.engines.opening import open_engine
from sim.kinematics.loop_equations import loop_equations
from sim.robots import LOOP_KINDS, read_urdf
from tests.helpers.loop_robots import FourBar, random_loop
from tests.helpers.random_robots import random_urdf

GRAVITY = (0.0, 0.0, -9.81)
BARS = FourBar()


@pytest.mark.parametrize("name", ["bullet", "mujoco"])
@pytest.mark.parametrize("is_driven", [False, True])
def test_an_engine_accelerates_a_closed_loop_as_the_model_does(name, is_driven):
    robot, held = BARS.robot(), np.array([is_driven, False, False])
    q, qd, qdd = BARS.motion(*np.array([[0.4, 2.0, 4.0], [1.0, -3.0, 5.0], [2.0, -1.0, 0.5]]))
    effort = np.array([[0.3], [0.0], [0.0]]) * np.ones(3)
    model = ConstrainedDynamics(LagrangianDynamics(robot, GRAVITY), 2)
    wanted = model.hybrid_dynamics(q, qd, qdd, held, effort)
    with open_engine(name, robot, GRAVITY, None) as engine:
        found = ConstrainedDynamics(EngineDynamics(engine), 2).hybrid_dynamics(
            q, qd, qdd, held, effort
        )
    for own, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(own, other, rtol=0, atol=1e-10)  # [rad/s², N·m] of some 50


@pytest.mark.parametrize("kind", sorted(LOOP_KINDS))
def test_mujoco_has_the_equations_of_every_kind_of_loop(kind):
    rng = np.random.default_rng(5)
    tree = read_urdf(random_urdf(rng, 6, branching=True))
    robot = tree.with_loops(random_loop(rng, kind, [tree.links[2].name, tree.links[-1].name]))
    q = rng.uniform(-1, 1, (len(robot.tree_joints), 3))
    wanted = loop_equations(robot, q)
    with open_engine("mujoco", robot, GRAVITY, None) as engine:
        found = engine.loops(q)
    assert (found.loop, found.are_turns.tolist()) == (wanted.loop, wanted.are_turns.tolist())
    for part in ("e", "J", "D", "M"):
        own, other = getattr(found, part), getattr(wanted, part)
        np.testing.assert_allclose(own, other, rtol=0, atol=1e-13)  # [m or rad], and per rad
