"""The ABB IRB 460 paper (Group 7, 21 March 2021): every number, and what it left out.

Pose and velocity come out of the printed program. The torques come out of nine point masses, two
poses, a load and a rate that the paper does not print; they stand in a program that one of its
authors published.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.checks import judge_claims
from sim.dynamics import lagrange, loop_forces, newton_euler
from sim.kinematics import close_motion, frame_pose, jacobian
from sim.recording import Recording
from sim.robots import load_robot

IRB = load_robot("irb460")
PAPER = load_robot("irb460_paper")
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


@given(st.tuples(*(st.floats(-3, 3) for _ in range(3))))
def test_robot_and_printed_program_agree_everywhere(theta):
    g_ab, J = matrix_arm(*theta)
    q = np.array([[*theta, 0.0]]).T
    np.testing.assert_allclose(frame_pose(IRB, q)[..., 0], g_ab, rtol=0, atol=1e-13)  # [m]
    found = jacobian(IRB, q, kind="spatial")[:, :3, 0]
    np.testing.assert_allclose(found, J, rtol=0, atol=1e-13)


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


# The nine bodies: mass [kg], where it is at zero (y, z) [m], and what turns it: centres, and
# multiples of theta2 and theta3. The turn that is named first comes last.

AXIS_2, ELBOW, WRIST, TOOL = 0.260 + 0.7425j, 0.260 + 1.6875j, 1.285 + 1.6875j, 1.505 + 1.470j
CRANK_PIN, ROD_1, ROD_2 = -0.140 + 0.7425j, 0.88334j, 0.48981 + 1.88034j
PLATE = ((AXIS_2, 1, 0), (ELBOW, -1, 0))
ARM = ((AXIS_2, 1, 0), (ELBOW, -1, 1))
BODIES = {
    "swing_base": (102.7282598605, 0.1479760992 + 0.5686888371j, ()),
    "lower_arm": (12.4193410149, 0.2834415217 + 1.1379921239j, ((AXIS_2, 1, 0),)),
    "crank": (5.2824118449, 0.136553367 + 0.7422922859j, ((AXIS_2, 0, 1),)),
    "parallel_rod": (
        2.9463248039,
        -0.1400000011 + 1.2150000115j,
        ((AXIS_2, 0, 1), (CRANK_PIN, 1, -1)),
    ),
    "upper_arm": (9.6977245306, 0.4379407461 + 1.7370254708j, ARM),
    "levelling_rod_1": (1.4433507166, -0.034408645058 + 1.3558415391j, ((ROD_1, 1, 0),)),
    "link_plate": (2.8514044732, 0.2535938282 + 1.770122769j, PLATE),
    "levelling_rod_2": (1.4155689868, 1.0023172834 + 1.8803362521j, (*PLATE, (ROD_2, 0, 1))),
    "wrist": (6.0134646985, 1.4437790926 + 1.6191476398j, (*ARM, (WRIST, 0, -1))),
}
LOAD = 800.0  # N downwards at the tool
RATE, GROUPS_RATE = np.radians(1.0), np.radians(6.0)  # rad/s: of the program, of the group's motion
GROWTH = np.radians(1.0)  # rad/s²
LEAN = np.radians(17.5)  # of the lower arm where the dynamic torques are taken


def place(point, turns, theta2, theta3):
    """Where a point y + iz of a body is."""
    for centre, k2, k3 in reversed(turns):
        point = centre + np.exp(1j * (k2 * theta2 + k3 * theta3)) * (point - centre)
    return point


def arms(point, turns):
    """u and v of the point's path c + u exp(i theta2) + v exp(i theta3)."""
    zero = place(point, turns, 0.0, 0.0)
    return (zero - place(point, turns, np.pi, 0.0)) / 2, (
        zero - place(point, turns, 0.0, np.pi)
    ) / 2


