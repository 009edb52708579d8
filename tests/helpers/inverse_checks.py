"""What every closed-form inverse has to keep, checked over many poses at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.kinematics.inverse import Branches, inverse_kinematics
from sim.kinematics.inverse.numerical import descend
from sim.kinematics.inverse.pose_error import error_between
from sim.maths import Array
from sim.robots import Robot

TAU = 2 * np.pi
FOUND = 1e-7  # [rad]; near a singularity a joint loses digits that the pose does not need


def apart(a: Array, b: Array) -> Array:
    """Largest difference of joint angles up to whole turns, over the second-last axis."""
    step = a - b
    return np.abs(step - TAU * np.rint(step / TAU)).max(axis=-2)


def check_branches(
    found: Branches, q: Array, reached_poses: Callable[[Array], Array], T: Array
) -> None:
    """The original is among the branches, and every branch meets its pose.

    Parameters
    ----------
    q : ndarray, shape (n, N)
        From which the poses T were made.
    reached_poses : callable
        Forward kinematics by another formula than the project's inverse and its URDF.
    """
    assert not np.isnan(found.q).any()
    distance = np.where(found.reached, apart(found.q, q), np.inf)
    assert distance.min(axis=0).max() < FOUND
    for branch, solution in enumerate(found.q):
        met = found.reached[branch]
        error = error_between(reached_poses(solution[:, met]), T[:, :, met])
        assert error.residual.max(initial=0.0) <= 1e-10
        missed = error_between(reached_poses(solution[:, ~met]), T[:, :, ~met])
        assert missed.residual.min(initial=1.0) > 1e-10


def check_distinct(found: Branches) -> None:
    """Away from singularities no two branches are one solution."""
    for first in range(len(found.q)):
        for second in range(first):
            both = found.reached[first] & found.reached[second]
            both &= ~found.singular[first] & ~found.singular[second]
            assert apart(found.q[first], found.q[second])[both].min(initial=1.0) > 1e-6


def check_nothing_is_missing(robot: Robot, T: Array, rng: np.random.Generator) -> int:
    """Whatever a least-squares descent finds from 60 random starts is one of the branches.

    Returns how many of the branches it found.
    """
    n = len(robot.joint_names)
    listed = inverse_kinematics(robot, T).solutions
    starts = rng.uniform(-np.pi, np.pi, (n, 60))
    fit = descend(robot, None, T[:, :, None], starts, bounded=False)
    met = fit.error.residual <= 1e-10
    assert met.any()
    q = np.array([solution.q for solution in listed])
    nearest = [apart(q[:, :, None], column[:, None])[:, 0] for column in fit.q[:, met].T]
    assert np.max(np.min(nearest, axis=1)) < 1e-5
    return len(np.unique(np.argmin(nearest, axis=1)))
