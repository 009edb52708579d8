"""Motion of a run between its samples: the cubic through positions and rates of each joint.

A ball turns from each sample k to the next by ``R_k exp φ``, with φ the cubic through its rotation
vectors relative to the first sample. Then ``|ω| <= |φ'|``, and

    |ω'|  <=  |φ''| + |φ'|² (θ/6 + θ²/24 + θ³/120),      |φ| <= θ

by the derivatives of ω = φ' - (1 - cos φ)/φ² φ × φ' + (φ - sin φ)/φ³ φ × (φ × φ').
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sim.kinematics.forward import BodyPoses, body_poses
from sim.kinematics.tree import Tree
from sim.maths.arrays import Array
from sim.maths.rotation_vectors import (
    displace_rows,
    nearest_vectors,
    rates_of_vectors,
    turns_between,
    velocities_of_vectors,
)


@dataclass(frozen=True, eq=False)
class SampledMotion:
    """Positions and rates of all tree joints at samples.

    Parameters
    ----------
    tree : Tree
    t : ndarray, shape (N,)
        [s]
    q, qd : ndarray, shape (n_tree, N)
        [rad or m], [rad/s or m/s]; for balls rotation vectors and angular velocities along the
        child's axes.
    """

    tree: Tree
    t: Array
    q: Array
    qd: Array

    @cached_property
    def _balls(self) -> tuple[slice, ...]:
        return tuple(slice(first, first + 3) for first in self.tree.balls)

    @cached_property
    def _steps(self) -> tuple[Array, Array, Array]:
        """Steps from each sample to the next, and the rates at both ends, (n_tree, N-1) each."""
        way, first, last = np.diff(self.q), self.qd[:, :-1], self.qd[:, 1:].copy()
        for rows in self._balls:
            turn = turns_between([slice(0, 3)], self.q[rows, :-1], self.q[rows, 1:])
            mean = 0.5 * (self.qd[rows, :-1] + self.qd[rows, 1:]) * np.diff(self.t)
            way[rows] = nearest_vectors(mean, turn)
            last[rows] = rates_of_vectors(way[rows], last[rows])
        return way, first, last

    @cached_property
    def _curve(self) -> Any:
        """Displacements from the previous sample, by the cubic through both ends."""
        from scipy.interpolate import PPoly

        way, first, last = self._steps
        h = np.diff(self.t)
        square, cube = (3 * way / h - 2 * first - last) / h, (first + last - 2 * way / h) / h**2
        powers = np.stack([cube, square, first, np.zeros_like(way)])
        return PPoly(np.moveaxis(powers, 2, 1), self.t)

    @cached_property
    def _rate(self) -> Any:
        return self._curve.derivative()

    @cached_property
    def poses(self) -> BodyPoses:
        """World poses of the bodies at the samples."""
        return body_poses(self.tree, self.q)

    def poses_at(self, times: Array) -> BodyPoses:
        """Return world poses of the bodies at given times."""
        before = np.clip(np.searchsorted(self.t, times, side="right") - 1, 0, self.t.size - 2)
        return body_poses(
            self.tree, displace_rows(self._balls, self.q[:, before], self._curve(times).T)
        )

    def rates_at(self, times: Array) -> Array:
        """Return rates of the joints at given times, (n_tree, M); of balls angular velocities."""
        rates = np.array(self._rate(times).T)
        for rows in self._balls:
            rates[rows] = velocities_of_vectors(self._curve(times).T[rows], rates[rows])
        return rates

    @cached_property
    def largest_rates(self) -> Array:
        """Largest |q'| between samples, (n_tree, N-1), bounded by its Bernstein coefficients.

        Its values at the ends and in the middle are no bound. For a ball |ω|, in its first row.
        """
        way, first, last = self._steps
        return self._largest(first, 3 * way / np.diff(self.t) - first - last, last)

    @cached_property
    def largest_changes(self) -> Array:
        """Largest |q''| between samples, (n_tree, N-1); q'' is linear in between.

        For a ball |ω'|, in its first row.
        """
        way, first, last = self._steps
        h = np.diff(self.t)
        slope = way / h
        changes = self._largest(
            (6 * slope - 4 * first - 2 * last) / h, (2 * first + 4 * last - 6 * slope) / h
        )
        for rows in self._balls:
            third = h / 3
            a = np.linalg.norm(
                [first[rows] * third, way[rows] - last[rows] * third, way[rows]], axis=1
            ).max(axis=0)
            bend = a / 6 + a**2 / 24 + a**3 / 120
            changes[rows.start] += self.largest_rates[rows.start] ** 2 * bend
        return changes

    def _largest(self, *coefficients: Array) -> Array:
        """Return the largest size of Bernstein coefficients, (n_tree, N-1); of vectors of balls."""
        largest = np.abs(coefficients).max(axis=0)
        for rows in self._balls:
            sizes = np.linalg.norm([each[rows] for each in coefficients], axis=1)
            largest[rows] = 0.0
            largest[rows.start] = sizes.max(axis=0)
        return np.asarray(largest)

    def distance_to(self, other: SampledMotion) -> Array:
        """Return the largest distance of each joint from another motion at samples, (n_tree,)."""
        away = np.abs(turns_between(self._balls, self.q, other.q))
        for rows in self._balls:
            away[rows.start] = np.linalg.norm(away[rows], axis=0)
            away[rows.start + 1 : rows.stop] = 0.0
        return np.asarray(away.max(axis=1))

    def largest_within(self, values: Array, begin: Array, end: Array) -> Array:
        """Return the largest of values (n_tree, N-1) between samples, in intervals of time."""
        last = self.t.size - 2
        i = np.clip(np.searchsorted(self.t, begin, side="right") - 1, 0, last)
        j = np.clip(np.searchsorted(self.t, end, side="left") - 1, i, last)
        padded = np.concatenate([values, values[:, -1:]], axis=1)
        return np.maximum.reduceat(padded, np.column_stack([i, j + 1]).ravel(), axis=1)[:, ::2]
