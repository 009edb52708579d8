"""Scalarisation: several objectives as heights, the largest of which a local search minimises.

References
----------
Miettinen, Nonlinear Multiobjective Optimization, sec. 3.4 (the weighted Chebyshev problem).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.maths.arrays import Array
from sim.studies.optimisation.problem import DesignPoint

LEVEL = 1e-9  # of the largest cost: costs that differ less are the same
RESOLUTION = 0.02  # of the spread of a front, below which two of its points are one
STEPS = {2: 8, 3: 4}  # into which weights are divided; of more objectives 2


@dataclass(frozen=True)
class Scalarisation:
    """Weighted distances from an ideal point.

    Parameters
    ----------
    weights : ndarray, shape (m,)
        Of the objectives; one of weight 0 does not count.
    ideal, spread : ndarray, shape (m,)
        The least cost of each objective, and by how much costs differ.
    """

    weights: Array
    ideal: Array
    spread: Array

    def __call__(self, point: DesignPoint) -> Array:
        """Heights of a point: of each number of each objective that counts."""
        return np.array(
            [
                weight * (cost - ideal) / spread
                for weight, ideal, spread, costs in zip(
                    self.weights, self.ideal, self.spread, point.costs, strict=True
                )
                if weight > 0
                for cost in costs.values()
            ]
        )

    def height(self, point: DesignPoint) -> float:
        """The largest height."""
        return float(np.max(self(point)))


def scalarisation_of(
    points: Sequence[DesignPoint], weights: Array, all_points: Sequence[DesignPoint]
) -> Scalarisation:
    """Weighted distances from the least costs of some points, by how much they differ.

    By how much all differ where some have the same cost, as a single one has.
    """
    costs, all_costs = (np.array([p.cost for p in some]) for some in (points, all_points))
    size = np.abs(all_costs).max(axis=0)
    spread = np.ones_like(size)
    for candidate in (size, np.ptp(all_costs, axis=0), np.ptp(costs, axis=0)):
        spread = np.where(candidate > LEVEL * size, candidate, spread)
    return Scalarisation(np.asarray(weights, dtype=float), costs.min(axis=0), spread)


def weight_lattice(count: int) -> list[Array]:
    """Weights that sum to 1, evenly spread: each objective alone first, then those between."""
    steps = STEPS.get(count, 2)
    alone = list(np.eye(count))
    between = [
        np.array(parts) / steps
        for parts in itertools.product(range(steps + 1), repeat=count)
        if sum(parts) == steps and sum(part > 0 for part in parts) > 1
    ]
    return alone + between


def is_dominated(cost: Array, others: Array) -> bool:
    """Whether one of some costs (N, m) is nowhere larger and somewhere smaller."""
    return bool(np.any(np.all(others <= cost, axis=1) & np.any(others < cost, axis=1)))


def front_of(points: Sequence[DesignPoint]) -> list[DesignPoint]:
    """The points that no other dominates, ordered by the first objective."""
    if not points:
        return []
    costs = np.array([point.cost for point in points])
    first = [k for k in range(len(costs)) if not (costs[:k] == costs[k]).all(axis=1).any()]
    best = [points[k] for k in first if not is_dominated(costs[k], costs)]
    return _thin_out(sorted(best, key=lambda point: tuple(point.cost)))


def _thin_out(front: Sequence[DesignPoint]) -> list[DesignPoint]:
    """Leave out points of a front that nearly equal an earlier one; its ends stay."""
    costs = np.array([point.cost for point in front])
    spread = np.ptp(costs, axis=0)
    scaled = (costs - costs.min(axis=0)) / np.where(spread > 0, spread, 1.0)
    kept = [0]
    for k in range(1, len(front)):
        is_new = np.abs(scaled[kept] - scaled[k]).max(axis=1).min() >= RESOLUTION
        if k == len(front) - 1 and not is_new and len(kept) > 1:
            kept.pop()
        if is_new or k == len(front) - 1:
            kept.append(k)
    return [front[k] for k in kept]
