import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.dynamics import lagrange
from sim.dynamics.lagrange import inverse_dynamics, terms
from sim.maths import rotation_from_rpy
from sim.robots import load_robot, read_urdf
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_robots import random_urdf
from tests.helpers.random_worlds import angles, vectors, worlds
from tests.helpers.small_robots import double_pendulum, joint, lift, link, robot

ROUNDING = 1e-12  # of the largest entry; closed forms and model differ by roundings only
# Central difference of 8th order with step H; at these rates and sizes its own error is 1e-11
# and rounding adds 1e-16 / H.
H = 2e-3
STENCIL = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
DIFFERENCE = 1e-10


def derivative(function, x, direction):
    """d/ds function(x + s direction) at s = 0 by the stencil."""
    return sum(
        weight * (function(x + k * H * direction) - function(x - k * H * direction)) / H
        for k, weight in STENCIL.items()
    )


def over_time(*columns):
    return np.array(columns, dtype=float)


def test_double_pendulum_has_the_torques_printed_in_textbooks():
    m1, m2, l1, l2, g = 1.5, 0.8, 0.6, 0.9, 9.81
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-3, 3, (3, 2, 50))
    # Craig, Introduction to Robotics, two-link arm with point masses
    s2, c2 = np.sin(q[1]), np.cos(q[1])
    s1, s12 = np.sin(q[0]), np.sin(q[0] + q[1])  # cosines there: his arm lies at zero, ours hangs
    tau_1 = (
        m2 * l2**2 * (qdd[0] + qdd[1])
        + m2 * l1 * l2 * c2 * (2 * qdd[0] + qdd[1])
        + (m1 + m2) * l1**2 * qdd[0]
        - m2 * l1 * l2 * s2 * qd[1] ** 2
        - 2 * m2 * l1 * l2 * s2 * qd[0] * qd[1]
        + m2 * l2 * g * s12
        + (m1 + m2) * l1 * g * s1
    )
    tau_2 = (
        m2 * l1 * l2 * c2 * qdd[0]
        + m2 * l1 * l2 * s2 * qd[0] ** 2
        + m2 * l2 * g * s12
        + m2 * l2**2 * (qdd[0] + qdd[1])
    )
    found = inverse_dynamics(double_pendulum(m1, m2, l1, l2), q, qd, qdd)
    np.testing.assert_allclose(found, [tau_1, tau_2], rtol=0, atol=ROUNDING * np.abs(tau_1).max())


def test_gravity_is_9_81_downwards_unless_given():
    zero = over_time([0.0])
    assert lagrange.GRAVITY == (0.0, 0.0, -9.81)
    sideways = terms(lift(3.0, axis="1 0 0"), zero, zero, (-2.0, 0.0, 0.0))
    assert sideways.g[0, 0] == pytest.approx(6.0)


@given(worlds(most=6), angles, vectors(3.0))
def test_a_robot_does_not_feel_where_it_is_mounted_when_gravity_turns_with_it(world, rpy, xyz):
    state = (world.q, world.qd, world.qdd)
    on_ground = world.robot.mounted()
    g_turned = tuple(rotation_from_rpy(rpy) @ world.gravity)
    torque = inverse_dynamics(on_ground, *state, world.gravity)
    elsewhere = inverse_dynamics(world.robot.mounted(xyz, rpy), *state, g_turned)
    scale = max(np.abs(torque).max(), 1.0)
    np.testing.assert_allclose(elsewhere, torque, rtol=0, atol=ROUNDING * scale)


PAYLOADS = st.just(0.0) | st.floats(1e-9, 20)  # kg; what weighs less is no load


@given(worlds(most=6), PAYLOADS, PAYLOADS, vectors(0.3))
def test_torques_of_payloads_add_up(world, m1, m2, com):
    state = (world.q, world.qd, world.qdd, world.gravity)
    frame = world.robot.links[-1].name

    def torque(*masses):
        carrier = world.robot
        for mass in masses:
            carrier = carrier.with_payload(mass, com, frame=frame)
        return inverse_dynamics(carrier, *state)

    empty, first, second, both = torque(), torque(m1), torque(m2), torque(m1, m2)
    scale = np.abs([empty, first, second, both]).max() + 1.0
    np.testing.assert_allclose(both - empty, first + second - 2 * empty, atol=ROUNDING * scale)
    np.testing.assert_allclose(both, torque(m1 + m2), rtol=0, atol=ROUNDING * scale)


def test_no_samples_give_no_samples():
    empty = np.empty((6, 0))
    found = terms(load_robot("ur10"), empty, empty)
    assert (found.M.shape, found.C.shape, found.g.shape) == ((6, 6, 0), (6, 6, 0), (6, 0))
    assert found.ke.shape == found.pe.shape == (len(found.links), 0)


