"""What the four papers print about kinematics: reproduced to every digit, or shown to be wrong.

Numbers such as 3.4 count the claims of a paper: the paper, then the claim.
"""

import numpy as np
import pytest

from sim.kinematics import dh, frame_pose
from sim.kinematics.inverse import inverse_kinematics
from sim.maths import exp_pose
from sim.maths.screws import adjoint, rotary_screw
from sim.robots import load_robot, read_urdf
from tests.helpers.inverse_checks import apart

EXACT = 1e-12
PRINTED = 5e-5  # half of the last printed digit
UR10, KR210, WELD5 = (load_robot(name) for name in ("ur10", "kr210_paper", "weld5"))


def random_angles(n, samples, seed=0):
    return np.random.default_rng(seed).uniform(-np.pi, np.pi, (n, samples))


def sines(q, *sums):
    """Sines and cosines of the angles, then of the sums of the joints named by their digits."""
    angles = [*q, *(sum(q[int(digit) - 1] for digit in name) for name in sums)]
    return [np.sin(angle) for angle in angles], [np.cos(angle) for angle in angles]


def largest(difference):
    return float(np.abs(difference).max())


# --- Paper 001: Ma, Liu, Yu, Cao 2017, UR10 -------------------------------------------------------

# Its table 1 is lost in the copy; these offsets are the ones that its equations (2) and (8) imply.
A2, A3, D23, D5 = 0.612, 0.5723, 0.163941, 0.1157
MA = dh.DHTable(
    a=[0, A2, A3, 0, 0, 0],
    d=[0, 0.22, D23 - 0.22, 0, D5, 0],
    alpha=np.radians([-90, 0, 0, 90, 90, 0]),
    theta=np.zeros(6),
)


def ma_forward(q, nz=1, oz=1, px=1, py=1):
    """Equation (2); the signs are those of the first or second term that the copy leaves open."""
    (s1, s2, _, _, s5, s6, s23, s234), (c1, c2, _, _, c5, c6, c23, c234) = sines(q, "23", "234")
    arm = A2 * c2 + A3 * c23
    T = np.zeros((3, 4, q.shape[1]))
    T[0] = (
        c1 * s234 * s6 - c6 * (s1 * s5 - c1 * c5 * c234),
        c1 * s234 * c6 + s6 * (s1 * s5 - c1 * c5 * c234),
        c1 * c234 * s5 + s1 * c5,
        px * D5 * c1 * s234 + c1 * arm - s1 * D23,
    )
    T[1] = (
        s1 * s234 * s6 + c6 * (c1 * s5 + s1 * c5 * c234),
        s1 * s234 * c6 - s6 * (c1 * s5 + s1 * c5 * c234),
        s1 * c234 * s5 - c1 * c5,
        py * D5 * s1 * s234 + s1 * arm + c1 * D23,
    )
    T[2] = (
        nz * c234 * s6 - c5 * c6 * s234,
        c5 * s234 * s6 + oz * c6 * c234,
        -s5 * s234,
        D5 * c234 - A3 * s23 - A2 * s2,
    )
    return T


def test_1_1_the_forward_kinematics_of_paper_001_are_its_dh_product():
    q = random_angles(6, 50)
    assert largest(ma_forward(q) - dh.forward(MA, q)[:3]) < 2e-15


def test_1_1_with_the_sign_that_o_z_has_in_the_copy_it_is_not():
    only_off_at("oz", 2, 1, 1.5)


def only_off_at(entry, row, column, error):
    """With the other sign of one term its entry is off, and no other."""
    q = random_angles(6, 50)
    difference = ma_forward(q, **{entry: -1}) - dh.forward(MA, q)[:3]
    assert largest(difference[row, column]) > error
    difference[row, column] = 0
    assert largest(difference) < 2e-15


def test_1_1_n_z_is_right_as_it_stands_in_the_copy():
    """c234 s6 - c5 c6 s234, without a minus before it; with one it would be off."""
    q = random_angles(6, 50)
    (_, _, _, _, _, s6, s234), (_, _, _, _, c5, c6, c234) = sines(q, "234")
    assert largest(c234 * s6 - c5 * c6 * s234 - dh.forward(MA, q)[2, 0]) < 2e-15
    only_off_at("nz", 2, 0, 1.5)


