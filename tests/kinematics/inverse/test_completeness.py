"""Whether all solutions are listed, and whether the answer says so rightly."""

import numpy as np
import pytest

from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse import inverse_kinematics
from sim.maths import pose
from sim.robots import load_robot, read_urdf
from tests.helpers.axes_robot import urdf_of_axes
from tests.helpers.general_arms import general_arm
from tests.helpers.inverse_checks import apart

# shoulder at a point, wrist 0.15 m aside: every solution has a mirror
OFFSET_WRIST = urdf_of_axes(
    np.array([(0, 0, 1), (0, 1, 0), (0, -1, 0), (-1, 0, 0), (0, -1, 0), (-1, 0, 0)], float),
    np.array([(0, 0, 0.245)] * 2 + [(0, 0, 0.955)] * 2 + [(0.54, -0.15, 0.955)] * 2),
    pose(None, (0.7, -0.15, 0.955)),
)


def mirror(q):
    return np.array([q[0] + np.pi, -q[1], np.pi - q[2], q[3] + np.pi, q[4], q[5]])


def test_an_offset_wrist_has_every_mirrored_solution_and_the_one_it_was_made_from():
    robot = read_urdf(OFFSET_WRIST, tool="tool")
    rng = np.random.default_rng(5)
    for _ in range(15):
        q = rng.uniform(-np.pi, np.pi, 6)
        answer = inverse_kinematics(robot, frame_pose(robot, q[:, None])[..., 0])
        assert (answer.is_complete, answer.root_count, answer.degree) == (True, 16, 16)
        found = np.array([s.q for s in answer.solutions]).T
        for wanted in [q, *(mirror(s.q) for s in answer.solutions)]:
            assert apart(found, wanted[:, None]).min() < 1e-7  # rad


def test_an_arm_that_misses_its_family_by_calibration_has_all_solutions():
    robot = general_arm("UR10 with errors of 0.3 mm and 1 mrad")
    rng = np.random.default_rng(8)
    for _ in range(5):
        q = rng.uniform(-np.pi, np.pi, 6)
        answer = inverse_kinematics(robot, frame_pose(robot, q[:, None])[..., 0])
        assert (answer.is_complete, answer.root_count) == (True, 16)
        assert apart(np.array([s.q for s in answer.solutions]).T, q[:, None]).min() < 1e-7  # rad
        names = [s.branch for s in answer.solutions]
        assert len(set(names)) == len(names)
        assert all("elbow" in name for name in names)


def test_a_rounded_geometry_is_complete_by_its_closed_form():
    text = load_robot("ur10").text.replace("1.5707963267948966", "1.5708")
    robot = read_urdf(text, tool="tool0")
    q = np.array([0.4, -1.2, 1.1, 0.3, 0.8, -0.5])
    answer = inverse_kinematics(robot, frame_pose(robot, q[:, None])[..., 0])
    assert (answer.family, len(answer.solutions), answer.is_complete) == ("ur", 8, True)
    # where the wrist is nearly straight, the rounded arm may have solutions of its own
    q[4] = 1e-4
    assert not inverse_kinematics(robot, frame_pose(robot, q[:, None])[..., 0]).is_complete


@pytest.mark.parametrize("name", ["ur10", "kr210", "puma560", "weld5", "irb460"])
def test_a_closed_form_is_complete_within_reach_and_beyond(name):
    robot = load_robot(name)
    q = np.full((len(robot.joint_names), 1), 0.3)
    T = frame_pose(robot, q)[..., 0]
    assert inverse_kinematics(robot, T).is_complete
    T[:3, 3] += 20
    answer = inverse_kinematics(robot, T)
    assert (answer.solutions, answer.is_complete, answer.root_count) == ((), True, None)
    assert answer.completeness == "complete: no solution exists (closed form)"


def test_out_of_reach_is_proved_by_the_count():
    robot = read_urdf(OFFSET_WRIST, tool="tool")
    T = frame_pose(robot, np.full((6, 1), 0.3))[..., 0]
    T[:3, 3] *= 3
    answer = inverse_kinematics(robot, T)
    assert answer.solutions == ()
    assert answer.shortfall.distance > 0.1
    assert answer.completeness == "complete: no solution exists (16 of 16 complex roots counted)"


def test_a_continuum_names_its_free_joints_and_is_not_complete():
    """Wrist of the CRX type with a forearm that can turn: axes 4 and 6 are one line."""
    robot = read_urdf(
        urdf_of_axes(
            np.array([(0, 0, 1), (0, 1, 0), (1, 0, 0.2), (1, 0, 0), (0, 1, 0), (1, 0, 0)]),
            np.array(
                [(0, 0, 0), (0.1, 0, 0.4), (0.3, 0.1, 0.8), (0.5, 0, 0.9)] + [(0.8, 0, 0.9)] * 2
            ),
            pose(None, (0.9, 0, 0.9)),
        ),
        tool="tool",
    )
    q = np.array([0.3, -0.4, 0.5, 0.6, 0.0, 0.2])
    answer = inverse_kinematics(robot, frame_pose(robot, q[:, None])[..., 0])
    assert not answer.is_complete
    assert ("joint_4", "joint_6") in [s.free_joints for s in answer.solutions]
    assert "others may exist (the pose leaves joints free)" in answer.completeness


def test_limits_and_several_turns_do_not_change_the_count():
    text = OFFSET_WRIST.replace('lower="-6.2832" upper="6.2832"', 'lower="0" upper="1"', 1)
    narrow, wide = read_urdf(text, tool="tool"), read_urdf(OFFSET_WRIST, tool="tool")
    q = np.array([0.5, 0.4, 0.5, 0.6, 0.7, 0.2])
    T = frame_pose(wide, q[:, None])[..., 0]
    near = q + 2 * np.pi * np.array([0, 1, 0, -1, 0, 0])
    answer, other = (inverse_kinematics(robot, T, near=near) for robot in (narrow, wide))
    assert len(answer.solutions) == len(other.solutions)
    assert [s.inside_limits for s in answer.solutions].count(False) > 0
    assert [s for s in other.solutions if not s.inside_limits] == []
    # 0.6 - 2π is beyond joint 4's limit, so that its copy is not taken
    np.testing.assert_allclose(
        other.solutions[other.nearest].q[[0, 2, 4, 5]], q[[0, 2, 4, 5]], atol=1e-9
    )
    assert all(0 <= s.q[0] <= 1 for s in answer.solutions if s.inside_limits)


def test_all_joints_at_right_angles_may_be_incomplete_and_the_reason_is_stated():
    """Roots of high order: the answer keeps the position that the pose was made from."""
    robot = read_urdf(OFFSET_WRIST, tool="tool")
    rng = np.random.default_rng(4)
    sentences = set()
    for _ in range(6):
        q = rng.integers(-1, 3, 6) * np.pi / 2
        answer = inverse_kinematics(robot, frame_pose(robot, q[:, None])[..., 0], near=q)
        assert apart(np.array([s.q for s in answer.solutions]).T, q[:, None]).min() < 1e-4  # rad
        if not answer.is_complete:
            sentences.add(answer.completeness.partition("(")[2])
    assert sentences
    assert not any(text.startswith("16 of 16") for text in sentences)