def test_links_without_mass_and_links_that_cannot_move_have_no_energy_row():
    base = link("base", 5.0), joint("bolt", "fixed", "ground", "base", "1 0 0")
    arm = link("arm", 1.0, "0 0 1"), joint("hinge", "revolute", "base", "arm", "0 1 0")
    tip = '<link name="tip"/>', joint("weld", "fixed", "arm", "tip", "1 0 0")
    zero = over_time([0.0])
    assert terms(robot(*base, *arm, *tip), zero, zero).links == ("arm",)


@pytest.mark.parametrize(
    ("q", "qd", "message"),
    [
        (np.zeros(6), np.zeros(6), r"q must have shape \(6, N\).*got \(6,\)"),
        (np.zeros((5, 2)), np.zeros((6, 2)), r"q must have shape \(6, N\).*got \(5, 2\)"),
        (np.zeros((6, 2)), np.zeros((6, 3)), r"qd and q must have one shape.*\(6, 3\).*\(6, 2\)"),
    ],
)
def test_arrays_of_another_shape_are_refused_by_name(q, qd, message):
    with pytest.raises(ValueError, match=message):
        terms(load_robot("ur10"), q, qd)
    with pytest.raises(ValueError, match=message):
        inverse_dynamics(load_robot("ur10"), q, qd, qd)


@pytest.fixture
def always_long(monkeypatch):
    """Every tree counts as a long one, of which ∂M/∂q is not formed."""
    monkeypatch.setattr(lagrange, "FEW", 0)


@pytest.mark.parametrize("seed", range(4))
def test_a_long_tree_has_the_terms_of_pinocchio(seed):
    rng = np.random.default_rng(seed)
    robot = read_urdf(random_urdf(rng, lagrange.FEW + 5))
    q, qd, qdd = rng.uniform(-2, 2, (3, len(robot.joint_names), 3))
    gravity = (1.0, -2.0, -9.0)
    oracle = PinocchioModel(robot, gravity)
    found = terms(robot, q, qd, gravity)
    C, tau = oracle.coriolis_matrix(q, qd), oracle.torque(q, qd, qdd)
    np.testing.assert_allclose(found.M, oracle.mass_matrix(q), atol=1e-11 * np.abs(found.M).max())
    wanted = np.einsum("ijN,jN->iN", C, qd)
    np.testing.assert_allclose(
        np.einsum("ijN,jN->iN", found.C, qd), wanted, atol=1e-11 * np.abs(wanted).max()
    )
    np.testing.assert_allclose(
        inverse_dynamics(robot, q, qd, qdd, gravity), tau, atol=1e-11 * np.abs(tau).max()
    )
    names, ke, _ = lagrange.energies(robot, q, qd, gravity)
    assert names == found.links
    np.testing.assert_allclose(ke, found.ke, rtol=ROUNDING, atol=0)
    np.testing.assert_allclose(ke.sum(axis=0), oracle.energies(q, qd)[0], rtol=1e-11, atol=0)


@pytest.mark.parametrize("seed", range(6))
def test_a_long_tree_has_the_symbols_of_christoffel(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    robot = read_urdf(random_urdf(rng, 7, mimic=seed % 2 == 1))
    q, qd = rng.uniform(-2, 2, (2, len(robot.joint_names), 4))
    by_gradient = terms(robot, q, qd)
    monkeypatch.setattr(lagrange, "FEW", 0)
    summed = terms(robot, q, qd)
    size = np.abs(by_gradient.C).max()
    np.testing.assert_allclose(summed.C, by_gradient.C, atol=ROUNDING * size)
    for name in ("M", "g", "ke", "pe"):
        np.testing.assert_array_equal(getattr(summed, name), getattr(by_gradient, name))


def test_the_mass_matrix_of_a_long_tree_grows_as_its_symbols_say(always_long):
    """Ṁ = C + Cᵀ, with Ṁ by differences of M: holds for Christoffel's symbols only."""
    rng = np.random.default_rng(3)
    robot = read_urdf(random_urdf(rng, 6))
    q, qd = rng.uniform(-1, 1, (2, 6, 3))
    growth = derivative(lambda q: terms(robot, q, qd).M, q, qd)
    C = terms(robot, q, qd).C
    np.testing.assert_allclose(
        C + np.swapaxes(C, 0, 1), growth, atol=DIFFERENCE * np.abs(growth).max()
    )


def test_memory_does_not_grow_as_the_cube_of_the_joints():
    robot = read_urdf(random_urdf(np.random.default_rng(0), 48, branching=False, fixed=False))
    q, qd = np.random.default_rng(1).uniform(-1, 1, (2, 48, 501))
    tracemalloc.start()
    try:
        terms(robot, q, qd)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 200e6  # bytes; ∂M/∂q of 501 samples alone has 443 MB, and was there four times
