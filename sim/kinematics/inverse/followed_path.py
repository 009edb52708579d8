"""Joint positions along a path of poses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.kinematics.inverse.pose_error import TOLERANCE
from sim.maths.arrays import Array, Mask


@dataclass(frozen=True, eq=False)
class FollowedPath:
    """Joint positions along a path of N poses.

    Parameters
    ----------
    q : ndarray, shape (n, N)
        Without jumps by whole turns; where a pose is out of reach, those of a pose nearby
        [rad or m].
    branch : ndarray of int, shape (N,)
        Index into `labels`.
    labels : tuple of str
        The names of the branches.
    distance, angle : ndarray, shape (N,)
        By how much forward kinematics of `q` misses the pose [m], [rad].
    singular : ndarray of bool, shape (N,)
        Within 1e-6 of a singularity.
    inside_limits : ndarray of bool, shape (N,)
    """

    q: Array
    branch: NDArray[np.int64]
    labels: tuple[str, ...]
    distance: Array
    angle: Array
    singular: Mask
    inside_limits: Mask

    @property
    def reached(self) -> Mask:
        """Where the pose is met within 1e-10 m and rad, shape (N,)."""
        reached: Mask = np.maximum(self.distance, self.angle) <= TOLERANCE
        return reached

    @property
    def is_possible(self) -> bool:
        """True if every pose is reached inside the joint limits."""
        return bool((self.reached & self.inside_limits).all())
