"""Closed loops by engines that know of none: their answers to efforts are enough."""

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


@pytest.mark.parametrize("name", ["bullet", "mujoco"])
@pytest.mark.parametrize("held", [(), (0, 4)])
def test_a_large_mechanism_asks_its_engine_a_few_times_and_not_for_each_joint(name, held):
    rng = np.random.default_rng(7)
    tree = read_urdf(random_urdf(rng, 10, branching=True))
    robot = tree.with_loops(random_loop(rng, "point", [tree.links[2].name, tree.links[-1].name]))
    q, qd, qdd, *efforts = rng.uniform(-1, 1, (5, 10, 1))
    state = q, qd, qdd, np.isin(np.arange(10), held)
    wanted = ConstrainedDynamics(LagrangianDynamics(robot, GRAVITY), 3).under_each(*state, efforts)
    asked = []
    with open_engine(name, robot, GRAVITY, None) as engine:
        answer = engine.hybrid_dynamics
        engine.hybrid_dynamics = lambda q, *rest: asked.append(q.shape[1]) or answer(q, *rest)
        found = ConstrainedDynamics(EngineDynamics(engine), 3).under_each(*state, efforts)
    for own, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-10, atol=1e-10 * np.abs(other).max())
    assert sum(asked) <= 3 * len(efforts)


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
