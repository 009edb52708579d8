import numpy as np
import pytest

from sim.kinematics import dh
from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse import branches, inverse_kinematics
from sim.maths import pose
from sim.robots import load_robot, read_urdf
from tests.helpers.axes_robot import urdf_of_axes
from tests.helpers.inverse_checks import (
    apart,
    check_branches,
)

KR210, PAPER = load_robot("kr210"), load_robot("kr210_paper")
BOTH = pytest.mark.parametrize("robot", [KR210, PAPER], ids=lambda r: r.name)


def by_table(robot):
    table = dh.table_of(robot)
    return lambda q: dh.forward(table, q)


def random_positions(seed, n):
    return np.random.default_rng(seed).uniform(-np.pi, np.pi, (6, n))


def shoulder_singular(robot, n):
    """The wrist centre on axis 1: two links from the shoulder to the axis."""
    q = random_positions(2, n)
    a1, a2, a3, d4 = 0.35, 1.15, robot.card.dh.a[2], 1.2
    # Seen in the arm's plane, radial + i·up, at q2 = 0: upper arm up, forearm to the front.
    forearm = 1j * a3 + d4
    reach = 1j * a2 + forearm * np.exp(-1j * q[2])
    q[1] = np.angle(reach) - np.arccos(-a1 / np.abs(reach))
    return q


def elbow_singular(robot, n):
    """The wrist centre in line with the upper arm."""
    q = random_positions(3, n)
    forearm = 1j * robot.card.dh.a[2] + 1.2
    q[2] = np.angle(forearm) - np.pi / 2
    return q


def wrist_singular(robot, n):
    q = random_positions(4, n)
    q[4] = 0.0
    return q


def all_singular(robot, n):
    """Straight up through axis 1 where that is possible, the wrist straight too."""
    q = shoulder_singular(robot, n)
    q[4] = 0.0
    return q


FAMILIES = {
    ("shoulder",): (shoulder_singular, ("joint_1",)),
    ("elbow",): (elbow_singular, ()),
    ("wrist",): (wrist_singular, ("joint_4",)),
    ("shoulder", "wrist"): (all_singular, ("joint_1", "joint_4")),
}


@BOTH
@pytest.mark.parametrize("singularities", FAMILIES)
def test_singular_poses_are_flagged_and_give_back_their_joints(robot, singularities):
    make, free = FAMILIES[singularities]
    q, forward = make(robot, 15), by_table(robot)
    for k in range(15):
        answer = inverse_kinematics(robot, forward(q)[..., k], near=q[:, k])
        moved = [
            np.abs(s.q - q[:, k] - 2 * np.pi * np.rint((s.q - q[:, k]) / 2 / np.pi)).max()
            for s in answer.solutions
        ]
        nearest = answer.solutions[int(np.argmin(moved))]
        assert min(moved) < 1e-6  # a straight elbow and a centre on the axis are known to 1e-7
        assert nearest.singularities == singularities
        assert nearest.free_joints == free
        assert all(solution.residual <= 1e-10 for solution in answer.solutions)


@pytest.mark.parametrize("off", [1e-15, 1e-12, 1e-11, 1e-10, 1e-8, 1e-6, 1e-4])
def test_near_a_singular_wrist_the_sum_of_the_two_turns_is_kept(off):
    q = wrist_singular(KR210, 15)
    q[4] = off
    for k in range(15):
        T = by_table(KR210)(q)[..., k]
        answer = inverse_kinematics(KR210, T, near=q[:, k])
        best = min(answer.solutions, key=lambda s: apart(s.q[:, None], q[:, k : k + 1])[0])
        hidden = 2e-15 / off if off > 1e-11 else 1e-3 if off == 1e-11 else 1e-7
        assert apart(best.q[:, None], q[:, k : k + 1])[0] < max(hidden, 1e-7)
        assert best.residual <= 1e-10


def test_the_branches_are_what_their_words_say():
    q = random_positions(7, 300)
    T = by_table(KR210)(q)
    found = branches(KR210, T)
    for branch, label in enumerate(found.labels):
        met = found.reached[branch]
        solution = found.q[branch][:, met]
        shoulder, elbow, wrist = label.split(", ")
        assert ((np.sin(solution[4]) < 0) == (wrist == "wrist flipped")).all()
        centre = T[:3, 3, met] - 0.215 * T[:3, 2, met]
        radial = np.stack([np.cos(solution[0]), np.sin(solution[0])])
        ahead = (radial * centre[:2]).sum(axis=0)
        assert ((ahead > 0) == (shoulder == "shoulder front")).all()
        joints = [frame_pose(KR210, solution, f"link_{i}")[:3, 3] for i in (2, 3)]
        plane = [np.stack([(radial * p[:2]).sum(axis=0), p[2]]) for p in (*joints, centre)]
        to_elbow, to_wrist = plane[1] - plane[0], plane[2] - plane[0]
        above = to_wrist[0] * to_elbow[1] - to_wrist[1] * to_elbow[0]
        assert ((above * np.sign(ahead) > 0) == (elbow == "elbow up")).all()