def point_torques(theta2, theta3, rates=(0.0, 0.0), growths=(0.0, 0.0), load=0.0):
    """Torques of the motors of theta2 and theta3 [N·m], by Newton; the swing is at rest."""
    torques = np.zeros(2)
    weights = [(mass, mass * G, point, turns) for mass, point, turns in BODIES.values()]
    for mass, weight, point, turns in [*weights, (0.0, load, TOOL, BODIES["wrist"][2])]:
        levers = np.array(arms(point, turns)) * np.exp([1j * theta2, 1j * theta3])
        acceleration = levers @ (1j * np.array(growths) - np.square(rates))
        force = mass * acceleration + 1j * weight
        torques += (np.conj(1j * levers) * force).real
    return torques


def test_the_static_torques_are_those_of_nine_points_and_a_load_that_is_not_named():
    torques = point_torques(0.0, 0.0, load=LOAD)
    np.testing.assert_allclose(torques, -STATIC[1:], rtol=1e-13)
    unloaded = point_torques(0.0, 0.0)
    # the lever of theta3 is the upper arm; upright, that of theta2 is nothing
    np.testing.assert_allclose(torques - unloaded, [0, LOAD * 1.025], rtol=0, atol=1e-10)  # [N·m]
    assert unloaded[1] < 70 < -STATIC[2]


def test_the_dynamic_torques_are_those_of_nine_points_at_one_degree_per_second():
    torques = point_torques(LEAN, 0.0, (RATE, 0.0), (GROWTH, 0.0))
    np.testing.assert_allclose(torques, DYNAMIC[1:], rtol=1e-13)


def test_the_two_printed_torques_have_different_signs():
    """Both by the motors: minus the slope of V and J'F in the one, plus the slope in the other."""
    still, moving = (
        point_torques(0.0, 0.0, load=LOAD),
        point_torques(LEAN, 0.0, (RATE, 0.0), (GROWTH, 0.0)),
    )
    np.testing.assert_array_equal(np.sign(still), -np.sign(STATIC[1:]))
    np.testing.assert_array_equal(np.sign(moving), np.sign(DYNAMIC[1:]))


def test_at_the_pose_of_the_other_tasks_the_torques_are_others():
    """Neither the pose (-30, -80, -20) degrees nor its rates give them, loaded or not."""
    _, theta2, theta3 = np.radians(ANGLES)
    for load in (0.0, LOAD):
        still = point_torques(theta2, theta3, load=load)
        assert np.abs(np.abs(still) - np.abs(STATIC[1:])).min() > 50  # [N·m]
    q, qd, qdd = PAPER.pose("paper")[:, None], *np.zeros((2, len(PAPER.joint_names), 1))
    qd[:3, 0] = np.radians(ANGLES)
    motion = close_motion(PAPER, np.zeros(1), q, qd, qdd)
    moving = loop_forces.inverse_dynamics(PAPER, *motion, (0, 0, -G)).tau[:3, 0]
    assert np.abs(moving - DYNAMIC).min() > 5  # [N·m]; the swing motor too


def test_the_motion_of_the_group_passes_the_pose_six_times_as_fast():
    time = 5.0  # s, from 1 degree/s with 1 degree/s²
    assert RATE * time + GROWTH * time**2 / 2 == pytest.approx(LEAN, rel=1e-15)
    assert RATE + GROWTH * time == pytest.approx(GROUPS_RATE, rel=1e-15)
    tau2, tau3 = point_torques(LEAN, 0.0, (GROUPS_RATE, 0.0), (GROWTH, 0.0))
    assert tau2 == pytest.approx(DYNAMIC[1], rel=1e-13)  # its own rate gives theta2 no torque
    assert tau3 == pytest.approx(66.41804305, abs=5e-9)
    assert abs(tau3 - 66.42) < 0.005 < abs(DYNAMIC[2] - 66.42)  # what ADAMS shows


def test_one_mass_beside_its_place_explains_both_torques_of_the_lower_arm_in_adams():
    """2.437 and 73.59 N·m instead of 2.368 and 73.65: m g y of one body, turned with theta2."""
    more = 2.437 - point_torques(0.0, 0.0, load=LOAD)[0]
    assert more == pytest.approx(0.069, abs=5e-4)
    leaning = point_torques(LEAN, 0.0, (GROUPS_RATE, 0.0), (GROWTH, 0.0))[0] + more * np.cos(LEAN)
    assert leaning == pytest.approx(-73.59, abs=0.005)