def test_1_1_the_lost_signs_of_p_x_and_p_y_are_those_of_equation_8():
    """Its last column is c3 a3 + d5 s34, s3 a3 - d5 c34: joints 3 to 5, seen from link 2."""
    q = random_angles(6, 50)
    A = dh.transforms(MA, q)
    (_, _, s3, *_, s34), (_, _, c3, *_, c34) = sines(q, "34")
    p = np.einsum("abN,bcN,cdN->adN", A[2], A[3], A[4])[:2, 3]
    assert largest(p - np.array([c3 * A3 + D5 * s34, s3 * A3 - D5 * c34])) < 2e-15
    only_off_at("px", 0, 3, 0.2)
    only_off_at("py", 1, 3, 0.2)


def test_1_1_the_papers_angles_are_the_robots_turned_by_half_turns():
    q = random_angles(6, 50)
    half = np.pi * np.array([[1], [0], [0], [1], [1], [1]])
    flange = dh.forward(MA, q + half)
    flange[:3, 3] += 0.0922 * flange[:3, 2]  # the paper stops at the wrist centre
    flange[2, 3] += 0.1273  # and starts at the shoulder
    assert largest(flange - frame_pose(UR10, q)) < 2e-15


def test_1_3_the_first_angle_is_in_the_pair_of_equation_5():
    q = random_angles(6, 50, seed=2)
    px, py = dh.forward(MA, q)[:2, 3]
    root = np.sqrt(px**2 + py**2 - D23**2)
    pair = np.array([np.arctan2(py, px) - np.arctan2(D23, sign * root) for sign in (1, -1)])
    assert apart(pair[:, None], q[None, :1]).min(axis=0).max() < 1e-9


def test_1_3_equation_7_loses_the_sign_of_the_sixth_angle():
    """θ6 = arccos((c1 ny - s1 nx) / s5), for the true θ1 and s5: right about half of the time."""
    q = random_angles(6, 50, seed=3)
    T = dh.forward(MA, q)
    c6 = (np.cos(q[0]) * T[1, 0] - np.sin(q[0]) * T[0, 0]) / np.sin(q[4])
    right = np.abs(np.arccos(np.clip(c6, -1, 1)) - q[5]) < 1e-6
    assert 15 <= right.sum() <= 35
    np.testing.assert_allclose(c6, np.cos(q[5]), rtol=0, atol=1e-9)


def test_the_shortest_way_of_figure_2_is_a_minimum_not_the_loss_of_a_maximum():
    answer = inverse_kinematics(UR10, frame_pose(UR10, random_angles(6, 1, seed=4))[..., 0])
    assert len(answer.solutions) == 8
    travel = [np.abs(solution.q).sum() for solution in answer.solutions]
    assert answer.nearest == int(np.argmin(travel))
    assert len(travel) - 1 == 7  # what is left after "eliminate the largest" is no choice


# --- Paper 002: group 7, 2021, ABB IRB 460 --------------------------------------------------------

POINTS = np.array([[0, 0, 0], [0, 0.260, 0.7425], [0, 0.260, 1.6875], [0, 1.285, 1.6875]])
DIRECTIONS = np.array([[0, 0, 1], [1, 0, 0], [1, 0, 0], [1, 0, 0]])
THETA = np.radians([-30.0, -80.0, -20.0])
RATES = np.radians([-30.0, -80.0, -20.0])
XI = np.array([rotary_screw(w, q) for w, q in zip(DIRECTIONS, POINTS, strict=True)])
TURNED = np.array([THETA[0], THETA[1], THETA[2] - THETA[1], -THETA[2]])
G_AB = np.array(
    [
        [0.8660, 0.5000, 0, 1.1869],
        [-0.5000, 0.8660, 0, 2.0558],
        [0, 0, 1, 0.3385],
        [0, 0, 0, 1],
    ]
)
V_AB = np.array([1.1298, -0.5290, -1.6356, 0])


