"""The motion that moves least, beside matrices whose eigenvalues are known."""

import numpy as np
import pytest

from sim.dynamics.light_motion import lightest_motion


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9])
def test_two_joints_that_move_the_same_point(gap):
    """[[1, 1-g], [1-g, 1]] has the eigenvalues g and 2 - g, and M a scale of each joint."""
    scale = np.diag([10.0, 0.1])
    M = scale @ np.array([[1, 1 - gap], [1 - gap, 1]]) @ scale
    easy = np.diag([3.0, 4.0])
    light = lightest_motion(np.stack([easy, M, easy], axis=-1))
    assert light.condition == pytest.approx((2 - gap) / gap, rel=1e-6)
    assert (light.rows, light.sample) == ((0, 1), 1)
    assert light.is_near_singular == (gap < 1e-8)


def test_joints_that_take_no_part_are_not_named():
    M = np.eye(3)
    M[0, 2] = M[2, 0] = 1 - 1e-12
    assert lightest_motion(M[:, :, None]).rows == (0, 2)