def test_the_masses_are_those_of_water():
    """144.8 kg move; with the density of steel that volume weighs more than the whole robot."""
    moving = sum(mass for mass, _, _ in BODIES.values())
    assert moving == pytest.approx(144.8, abs=0.05)
    assert moving * 7850 / 1000 > 925
    links = [link.inertia for link in PAPER.links if link.inertia]
    assert sum(one.mass for one in links) == pytest.approx(moving, rel=1e-15)
    assert not any(one.tensor.any() for one in links)


@given(st.tuples(*(st.floats(-1.3, 0.6) for _ in range(3))))
def test_the_nine_masses_of_the_robot_move_as_in_the_program(theta):
    """The loops of the linkage carry each mass to where the program's turns do."""
    t1, t2, t3 = theta
    q = np.zeros((len(PAPER.joint_names), 1))
    q[:3, 0] = theta
    q[3:, 0] = [t2, -t2, t3 - t2, t3, -t3, t2 - t3]  # how it is assembled
    q, _, _ = close_motion(PAPER, np.zeros(1), q, np.zeros_like(q), np.zeros_like(q))
    for name, (mass, point, turns) in BODIES.items():
        body = PAPER.link(name).inertia
        assert body.mass == mass
        T = frame_pose(PAPER, q, name)[..., 0]
        there = place(point, turns, t2, t3)
        wanted = [-np.sin(t1) * there.real, np.cos(t1) * there.real, there.imag]
        np.testing.assert_allclose(T[:3, :3] @ body.com + T[:3, 3], wanted, rtol=0, atol=1e-12)


def test_the_linkage_has_the_torques_of_nine_points_however_it_moves():
    """Its pin forces and all; the points know nothing of them."""
    chance = np.random.default_rng(3)
    for t2, t3 in chance.uniform((-1.3, -1.5), (0.6, 0.3), (10, 2)):
        rates, growths = chance.uniform(-2, 2, (2, 2))  # rad/s, rad/s²
        q, qd, qdd = np.zeros((3, len(PAPER.joint_names), 1))
        q[:, 0] = [0, t2, t3, t2, -t2, t3 - t2, t3, -t3, t2 - t3]
        qd[1:3, 0], qdd[1:3, 0] = rates, growths
        motion = close_motion(PAPER, np.zeros(1), q, qd, qdd)
        found = loop_forces.inverse_dynamics(PAPER, *motion, (0, 0, -G)).tau[1:3, 0]
        wanted = point_torques(t2, t3, rates, growths)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10)  # of some 100 N·m


@pytest.mark.parametrize(
    ("scenario", "printed"), [("irb460_static", -STATIC), ("irb460_dynamic", DYNAMIC)]
)
def test_engine_and_model_give_every_printed_digit(shipped_run, scenario, printed):
    """The table has ten decimals of each mass; 1e-10 of a torque is what they can be held to."""
    for table in ("recording", "analytic"):
        row = pd.read_parquet(shipped_run(scenario, "ideal") / f"{table}.parquet").loc[0.5]
        found = [row[f"tau.{joint}"] for joint in PAPER.joint_names[:3]]
        np.testing.assert_allclose(found, printed, rtol=1e-10, atol=1e-10)  # [N·m]


NOT_SHOWN = {  # what ADAMS has of another model, or at another rate
    "irb460_motion": set(),
    "irb460_static": {"tau.lower_arm_joint"},
    "irb460_dynamic": {f"tau.{joint}" for joint in PAPER.joint_names[:3]},
}


@pytest.mark.parametrize("scenario", NOT_SHOWN)
def test_the_scenarios_show_all_that_is_printed_and_what_adams_has_of_it(shipped_run, scenario):
    claims = judge_claims(Recording.read(shipped_run(scenario, "ideal")))
    printed = [claim for claim in claims if "ADAMS" not in claim.text]
    assert len(printed) >= 3
    assert all(claim.ok for claim in printed)
    assert {claim.channel for claim in claims if not claim.ok} == NOT_SHOWN[scenario]