def products():
    """e(ξ1 θ1), e(ξ1 θ1) e(ξ2 θ2), … and g_ab."""
    motions = [exp_pose(xi * theta) for xi, theta in zip(XI, TURNED, strict=True)]
    partial = [np.eye(4)]
    for motion in motions:
        partial.append(partial[-1] @ motion)
    home = np.eye(4)
    home[:3, 3] = 0, 1.505, 1.470
    return partial, partial[-1] @ home


def test_2_2_equation_5_continued_to_its_fourth_term_gives_the_printed_velocity():
    """V = Σ ξi' θi_dot over the n = 4 joints of equation (3), which turn by `TURNED`."""
    partial, g = products()
    J = np.column_stack([adjoint(T) @ x for T, x in zip(partial, XI, strict=False)])
    turning = np.array([RATES[0], RATES[1], RATES[2] - RATES[1], -RATES[2]])

    def velocity(terms):
        V = J[:, :terms] @ turning[:terms]
        return np.concatenate([np.cross(V[3:], g[:3, 3]) + V[:3], [0]])

    np.testing.assert_allclose(velocity(4), V_AB, rtol=0, atol=PRINTED)
    assert largest(velocity(3) - V_AB) > 0.05  # with the three that are printed it is another
    by_motors = np.column_stack([J[:, 0], J[:, 1] - J[:, 2], J[:, 2] - J[:, 3]])
    assert largest(J @ turning - by_motors @ RATES) < EXACT


def test_2_the_axis_of_equation_2_is_a_point_and_a_direction():
    """With q the direction and w the point, as the text has them, the pose is another."""
    motions = []
    for point, direction, theta in zip(POINTS, DIRECTIONS, TURNED, strict=True):
        xi = np.concatenate([np.cross(direction, point), point])
        motions.append(exp_pose(xi * theta))
    assert largest(np.linalg.multi_dot(motions)[:3, :3] - G_AB[:3, :3]) > 0.1


# --- Paper 003: Yin 2018, KUKA KR 210 R2700 extra -------------------------------------------------

YIN_A1, YIN_A2, YIN_D1, YIN_D4, YIN_D6 = 350.0, 1150.0, 435.0, 1200.0, 415.0  # mm


def in_mm(q):
    T = frame_pose(KR210, q)
    T[:3, 3] *= 1000
    return T


def test_3_1_the_zero_state():
    T = in_mm(np.zeros((6, 1)))[..., 0]
    np.testing.assert_allclose(T[:3, 3], [1965, 0, 1585], rtol=0, atol=1e-9)
    np.testing.assert_allclose(T[:3, :3], [[0, 0, 1], [0, -1, 0], [1, 0, 0]], rtol=0, atol=1e-15)


def test_3_2_the_second_state():
    """Angles of the D-H table: θ2 = -90° is its offset, so the variable is zero."""
    T = in_mm(np.radians([[0], [0], [-90], [0], [0], [0]]))[..., 0]
    np.testing.assert_allclose(T[:3, 3], [350, 0, 3200], rtol=0, atol=1e-9)
    np.testing.assert_allclose(T[:3, :3], np.diag([-1, -1, 1]), rtol=0, atol=1e-15)


def yin_position(q):
    (s1, s2, _, s4, s5, _, s23), (c1, c2, _, c4, c5, _, c23) = sines(q, "23")
    a1, a2, d1, d4, d6 = YIN_A1, YIN_A2, YIN_D1, YIN_D4, YIN_D6
    return np.array(
        [
            a1 * c1
            + a2 * c1 * s2
            + d4 * c1 * c23
            - d6 * (s1 * s4 * s5 - c1 * c5 * c23 + c1 * c4 * s5 * s23),
            a1 * s1
            + a2 * s1 * s2
            + d4 * s1 * c23
            + d6 * (c1 * s4 * s5 + s1 * c5 * c23 - s1 * c4 * s5 * s23),
            d1 + a2 * c2 - d4 * s23 - d6 * (c5 * s23 + s5 * c4 * c23),
        ]
    )


