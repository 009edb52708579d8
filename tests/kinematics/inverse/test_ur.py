import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.kinematics import dh
from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse import branches, inverse_kinematics
from sim.kinematics.inverse.recognition import family_of
from sim.robots import load_robot, read_urdf
from tests.helpers.examples import examples
from tests.helpers.inverse_checks import (
    check_branches,
)

UR10 = load_robot("ur10")
laws = examples(150)


def by_table(q):
    return dh.forward(dh.table_of(UR10), q)


def random_positions(seed, n, **fixed):
    q = np.random.default_rng(seed).uniform(-np.pi, np.pi, (6, n))
    for name, value in fixed.items():
        q[int(name[1]) - 1] = value
    return q


# Every singular family, alone and together.
SINGULAR = {
    "wrist": {"q5": 0.0},
    "wrist turned": {"q5": np.pi},
    "elbow": {"q3": 0.0},
    "elbow and wrist": {"q3": 0.0, "q5": 0.0},
    "hanging": {"q2": np.pi / 2, "q3": 0.0, "q4": 0.0, "q5": 0.0},
}


def lost(name, off):
    """How much of the joints the rounding of the pose, 1e-15, hides at `off` from singular."""
    wrist = 2e-15 / off if off > 1e-11 else 2e-11 if off == 0 else 1e-3
    if name.startswith("wrist"):
        return max(wrist, 1e-7)
    # A straight elbow turns a shift of the wrist centre into its root.
    return 2e-7 if name == "elbow" else max(3 * np.sqrt(min(wrist, 1e-3)), 1e-5)


@pytest.mark.parametrize("name", SINGULAR)
@pytest.mark.parametrize("off", [0.0, 1e-15, 1e-13, 1e-12, 1e-11, 1e-10, 1e-8, 1e-6, 1e-4])
def test_singular_poses_give_back_their_joints_from_where_they_are(name, off):
    fixed = {joint: value + off for joint, value in SINGULAR[name].items()}
    q = random_positions(1, 12, **fixed)
    for k in range(q.shape[1]):
        T = by_table(q[:, k : k + 1])[..., 0]
        answer = inverse_kinematics(UR10, T, near=q[:, k])
        assert answer.solutions, answer.shortfall
        nearest = answer.solutions[answer.nearest]
        assert np.abs(nearest.q - q[:, k]).max() < lost(name, off)
        assert all(solution.residual <= 1e-10 for solution in answer.solutions)
        if off <= 1e-8:
            assert nearest.singular
        if off == 0 and "wrist" in name:
            assert nearest.free_joints == ("wrist_3_joint",)


def shoulder_positions(n):
    """The wrist centre as near to axis 1 as the arm's plane allows: radial coordinate zero."""
    rng = np.random.default_rng(2)
    q = random_positions(2, n)
    q[2] = rng.uniform(0.8, 2.5, n) * rng.choice([-1, 1], n)
    q[3] = rng.uniform(-3, 3, n)
    # In the arm's plane: link 1, link 2 and d5 across the direction q2 + q3 + q4.
    a2, a3, d5 = -0.612, -0.5723, 0.1157
    reach = a2 + a3 * np.exp(1j * q[2]) - 1j * d5 * np.exp(1j * (q[2] + q[3]))
    q[1] = np.pi / 2 - np.angle(reach)
    return q


def test_poses_with_the_wrist_beside_axis_1_are_flagged_and_found():
    q = shoulder_positions(20)
    for k in range(20):
        T = by_table(q[:, k : k + 1])[..., 0]
        answer = inverse_kinematics(UR10, T, near=q[:, k])
        nearest = answer.solutions[answer.nearest]
        assert "shoulder" in nearest.singularities
        assert np.abs(nearest.q - q[:, k]).max() < 1e-6  # √1e-16: the two shoulders meet here


@given(st.floats(-np.pi, np.pi), st.floats(-6, 6), st.sampled_from([0.0, np.pi]))
@laws
def test_a_free_wrist_stays_where_it_is_if_the_arm_can_reach_so(turn, near6, q5):
    q = np.array([0.4, -1.2, 1.1, 0.3, q5, turn])
    T = by_table(q[:, None])[..., 0]
    near = np.array([0.4, -1.2, 1.1, 0.3, q5, near6])
    answer = inverse_kinematics(UR10, T, near=near)
    free = [s for s in answer.solutions if s.free_joints == ("wrist_3_joint",)]
    assert free, "the arm reaches this pose with another wrist angle"
    assert min(abs(s.q[5] - near6) for s in free) < 2 * np.pi
    held = [s for s in free if abs(s.q[5] - near6) < 1e-9]
    for solution in held:
        np.testing.assert_allclose(by_table(solution.q[:, None])[..., 0], T, rtol=0, atol=1e-10)


def test_a_free_wrist_that_would_put_the_elbow_out_of_reach_gives_way():
    """All poses that some wrist angle reaches are reached, whatever the angle asked from."""
    for q5 in (0.0, np.pi):
        q = random_positions(3, 2000, q5=q5)
        found = branches(UR10, by_table(q))
        assert found.free.any(axis=0).all()
        assert found.reached.any(axis=0).all()


def axis_4_beside_the_shoulder(fold):
    """q4 for which the circle of axis 4 about the wrist centre goes through the shoulder."""
    d5, axis_4 = 0.1157, -0.612 - 0.5723 * np.exp(1j * fold)
    towards = -axis_4 * np.exp(1j * np.arccos(abs(axis_4) / (2 * d5)))
    return np.angle(1j * towards) - fold