def puma(lateral=0.15):
    """A shoulder set aside, as on the Unimation PUMA: the arm stands left or right."""
    axes = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0)]
    points = [(0, 0, 0), (0, lateral, 0.6), (0.4, lateral, 0.6)]
    points += [(0.8, lateral, 0.58), (0.8, lateral, 0.58), (0.8, lateral, 0.58)]
    T = np.eye(4)
    T[:3, 3] = 0.9, lateral, 0.58
    return read_urdf(urdf_of_axes(np.array(axes, float), np.array(points), T), tool="tool")


def test_an_arm_set_aside_from_axis_1_is_left_or_right_of_it():
    robot = puma()
    q = random_positions(8, 2000)
    T = frame_pose(robot, q)
    found = branches(robot, T)
    check_branches(found, q, lambda x: frame_pose(robot, x), T)
    assert {label.split(",")[0] for label in found.labels} == {"shoulder left", "shoulder right"}
    here = inverse_kinematics(robot, robot_pose(robot, [0.1, -0.8, 1.2, 0.3, 0.7, 0]))
    left = [s for s in here.solutions if s.branch.startswith("shoulder left")]
    assert left  # the arm stands on +y and reaches forward
    assert min(np.abs(s.q - [0.1, -0.8, 1.2, 0.3, 0.7, 0]).max() for s in left) < 1e-9


def robot_pose(robot, q):
    return frame_pose(robot, np.array(q, float)[:, None])[..., 0]


def test_a_point_inside_the_cylinder_of_a_set_aside_shoulder_is_out_of_reach():
    T = np.eye(4)
    T[:3, 3] = 0.1 + 0.05, 0, 0.9  # wrist centre 0.05 m from axis 1
    short = inverse_kinematics(puma(), T).shortfall
    assert short.distance == pytest.approx(0.1, abs=1e-12)
    assert "first axis" in short.reason


def plain_arm():
    """Upper arm 0.5 m, forearm 0.3 m, shoulder on axis 1 at 0.4 m, all axes meeting."""
    axes = np.array([(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0)], float)
    points = np.array([(0, 0, 0), (0, 0, 0.4), (0.5, 0, 0.4), *[(0.8, 0, 0.4)] * 3])
    return read_urdf(urdf_of_axes(axes, points, pose(None, (0.9, 0, 0.4))), tool="tool")


@pytest.mark.parametrize(("reach", "word"), [(0.9, "stretched"), (0.12, "folded")])
def test_out_of_reach_is_told_by_the_exact_distance_with_the_orientation_kept(reach, word):
    direction = np.array([np.cos(0.4), 0, np.sin(0.4)])
    T = pose(None, np.array([0.1, 0, 0.4]) + reach * direction)
    short = inverse_kinematics(plain_arm(), T).shortfall
    assert short.distance == pytest.approx(0.1 if reach > 0.8 else 0.2 - 0.12, abs=1e-12)
    assert short.angle < 1e-12
    assert word in short.reason
    np.testing.assert_allclose(short.T_0e[:3, :3], np.eye(3), rtol=0, atol=1e-12)


def test_equal_links_folded_onto_the_shoulder_leave_the_upper_arm_free():
    axes = np.array([(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0)], float)
    points = np.array([(0, 0, 0), (0, 0, 0.4), (0.5, 0, 0.4), *[(1.0, 0, 0.4)] * 3])
    robot = read_urdf(urdf_of_axes(axes, points, pose(None, (1.1, 0, 0.4))), tool="tool")
    q = np.array([0.3, -0.7, np.pi, 0.5, 0.9, -0.4])
    answer = inverse_kinematics(robot, robot_pose(robot, q), near=q)
    found = [s for s in answer.solutions if apart(s.q[:, None], q[:, None])[0] < 1e-7]
    assert found
    assert set(found[0].free_joints) == {"joint_1", "joint_2"}  # the wrist is on axis 1 as well
    assert all(s.residual <= 1e-10 for s in answer.solutions)
