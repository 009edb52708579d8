import json
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from sim.errors import ModelError, ScenarioError
from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse import branches, inverse_kinematics
from sim.robots import load_robot, read_urdf
from tests.helpers.small_robots import joint, link

UR10 = load_robot("ur10")
Q = np.array([0.4, -1.2, 1.1, 0.3, 0.8, -0.5])
POSE = frame_pose(UR10, Q[:, None])[..., 0]


def test_an_answer_is_all_plain_values():
    answer = inverse_kinematics(UR10, POSE)
    text = json.dumps(
        {
            "solutions": [
                {
                    "q": s.q.tolist(),
                    "residual": s.residual,
                    "inside_limits": s.inside_limits,
                    "branch": s.branch,
                    "singular": s.singular,
                }
                for s in answer.solutions
            ],
            "nearest": answer.nearest,
        }
    )
    assert json.loads(text)["nearest"] == answer.nearest
    assert "NaN" not in text


def test_an_answer_cannot_be_changed():
    solution = inverse_kinematics(UR10, POSE).solutions[0]
    with pytest.raises(ValueError, match="read-only"):
        solution.q[0] = 1.0
    with pytest.raises(FrozenInstanceError):
        solution.residual = 0.0


def test_each_branch_is_listed_once_in_a_fixed_order():
    names = [solution.branch for solution in inverse_kinematics(UR10, POSE).solutions]
    assert names == [name for name in branches(UR10, POSE[..., None]).labels if name in names]
    assert len(set(names)) == len(names) == 8


def test_the_residual_is_the_larger_of_distance_and_angle():
    for solution in inverse_kinematics(UR10, POSE).solutions:
        reached = frame_pose(UR10, solution.q[:, None])[..., 0]
        shift = np.linalg.norm(reached[:3, 3] - POSE[:3, 3])
        turn = np.linalg.norm(reached[:3, :3] - POSE[:3, :3]) / np.sqrt(2)
        assert solution.residual == pytest.approx(max(shift, turn), abs=1e-15)


def test_solutions_outside_the_limits_are_listed_but_never_the_nearest():
    narrow = UR10.text.replace(
        'lower="-6.283185307179586" upper="6.283185307179586" effort="150"',
        'lower="0" upper="3" effort="150"',
    )
    robot = read_urdf(narrow, tool="tool0")
    answer = inverse_kinematics(robot, POSE)
    inside = [s.inside_limits for s in answer.solutions]
    assert sum(inside) == 4  # elbow bent one way only
    for solution in answer.solutions:
        assert solution.inside_limits == (0 <= solution.q[2] <= 3)
    assert answer.solutions[answer.nearest].inside_limits


def test_without_a_solution_inside_the_limits_there_is_no_nearest():
    narrow = UR10.text.replace(
        'lower="-6.283185307179586" upper="6.283185307179586" effort="150"',
        'lower="3.0" upper="3.1" effort="150"',
    )
    answer = inverse_kinematics(read_urdf(narrow, tool="tool0"), POSE)
    assert len(answer.solutions) == 8
    assert answer.nearest is None
    assert answer.shortfall is None


def test_weights_decide_which_way_is_short():
    near = np.zeros(6)
    free = inverse_kinematics(UR10, POSE, near=near)
    by_joint = [np.abs(s.q) for s in free.solutions]
    for index in range(6):
        weights = np.full(6, 1e-6)
        weights[index] = 1.0
        answer = inverse_kinematics(UR10, POSE, near=near, weights=weights)
        least = min(moves[index] for moves in by_joint)
        assert np.abs(answer.solutions[answer.nearest].q[index]) == pytest.approx(least, abs=1e-9)


def test_meeting_branches_are_one_solution():
    straight = frame_pose(UR10, np.radians([[30], [-45], [0], [20], [40], [10]]))[..., 0]
    answer = inverse_kinematics(UR10, straight)
    elbows = [s for s in answer.solutions if "elbow" in s.singularities]
    for solution in elbows:
        assert solution.q[2] == pytest.approx(0, abs=1e-12)  # not bent by rounding
    names = {solution.branch.split(",")[0] for solution in elbows}
    assert len(elbows) == len(names)


def test_branches_that_meet_at_half_a_turn_are_one_solution_too():
    # The elbows differ by 6e-7, and joint 2 is a little short of half a turn or beyond it.
    q = np.array([0.3, np.pi - 1.5e-7, 3e-7, 0.4, 0.5, 0.6])
    answer = inverse_kinematics(UR10, frame_pose(UR10, q[:, None])[..., 0])
    found = np.array([solution.q for solution in answer.solutions])
    apart = found[:, None] - found[None]
    apart -= 2 * np.pi * np.rint(apart / (2 * np.pi))
    assert (np.abs(apart).max(axis=-1) + np.eye(len(found))).min() > 1e-6


def test_joints_off_the_chain_stay_where_they_are():
    hand = [link("finger", 0.1), joint("grip", "prismatic", "wrist_3_link", "finger", "1 0 0")]
    robot = read_urdf(UR10.text.replace("</robot>", "".join(hand) + "</robot>"), tool="tool0")
    near = np.append(Q, 0.07)
    answer = inverse_kinematics(robot, POSE, near=near)
    assert answer.family == "ur"
    assert all(solution.q[6] == 0.07 for solution in answer.solutions)
    np.testing.assert_allclose(answer.solutions[answer.nearest].q, near, rtol=0, atol=1e-12)
    found = branches(robot, POSE[..., None], near=near)
    assert (found.q[:, 6] == 0.07).all()


def test_an_unreachable_pose_is_an_answer_without_any_nan():
    far = POSE.copy()
    far[:3, 3] = 50, 20, -3
    answer = inverse_kinematics(UR10, far)
    assert (answer.solutions, answer.nearest) == ((), None)
    short = answer.shortfall
    numbers = [*short.q, *short.T_0e.ravel(), short.distance, short.angle, *short.direction]
    assert np.isfinite(numbers).all()
    assert 52 < short.distance < 55
    assert short.reason.startswith("Out of reach: ")


def test_bad_questions_are_refused():
    with pytest.raises(ModelError, match="'gripper' is not in robot"):
        inverse_kinematics(UR10, POSE, frame="gripper")
    with pytest.raises(ScenarioError, match="no rigid motion"):
        inverse_kinematics(UR10, 2 * POSE)
    with pytest.raises(ScenarioError, match="6 finite numbers"):
        inverse_kinematics(UR10, POSE, near=[0, 0])
    with pytest.raises(ScenarioError, match="weights"):
        inverse_kinematics(UR10, POSE, weights=[1, 1, 1, 1, 1, -1])
    with pytest.raises(ScenarioError, match="6 finite numbers"):
        branches(UR10, POSE[..., None], near=np.zeros(5))


def test_a_robot_without_a_joint_that_moves_is_refused():
    post = read_urdf('<robot name="post"><link name="a"/></robot>')
    with pytest.raises(ModelError, match="'post' has no joint that moves"):
        inverse_kinematics(post, np.eye(4))


def test_joints_that_a_loop_positions_are_refused_and_not_moved_as_if_they_had_motors():
    """Without this the wrist's pin would move by itself, and the loops would open."""
    with pytest.raises(ModelError, match=r"its loops position .*wrist_joint.* <mimic>"):
        inverse_kinematics(load_robot("irb460_paper"), np.eye(4))
    assert inverse_kinematics(
        load_robot("irb460"), frame_pose(load_robot("irb460"), np.zeros((4, 1)))[..., 0]
    ).solutions