@pytest.mark.parametrize("q5", [0.0, np.pi])
def test_a_free_wrist_gives_way_where_axis_4_would_come_too_near_to_the_shoulder(q5):
    """Upper arm and forearm differ by 40 mm; axis 4 circles the wrist centre at 116 mm."""
    for fold in (np.pi - 0.2, np.pi - 0.05, np.pi + 0.1):
        q = np.array([0.4, -1.2, fold, 0.3, q5, 0.2])
        q[3] = axis_4_beside_the_shoulder(fold)
        T = by_table(q[:, None])
        reached = []
        for turn in np.linspace(-np.pi, np.pi, 90):
            found = branches(UR10, T, near=[0.4, -1.2, fold, 0.3, q5, turn])
            reached.append((found.free & found.reached)[:, 0])
        assert reached[0].any()
        assert (np.array(reached) == reached[0]).all()


def test_the_branches_are_what_their_words_say():
    q = random_positions(7, 300)
    T = by_table(q)
    found = branches(UR10, T)
    for branch, label in enumerate(found.labels):
        met = found.reached[branch]
        solution = found.q[branch][:, met]
        shoulder, elbow, wrist = label.split(", ")
        flipped = np.sin(solution[4]) < 0
        assert (flipped == (wrist == "wrist flipped")).all()
        # Seen from above: is the side on which the arm stands left of the way to the wrist?
        centre = T[:3, 3, met] - 0.0922 * T[:3, 2, met]
        offset = np.stack([np.sin(solution[0]), -np.cos(solution[0])])  # along the elbow axis
        left = centre[0] * offset[1] - centre[1] * offset[0] > 0
        assert (left == (shoulder == "shoulder left")).all()
        # The elbow is above the line from the shoulder to axis 4, seen with the wrist ahead.
        joints = [
            frame_pose(UR10, solution, f"{name}_link")[:3, 3]
            for name in ("upper_arm", "forearm", "wrist_1")
        ]
        radial = np.stack([np.cos(solution[0]), np.sin(solution[0])])
        plane = [np.stack([(radial * p[:2]).sum(axis=0), p[2]]) for p in joints]
        to_elbow, to_wrist = plane[1] - plane[0], plane[2] - plane[0]
        cross = to_wrist[0] * to_elbow[1] - to_wrist[1] * to_elbow[0]
        ahead = np.sign((radial * centre[:2]).sum(axis=0))
        assert (((cross * ahead) > 0) == (elbow == "elbow up")).all()


def test_a_urdf_with_rounded_angles_is_solved_as_it_is():
    text = UR10.text.replace("1.5707963267948966", "1.5708")
    robot = read_urdf(text, tool="tool0")
    assert family_of(robot).name == "ur"
    assert 1e-6 < family_of(robot).deviation < 1e-5
    q = random_positions(8, 300)
    T = frame_pose(robot, q)
    check_branches(branches(robot, T), q, lambda x: frame_pose(robot, x), T)
    answer = inverse_kinematics(robot, T[..., 0], near=q[:, 0])
    np.testing.assert_allclose(answer.solutions[answer.nearest].q, q[:, 0], rtol=0, atol=1e-8)


def test_a_mounted_arm_is_solved_in_the_world():
    robot = UR10.mounted((0.3, -0.2, 2.5), (np.pi, 0, 0.3))  # from the ceiling
    q = random_positions(9, 500)
    T = frame_pose(robot, q)
    check_branches(branches(robot, T), q, lambda x: frame_pose(robot, x), T)


def test_any_frame_of_the_last_link_can_be_asked_for():
    q = random_positions(10, 1)
    T = frame_pose(UR10, q, "wrist_3_link")[..., 0]
    answer = inverse_kinematics(UR10, T, near=q[:, 0], frame="wrist_3_link")
    assert answer.family == "ur"
    np.testing.assert_allclose(answer.solutions[answer.nearest].q, q[:, 0], rtol=0, atol=1e-9)


def test_a_pose_beyond_the_reach_says_by_how_much():
    q = np.radians([20.0, -30, 0, 40, 90, 10])
    T = by_table(q[:, None])[..., 0]
    shoulder = np.array([0, 0, 0.1273])
    wrist = frame_pose(UR10, q[:, None], "wrist_1_link")[:3, 3, 0]
    along = wrist - shoulder
    along -= (along @ [np.sin(q[0]), -np.cos(q[0]), 0]) * np.array([np.sin(q[0]), -np.cos(q[0]), 0])
    T[:3, 3] += 0.25 * along / np.linalg.norm(along)
    answer = inverse_kinematics(UR10, T)
    short = answer.shortfall
    assert answer.solutions == ()
    assert answer.nearest is None
    assert 0 < short.distance <= 0.25 + 1e-9
    assert short.angle < 1e-10
    assert "stretched arm" in short.reason
    assert f"{short.distance:.6g} m" in short.reason
    reached = by_table(short.q[:, None])[..., 0]
    np.testing.assert_allclose(reached, short.T_0e, rtol=0, atol=1e-12)
    assert np.linalg.norm(reached[:3, 3] - T[:3, 3]) == pytest.approx(short.distance, abs=1e-12)
    assert inverse_kinematics(UR10, short.T_0e).solutions


def test_a_pose_too_near_to_axis_1_says_by_how_much():
    T = np.eye(4)
    T[:3, 3] = 0.05, 0, 0.6
    short = inverse_kinematics(UR10, T).shortfall
    assert short.distance == pytest.approx(0.163941 - 0.05, abs=1e-12)
    assert "first axis" in short.reason
