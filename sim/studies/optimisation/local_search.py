"""Local searches from a point: SLSQP with finite-difference gradients, and COBYQA.

The maximum of some heights is minimised: a single smooth objective has one, a pattern of responses
or several objectives have one each; SLSQP minimises them as the smooth problem ``min s`` under
``height <= s``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.maths.arrays import Array
from sim.studies.optimisation.evaluator import BudgetSpent, Evaluator
from sim.studies.optimisation.problem import DesignPoint, Key

STEP = 1e-5  # of a range, for differences: rounding and curvature errors are both below 1e-5
ACCURACY = 1e-6  # of the spread of the objective: tolerance of SLSQP
FINAL_RADIUS = 1e-4  # of a range: final radius of COBYQA
POLISH, WIDE = 0.02, 0.25  # of a range: COBYQA's initial radius after SLSQP, and otherwise
FEW = 4  # parameters for which COBYQA's quadratic model takes fewer cases than gradients

Heights = Callable[[DesignPoint], Array]


@dataclass
class LocalSearch:
    """Search over the continuous parameters; the others keep their values at the start.

    Parameters
    ----------
    evaluator : Evaluator
    heights : callable
        Map a point to dimensionless numbers whose maximum is minimised.
    free : sequence of int
        Indices of the continuous parameters.
    is_constrained : bool
        Whether the constraints of the problem apply.
    """

    evaluator: Evaluator
    heights: Heights
    free: Sequence[int]
    is_constrained: bool = True

    def run(self, start: DesignPoint, algorithm: str) -> DesignPoint:
        """Return the best point near a start; stops when the evaluations are used."""
        if not self.free:
            return start
        is_small = len(self.free) <= FEW and self.heights(start).size == 1
        if algorithm == "cobyqa" or (algorithm == "auto" and is_small):
            end = self._run(lambda best: self._cobyqa(best, WIDE), start)
            return end if algorithm == "cobyqa" else self._run(self._slsqp, end)
        end = self._run(self._slsqp, start)
        if algorithm == "gradient":
            return end
        return self._run(lambda best: self._cobyqa(best, POLISH), end)

    def _run(self, search: Callable[[DesignPoint], None], start: DesignPoint) -> DesignPoint:
        self._trials = [start]
        with contextlib.suppress(BudgetSpent):
            search(start)
        having = [p for p in self._trials if p.has_values]
        return min(having, key=self._rank, default=start)

    def _rank(self, point: DesignPoint) -> tuple[float, float]:
        violation = point.violation(self.evaluator.shifts) if self.is_constrained else 0.0
        return violation, float(np.max(self.heights(point)))

    def constraints_of(self, start: DesignPoint) -> list[Key]:
        """Return the constraints that the search takes into account."""
        return list(start.slacks) if self.is_constrained else []

    def _points(self, ys: Sequence[Array], start: DesignPoint) -> list[DesignPoint]:
        xs = []
        for y in ys:
            x = start.x.copy()
            x[list(self.free)] = np.clip(y, 0.0, 1.0)
            xs.append(x)
        points = self.evaluator.at(xs)
        self._trials += points
        return points

    def _slsqp(self, start: DesignPoint) -> None:
        from scipy import optimize

        minimize: Any = optimize.minimize
        y0 = start.x[list(self.free)]
        smooth = _Smooth(self, start)
        several = smooth.heights(y0).size > 1
        size = y0.size
        z0 = np.append(y0, np.max(smooth.heights(y0))) if several else y0
        slack = {
            "type": "ineq",
            "fun": lambda z: smooth.slacks(z, several),
            "jac": lambda z: smooth.slack_slopes(z, several),
        }
        last = np.append(np.zeros(size), 1.0)
        minimize(
            (lambda z: z[-1]) if several else (lambda z: smooth.heights(z)[0]),
            z0,
            jac=(lambda z: last) if several else (lambda z: smooth.height_slopes(z)[0]),
            bounds=[(0.0, 1.0)] * size + [(None, None)] * several,
            constraints=[slack] if several or self.constraints_of(start) else [],
            method="SLSQP",
            options={"ftol": ACCURACY, "maxiter": 50},
        )

    def _cobyqa(self, start: DesignPoint, radius: float) -> None:
        from scipy import optimize

        minimize: Any = optimize.minimize
        smooth = _Smooth(self, start)
        constraints = []
        if self.constraints_of(start):
            constraints = [
                optimize.NonlinearConstraint(lambda y: smooth.slacks(y, several=False), 0.0, np.inf)
            ]
        minimize(
            lambda y: float(np.max(smooth.heights(y))),
            start.x[list(self.free)],
            bounds=[(0.0, 1.0)] * len(self.free),
            constraints=constraints,
            method="COBYQA",
            options={
                "initial_tr_radius": radius,
                "final_tr_radius": FINAL_RADIUS,
                "maxfev": max(self.evaluator.evaluations_left, 1),
            },
        )


@dataclass
class _Smooth:
    """Heights and scaled slacks over the free fractions, with slopes by differences.

    A point without a value has the largest height so far plus its distance from the lowest point,
    and the largest violation: a step there is rejected, and the search continues.
    """

    search: LocalSearch
    start: DesignPoint

    def _names(self) -> list[Key]:
        return self.search.constraints_of(self.start)

    def _numbers(self, point: DesignPoint) -> tuple[Array, Array]:
        evaluator, heights = self.search.evaluator, self.search.heights
        if point.has_values:
            slacks = point.scaled_slacks(evaluator.inward())
            return heights(point), np.array([slacks.get(name, 0.0) for name in self._names()])
        having = [p for p in self.search._trials if p.has_values] or [self.start]
        all_heights = np.stack([heights(p) for p in having])
        high = all_heights.max(axis=0)
        return high + max(float(np.ptp(all_heights)), 1.0), np.full(len(self._names()), -1.0)

    def heights(self, y: Array) -> Array:
        return self._numbers(self._at([y])[0])[0]

    def slacks(self, z: Array, several: bool) -> Array:
        """Return slacks; with several heights also their distances below the last variable."""
        if not several:
            return self._numbers(self._at([z])[0])[1]
        heights, slacks = self._numbers(self._at([z[:-1]])[0])
        return np.concatenate([z[-1] - heights, slacks])

    def height_slopes(self, y: Array) -> Array:
        return self._slopes(y)[0]

    def slack_slopes(self, z: Array, several: bool) -> Array:
        if not several:
            return self._slopes(z)[1]
        heights, slacks = self._slopes(z[:-1])
        above = np.hstack([-heights, np.ones((len(heights), 1))])
        return np.vstack([above, np.hstack([slacks, np.zeros((len(slacks), 1))])])

    def _at(self, ys: Sequence[Array]) -> list[DesignPoint]:
        return self.search._points(ys, self.start)

    def _slopes(self, y: Array) -> tuple[Array, Array]:
        """Return slopes of heights and slacks; 0 towards a point without a value."""
        y = np.clip(y, 0.0, 1.0)
        steps = np.where(y + STEP <= 1.0, STEP, -STEP)
        here, *there = self._at([y, *(y + step * unit for step, unit in _units(steps))])
        here_heights, here_slacks = self._numbers(here)
        slopes = [
            (np.zeros_like(here_heights), np.zeros_like(here_slacks))
            if not (point.has_values and here.has_values)
            else tuple(
                (b - a) / step
                for a, b in zip(self._numbers(here), self._numbers(point), strict=True)
            )
            for point, step in zip(there, steps, strict=True)
        ]
        return np.stack([s[0] for s in slopes], axis=1), np.stack([s[1] for s in slopes], axis=1)


def _units(steps: Array) -> list[tuple[float, Array]]:
    return list(zip(steps.tolist(), np.eye(steps.size), strict=True))
