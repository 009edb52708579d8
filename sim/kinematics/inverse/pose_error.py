"""Residual of a tool pose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ScenarioError
from sim.kinematics.forward import frame_pose
from sim.maths.arrays import Array
from sim.maths.screws import log_rotation
from sim.robots.robot import Robot

TOLERANCE = 1e-10  # m and rad; largest residual of a solution
_PRINTED = 1e-6  # rounding of a printed rotation matrix
_ROUNDING = 1e-13  # rounding of a few products of rotations
_CHUNK = 4096  # samples per pass; keeps the intermediate arrays in the cache


@dataclass(frozen=True, eq=False)
class PoseError:
    """Difference from the reached to the requested poses, in world axes.

    Parameters
    ----------
    p, w : ndarray, shape (3, N)
        Shift [m], and rotation vector [rad].
    """

    p: Array
    w: Array

    @property
    def distance(self) -> Array:
        """Length of the shift, shape (N,) [m]."""
        return np.sqrt(np.sum(self.p * self.p, axis=0))

    @property
    def angle(self) -> Array:
        """Angle of the rotation, shape (N,) [rad]."""
        return np.sqrt(np.sum(self.w * self.w, axis=0))

    @property
    def residual(self) -> Array:
        """Larger of distance [m] and angle [rad], shape (N,)."""
        return np.maximum(self.distance, self.angle)


def pose_error(robot: Robot, frame: str | None, q: Array, T_0e: Array) -> PoseError:
    """Return the error of the frame at `q` (n, N) against poses (4, 4, N) or (4, 4, 1)."""
    return error_between(frame_pose(robot, q, frame), T_0e)


def error_between(reached: Array, target: Array) -> PoseError:
    """Return the error of reached against target poses, both (4, 4, N) or (4, 4, 1)."""
    R = np.einsum("abN,cbN->acN", *np.broadcast_arrays(target[:3, :3], reached[:3, :3]))
    return PoseError(target[:3, 3] - reached[:3, 3], log_rotation(R))


def check_poses(T_0e: ArrayLike, ndim: int) -> Array:
    """Return poses as float64, with exactly orthogonal rotations.

    Parameters
    ----------
    T_0e : array_like, shape (4, 4) or (4, 4, N)
    ndim : int
        2 for a single pose, 3 for poses over time.

    Raises
    ------
    ScenarioError
        If the shape is different, a number is not finite, or a matrix is not a pose.
    """
    T = np.asarray(T_0e, dtype=np.float64)
    if T.ndim != ndim or T.shape[:2] != (4, 4):
        expected = "(4, 4)" if ndim == 2 else "(4, 4, N)"
        raise ScenarioError(f"A pose must have shape {expected}; got {T.shape}")
    flat = T.reshape(4, 4, -1)
    skew = np.empty(flat.shape[2])
    for k in range(0, len(skew), _CHUNK):
        skew[k : k + _CHUNK] = _skewness(flat[:3, :3, k : k + _CHUNK])
    proper = skew <= _PRINTED  # also false for nan
    proper &= np.isfinite(flat[:3, 3]).all(axis=0)
    proper &= (flat[3, :3] == 0).all(axis=0) & (flat[3, 3] == 1)
    if not proper.all():
        k = int(np.argmin(proper))
        if not np.isfinite(flat[..., k]).all():
            raise ScenarioError("A pose has a number that is not finite")
        where = "" if ndim == 2 else f" at sample {k}"
        raise ScenarioError(
            f"A pose{where} is no rigid motion: its rotation must be orthogonal within "
            f"{_PRINTED:g} and right-handed, its last row 0 0 0 1; got\n{flat[..., k]}"
        )
    worn = skew > _ROUNDING
    if worn.any():
        flat = flat.copy()
        U, _, V = np.linalg.svd(np.moveaxis(flat[:3, :3, worn], -1, 0))
        flat[:3, :3, worn] = np.moveaxis(U @ V, 0, -1)
    return flat.reshape(T.shape)


def _skewness(R: Array) -> Array:
    """Return the largest deviation of R from a right-handed orthogonal matrix, shape (N,)."""
    x, y, z = R[:, 0], R[:, 1], R[:, 2]
    worst: Array = np.abs(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - 1)
    for a, b, expected in ((y, y, 1.0), (x, y, 0.0)):
        product = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
        np.maximum(worst, np.abs(product - expected), out=worst)
    for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):  # z = x × y
        np.maximum(worst, np.abs(x[j] * y[k] - x[k] * y[j] - z[i]), out=worst)
    return worst
