"""The ABB IRB 460 paper (Group 7, 21 March 2021): what it prints, and what it cannot have computed.

Pose and velocity come out to every printed digit. The torques do not: the paper prints no masses,
and no machine of the robot's weight can have its torques.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from sim.dynamics import lagrange, newton_euler
from sim.kinematics import frame_motion, frame_pose, jacobian
from sim.robots import load_robot

IRB = load_robot("irb460")
ANGLES = (-30.0, -80.0, -20.0)  # theta1, theta2, theta3 in degrees, and their rates in deg/s
Q = np.radians([*ANGLES, 0.0])[:, None]
G = 9.80665

# Figure 8, figure 10, and the last three figures, as printed.
G_AB = """
    0.8660    0.5000    0.0000    1.1869
   -0.5000    0.8660    0.0000    2.0558
         0   -0.0000    1.0000    0.3385
         0         0         0    1.0000
"""
V_AB = "1.1298 -0.5290 -1.6356 0"
STATIC = np.array([0, -2.3679578993125998791282156190895, -886.53111038173242323155824620821])
DYNAMIC = np.array([0, -73.65352810028174971007312098475, 66.496615842571114284907389119375])


def as_printed(numbers):
    """Numbers in MATLAB's short format, four decimals; -0.0000 is 0."""
    return [0.0 + round(float(x), 4) for x in np.ravel(numbers)]


# The paper's own program, figures 1 to 4, line by line. A twist is (v, w) with v = q × w.


def hat(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def eps(w, p):
    return np.concatenate([hat(p) @ w, w])


def exp(axis, theta, q):
    R = np.eye(3) + hat(axis) * np.sin(theta) + hat(axis) @ hat(axis) * (1 - np.cos(theta))
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, (np.eye(3) - R) @ q
    return T


def adjoint(T):
    R, p = T[:3, :3], T[:3, 3]
    return np.block([[R, hat(p) @ R], [np.zeros((3, 3)), R]])


def matrix_arm(theta1, theta2, theta3):
    """g_ab and the Jacobian J of the spatial twist."""
    q = np.array([[0, 0, 0], [0, 0.260, 0.7425], [0, 0.260, 1.6875], [0, 1.285, 1.6875]])
    axes = np.array([[0, 0, 1], [1, 0, 0], [1, 0, 0], [1, 0, 0]])
    turns = (theta1, theta2, theta3 - theta2, -theta3)
    exp1, exp2, exp3, exp4 = (exp(*x) for x in zip(axes, turns, q, strict=True))
    g_ab0 = np.eye(4)
    g_ab0[:3, 3] = 0, 1.505, 1.470
    eps1, eps2, eps3, eps4 = (eps(w, p) for w, p in zip(axes, q, strict=True))
    eps2_t = adjoint(exp1) @ eps2
    eps3_t = adjoint(exp1 @ exp2) @ eps3
    eps4_t = adjoint(exp1 @ exp2 @ exp3) @ eps4
    J = np.stack([eps1, eps2_t - eps3_t, eps3_t - eps4_t], axis=1)
    return exp1 @ exp2 @ exp3 @ exp4 @ g_ab0, J


def test_the_printed_program_gives_the_printed_pose_and_velocity():
    theta = np.radians(ANGLES)
    g_ab, J = matrix_arm(*theta)
    V = J @ theta
    V_hat = np.zeros((4, 4))
    V_hat[:3, :3], V_hat[:3, 3] = hat(V[3:]), V[:3]
    assert as_printed(g_ab) == [float(x) for x in G_AB.split()]
    assert as_printed(V_hat @ g_ab[:, 3]) == [float(x) for x in V_AB.split()]


def test_the_robot_stands_and_moves_as_printed():
    assert as_printed(frame_pose(IRB, Q)) == [float(x) for x in G_AB.split()]
    tool = frame_motion(IRB, "tool0", Q, Q)
    assert as_printed([*tool.v[:, 0], 0]) == [float(x) for x in V_AB.split()]
    np.testing.assert_array_equal(Q, IRB.pose("paper")[:, None])


def test_the_start_configuration_is_g_ab0():
    wanted = np.eye(4)
    wanted[:3, 3] = 0, 1.505, 1.470
    found = frame_pose(IRB, IRB.pose("home")[:, None])[..., 0]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-15)


@given(st.tuples(*(st.floats(-3, 3) for _ in range(3))))
def test_robot_and_printed_program_agree_everywhere(theta):
    g_ab, J = matrix_arm(*theta)
    q = np.array([[*theta, 0.0]]).T
    np.testing.assert_allclose(frame_pose(IRB, q)[..., 0], g_ab, rtol=0, atol=1e-13)  # [m]
    found = jacobian(IRB, q, kind="spatial")[:, :3, 0]
    np.testing.assert_allclose(found, J, rtol=0, atol=1e-13)


