import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.kinematics import dh
from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse import branches, inverse_kinematics
from sim.maths import pose, rotation_from_rpy
from sim.robots import load_robot, read_urdf
from tests.helpers.axes_robot import urdf_of_axes
from tests.helpers.examples import examples
from tests.helpers.inverse_checks import (
    apart,
    check_branches,
)

WELD5 = load_robot("weld5")
laws = examples(150)
round_angles = st.integers(-8, 8).map(lambda k: np.radians(45.0 * k))
positions = st.lists(round_angles | st.floats(-6.2, 6.2), min_size=5, max_size=5).map(np.array)


def by_table(q):
    return dh.forward(dh.table_of(WELD5), q)


def random_positions(seed, n):
    return np.random.default_rng(seed).uniform(-np.pi, np.pi, (5, n))


def over_axis_1(n):
    """The end of the torch on axis 1, the torch upright: joints 1 and 5 turn about one line."""
    q = random_positions(1, n)
    a1, a2, a3 = 0.085, 0.56, 0.63
    reach = a2 + a3 * np.exp(1j * q[2])
    q[1] = np.arccos(-a1 / np.abs(reach)) - np.angle(reach)
    q[3] = np.pi * (np.arange(n) % 2) - q[1] - q[2]
    return q


def test_a_torch_upright_on_axis_1_leaves_joint_1_free():
    q = over_axis_1(15)
    for k in range(15):
        answer = inverse_kinematics(WELD5, by_table(q)[..., k], near=q[:, k])
        distance = [apart(s.q[:, None], q[:, k : k + 1])[0] for s in answer.solutions]
        nearest = answer.solutions[int(np.argmin(distance))]
        assert min(distance) < 1e-6
        assert nearest.singularities == ("shoulder",)
        assert nearest.free_joints == ("joint_1",)


@pytest.mark.parametrize("off", [1e-3, 1e-5, 1e-8, 1e-10, 1e-12, 0.0])
def test_a_point_close_to_axis_1_takes_its_plane_from_the_torch(off):
    q = over_axis_1(12)
    q[3] += 0.7  # the torch leans, which says where the plane is
    back = by_table(q)
    for k in range(12):
        T = back[..., k].copy()
        plane = np.array([np.cos(q[0, k]), np.sin(q[0, k]), 0])
        T[:3, 3] -= T[:3, 3] @ plane * plane - off * plane  # onto the axis, and off it again
        answer = inverse_kinematics(WELD5, T)
        assert answer.solutions, (off, answer.shortfall.reason)
        assert branches(WELD5, T[..., None]).reached.any()
        assert all(solution.residual <= 1e-10 for solution in answer.solutions)
        turns = [solution.q[0] - q[0, k] for solution in answer.solutions]
        assert min(abs(turn - np.pi * np.rint(turn / np.pi)) for turn in turns) < 1e-9


def test_a_straight_arm_is_flagged():
    q = random_positions(2, 15)
    q[2] = 0.0
    for k in range(15):
        answer = inverse_kinematics(WELD5, by_table(q)[..., k], near=q[:, k])
        distance = [apart(s.q[:, None], q[:, k : k + 1])[0] for s in answer.solutions]
        nearest = answer.solutions[int(np.argmin(distance))]
        assert min(distance) < 1e-6
        assert nearest.singularities == ("elbow",)
        assert nearest.free_joints == ()


def test_an_arm_set_aside_from_axis_1_is_solved_too():
    axes = np.array([(0, 0, 1), (0, 1, 0), (0, 1, 0), (0, 1, 0), (1, 0, 0)], float)
    points = np.array([(0, 0, 0), (0, 0.1, 0.3), (0.5, 0.1, 0.3), (0.9, 0.1, 0.3), (1, 0.1, 0.35)])
    robot = read_urdf(urdf_of_axes(axes, points, pose(None, (1.1, 0.1, 0.35))), tool="tool")
    q = random_positions(6, 2000)
    T = frame_pose(robot, q)
    check_branches(branches(robot, T), q, lambda x: frame_pose(robot, x), T)


def test_an_impossible_orientation_names_the_missing_direction_and_the_nearest_pose():
    """The torch leans 20° sideways out of the arm's plane through axis 1 and the point."""
    point, lean = np.array([0.8, 0.3, 0.4]), np.radians(20)
    radial = np.array([0.8, 0.3, 0]) / np.hypot(0.8, 0.3)
    turned_about = radial
    level = pose(rotation_from_rpy((np.pi, 0, 0.2)), point)
    c, s = np.cos(lean), np.sin(lean)
    x, y, _ = turned_about
    about = np.array(
        [
            [c + x * x * (1 - c), x * y * (1 - c), y * s],
            [x * y * (1 - c), c + y * y * (1 - c), -x * s],
            [-y * s, x * s, c],
        ]
    )
    T = pose(about @ level[:3, :3], point)
    answer = inverse_kinematics(WELD5, T)
    short = answer.shortfall
    assert answer.solutions == ()
    assert short.angle == pytest.approx(lean, abs=1e-12)
    assert short.distance < 1e-12
    np.testing.assert_allclose(np.abs(short.direction @ turned_about), 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(short.T_0e, level, rtol=0, atol=1e-12)
    assert "20°" in short.reason
    assert inverse_kinematics(WELD5, short.T_0e).solutions


@given(positions, st.tuples(*[st.floats(-0.5, 0.5)] * 3))
@laws
def test_what_is_offered_instead_of_an_unreachable_pose_is_reachable(q, rpy):
    T = by_table(q[:, None])[..., 0]
    T[:3, :3] = T[:3, :3] @ rotation_from_rpy(rpy)
    answer = inverse_kinematics(WELD5, T)
    if answer.shortfall is not None:
        assert inverse_kinematics(WELD5, answer.shortfall.T_0e).solutions
        assert not np.isnan(answer.shortfall.q).any()


def test_the_other_orientations_at_a_point_are_not_taken_for_reached():
    T = by_table(random_positions(7, 200))
    lean = rotation_from_rpy((1e-6, 2e-6, 0))
    T[:3, :3] = np.einsum("abN,bc->acN", T[:3, :3], lean)
    x, y = T[:2, 3] / np.hypot(*T[:2, 3])
    leaning = np.abs(x * T[1, 2] - y * T[0, 2]) > 1e-9
    assert leaning.mean() > 0.9
    assert not branches(WELD5, T[..., leaning]).reached.any()


def test_beyond_the_reach_the_distance_is_told():
    T = pose(rotation_from_rpy((np.pi, 0, 0)), (1.8, 0, -0.24))
    short = inverse_kinematics(WELD5, T).shortfall
    assert short.distance == pytest.approx(1.8 - 1.275, abs=1e-12)
    assert "stretched arm" in short.reason
