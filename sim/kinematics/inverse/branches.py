"""All branches of the closed-form solution for many poses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.errors import ModelError
from sim.kinematics.inverse.family import Angles, Family
from sim.kinematics.inverse.numerical import descend
from sim.kinematics.inverse.pose_error import TOLERANCE, check_poses
from sim.kinematics.inverse.recognition import family_of
from sim.kinematics.inverse.travel import check_position
from sim.kinematics.poe import screws_of
from sim.maths.arrays import Array, Mask
from sim.robots.robot import Robot

CHUNK = 4096  # samples per pass; keeps the intermediate arrays in the cache
EXACT = 1e-12  # rad and m; axes that deviate more from their family need a few Newton steps
ROUNDED = 1e-5  # rad and m; rounding of printed digits; a larger deviation belongs to the geometry
SINGULAR = 1e-6  # m or sine; solutions closer to a singularity are flagged
CLOSE = 1e-4  # m and rad; smaller residuals may be rounding that Newton steps remove
_HIDDEN = 2e-6  # m; elbow motion due to a wrist 1e-11 from singular, whose rotation is hidden
_POLISH = 12  # iterations


@dataclass(frozen=True, eq=False)
class Branches:
    """All branches for N poses.

    Parameters
    ----------
    labels : tuple of str, length B
        Names of the branches.
    q : ndarray, shape (B, n, N)
        Joint positions in [-π, π]; out of reach, those of a nearby pose [rad].
    reached : ndarray of bool, shape (B, N)
        Whether the branch reaches the pose within 1e-10 m and rad.
    singular : ndarray of bool, shape (B, N)
        Whether the branch is at a singularity, within 1e-6.
    free : ndarray of bool, shape (B, N)
        Whether a singularity leaves a joint free; it then keeps its given position.
    """

    labels: tuple[str, ...]
    q: Array
    reached: Mask
    singular: Mask
    free: Mask


def branches(
    robot: Robot, T_0e: ArrayLike, *, near: ArrayLike | None = None, frame: str | None = None
) -> Branches:
    """Return all branches of the closed-form inverse kinematics, vectorised over the poses.

    Parameters
    ----------
    T_0e : array_like, shape (4, 4, N)
        Poses of the frame in the world [m].
    near : array_like, shape (n,), optional
        Position of joints that a singularity leaves free (default: zero).
    frame : str, optional
        Name of the link (default: the tool frame).

    Raises
    ------
    ModelError
        If the robot belongs to no family with a closed form, or has no such link.
    ScenarioError
        If a pose or `near` cannot be used.
    """
    family = family_of(robot, frame)
    if family is None:
        raise ModelError(
            f"Robot {robot.name!r} has no closed-form inverse kinematics; use "
            "inverse_kinematics, which solves it numerically, pose by pose"
        )
    T = check_poses(T_0e, 3)
    return solve(robot, family, T, check_position(robot, near)[:, None], frame)


def solve(robot: Robot, family: Family, T: Array, near: Array, frame: str | None) -> Branches:
    """Return `branches` for checked arguments; `near` has shape (n, 1) or (n, N)."""
    N, B = T.shape[2], len(family.labels)
    q = np.empty((B, len(near), N))
    reached, singular, free, close = (np.empty((B, N), dtype=bool) for _ in range(4))
    moving = moving_joints(robot, frame)
    still = np.setdiff1d(np.arange(len(near)), moving)
    q[:, still] = near[still]
    grid = q.reshape(*family.shape, len(near), N)
    masks = [mask.reshape(*family.shape, N) for mask in (reached, singular, free, close)]
    for k in range(0, N, CHUNK):
        part = slice(k, k + CHUNK)
        hint = near if near.shape[1] == 1 else near[:, part]
        angles = arm_angles(family, T[:, :, part], hint[moving])
        family.joint_positions(angles.a, grid[..., part], moving)
        masks[0][..., part] = angles.gap <= TOLERANCE
        masks[1][..., part] = is_singular(angles)
        masks[2][..., part] = is_free(angles)
        masks[3][..., part] = (angles.gap > TOLERANCE) & (angles.gap < _HIDDEN)
    if family.deviation > EXACT:
        reached = polish(robot, frame, T, q)
    elif close.any():
        branch, sample = np.nonzero(close)
        mended = q[branch, :, sample].T[None]
        reached[close] = polish(robot, frame, T[:, :, sample], mended)[0]
        q[branch, :, sample] = mended[0].T
    return Branches(family.labels, q, reached, singular, free)


def polish(robot: Robot, frame: str | None, T: Array, q: Array) -> Mask:
    """Apply Newton steps to `q` (B, n, N) in place where they converge; return where, (B, N)."""
    reached = np.empty((len(q), q.shape[2]), dtype=bool)
    for branch, start in enumerate(q):
        fit = descend(robot, frame, T, start, bounded=False, iterations=_POLISH)
        reached[branch] = fit.error.residual <= TOLERANCE
        q[branch] = np.where(reached[branch], fit.q, start)
    return reached


def arm_angles(family: Family, T: Array, near: Array) -> Angles:
    """Return the arm's own angles for poses (4, 4, N) and moving joints near (n, 1) or (n, N)."""
    R, p = family.in_arm_frame(T[:3, :3], T[:3, 3])
    return family.angles(R, p, family.K @ near + family.k[:, None])


def is_singular(angles: Angles) -> Mask:
    """Return the mask of samples at which a branch is at any singularity."""
    flagged: Mask = np.zeros((), dtype=bool)
    for margin in angles.margins.values():
        flagged = flagged | (margin < SINGULAR)
    return flagged


def is_free(angles: Angles) -> Mask:
    """Return the mask of samples at which a joint of a branch is free."""
    free: Mask = np.zeros((), dtype=bool)
    for _, where in angles.free:
        if where.any():
            free = free | where
    return free


def moving_joints(robot: Robot, frame: str | None) -> NDArray[np.int64]:
    """Return the indices of the independent joints that move the frame."""
    return np.flatnonzero(np.any(screws_of(robot, frame).coupling != 0, axis=0))
