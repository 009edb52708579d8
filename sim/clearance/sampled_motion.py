"""The motion of a run between its samples: the cubic through positions and rates of each joint."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sim.kinematics.forward import BodyPoses, body_poses
from sim.kinematics.tree import Tree
from sim.maths.arrays import Array


@dataclass(frozen=True, eq=False)
class SampledMotion:
    """Positions and rates of all tree joints at samples.

    Parameters
    ----------
    tree : Tree
    t : ndarray, shape (N,)
        [s]
    q, qd : ndarray, shape (n_tree, N)
        [rad or m], [rad/s or m/s].
    """

    tree: Tree
    t: Array
    q: Array
    qd: Array

    @cached_property
    def _curve(self) -> Any:
        from scipy.interpolate import CubicHermiteSpline

        return CubicHermiteSpline(self.t, self.q, self.qd, axis=1)

    @cached_property
    def _rate(self) -> Any:
        return self._curve.derivative()

    @cached_property
    def poses(self) -> BodyPoses:
        """World poses of the bodies at the samples."""
        return body_poses(self.tree, self.q)

    def poses_at(self, times: Array) -> BodyPoses:
        """World poses of the bodies at some times."""
        return body_poses(self.tree, self._curve(times))

    def rates_at(self, times: Array) -> Array:
        """Rates of the joints at some times, (n_tree, M)."""
        return np.asarray(self._rate(times))

    @cached_property
    def largest_rates(self) -> Array:
        """Largest |q'| from each sample to the next, (n_tree, N-1): of its Bernstein coefficients.

        Its values at the ends and in the middle are no bound.
        """
        slope, ends = np.diff(self.q) / np.diff(self.t), np.abs(self.qd)
        middle = np.abs(3 * slope - self.qd[:, 1:] - self.qd[:, :-1])
        return np.maximum(np.maximum(ends[:, 1:], ends[:, :-1]), middle)

    @cached_property
    def largest_changes(self) -> Array:
        """Largest |q''| from each sample to the next, (n_tree, N-1): it is straight in between."""
        h = np.diff(self.t)
        slope, first, last = np.diff(self.q) / h, self.qd[:, :-1], self.qd[:, 1:]
        begin = (6 * slope - 4 * first - 2 * last) / h
        end = (2 * first + 4 * last - 6 * slope) / h
        return np.maximum(np.abs(begin), np.abs(end))

    def largest_within(self, values: Array, begin: Array, end: Array) -> Array:
        """Largest of values (n_tree, N-1), each from a sample to the next, in intervals of time."""
        last = self.t.size - 2
        i = np.clip(np.searchsorted(self.t, begin, side="right") - 1, 0, last)
        j = np.clip(np.searchsorted(self.t, end, side="left") - 1, i, last)
        padded = np.concatenate([values, values[:, -1:]], axis=1)
        return np.maximum.reduceat(padded, np.column_stack([i, j + 1]).ravel(), axis=1)[:, ::2]
