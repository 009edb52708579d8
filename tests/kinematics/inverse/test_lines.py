import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.kinematics.inverse.arm_frame import drop_rounding, turn_y, turn_z
from sim.kinematics.inverse.lines import foot, lines_of, meeting_point
from sim.kinematics.poe import screws_of
from sim.robots import load_robot, read_urdf
from tests.helpers.axes_robot import disguised
from tests.helpers.examples import examples

laws = examples(100)
coordinates = st.floats(-1, 1, allow_subnormal=False)
vectors = st.tuples(coordinates, coordinates, coordinates).map(np.array)
directions = vectors.filter(lambda v: np.linalg.norm(v) > 0.1).map(lambda v: v / np.linalg.norm(v))


@given(vectors, directions, vectors, directions)
@laws
def test_the_meeting_point_is_in_the_middle_of_the_shortest_way(c_a, w_a, c_b, w_b):
    normal = np.cross(w_a, w_b)
    if np.linalg.norm(normal) < 0.1:
        return
    point, apart = meeting_point(c_a, w_a, c_b, w_b)
    assert apart == pytest.approx(abs((c_b - c_a) @ normal) / np.linalg.norm(normal), abs=1e-12)
    for c, w in ((c_a, w_a), (c_b, w_b)):
        assert np.linalg.norm(point - foot(point, c, w)) == pytest.approx(apart / 2, abs=1e-12)


@given(vectors, vectors, directions)
@laws
def test_the_foot_is_on_the_line_and_square_below_the_point(point, c, w):
    found = foot(point, c, w)
    np.testing.assert_allclose(np.cross(found - c, w), 0, atol=1e-14)
    assert (point - found) @ w == pytest.approx(0, abs=1e-14)


def test_turns_go_round_the_right_hand():
    np.testing.assert_allclose(turn_z(np.pi / 2) @ [1, 0, 0], [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(turn_y(np.pi / 2) @ [0, 0, 1], [1, 0, 0], atol=1e-15)


def test_only_rounding_is_rounded():
    assert drop_rounding(1e-17) == drop_rounding(-1e-15) == 0.0
    assert drop_rounding(1e-12) == 1e-12


def test_the_arm_frame_of_the_kr210_stands_below_axis_2_and_looks_its_way():
    lines = lines_of(screws_of(load_robot("kr210")), np.array([0.0, 0, 1]))
    np.testing.assert_allclose(lines.T_0a[:3, 3], [0, 0, 0.675], rtol=0, atol=1e-15)
    np.testing.assert_array_equal(lines.T_0a[:3, :3], np.eye(3))
    assert lines.plane_point(1) == pytest.approx(0.35, abs=1e-15)
    assert lines.plane_point(2) == pytest.approx(0.35 + 1.15j, abs=1e-15)
    np.testing.assert_array_equal(lines.signs[:3], [1, -1, -1])  # axes 2 and 3 tip forward
    assert lines.are_parallel(1, 2)
    assert not lines.are_parallel(1, 2, 3)


@pytest.mark.parametrize("seed", range(8))
def test_the_arm_frame_has_axis_1_upright_and_axis_2_level_on_its_side(seed):
    robot = read_urdf(
        disguised(screws_of(load_robot("kr210")), np.random.default_rng(seed)), tool="tool"
    )
    up = robot.T_0b[:3, 2]
    lines = lines_of(screws_of(robot), up)
    np.testing.assert_allclose(np.abs(lines.w[0]), [0, 0, 1], rtol=0, atol=1e-14)
    np.testing.assert_allclose(np.abs(lines.w[1]), [0, 1, 0], rtol=0, atol=1e-14)
    np.testing.assert_allclose(lines.c[0][:2], 0, atol=1e-14)
    assert lines.T_0a[:3, 2] @ up >= -1e-9
    assert lines.plane_point(1) == pytest.approx(0.35, abs=1e-14)


def test_a_chain_without_two_square_axes_has_none():
    assert lines_of(screws_of(load_robot("ur10"), "upper_arm_link"), np.array([0.0, 0, 1])) is None
