import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.hybrid import LagrangianDynamics, require_inertia
from sim.dynamics.single_state.machine_code import MachineDynamics
from sim.errors import ScenarioError
from tests.helpers.free_paths import loose
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_worlds import worlds
from tests.helpers.random_wrenches import random_wrenches
from tests.helpers.small_robots import geared, joint, link, pendulum, pendulum_on_cart, robot

CLOSE = 1e-11  # of the largest torque in the sample; both sides gather a few hundred roundings
G = (0.0, 0.0, -9.81)


def by_numpy(plant, gravity, held):
    return LagrangianDynamics(plant, gravity)


def by_kernels(plant, gravity, held):
    """As the samples of a motion are solved."""
    still = np.zeros(held.size)
    mechanism = Mechanism(by_numpy(plant, gravity, held), loose(still))
    modes = FrictionModes(held, still)
    return MachineDynamics(plant, gravity, mechanism=mechanism, modes=modes)


ways = pytest.mark.parametrize("dynamics", [by_numpy, by_kernels])


def answered(world, held, seed, dynamics=by_numpy):
    """Accelerations and efforts of a world, with what was given, under random wrenches."""
    effort = np.random.default_rng(seed).uniform(-20, 20, world.q.shape)
    wrenches = random_wrenches(world.robot, world.q.shape[1], seed)
    response = dynamics(world.robot, world.gravity, held)
    given = np.where(held[:, None], world.qdd, np.nan), np.where(held[:, None], np.nan, effort)
    return (
        *response.hybrid_dynamics(world.q, world.qd, given[0], held, given[1], wrenches),
        effort,
        wrenches,
    )


@pytest.mark.usefixtures("compiled")
@ways
@given(worlds(most=6, mimic=True), st.integers(0, 2**16), st.integers(0, 63))
def test_efforts_and_accelerations_fit_each_other_as_pinocchio_says(dynamics, world, seed, bits):
    held = np.array([bool(bits >> i & 1) for i in range(len(world.robot.joint_names))])
    qdd, effort, given, wrenches = answered(world, held, seed, dynamics)
    np.testing.assert_array_equal(qdd[held], world.qdd[held])
    np.testing.assert_array_equal(effort[~held], given[~held])
    S, q_0 = world.robot.coupling
    state = S @ world.q + q_0[:, None], S @ world.qd, S @ qdd
    needed, _ = PinocchioModel(world.robot, world.gravity).loaded(*state, wrenches)
    scale = np.abs(needed).max(axis=0) * np.abs(S).max() + 1
    assert np.max(np.abs(S.T @ needed - effort) / scale) < CLOSE


def test_a_pendulum_accelerates_as_the_textbook_says():
    m, length, moment = 2.0, 0.7, 0.05
    q = np.array([[0.3, -1.0, 2.0]])
    loose, held = np.array([False]), np.array([True])
    response = LagrangianDynamics(pendulum(m, length, moment), G)
    qdd, _ = response.hybrid_dynamics(q, 0 * q, 0 * q, loose, 0 * q + 1.5)
    inertia = moment + m * length**2
    np.testing.assert_allclose(qdd, (1.5 - m * 9.81 * length * np.sin(q)) / inertia, rtol=1e-13)
    _, effort = response.hybrid_dynamics(q, 0 * q, 0 * q + 4, held, np.full_like(q, np.nan))
    np.testing.assert_allclose(effort, 4 * inertia + m * 9.81 * length * np.sin(q), rtol=1e-13)


@pytest.mark.usefixtures("compiled")
@ways
def test_a_held_cart_carries_its_pendulum_as_the_textbook_says(dynamics):
    """l q'' = a cos q - g sin q under a cart that accelerates with a, which takes a force."""
    M, m, length, a = 1.5, 2.0, 0.7, np.array([[3.0, -1.0, 0.5]])
    q, qd = np.array([[0.3, -1.0, 2.0]]), np.array([[1.0, 0.0, -2.0]])
    still, held = np.zeros((1, 3)), np.array([True, False])
    states = np.vstack([still, q]), np.vstack([still, qd]), np.vstack([a, still])
    response = dynamics(pendulum_on_cart(M, m, length), G, held)
    qdd, effort = response.hybrid_dynamics(*states, held, np.zeros((2, 3)), ())
    swing = (a * np.cos(q) - 9.81 * np.sin(q)) / length
    force = (M + m) * a - m * length * (np.cos(q) * swing - np.sin(q) * qd**2)
    np.testing.assert_allclose(qdd, np.vstack([a, swing]), rtol=1e-12)
    np.testing.assert_allclose(effort, np.vstack([force, still]), rtol=1e-12)


def test_a_follower_answers_with_its_leader():
    zero, loose = np.zeros((1, 1)), np.array([False])
    response = LagrangianDynamics(geared(0.3, 0.2, -3.0), G)
    qdd, _ = response.hybrid_dynamics(zero, zero, zero, loose, zero + 4.2)
    assert qdd[0, 0] == pytest.approx(4.2 / (0.3 + 9 * 0.2))


def test_the_arrays_that_were_given_stay_as_they_were():
    rows = [np.full((2, 3), x) for x in (0.1, 0.2, 0.3, 0.4)]
    for x in rows:
        x.setflags(write=False)
    held = np.array([True, False])
    LagrangianDynamics(pendulum_on_cart(1.0, 2.0, 0.7)).hybrid_dynamics(*rows[:3], held, rows[3])


def light(mass):
    """A wheel on a ring of some moment of inertia, both about z."""
    return robot(
        link("ring", 1.0, moments=f"{mass!r} {mass!r} {mass!r}"),
        link("wheel", 1.0, moments="0.1 0.1 0.1"),
        joint("inner", "revolute", "ground", "ring", "0 0 1"),
        joint("outer", "revolute", "ring", "wheel", "0 0 1"),
    )


def test_little_inertia_is_enough():
    everything = np.ones(2, dtype=bool)
    require_inertia(LagrangianDynamics(light(1e-9)), everything, 0.0, np.zeros((2, 1)))
    with pytest.raises(ScenarioError, match=r"'(inner|outer)' is free .* at t = 2.5 s"):
        require_inertia(LagrangianDynamics(light(0.0)), everything, 2.5, np.zeros((2, 1)))


def test_only_free_joints_need_inertia():
    for free in ([False, False], [True, False], [False, True]):
        require_inertia(LagrangianDynamics(light(0.0)), np.array(free), 0.0, np.zeros((2, 1)))
