"""Reactions of joints that are cut open, against Newton and Euler and against Pinocchio."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.dynamics.cut_open import cut_reactions
from sim.dynamics.loop_forces import inverse_dynamics as loop_dynamics
from sim.dynamics.newton_euler import wrenches
from sim.dynamics.wrench import pin_wrenches
from sim.robots import load_robot
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_worlds import worlds
from tests.helpers.random_wrenches import random_wrenches
from tests.helpers.small_robots import pendulum

CLOSE = 1e-12  # of the largest entry: some hundred roundings
seeds = st.integers(0, 2**32 - 1)


@given(worlds(), seeds)
def test_they_are_those_of_newton_and_euler_and_of_pinocchio(world, seed):
    external = random_wrenches(world.robot, world.q.shape[1], seed)
    motion = world.q, world.qd, world.qdd
    found = cut_reactions(world.robot, *motion, world.gravity, external)
    wanted = wrenches(world.robot, *motion, world.gravity, external).reaction
    size = 1 + np.abs(wanted).max()
    np.testing.assert_allclose(found, wanted, rtol=0, atol=CLOSE * size)
    oracle = PinocchioModel(world.robot, world.gravity)
    _, theirs = oracle.loaded(*world.robot.on_tree(*motion), external)
    np.testing.assert_allclose(found, theirs, rtol=0, atol=CLOSE * size)


@pytest.mark.parametrize("name", ["ur10", "irb460", "kr210", "weld5"])
def test_robots_with_followers_and_loops_too(name):
    robot = load_robot(name)
    rng = np.random.default_rng(3)
    q, qd, qdd = 0.3 * rng.normal(size=(3, len(robot.joint_names), 7))
    efforts = loop_dynamics(robot, q, qd, qdd) if robot.loops else wrenches(robot, q, qd, qdd)
    pins = pin_wrenches(robot, q, efforts.force) if robot.loops else ()
    found = cut_reactions(robot, q, qd, qdd, external=pins)
    size = np.abs(efforts.reaction).max()
    np.testing.assert_allclose(found, efforts.reaction, rtol=0, atol=CLOSE * size)


def test_a_hanging_pendulum_pulls_with_its_weight_and_with_its_centripetal_force():
    """Closed form: m (g + l qd²) along the rod, at the bottom."""
    mass, length, rate = 2.0, 0.7, 3.0
    robot = pendulum(mass, length)
    state = (np.array([[x]]) for x in (0.0, rate, 0.0))
    (reaction,) = cut_reactions(robot, *state, (0, 0, -9.81))
    pull = mass * (9.81 + length * rate**2)
    assert reaction[2, 0] == pytest.approx(pull, rel=1e-12)
    assert np.abs(reaction[[0, 1], 0]).max() <= 1e-12 * pull
