import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.dynamics import lagrange, newton_euler
from sim.dynamics.single_state.instant import Instant
from sim.kinematics import tree_of
from sim.robots import load_robot
from tests.helpers.examples import examples
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_worlds import worlds
from tests.helpers.small_robots import joint, link, pendulum, robot

CLOSE = 1e-13  # of the largest entry; a few hundred roundings


def instants(world):
    for k in range(world.q.shape[1]):
        yield k, Instant(world.robot, world.gravity, world.q[:, k], world.qd[:, k])


@given(worlds(most=7, mimic=True))
def test_mass_matrix_and_bias_of_one_state_are_those_of_christoffels_symbols(world):
    model = lagrange.terms(world.robot, world.q, world.qd, world.gravity)
    bias = np.einsum("ijN,jN->iN", model.C, world.qd) + model.g
    size = np.abs(model.C).sum(axis=(0, 1)) * np.abs(world.qd).max() + np.abs(model.g).max() + 1.0
    for k, at in instants(world):
        np.testing.assert_allclose(at.M, model.M[..., k], rtol=0, atol=CLOSE * np.abs(at.M).max())
        np.testing.assert_allclose(at.bias, bias[:, k], rtol=0, atol=CLOSE * size[k])


@given(worlds(most=7, mimic=True))
@examples(15)
def test_torques_of_one_state_are_those_of_pinocchio(world):
    S, q_0 = world.robot.coupling
    state = S @ world.q + q_0[:, None], S @ world.qd, S @ world.qdd
    needed, _ = PinocchioModel(world.robot, world.gravity).loaded(*state, [])
    size = np.abs(needed).max(axis=0) * np.abs(S).max() + 1.0
    for k, at in instants(world):
        found = at.M @ world.qdd[:, k] + at.bias
        np.testing.assert_allclose(found, S.T @ needed[:, k], rtol=0, atol=1e-11 * size[k])


@given(worlds(most=6), st.integers(0, 2**16))
@examples(15)
def test_what_joints_carry_is_what_newton_and_euler_say(world, seed):
    """Of accelerations that have nothing to do with the state, several at once."""
    robot, n = world.robot, len(world.robot.joint_names)
    qdd = np.random.default_rng(seed).normal(size=(n, 3))
    R = tree_of(robot).R_ji
    for k, at in instants(world):
        q, qd = (np.repeat(x[:, [k]], 3, axis=1) for x in (world.q, world.qd))
        wanted = newton_euler.wrenches(robot, q, qd, qdd, world.gravity).reaction
        found = at.loads(np.arange(n), qdd)
        turned = np.einsum("jab,jrbc->jrac", R, found.reshape(n, 2, 3, 3)).reshape(n, 6, 3)
        atol = 1e-12 * np.abs(wanted).max()
        np.testing.assert_allclose(turned, wanted, rtol=0, atol=atol)
        picked = at.loads(np.array([n - 1]), qdd)
        np.testing.assert_allclose(picked[0], found[n - 1], rtol=0, atol=atol)


def test_links_that_are_welded_together_move_as_one():
    arm = load_robot("ur10").with_payload(10.0, (0.1, -0.2, 0.3))
    q, qd = np.linspace(-1, 1, 12).reshape(2, 6, 1)
    model = lagrange.terms(arm, q, qd)
    at = Instant(arm, (0.0, 0.0, -9.80665), q[:, 0], qd[:, 0])
    np.testing.assert_allclose(at.M, model.M[..., 0], rtol=0, atol=CLOSE * np.abs(at.M).max())


def test_a_pendulum_has_the_textbooks_inertia_and_weight():
    m, length, moment = 2.0, 0.7, 0.05
    at = Instant(pendulum(m, length, moment), (0.0, 0.0, -9.81), np.array([0.4]), np.array([3.0]))
    assert at.M[0, 0] == pytest.approx(moment + m * length**2, rel=1e-15)
    assert at.bias[0] == pytest.approx(m * 9.81 * length * np.sin(0.4), rel=1e-14)
    pull = m * (9.81 * np.cos(0.4) + length * 3.0**2)  # of the hinge along the rod, at rest in qd
    carried = at.loads(np.array([0]), np.array([[-at.bias[0] / at.M[0, 0]]]))[0, :, 0]
    side = m * 9.81 * np.sin(0.4) * moment / (moment + m * length**2)
    assert np.hypot(carried[0], carried[1]) == pytest.approx(np.hypot(pull, side), rel=1e-14)


def test_a_robot_without_any_mass_has_no_inertia():
    bare = robot(link("tip", 0.0), joint("hinge", "revolute", "ground", "tip", "0 1 0"))
    at = Instant(bare, (0.0, 0.0, -9.81), np.zeros(1), np.ones(1))
    assert not at.M.any()
    assert not at.bias.any()
