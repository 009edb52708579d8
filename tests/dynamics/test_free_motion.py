import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ellipj, ellipk

from sim.dynamics import lagrange
from sim.dynamics.free_motion import free_motion
from sim.dynamics.friction import friction_torque
from sim.errors import ScenarioError
from tests.random_worlds import worlds
from tests.small_robots import (
    double_pendulum,
    geared,
    joint,
    lift,
    link,
    pendulum,
    pendulum_on_cart,
    robot,
)

G = (0.0, 0.0, -9.81)
NO_CORNERS = np.array([])
# The solver is asked for 1e-11 a step; some hundred steps add up.
CLOSE = 1e-9  # [rad], [m] and so on


def at_rest(n):
    """A path whose prescribed joints stay at zero."""
    return lambda t: tuple(np.zeros((3, n, t.size)))


def let_go(robot, q0, t, qd0=None, gravity=G):
    n = len(robot.joint_names)
    start = np.array(q0, dtype=float)
    rate = np.zeros(n) if qd0 is None else np.array(qd0, dtype=float)
    everything = np.ones(n, dtype=bool)
    return free_motion(robot, at_rest(n), everything, start, rate, t, NO_CORNERS, gravity)


def swing(t, amplitude, rate):
    """Angle and speed of a pendulum let go at `amplitude`; `rate` is that of small swings.

    sin(q/2) = k cd(rate t), k = sin(amplitude/2).
    """
    k = np.sin(amplitude / 2)
    sn, cn, dn, _ = ellipj(rate * t + ellipk(k * k), k * k)
    return 2 * np.arcsin(k * sn), 2 * k * rate * cn * (dn / np.sqrt(1 - (k * sn) ** 2))


@pytest.mark.parametrize("amplitude", [0.01, 1.0, 2.5, 3.0])
def test_a_pendulum_swings_as_the_elliptic_functions_say(amplitude):
    m, length, moment = 2.0, 0.7, 0.05
    rate = np.sqrt(m * 9.81 * length / (moment + m * length**2))
    period = 4 * ellipk(np.sin(amplitude / 2) ** 2) / rate
    t = np.linspace(0.0, period, 101)
    q, qd, qdd = let_go(pendulum(m, length, moment), [amplitude], t)
    angle, speed = swing(t, amplitude, rate)
    np.testing.assert_allclose(q[0], angle, rtol=0, atol=CLOSE)
    np.testing.assert_allclose(qd[0], speed, rtol=0, atol=CLOSE * rate)
    np.testing.assert_allclose(qdd[0], -(rate**2) * np.sin(angle), rtol=0, atol=CLOSE * rate**2)
    assert q[0, -1] == pytest.approx(amplitude, abs=CLOSE)


def test_a_load_that_nothing_holds_falls():
    t = np.linspace(0.0, 1.0, 11)
    q, qd, qdd = let_go(lift(3.0), [2.0], t, [1.0])
    np.testing.assert_allclose(q[0], 2 + t - 9.81 * t**2 / 2, atol=CLOSE)
    np.testing.assert_allclose(qd[0], 1 - 9.81 * t, atol=CLOSE)
    np.testing.assert_allclose(qdd[0], -9.81, atol=CLOSE)


def test_damping_stops_a_slide_exponentially():
    slide = lift(3.0, "1 0 0", '<dynamics damping="1.5"/>')
    t = np.linspace(0.0, 4.0, 21)
    q, qd, _ = let_go(slide, [0.0], t, [2.0])
    np.testing.assert_allclose(qd[0], 2 * np.exp(-0.5 * t), atol=CLOSE)
    np.testing.assert_allclose(q[0], 4 * (1 - np.exp(-0.5 * t)), atol=CLOSE)


def test_a_geared_pair_runs_down_with_the_inertia_and_the_friction_of_both_rotors():
    damped = ['<dynamics damping="0.7"/>', '<dynamics damping="0.1"/>']
    t = np.linspace(0.0, 4.0, 21)
    _, qd, _ = let_go(geared(0.3, 0.2, -3.0, *damped), [0.0], t, [2.0])
    slowing = (0.7 + 9 * 0.1) / (0.3 + 9 * 0.2)
    np.testing.assert_allclose(qd[0], 2 * np.exp(-slowing * t), atol=CLOSE)