def test_the_static_torque_is_the_slope_of_the_potential_energy():
    """V = g Σ m z, the heights from the lengths alone, by a step into the complex plane."""
    c = 0.45  # crank and rear extension [m]

    def potential(t2, t3):
        lower, upper = 0.945 * np.cos(t2), np.sin(t3)  # what an arm adds to a height
        height = 120 * lower / 2 + 43 * (-c / 2) * upper + 2 * (-c) * upper
        height += 25 * (-c * upper + lower / 2) + 10 * lower / 2  # parallel rod, levelling rod 1
        height += 15 * lower + 10 * (lower + 1.025 / 2 * upper)  # plate, levelling rod 2
        height += 95 * (lower + (1.025 - c) / 2 * upper) + (50 + 5) * (lower + 1.025 * upper)
        return G * height

    _, t2, t3, _ = Q[:, 0]
    wanted = [potential(t2 + 1e-30j, t3).imag / 1e-30, potential(t2, t3 + 1e-30j).imag / 1e-30]
    zero = np.zeros_like(Q)
    for model in (lagrange, newton_euler):
        found = model.inverse_dynamics(IRB, Q, zero, zero, (0, 0, -G))[:, 0]
        np.testing.assert_allclose(found, [0, *wanted, 0], rtol=1e-13, atol=1e-11)  # [N·m]
    assert np.abs(np.array(wanted) - STATIC[1:]).min() > 1000  # no resemblance


def test_equation_8_carries_the_weight_without_its_dot_and_nothing_with_it():
    """L = T - V at rest: -∂L/∂θ is what the arm weighs, ∂L/∂θ_dot = M θ_dot is zero."""

    def lagrangian(q, qd):
        _, ke, pe = lagrange.energies(IRB, q, qd, (0, 0, -G))
        return float(np.sum(ke - pe))

    zero, step = np.zeros_like(Q), 1e-4
    sides = [step * one[:, None] for one in np.eye(len(Q))]
    by_place = [(lagrangian(Q + x, zero) - lagrangian(Q - x, zero)) / (2 * step) for x in sides]
    by_rate = [(lagrangian(Q, x) - lagrangian(Q, -x)) / (2 * step) for x in sides]
    weight = newton_euler.inverse_dynamics(IRB, Q, zero, zero, (0, 0, -G))[:, 0]
    np.testing.assert_allclose(-np.array(by_place), weight, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(by_rate, 0, atol=1e-6)
    assert np.abs(weight).max() > 1000


masses = st.lists(
    st.tuples(
        st.sampled_from([link.name for link in IRB.links[1:]]),
        st.floats(1, 200),
        st.tuples(*(st.floats(-1, 1) for _ in range(3))),
    ),
    max_size=3,
)


@given(masses)
@settings(max_examples=30, deadline=None, derandomize=True)
def test_no_masses_give_the_printed_ratio_of_velocity_torques_without_swing(added):
    """T = J2 ω2²/2 + J3 ω3²/2 + K(θ2 - θ3) ω2 ω3 gives c2 : c3 = -ω3² : ω2² = -1 : 16."""
    robot = IRB
    for link, mass, com in added:
        robot = robot.with_payload(mass, com, frame=link)
    qd, zero = Q.copy(), np.zeros_like(Q)
    qd[0] = 0.0
    _, c2, c3, _ = newton_euler.inverse_dynamics(robot, Q, qd, zero, (0, 0, 0))[:, 0]
    assert c2 * 16 == pytest.approx(-c3, abs=1e-12 * (abs(c2) + abs(c3)) + 1e-12)
    _, printed2, printed3 = DYNAMIC - STATIC
    assert printed2 / printed3 == pytest.approx(-0.0748, abs=5e-5)
    assert abs(printed2 / printed3 + 1 / 16) > 0.19 / 16  # 20 % beside the law


def test_a_robot_that_coasts_needs_torque_on_axis_1():
    """It swings while it folds: its moment about axis 1 changes. The paper prints exactly 0."""
    zero = np.zeros_like(Q)
    for load in (0.0, 110.0):
        robot = IRB.with_payload(load)
        tau = newton_euler.inverse_dynamics(robot, Q, Q, zero, (0, 0, -G))[:, 0]
        inertia = [lagrange.terms(robot, Q + s * Q, zero).M[0, 0, 0] for s in (-1e-6, 1e-6)]
        rate = (inertia[1] - inertia[0]) / 2e-6  # d/dt along the motion
        assert tau[0] == pytest.approx(rate * Q[0, 0], rel=1e-8)
        assert tau[0] < -60  # [N·m]


def turned(angle, y, z):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * y - s * z, s * y + c * z])


