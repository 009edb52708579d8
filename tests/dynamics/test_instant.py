import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sim.dynamics import newton_euler
from sim.dynamics.single_state.instant import Instant
from sim.kinematics import tree_of
from tests.helpers.examples import examples
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_worlds import worlds
from tests.helpers.small_robots import joint, link, robot


def instants(world):
    for k in range(world.q.shape[1]):
        yield k, Instant(world.robot, world.gravity, world.q[:, k], world.qd[:, k])


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


def test_a_robot_without_any_mass_has_no_inertia():
    bare = robot(link("tip", 0.0), joint("hinge", "revolute", "ground", "tip", "0 1 0"))
    at = Instant(bare, (0.0, 0.0, -9.81), np.zeros(1), np.ones(1))
    assert not at.M.any()
    assert not at.bias.any()
