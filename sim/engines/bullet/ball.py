"""Ball joint in PyBullet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.maths.arrays import Array


@dataclass(frozen=True, eq=False)
class Ball:
    """A ball joint, with rotations along the principal axes of its child.

    Parameters
    ----------
    row : int
        First of its three rows.
    joint : int
        PyBullet's joint number.
    axes : ndarray, shape (3, 3)
        Principal axes in the child's frame, according to PyBullet.
    """

    row: int
    joint: int
    axes: Array

    def inward(self, v: Array) -> Array:
        """Transform vectors (3, N) from the child's axes to the principal axes."""
        return np.asarray(self.axes.T @ v)

    def outward(self, v: Array) -> Array:
        """Transform vectors (3, N) from the principal axes to the child's axes."""
        return np.asarray(self.axes @ v)