@given(worlds(fewest=2, most=4, states=1))
@settings(max_examples=8, deadline=None, derandomize=True)
def test_free_robots_keep_their_energy(world):
    t = np.linspace(0.0, 0.5, 26)
    q, qd, _ = let_go(world.robot, world.q[:, 0], t, world.qd[:, 0], world.gravity)
    found = lagrange.terms(world.robot, q, qd, world.gravity)
    energy = found.ke.sum(axis=0) + found.pe.sum(axis=0)
    scale = found.ke.sum(axis=0).max() + np.abs(found.pe).sum(axis=0).max()
    assert np.abs(energy - energy[0]).max() <= 1e-9 * scale


def test_a_damped_robot_loses_what_its_joints_turn_into_heat():
    chain = robot(
        link("upper", 1.0, "0 0 -0.5", "0.01 0.02 0.03"),
        joint("root", "revolute", "ground", "upper", "0.6 0.8 0", '<dynamics damping="0.3"/>'),
        link("lower", 0.7, "0 0.2 -0.3", "0.01 0.02 0.03"),
        joint("end", "revolute", "upper", "lower", "0 0.8 0.6", '<dynamics damping="0.1"/>'),
    )
    t = np.linspace(0.0, 2.0, 4001)
    q, qd, _ = let_go(chain, [1.0, -0.5], t, [0.0, 3.0])
    found = lagrange.terms(chain, q, qd)
    energy = found.ke.sum(axis=0) + found.pe.sum(axis=0)
    heat = (friction_torque(chain, qd) * qd).sum(axis=0)
    h = t[1]
    lost = h / 3 * (heat[0] + 4 * heat[1::2].sum() + 2 * heat[2:-1:2].sum() + heat[-1])  # Simpson
    assert energy[0] - energy[-1] == pytest.approx(lost, abs=1e-9)
    assert lost > 1.0  # [J]


def test_free_joints_obey_the_equations_of_motion_beside_driven_ones():
    arm = double_pendulum(1.5, 0.8, 0.6, 0.9)

    def path(t):
        nonsense = np.full_like(t, np.nan)  # rows of free joints are not used
        q, qd, qdd = np.sin(3 * t), 3 * np.cos(3 * t), -9 * np.sin(3 * t)
        return np.stack([q, nonsense]), np.stack([qd, nonsense]), np.stack([qdd, nonsense])

    free, t = np.array([False, True]), np.linspace(0.0, 2.0, 401)
    q0, qd0 = np.array([9.0, 0.4]), np.array([9.0, -1.0])  # of the free joint only
    q, qd, qdd = free_motion(arm, path, free, q0, qd0, t, NO_CORNERS, G)
    np.testing.assert_array_equal(q[0], np.sin(3 * t))
    assert (q[1, 0], qd[1, 0]) == (0.4, -1.0)
    tau = lagrange.inverse_dynamics(arm, q, qd, qdd)
    np.testing.assert_allclose(tau[1], 0.0, atol=1e-12)  # [N·m]
    assert np.abs(tau[0]).max() > 1.0
    # and qd, qdd are the rates of q: the corrected trapezoidal rule is good to dt⁵ q⁗′/720
    dt = t[1]
    dq = dt * (qd[1, 1:] + qd[1, :-1]) / 2 - dt**2 * (qdd[1, 1:] - qdd[1, :-1]) / 12
    np.testing.assert_allclose(np.diff(q[1]), dq, rtol=0, atol=1e-10)


@pytest.mark.parametrize("corner", [1.0, 0.9876])
def test_a_corner_of_a_drive_on_or_between_samples_costs_no_accuracy(corner):
    """A cart accelerates at once with g until the corner, then rolls on.

    The bob swings about 45° behind the cart, under a weight of √2 m g, and then about the vertical
    with the energy that it has at the corner.
    """
    length, g = 0.7, 9.81
    rate = np.sqrt(np.sqrt(2) * g / length)

    def path(t):
        on = t < corner
        q = np.where(on, g * t**2 / 2, g * corner * (t - corner / 2))
        rows = (q, g * np.minimum(t, corner), np.where(on, g, 0.0))
        return tuple(np.stack([row, np.zeros_like(t)]) for row in rows)

    t = np.linspace(0.0, 2.0, 41)
    free, zero = np.array([False, True]), np.zeros(2)
    plant = pendulum_on_cart(1.0, 2.0, length)
    q, qd, _ = free_motion(plant, path, free, zero, zero, t, np.array([corner]), G)
    before = t < corner
    behind, _ = swing(t[before], np.pi / 4, rate)
    np.testing.assert_allclose(q[1, before], np.pi / 4 - behind, rtol=0, atol=CLOSE)
    behind, speed = swing(corner, np.pi / 4, rate)
    energy = qd[1] ** 2 / 2 - g / length * np.cos(q[1])  # a bob of mass and length 1
    at_corner = speed**2 / 2 - g / length * np.cos(np.pi / 4 - behind)
    np.testing.assert_allclose(energy[~before], at_corner, rtol=0, atol=CLOSE * g / length)


