"""Scalarisation: several objectives as heights, whose maximum a local search minimises.

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

LEVEL = 1e-9  # of the largest cost: smaller differences are ignored
RESOLUTION = 0.02  # of the spread of a front: smallest distance between its points
STEPS = {2: 8, 3: 4}  # subdivisions of the weights; 2 for more objectives


@dataclass(frozen=True)
class Scalarisation:
    """Weighted distances from an ideal point.

    Parameters
    ----------
    weights : ndarray, shape (m,)
        Weights of the objectives; those of weight 0 are ignored.
    ideal, spread : ndarray, shape (m,)
        Smallest cost of each objective, and the range of costs.
    """

    weights: Array
    ideal: Array
    spread: Array

    def __call__(self, point: DesignPoint) -> Array:
        """Return the heights of a point: for each number of each objective with a weight."""
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
        """Return the largest height."""
        return float(np.max(self(point)))


def scalarisation_of(
    points: Sequence[DesignPoint], weights: Array, all_points: Sequence[DesignPoint]
) -> Scalarisation:
    """Return weighted distances from the smallest costs of some points, relative to their ranges.

    The range is that of all points if the given ones have equal costs, as a single point has.
    """
    costs, all_costs = (np.array([p.cost for p in some]) for some in (points, all_points))
    size = np.abs(all_costs).max(axis=0)
    spread = np.ones_like(size)
    for candidate in (size, np.ptp(all_costs, axis=0), np.ptp(costs, axis=0)):
        spread = np.where(candidate > LEVEL * size, candidate, spread)
    return Scalarisation(np.asarray(weights, dtype=float), costs.min(axis=0), spread)


def weight_lattice(count: int) -> list[Array]:
    """Return uniformly spread weights with sum 1: single objectives first, then mixed ones."""
    steps = STEPS.get(count, 2)
    alone = list(np.eye(count))
    between = [
        np.array(parts) / steps
        for parts in itertools.product(range(steps + 1), repeat=count)
        if sum(parts) == steps and sum(part > 0 for part in parts) > 1
    ]
    return alone + between


def is_dominated(cost: Array, others: Array) -> bool:
    """Whether one of the costs (N, m) is nowhere larger and somewhere smaller."""
    return bool(np.any(np.all(others <= cost, axis=1) & np.any(others < cost, axis=1)))


def front_of(points: Sequence[DesignPoint]) -> list[DesignPoint]:
    """Return the points that no other dominates, ordered by the first objective."""
    if not points:
        return []
    costs = np.array([point.cost for point in points])
    first = [k for k in range(len(costs)) if not (costs[:k] == costs[k]).all(axis=1).any()]
    best = [points[k] for k in first if not is_dominated(costs[k], costs)]
    return _thin_out(sorted(best, key=lambda point: tuple(point.cost)))


def _thin_out(front: Sequence[DesignPoint]) -> list[DesignPoint]:
    """Remove points of a front that nearly equal an earlier one; the ends are kept."""
    costs = np.array([point.cost for point in front])
    spread = np.ptp(costs, axis=0)
    scaled = (costs - costs.min(axis=0)) / np.where(spread > 0, spread, 1.0)
    indices = [0]
    for k in range(1, len(front)):
        is_new = np.abs(scaled[indices] - scaled[k]).max(axis=1).min() >= RESOLUTION
        if k == len(front) - 1 and not is_new and len(indices) > 1:
            indices.pop()
        if is_new or k == len(front) - 1:
            indices.append(k)
    return [front[k] for k in indices]