def test_3_3_the_printed_position_is_the_dh_product():
    q = random_angles(6, 2000)
    assert largest(yin_position(q) - in_mm(q)[:3, 3]) < 1e-9  # mm


def test_3_3_the_note_means_the_dh_angle_not_the_variable_of_the_formula():
    q = np.radians([[0.0], [-90], [0], [0], [0], [0]])
    np.testing.assert_allclose(yin_position(q)[:, 0], [-800, 0, 2050], rtol=0, atol=1e-9)


def yin_rotation(q):
    """The nine printed entries in their printed places, columns n, o, a."""
    (s1, _, _, s4, s5, s6, s23), (c1, _, _, c4, c5, c6, c23) = sines(q, "23")
    nx = c6 * (c5 * s1 * s4 + c23 * c1 * s5 + c1 * c4 * c5 * s23) - s6 * (c1 * s4 * s23 - s1 * c4)
    ny = -c6 * (c1 * s4 * s23 - c4 * s1) - s6 * (c5 * s1 * s4 + c23 * c1 * s5 + c1 * c4 * c5 * s23)
    nz = c23 * c1 * c5 - s5 * (s1 * s4 + c1 * c4 * s23)
    ox = c6 * (c23 * s1 * s5 - c1 * c5 * s4 + c4 * c5 * s1 * s23) - s6 * (c4 * c1 + s1 * s4 * s23)
    oy = -c6 * (s1 * s4 * s23 + c4 * c1) - s6 * (c23 * s1 * s5 - c5 * c1 * s4 + s1 * c4 * c5 * s23)
    oz = c23 * s1 * c5 - s5 * (s1 * c4 * s23 - c1 * s4)
    ax = -c6 * (s5 * s23 - c23 * c4 * c5) - c23 * s4 * s6
    ay = s6 * (s23 * s5 - c23 * c4 * c5) - s4 * c6 * c23
    az = -s23 * c5 - c23 * c4 * s5
    return np.array([[nx, ox, ax], [ny, oy, ay], [nz, oz, az]])


def test_3_4_the_printed_orientation_is_the_transpose():
    q = random_angles(6, 2000)
    R = in_mm(q)[:3, :3]
    printed = yin_rotation(q)
    assert largest(np.swapaxes(printed, 0, 1) - R) < 2e-15
    assert largest(printed - R) > 1.9


def test_3_5_the_inverse_of_the_first_matrix_is_right():
    q = random_angles(6, 20)
    A = dh.transforms(dh.table_of(KR210), q)[0]
    c, s = np.cos(q[0]), np.sin(q[0])
    zero, one = 0 * c, 0 * c + 1
    printed = np.array(
        [
            [c, s, zero, -0.35 * one],
            [zero, zero, -one, 0.435 * one],
            [-s, c, zero, zero],
            [zero, zero, zero, one],
        ]
    )
    product = np.einsum("abN,bcN->acN", printed, A)
    assert largest(product - np.eye(4)[..., None]) < EXACT


def test_3_5_the_second_matrix_has_a_wrong_sign():
    """Printed [[S2, -C2], [-C2, S2]] is no rotation; with +C2 it is the D-H matrix."""
    q = np.full((6, 1), 0.7)
    A = dh.transforms(dh.table_of(KR210), q)[1, :2, :2, 0]
    s, c = np.sin(0.7), np.cos(0.7)
    assert np.linalg.det([[s, -c], [-c, s]]) == pytest.approx(-0.17, abs=0.005)
    np.testing.assert_allclose(A, [[s, c], [-c, s]], rtol=0, atol=1e-15)


def test_3_the_printed_range_of_the_third_axis_belongs_to_the_controllers_angle():
    """θ3 = A3 - 90°; +155° to -120° is A3, so θ3 goes from +65° to -210°."""
    third = KR210.joint("joint_3").limits
    assert np.degrees([third.upper, third.lower]) == pytest.approx([155 - 90, -120 - 90])
    second = KR210.joint("joint_2").limits  # A2 is right for the D-H angle θ2 - 90°
    assert np.degrees([second.upper, second.lower]) == pytest.approx([-5 + 90, -140 + 90])


