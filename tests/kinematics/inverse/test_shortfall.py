import numpy as np
import pytest

from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse.pose_error import pose_error
from sim.kinematics.inverse.shortfall import shortfall
from sim.robots import load_robot

UR10 = load_robot("ur10")
Q = np.array([[0.4], [-1.2], [1.1], [0.3], [0.8], [-0.5]])


def attempts(*steps):
    return Q + np.array(steps).T


def test_the_attempt_that_misses_least_is_told():
    T = frame_pose(UR10, Q)
    q = attempts([0.3, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0.05], [0, 0.2, 0, 0, 0, 0])
    short = shortfall(UR10, None, q, pose_error(UR10, None, q, T))
    np.testing.assert_array_equal(short.q, q[:, 1])
    assert short.angle == pytest.approx(0.05, abs=1e-12)
    assert short.distance < 1e-12
    # The last axis is the flange's z: that is the direction about which 0.05 rad are missing.
    np.testing.assert_allclose(short.direction, -T[:3, 2, 0], rtol=0, atol=1e-12)
    assert "2.86479°" in short.reason
    assert "m short" not in short.reason


def test_of_attempts_that_miss_alike_the_first_is_told():
    T = frame_pose(UR10, Q)
    q = attempts([0, 0, 0, 0, 0, 0.05 + 1e-9], [0, 0, 0, 0, 0, -0.05])
    short = shortfall(UR10, None, q, pose_error(UR10, None, q, T))
    np.testing.assert_array_equal(short.q, q[:, 0])


def test_a_radian_counts_as_the_length_of_the_chain():
    """The distances from joint to joint of a UR10 at zero, to its tool: by its data sheet."""
    T = frame_pose(UR10, Q)
    q = attempts([0, 0, 0, 0, 0, 0.1], [0, 0, 0, 0, 0, 0.1])
    error = pose_error(UR10, None, q, T)
    error.p[:, 1] = 0.0
    error.w[:, 0], error.p[:, 0] = 0.0, [0.0, 0.13, 0.0]  # m; 0.1 rad are 0.14 m
    short = shortfall(UR10, None, q, error)
    assert short.distance == pytest.approx(0.13)
    assert 1.3 < short.length < 1.5  # m: arm of 0.612 + 0.5723 m, offsets of the wrist


def test_a_missing_shift_has_no_direction_of_rotation():
    T = frame_pose(UR10, Q)
    T[:3, 3] += [[0.0], [0.3], [0.4]]
    short = shortfall(UR10, None, Q, pose_error(UR10, None, Q, T))
    assert short.distance == pytest.approx(0.5, abs=1e-12)
    np.testing.assert_array_equal(short.direction, [0, 0, 0])
    assert "the tool is 0.5 m short of the position" in short.reason
    np.testing.assert_allclose(short.T_0e[:3, 3], T[:3, 3, 0] - [0, 0.3, 0.4], rtol=0, atol=1e-15)