def point_torques(place, rates, g):
    """Torques of 1 kg at x, in the plane at c + R(θ2) u + R(θ3) v, with no joint accelerating."""
    x, c, u, v = place
    _, t2, t3 = np.radians(ANGLES)
    w1, w2, w3 = rates
    a2, a3 = turned(t2, *u), turned(t3, *v)
    (y, _), (yd, _) = c + a2 + a3, turned(np.pi / 2, *(w2 * a2 + w3 * a3))
    ydd, zdd = -(w2**2) * a2 - w3**2 * a3
    ay, az = ydd - y * w1**2, zdd + g
    return [x * ydd + 2 * y * yd * w1, a2[0] * az - a2[1] * ay, a3[0] * az - a3[1] * ay]


def generous_places():
    """Where a machine of this kind may have mass, and counterweights; for `point_torques`."""
    axis, lower, upper, none = np.array([0.26, 0.7425]), (0, 0.945), (1.025, 0), (0, 0)
    sides, square = np.linspace(-0.4, 0.4, 5), np.linspace(-0.8, 0.8, 9)
    plane = [(axis, (a, b), none) for a in sides for b in np.linspace(-0.6, 1.2, 10)]  # lower arm
    plane += [(axis, lower, (b, a)) for a in sides for b in np.linspace(-0.8, 1.3, 12)]  # upper arm
    plane += [(axis, none, (a, b)) for a in square for b in square]  # crank
    for crank in ((-0.45, 0), (-0.3, 0), (-0.6, 0), (0, 0.4), (0, -0.4)):  # parallel rod
        plane += [(axis, (0, b), crank) for b in np.linspace(-0.1, 1.05, 5)]
    for pin in ((-0.3, 0), (0.3, 0), (0, 0.3), (0, -0.3), (-0.18, 0.08)):  # levelling rods
        plane += [(axis + pin, (0, b), none) for b in np.linspace(-0.1, 1.05, 5)]
        plane += [(axis + pin, lower, (b, 0)) for b in np.linspace(-0.1, 1.13, 5)]
    beside = np.linspace(-0.5, 0.5, 5)
    corners = axis + np.array([(a, b) for a in beside for b in beside])
    plane += [(c, lower, v) for c in corners for v in (none, upper)]  # link plate, wrist
    return [(x, *place) for place in plane for x in (-0.4, 0.0, 0.4)]


def test_the_torque_of_a_point_is_that_of_the_robot_with_the_point_on_a_link():
    rates, zero = np.radians(ANGLES), np.zeros_like(Q)
    for link, com, place in (
        ("lower_arm", (0.1, 0.2, 0.7), (0.1, (0.26, 0.7425), (0.2, 0.7), (0, 0))),
        ("upper_arm", (-0.2, 0.9, 0.1), (-0.2, (0.26, 0.7425), (0, 0.945), (0.9, 0.1))),
        ("wrist", (0.0, 0.3, -0.2), (0.0, (0.56, 0.5425), (0, 0.945), (1.025, 0))),
    ):
        loaded, empty = (
            newton_euler.inverse_dynamics(robot, Q, Q, zero, (0, 0, -G))[:3, 0]
            for robot in (IRB.with_payload(1.0, com, frame=link), IRB)
        )
        np.testing.assert_allclose(loaded - empty, point_torques(place, rates, G), atol=1e-10)


@pytest.mark.parametrize("sign", [1, -1], ids=["torque of the motors", "torque on the motors"])
def test_no_machine_that_weighs_925_kg_has_the_printed_torques(sign):
    """A linear programme: the least mass, anywhere in the machine, that gives all of them."""
    places = generous_places()
    still = np.transpose([point_torques(place, (0, 0, 0), G) for place in places])
    moving = np.transpose([point_torques(place, np.radians(ANGLES), G) for place in places])
    rows, wanted = np.concatenate([still[1:], moving]), np.concatenate([STATIC[1:], DYNAMIC])
    least = linprog(np.ones(len(places)), A_eq=rows, b_eq=sign * wanted)
    assert least.success
    assert least.fun > 1300  # [kg] that move; the whole robot, with its base, weighs 925
    np.testing.assert_allclose(rows @ least.x, sign * wanted, rtol=0, atol=1e-6)  # [N·m]
