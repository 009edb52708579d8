"""Virtual work against Christoffel's symbols, Newton and Euler, and Pinocchio."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given

from sim.dynamics import lagrange, newton_euler
from sim.dynamics.virtual_work import ROW, samples_a_pass
from sim.kinematics import tree_of
from sim.robots import load_robot, read_urdf
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_robots import random_urdf
from tests.helpers.random_worlds import worlds
from tests.helpers.small_robots import lift

ROUNDING = 1e-12  # of the largest entry: sums of some hundred terms in another order


@given(worlds(mimic=True))
def test_torques_are_those_of_the_symbols_of_christoffel(world):
    terms = lagrange.terms(world.robot, world.q, world.qd, world.gravity)
    wanted = terms.torque(world.qd, world.qdd)
    found = lagrange.inverse_dynamics(world.robot, world.q, world.qd, world.qdd, world.gravity)
    size = np.abs(wanted).max() + np.abs(terms.g).max() + 1e-6
    np.testing.assert_allclose(found, wanted, rtol=0, atol=ROUNDING * size)


@given(worlds(mimic=True))
def test_energies_are_those_of_the_mass_matrix_of_each_link(world):
    terms = lagrange.terms(world.robot, world.q, world.qd, world.gravity)
    links, ke, pe = lagrange.energies(world.robot, world.q, world.qd, world.gravity)
    assert links == terms.links
    np.testing.assert_allclose(ke, terms.ke, rtol=0, atol=ROUNDING * np.abs(terms.ke).max())
    np.testing.assert_allclose(pe, terms.pe, rtol=0, atol=ROUNDING * np.abs(terms.pe).max())


@given(worlds(mimic=True))
def test_the_mass_matrix_alone_is_that_among_all_terms(world):
    terms = lagrange.terms(world.robot, world.q, world.qd)
    np.testing.assert_array_equal(lagrange.mass_matrix(world.robot, world.q), terms.M)


@pytest.mark.parametrize("joints", [30, 60])
@pytest.mark.parametrize("branching", [False, True])
def test_long_trees_have_the_torques_of_pinocchio_and_of_newton_and_euler(joints, branching):
    rng = np.random.default_rng(joints)
    robot = read_urdf(random_urdf(rng, joints, branching=branching, mimic=branching))
    state = rng.uniform(-2, 2, (3, len(robot.joint_names), 4))
    gravity = (1.0, -2.0, -9.0)
    found = lagrange.inverse_dynamics(robot, *state, gravity)
    S, _ = robot.coupling
    for wanted in (
        S.T @ PinocchioModel(robot, gravity).torque(*robot.on_tree(*state)),
        newton_euler.inverse_dynamics(robot, *state, gravity),
    ):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=ROUNDING * np.abs(wanted).max())


@pytest.mark.parametrize("joints", [1, 6, 60])
def test_a_sample_does_not_depend_on_the_pass_that_it_is_in(joints):
    robot = read_urdf(random_urdf(np.random.default_rng(1), joints, branching=False))
    size = samples_a_pass(tree_of(robot))
    q, qd, qdd = np.random.default_rng(3).uniform(-3, 3, (3, joints, size + 2))
    whole = lagrange.inverse_dynamics(robot, q, qd, qdd)
    assert whole.shape == q.shape
    for k in (0, size - 1, size, size + 1):
        one = slice(k, k + 1)
        alone = lagrange.inverse_dynamics(robot, q[:, one], qd[:, one], qdd[:, one])
        np.testing.assert_allclose(
            whole[:, one], alone, rtol=0, atol=ROUNDING * np.abs(whole).max()
        )


def test_no_samples_and_no_joints_give_no_torques():
    empty = np.empty((6, 0))
    assert lagrange.inverse_dynamics(load_robot("ur10"), empty, empty, empty).shape == (6, 0)
    links, ke, pe = lagrange.energies(load_robot("ur10"), empty, empty)
    assert ke.shape == pe.shape == (len(links), 0)
    still = lift(1.0)
    rigid = read_urdf(still.text.replace('type="prismatic"', 'type="fixed"'))
    none = np.empty((0, 5))
    assert lagrange.inverse_dynamics(rigid, none, none, none).shape == (0, 5)


def test_memory_grows_with_what_is_asked_for_and_not_with_samples_or_joints_beside_it():
    """Of 60 joints: less than 30 rows of a pass beyond the answer, at two numbers of samples."""
    robot = read_urdf(random_urdf(np.random.default_rng(0), 60, branching=False, fixed=False))
    for samples in (600, 6000):
        state = np.random.default_rng(1).uniform(-1, 1, (3, 60, samples))
        lagrange.inverse_dynamics(robot, *state[:, :, :1])  # what is kept
        tracemalloc.start()
        try:
            lagrange.inverse_dynamics(robot, *state)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 2 * state[0].nbytes + 30 * 3 * 8 * ROW
