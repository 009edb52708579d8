import numpy as np
import pytest

from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse import branches, inverse_kinematics
from sim.kinematics.inverse.recognition import family_of
from sim.maths import pose, rotation_from_rpy
from sim.robots import read_urdf
from tests.helpers.axes_robot import PALLETIZER, palletizer_pose
from tests.helpers.inverse_checks import (
    apart,
    check_branches,
)

ROBOT = read_urdf(PALLETIZER)
LOWER, UPPER = np.radians([[-165, -85, -120, -300], [165, 40, 20, 300]])[:, :, None]


def in_range(seed, n):
    return np.random.default_rng(seed).uniform(LOWER, UPPER, (4, n))


def test_the_urdf_is_the_closed_form():
    q = in_range(0, 500)
    np.testing.assert_allclose(frame_pose(ROBOT, q), palletizer_pose(q), rtol=0, atol=1e-12)


def test_the_coupling_is_recognised_by_its_lengths():
    family = family_of(ROBOT)
    assert family.name == "palletizer"
    assert family.lengths == pytest.approx((0.945, 1.025), abs=1e-15)
    assert family.base == pytest.approx(0.48 - 0.2175j, abs=1e-15)  # from the height of axis 2


def test_a_point_far_from_axis_1_has_two_solutions_elbow_up_and_down():
    q = in_range(3, 3000)
    T = palletizer_pose(q)
    far = np.hypot(*T[:2, 3]) > 0.945 + 1.025 - 0.48
    count = branches(ROBOT, T[..., far]).reached.sum(axis=0)
    assert (count == 2).all()
    near = branches(ROBOT, T[..., ~far]).reached.sum(axis=0)
    assert set(near) <= {2, 4}  # the arm may reach over its back


def test_singular_poses_are_flagged_and_give_back_their_joints():
    q = in_range(4, 15)
    q[2] = np.arccos(-(0.48 - 0.945 * np.sin(q[1] * 0.2)) / 1.025)
    q[1] *= 0.2  # the tool on axis 1
    for k in range(15):
        answer = inverse_kinematics(ROBOT, palletizer_pose(q)[..., k], near=q[:, k])
        distance = [apart(s.q[:, None], q[:, k : k + 1])[0] for s in answer.solutions]
        nearest = answer.solutions[int(np.argmin(distance))]
        assert min(distance) < 1e-7
        assert nearest.singularities == ("shoulder",)
        assert nearest.free_joints == ("axis_1",)
    q = in_range(5, 15)
    q[2] = q[1] + np.pi / 2  # both links in one line
    for k in range(15):
        answer = inverse_kinematics(ROBOT, palletizer_pose(q)[..., k], near=q[:, k])
        distance = [apart(s.q[:, None], q[:, k : k + 1])[0] for s in answer.solutions]
        nearest = answer.solutions[int(np.argmin(distance))]
        assert min(distance) < 1e-6
        assert nearest.singularities == ("elbow",)
        assert nearest.free_joints == ()


def test_the_limits_of_the_levelling_joints_count():
    answer = inverse_kinematics(
        ROBOT, palletizer_pose(np.radians([[10], [-40], [-30], [5]]))[..., 0]
    )
    inside = [s for s in answer.solutions if s.inside_limits]
    assert len(inside) == 1
    np.testing.assert_allclose(np.degrees(inside[0].q), [10, -40, -30, 5], rtol=0, atol=1e-9)


def test_the_other_senses_of_rotation_make_no_difference():
    text = PALLETIZER.replace('<axis xyz="1 0 0"/>', '<axis xyz="-1 0 0"/>')
    text = text.replace(
        '<axis xyz="0 0 1"/><limit lower="-5.236"', '<axis xyz="0 0 -1"/><limit lower="-5.236"'
    )
    robot = read_urdf(text)
    q = np.random.default_rng(8).uniform(-np.pi, np.pi, (4, 500))
    T = frame_pose(robot, q)
    np.testing.assert_allclose(
        T, palletizer_pose(np.array([[1], [-1], [-1], [-1]]) * q), atol=1e-12
    )
    check_branches(branches(robot, T), q, lambda x: frame_pose(robot, x), T)


def test_a_tool_that_is_not_level_is_told_by_how_much():
    lean = pose(rotation_from_rpy((0.3, 0, 0)), (0.5, 1.6, 0.8))
    short = inverse_kinematics(ROBOT, lean).shortfall
    assert short.angle == pytest.approx(0.3, abs=1e-12)
    assert short.distance < 1e-12
    np.testing.assert_allclose(np.abs(short.direction), [1, 0, 0], rtol=0, atol=1e-12)
    assert inverse_kinematics(ROBOT, short.T_0e).solutions
    assert not branches(ROBOT, lean[..., None]).reached.any()


def test_an_upturned_tool_is_out_of_reach():
    over = pose(rotation_from_rpy((np.pi, 0, 0.4)), (0.5, 1.6, 0.8))
    assert not branches(ROBOT, over[..., None]).reached.any()
    short = inverse_kinematics(ROBOT, over).shortfall
    assert short.angle == pytest.approx(np.pi, abs=1e-12)
    assert short.distance < 1e-12


def test_beyond_the_reach_the_distance_is_told():
    T = pose(None, (0, 3.0, 0.7425 - 0.2175))
    short = inverse_kinematics(ROBOT, T).shortfall
    assert short.distance == pytest.approx(3.0 - 0.48 - 0.945 - 1.025, abs=1e-12)
