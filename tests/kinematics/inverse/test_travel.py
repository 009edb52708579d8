import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.errors import ScenarioError
from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse import branches, inverse_kinematics
from sim.kinematics.inverse.travel import (
    check_position,
    check_weights,
    inside_limits,
    joint_limits,
    nearest_copy,
    shortest_index,
    turns,
)
from sim.maths import pose
from sim.robots import load_robot, read_urdf
from tests.helpers.axes_robot import PALLETIZER, urdf_of_axes
from tests.helpers.examples import examples
from tests.helpers.small_robots import geared, pendulum_on_cart

UR10 = load_robot("ur10")
TAU = 2 * np.pi
RANGE_ROUNDING = 1e-9  # [rad]; an angle of -1e-17 may be turned by 2π to the end of the range
laws = examples(100)
angles = st.floats(-6.2, 6.2)
positions = st.lists(angles, min_size=6, max_size=6).map(np.array)


@given(positions, positions, st.lists(st.floats(0.1, 10), min_size=6, max_size=6).map(np.array))
@laws
def test_the_nearest_solution_is_the_shortest_of_all_copies_by_the_rule_as_it_is_written(
    q, near, weights
):
    """Expand each solution by ±2π inside the limits, minimise weighted L1, tie by L∞, index."""
    T = frame_pose(UR10, q[:, None])
    found = branches(UR10, T)
    answer = inverse_kinematics(UR10, T[..., 0], near=near, weights=weights)
    if any(s.singular for s in answer.solutions):
        return
    best = []
    for branch in np.flatnonzero(found.reached[:, 0]):
        copies = [
            [x for x in (angle - TAU, angle, angle + TAU) if abs(x) <= TAU + RANGE_ROUNDING]
            for angle in found.q[branch, :, 0]
        ]
        for copy in itertools.product(*copies):
            moves = weights * np.abs(np.array(copy) - near)
            best.append((moves.sum(), moves.max(), len(best), copy))
    expected = min(best)
    assert answer.nearest is not None
    chosen = answer.solutions[answer.nearest].q
    assert weights @ np.abs(chosen - near) == pytest.approx(expected[0], abs=1e-7)


def test_of_two_equal_travels_the_one_with_the_smaller_largest_move_is_taken():
    near, weights = np.zeros(2), np.ones(2)
    assert shortest_index(np.array([[2.0, 0.0], [1.0, 1.0], [1.0, -1.0]]), near, weights) == 1
    assert shortest_index(np.array([[1.0, 1.0], [2.0, 0.0]]), near, weights) == 0
    assert shortest_index(np.array([[2.0, 0.0], [1.0, 1.0]]), near, np.array([0.4, 1.0])) == 0


def test_ties_survive_rounding():
    third = 1 / 3
    tied = np.array([[third + third, third], [1 - 1e-16, 0.0], [0.5, 0.5 + 1e-16]])
    assert shortest_index(tied, np.zeros(2), np.ones(2)) == 2


@given(positions, positions)
@laws
def test_a_copy_is_the_same_pose_inside_the_limits_and_no_other_is_nearer(q, near):
    wrapped = q - TAU * np.rint(q / TAU)
    copy = nearest_copy(UR10, wrapped, near)
    np.testing.assert_allclose((copy - wrapped) / TAU, np.rint((copy - wrapped) / TAU), atol=1e-12)
    assert inside_limits(UR10, copy)
    for other in (copy - TAU, copy + TAU):
        worse = np.abs(other - near) >= np.abs(copy - near) - 1e-9
        assert (worse | (np.abs(other) > TAU)).all()


def test_a_copy_at_the_very_limit_is_inside():
    q = np.array([TAU, -TAU, TAU + 5e-10, 0, 0, 0])
    assert inside_limits(UR10, nearest_copy(UR10, np.zeros(6), q))
    np.testing.assert_array_equal(nearest_copy(UR10, np.zeros(6), q)[:3], [TAU, -TAU, TAU])


def test_half_a_turn_away_the_lower_copy_is_taken():
    copies = nearest_copy(UR10, np.full(6, np.pi), np.zeros(6))
    np.testing.assert_array_equal(copies, np.full(6, -np.pi))


def test_the_limits_of_a_follower_bind_its_leader():
    lower, upper = joint_limits(read_urdf(PALLETIZER))
    np.testing.assert_allclose(lower, [-2.88, -1.4835, -2.0944, -5.236])
    tight = PALLETIZER.replace(
        '"-3.2" upper="3.2"/>\n    <mimic joint="axis_2"',
        '"-0.5" upper="1.0"/>\n    <mimic joint="axis_2"',
    )
    lower, upper = joint_limits(read_urdf(tight))
    assert (lower[1], upper[1]) == (-1.0, 0.5)


def test_a_slide_and_a_joint_geared_by_a_fraction_have_no_whole_turns():
    np.testing.assert_array_equal(turns(pendulum_on_cart(1.0, 1.0, 1.0)), [False, True])
    np.testing.assert_array_equal(turns(geared(1.0, 1.0, 2.0)), [True])
    np.testing.assert_array_equal(turns(geared(1.0, 1.0, 2.5)), [False])


def test_zero_is_moved_into_the_limits_where_no_position_is_given():
    text = UR10.text.replace(
        'lower="-6.283185307179586" upper="6.283185307179586" effort="150"',
        'lower="0.5" upper="3" effort="150"',
    )
    np.testing.assert_array_equal(check_position(read_urdf(text), None), [0, 0, 0.5, 0, 0, 0])


@pytest.mark.parametrize("bad", [[0, 0], [0, 0, 0, 0, 0, np.nan], [[0] * 6]])
def test_a_position_that_is_none_is_refused(bad):
    with pytest.raises(ScenarioError, match=r"6 finite numbers.*shoulder_pan_joint"):
        check_position(UR10, bad)


def test_metres_of_a_slide_count_by_the_length_of_the_chain():
    axes, points = np.array([(1.0, 0, 0), (0, 1.0, 0)]), np.zeros((2, 3))
    crane = read_urdf(urdf_of_axes(axes, points, pose(None, (0, 0, -2.0)), "pr"), tool="tool")
    np.testing.assert_array_equal(check_weights(crane, None), [0.5, 1.0])  # 2 m as much as 1 rad
    np.testing.assert_array_equal(check_weights(UR10, None), np.ones(6))


@pytest.mark.parametrize("bad", [[1, 1], [1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 1, np.inf]])
def test_weights_that_are_none_are_refused(bad):
    with pytest.raises(ScenarioError, match="weights of robot 'ur10' must be 6 finite numbers"):
        check_weights(UR10, bad)
