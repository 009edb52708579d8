import numpy as np
import pytest
from hypothesis import given

from sim.dynamics import lagrange, newton_euler
from sim.kinematics import frame_motion
from sim.robots import load_robot, read_urdf
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_robots import random_urdf
from tests.helpers.random_worlds import World, in_random_states, worlds

# Both sides round at 1e-16 a sum; twelve joints in a row gather a few hundred roundings.
CLOSE = 1e-11  # of the largest entry in the sample
CLOSE_REACTION = 1e-10


def worst(got, reference, scale=None):
    """Largest error in any sample, relative to the largest reference value in that sample.

    Below 1e-3 (N·m, kg·m², m, ...) the error counts as it is: without gravity its torque is zero.
    """
    axes = tuple(range(reference.ndim - 1))
    size = np.abs(reference).max(axis=axes) if scale is None else scale
    return np.max(np.abs(got - reference).max(axis=axes) / np.maximum(size, 1e-3))


@pytest.fixture(scope="module")
def ur10() -> World:
    robot = load_robot("ur10").with_payload(10.0, (0.02, -0.01, 0.1), np.diag([0.1, 0.08, 0.05]))
    return in_random_states(robot.mounted((0.1, 0.2, 0.3), (0.4, -0.5, 0.6)), (1, 2, -9), 1, 100)


def compare_torque(world):
    oracle = PinocchioModel(world.robot, world.gravity)
    state = (world.q, world.qd, world.qdd)
    reference = oracle.torque(*state)
    for model in (lagrange, newton_euler):
        assert worst(model.inverse_dynamics(world.robot, *state, world.gravity), reference) < CLOSE


def compare_terms(world):
    oracle = PinocchioModel(world.robot, world.gravity)
    terms = lagrange.terms(world.robot, world.q, world.qd, world.gravity)
    assert worst(terms.M, oracle.mass_matrix(world.q)) < CLOSE
    assert worst(terms.g, oracle.gravity_torque(world.q)) < CLOSE
    assert worst(terms.C, oracle.coriolis_matrix(world.q, world.qd)) < CLOSE  # Christoffel's, too
    weightless = PinocchioModel(world.robot, (0.0, 0.0, 0.0))
    velocity_torque = weightless.torque(world.q, world.qd, np.zeros_like(world.q))
    assert worst(np.einsum("ijN,jN->iN", terms.C, world.qd), velocity_torque) < CLOSE


def compare_energies(world):
    terms = lagrange.terms(world.robot, world.q, world.qd, world.gravity)
    kinetic, potential = PinocchioModel(world.robot, world.gravity).energies(world.q, world.qd)
    assert worst(terms.ke.sum(axis=0), kinetic, kinetic) < CLOSE
    assert worst(terms.pe.sum(axis=0), potential, np.abs(terms.pe).sum(axis=0)) < CLOSE


def compare_frames(world):
    oracle = PinocchioModel(world.robot, world.gravity)
    for link in world.robot.links:
        motion = frame_motion(world.robot, link.name, world.q, world.qd)
        R = motion.R.reshape(9, -1)
        got = np.concatenate([R, motion.p, motion.v, motion.w])
        assert worst(got, oracle.frame_motion(link.name, world.q, world.qd)) < CLOSE


def compare_reactions(world):
    state = (world.q, world.qd, world.qdd)
    found = newton_euler.wrenches(world.robot, *state, world.gravity)
    reference = PinocchioModel(world.robot, world.gravity).reactions(*state)
    for part in (slice(0, 3), slice(3, 6)):  # forces [N] and moments [N·m] each by themselves
        assert worst(found.reaction[:, part], reference[:, part]) < CLOSE_REACTION
    same = newton_euler.inverse_dynamics(world.robot, *state, world.gravity)
    # the same sweep, with cosines by another rule: roundings of up to twelve joints, 1e-15 was seen
    assert worst(found.tau, same) < CLOSE


COMPARISONS = pytest.mark.parametrize(
    "compare",
    [compare_torque, compare_terms, compare_energies, compare_frames, compare_reactions],
    ids=["torque", "terms of Lagrange", "energies", "pose and twist of links", "joint reactions"],
)


@COMPARISONS
def test_ur10_with_payload_agrees_with_pinocchio(compare, ur10):
    compare(ur10)


@COMPARISONS
@given(worlds())
def test_random_trees_agree_with_pinocchio(compare, world):
    compare(world)


@COMPARISONS
@pytest.mark.parametrize("n", range(2, 13))
def test_trees_of_every_size_agree_with_pinocchio(compare, n):
    robot = read_urdf(random_urdf(np.random.default_rng(n), n))
    compare(in_random_states(robot, (3.0, -4.0, 8.0), n, 10))


@given(worlds(mimic=True))
def test_coupled_joints_have_the_torque_of_pinocchio_by_virtual_work(world):
    S, q_0 = world.robot.coupling
    oracle = PinocchioModel(world.robot, world.gravity)
    tree = oracle.torque(S @ world.q + q_0[:, None], S @ world.qd, S @ world.qdd)
    state = (world.q, world.qd, world.qdd)
    scale = (np.abs(S.T) @ np.abs(tree)).max(axis=0)  # the sum itself may be small
    for model in (lagrange, newton_euler):
        torque = model.inverse_dynamics(world.robot, *state, world.gravity)
        assert worst(torque, S.T @ tree, scale) < CLOSE
