"""The quick residuals of a path against the exact ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse.path_error import path_error
from sim.kinematics.inverse.pose_error import pose_error
from sim.maths.screws import exp_rotation
from sim.robots import load_robot, read_urdf
from tests.helpers.random_robots import random_urdf

ROUNDING = 2e-14  # m and rad; of some ten products of rotations, of lengths up to 10 m


@given(st.integers(0, 2**32 - 1))
def test_any_chain_has_the_error_that_the_exact_one_finds(seed):
    rng = np.random.default_rng(seed)
    robot = read_urdf(random_urdf(rng, int(rng.integers(1, 8)), branching=True, mimic=True))
    frame = robot.links[-1].name
    q = rng.uniform(-4, 4, (len(robot.joint_names), 40))
    T = frame_pose(robot, q + rng.choice([0.0, 1e-9, 1e-3, 3.0]), frame)
    distance, angle = path_error(robot, frame, q, T)
    wanted = pose_error(robot, frame, q, T)
    np.testing.assert_allclose(distance, wanted.distance, rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(angle, wanted.angle, rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("turn", [0.0, 1e-12, 1e-6, 0.3, 1.6, 2.8, np.pi - 1e-9, np.pi])
def test_an_angle_that_is_put_in_comes_out(turn):
    robot = load_robot("ur10")
    q = np.random.default_rng(3).uniform(-3, 3, (6, 5))
    T = frame_pose(robot, q)
    axis = np.array([0.6, -0.64, 0.48])[:, None]
    T[:3, :3] = np.einsum("abN,bcN->acN", exp_rotation(axis * np.full(5, turn)), T[:3, :3])
    T[0, 3] += 2e-3
    distance, angle = path_error(robot, None, q, T)
    np.testing.assert_allclose(distance, 2e-3, rtol=0, atol=1e-15)
    np.testing.assert_allclose(angle, turn, rtol=0, atol=2e-15)


def test_a_long_path_is_one_and_the_same_in_passes():
    robot = load_robot("kr210")
    q = np.random.default_rng(5).uniform(-2, 2, (6, 7000))
    T = frame_pose(robot, q + 1e-5)
    distance, angle = path_error(robot, None, q, T)
    last = path_error(robot, None, q[:, -1:], T[..., -1:])
    assert (distance[-1], angle[-1]) == pytest.approx((last[0][0], last[1][0]), abs=1e-15)
    np.testing.assert_allclose(angle, pose_error(robot, None, q, T).angle, rtol=0, atol=ROUNDING)