def test_3_the_printed_lengths_are_not_those_of_the_named_robot():
    data = load_robot("kr210").card.dh
    paper = KR210.card.dh
    assert (paper.d[0], paper.d[5], paper.a[2]) == (0.435, 0.415, 0)
    assert (data.d[0], data.d[5], data.a[2]) == (0.675, 0.215, -0.041)


# --- Paper 004: Huang and Wang 2017, welding arm --------------------------------------------------

UNIT = dh.DHTable(
    a=[1, 1, 1, 0, 0], d=[0, 0, 0, 0, 1], alpha=np.radians([-90, 0, 0, 90, 0]), theta=np.zeros(5)
)
EXAMPLE = np.radians([0.0, -90, 90, 180, 0])


def huang_forward(q, a1, a2, a3, d5):
    """The expressions below (3-1)."""
    (s1, s2, _, _, s5, s23, s234), (c1, c2, _, _, c5, c23, c234) = sines(q, "23", "234")
    reach = d5 * s234 + a3 * c23 + a2 * c2 + a1
    T = np.zeros((3, 4, q.shape[1]))
    T[:, 0] = c1 * c234 * c5 - s1 * s5, s1 * c234 * c5 + c1 * s5, -s234 * c5
    T[:, 1] = -c1 * c234 * s5 - s1 * c5, -s1 * c234 * s5 + c1 * c5, s234 * s5
    T[:, 2] = c1 * s234, s1 * s234, c234
    T[:, 3] = c1 * reach, s1 * reach, d5 * c234 - a3 * s23 - a2 * s2
    return T


def test_4_1_the_pose_at_zero():
    T = dh.forward(UNIT, np.zeros((5, 1)))[..., 0]
    expected = np.eye(4)
    expected[:3, 3] = 3, 0, 1
    np.testing.assert_allclose(T, expected, rtol=0, atol=EXACT)


def test_4_2_the_position_of_the_example():
    T = dh.forward(UNIT, EXAMPLE[:, None])[..., 0]
    np.testing.assert_allclose(T[:3, 3], [2, 0, 0], rtol=0, atol=EXACT)
    np.testing.assert_allclose(T[:3, :3], np.diag([-1, 1, -1]), rtol=0, atol=EXACT)


def test_4_2_the_printed_orientation_of_the_example_is_no_rotation():
    printed = np.array([[-1, 0, 0], [1, 1, 0], [0, 0, -1]])
    np.testing.assert_array_equal((printed @ printed.T)[:2, :2], [[1, -1], [-1, 2]])


def test_4_3_the_forward_kinematics_are_the_dh_product():
    q = random_angles(5, 1000)
    found = huang_forward(q, 0.085, 0.56, 0.63, 0.24)
    assert largest(found - dh.forward(dh.table_of(WELD5), q)[:3]) < 2e-15
    assert largest(found - frame_pose(WELD5, q)[:3]) < EXACT


def test_4_3_the_table_is_standard_not_modified_as_its_heading_says():
    q = random_angles(5, 20)
    card = dh.table_of(WELD5)
    modified = dh.DHTable(card.a, card.d, card.alpha, card.theta, "modified")
    found = huang_forward(q, 0.085, 0.56, 0.63, 0.24)
    assert largest(dh.forward(modified, q)[:3] - found) > 0.1


def test_4_3_the_angles_of_the_table_are_a_pose_not_offsets():
    offsets = dh.DHTable(
        dh.table_of(WELD5).a,
        dh.table_of(WELD5).d,
        dh.table_of(WELD5).alpha,
        np.radians([90, -90, 0, 0, 0]),
    )
    home = dh.forward(offsets, np.zeros((5, 1)))[..., 0]
    np.testing.assert_allclose(home[:3, 3], [0, -0.155, 1.19], rtol=0, atol=EXACT)
    stretched = huang_forward(np.zeros((5, 1)), 0.085, 0.56, 0.63, 0.24)[:, 3, 0]
    np.testing.assert_allclose(stretched, [0.085 + 0.56 + 0.63, 0, 0.24], rtol=0, atol=EXACT)