def test_a_short_push_after_a_long_rest_is_not_stepped_over():
    """A cart pushed by 1e-3 s of 9 m/s² leaves its bob behind with that speed, -9e-3 m/s."""
    length, push, begin, end = 0.7, 9.0, 7.0, 7.001

    def path(t):
        on = (t >= begin) & (t < end)
        late = np.clip(t - begin, 0.0, end - begin)
        q = push * (late**2 / 2 + (end - begin) * np.maximum(t - end, 0.0))
        return tuple(np.stack([row, 0 * t]) for row in (q, push * late, np.where(on, push, 0.0)))

    t = np.array([0.0, begin, end, 8.0])
    free, zero = np.array([False, True]), np.zeros(2)
    plant = pendulum_on_cart(1.0, 2.0, length)
    _, qd, _ = free_motion(plant, path, free, zero, zero, t, np.array([begin, end]), G)
    assert qd[1, 1] == pytest.approx(0.0, abs=CLOSE)
    # about +y the bob swings to -x, so the hinge turns forwards; the swing takes off 1e-6 of it
    assert qd[1, 2] == pytest.approx(push * (end - begin) / length, rel=1e-5)


def test_coulomb_friction_at_a_free_joint_is_refused_by_name():
    rough = pendulum(1.0, 0.5, more='<dynamics friction="2.5"/>')
    with pytest.raises(ScenarioError, match=r"'hinge' is free .* Coulomb friction 2.5 N·m"):
        let_go(rough, [0.3], np.linspace(0, 1, 3))
    slide = lift(1.0, more='<dynamics friction="2.5"/>')
    with pytest.raises(ScenarioError, match=r"'slide' is free .* Coulomb friction 2.5 N;"):
        let_go(slide, [0.3], np.linspace(0, 1, 3))


def test_coulomb_friction_at_a_driven_joint_does_not_disturb_the_free_ones():
    rough = pendulum_on_cart(1.0, 2.0, 0.7, '<dynamics friction="2.5"/>')
    t = np.linspace(0.0, 1.0, 11)
    free, start = np.array([False, True]), np.array([0.0, 1.0])
    q, _, _ = free_motion(rough, at_rest(2), free, start, np.zeros(2), t, NO_CORNERS, G)
    np.testing.assert_allclose(q[1], swing(t, 1.0, np.sqrt(9.81 / 0.7))[0], atol=CLOSE)


def test_a_motion_that_cannot_be_integrated_names_the_time():
    def path(t):
        rows = np.zeros((3, 2, t.size))
        rows[2, 0] = np.where(t < 0.5, 0.0, np.nan)
        return tuple(rows)

    plant = pendulum_on_cart(1.0, 2.0, 0.7)
    free, zero = np.array([False, True]), np.zeros(2)
    with pytest.raises(ScenarioError, match=r"could not be integrated beyond t = 0\.[0-9]+ s"):
        free_motion(plant, path, free, zero, zero, np.linspace(0, 1, 11), NO_CORNERS, G)


@given(st.floats(0.1, 3.0))
@settings(max_examples=10, deadline=None, derandomize=True)
def test_turning_gravity_turns_the_motion(angle):
    t = np.linspace(0.0, 0.5, 6)
    upright = let_go(pendulum(1.0, 0.5), [1.0 + angle], t)[0]
    tilted_gravity = (-9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle))
    tilted = let_go(pendulum(1.0, 0.5), [1.0 + 2 * angle], t, gravity=tilted_gravity)[0]
    np.testing.assert_allclose(tilted - angle, upright, atol=CLOSE)
