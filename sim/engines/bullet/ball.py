"""A ball as PyBullet has it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.maths.arrays import Array


@dataclass(frozen=True, eq=False)
class Ball:
    """A ball, turned, and turning, along the principal axes of its child.

    Parameters
    ----------
    row : int
        The first of its three rows.
    joint : int
        PyBullet's number.
    axes : ndarray, shape (3, 3)
        The principal axes in the child's frame, as PyBullet has them.
    """

    row: int
    joint: int
    axes: Array

    def inward(self, v: Array) -> Array:
        """A vector (3, N) along the child's axes, along the principal ones."""
        return np.asarray(self.axes.T @ v)

    def outward(self, v: Array) -> Array:
        """A vector (3, N) along the principal axes, along the child's."""
        return np.asarray(self.axes @ v)