def test_4_the_general_matrix_has_cosine_and_sine_of_the_wrong_angle():
    """Column 4 is printed a cos α, a sin α, d; the D-H matrix has a cos θ, a sin θ, d."""
    table = dh.table_of(WELD5)
    q = random_angles(5, 20)
    A = dh.transforms(table, q)
    right = np.stack([table.a[:, None] * np.cos(q), table.a[:, None] * np.sin(q)])
    assert largest(np.moveaxis(A[:, :2, 3], 1, 0) - right) < 1e-15
    A[:, 0, 3] = (table.a * np.cos(table.alpha))[:, None]
    A[:, 1, 3] = (table.a * np.sin(table.alpha))[:, None]
    T = A[0]
    for A_i in A[1:]:
        T = np.einsum("abN,bcN->acN", T, A_i)
    assert largest(T[:3, 3] - dh.forward(table, q)[:3, 3]) > 0.2


def test_4_the_entry_1_2_of_equation_3_2_is_misprinted():
    q = random_angles(5, 50)
    T = dh.forward(dh.table_of(WELD5), q)
    (s1, _, _, _, s5, s234), (c1, _, _, _, c5, c234) = sines(q, "234")
    left = c1 * T[0, 1] + s1 * T[1, 1]
    assert largest(left + c234 * s5) < 1e-15
    assert largest(left + s234 * c5) > 0.5


def huang_inverse(T, sign, a1=1.0, a2=1.0, a3=1.0, d5=1.0):
    """The printed solution, for F1, F2, F3 as the matrix equation (3-2) defines them."""
    px, py, pz = T[:3, 3]
    theta1 = np.arctan(py / px)
    F1 = np.cos(theta1) * px + np.sin(theta1) * py - a1
    F2 = -pz - d5
    F3 = (F1**2 + F2**2 + a2**2 - a3**2) / (2 * a2)
    square = F1**2 + F2**2
    theta2 = np.arccos((F1 * F3 + sign * F2 * np.sqrt(square - F3**2)) / square)
    theta3 = np.arccos((square - a2**2 - a3**2) / (2 * a2 * a3))
    return np.array([theta1, theta2, theta3, np.pi - theta2 - theta3, 0.0])


def test_4_4_the_printed_inverse_fails_on_its_own_example():
    T = dh.forward(UNIT, EXAMPLE[:, None])[..., 0]
    found = [huang_inverse(T, sign) for sign in (1, -1)]
    reached = [dh.forward(UNIT, q[:, None])[:3, 3, 0] for q in found]
    pairs = sorted(zip(np.degrees(found).tolist(), np.array(reached).tolist(), strict=True))
    for (q, p), expected, point in zip(
        pairs, ([0, 0, 90, 90, 0], [0, 90, 90, 0, 0]), ([2, 0, -2], [0, 0, -2]), strict=True
    ):
        np.testing.assert_allclose(q, expected, rtol=0, atol=1e-9)
        np.testing.assert_allclose(p, point, rtol=0, atol=EXACT)


def unit_arm():
    """The example's arm, all lengths one, as a URDF."""
    text = WELD5.text.replace('xyz="0.085 0 0"', 'xyz="1 0 0"').replace(
        'xyz="0.56 0 0"', 'xyz="1 0 0"'
    )
    text = text.replace('<origin xyz="0.63 0 0"', '<origin xyz="1 0 0"')
    return read_urdf(text.replace('xyz="0 -0.24 0"', 'xyz="0 -1 0"'), tool="tool0")


def test_4_4_the_example_has_two_solutions_the_papers_and_another():
    robot = unit_arm()
    T = dh.forward(UNIT, EXAMPLE[:, None])
    assert largest(frame_pose(robot, EXAMPLE[:, None]) - T) < EXACT
    answer = inverse_kinematics(robot, T[..., 0], near=EXAMPLE)
    found = {tuple(np.rint(np.degrees(s.q)).astype(int)) for s in answer.solutions}
    assert found == {(0, -90, 90, 180, 0), (0, 0, -90, -90, 0)}
    np.testing.assert_allclose(answer.solutions[answer.nearest].q, EXAMPLE, rtol=0, atol=1e-9)
