"""Global searches over all parameters: differential evolution and DIRECT, by SciPy."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.maths.arrays import Array
from sim.studies.optimisation.evaluator import BudgetSpent, Evaluator
from sim.studies.optimisation.local_search import Heights
from sim.studies.optimisation.problem import DesignPoint

POPULATION = 8  # members per parameter
GENERATIONS = 300
BEYOND = 1e3  # loss outside constraints, above all losses inside


@dataclass
class GlobalSearch:
    """Search of the whole space, with discrete parameters divided into equal intervals.

    Parameters
    ----------
    evaluator : Evaluator
    heights : callable
        As in a local search.
    seed : int
    """

    evaluator: Evaluator
    heights: Heights
    seed: int

    def run(self, algorithm: str) -> None:
        """Search until the population converges or the evaluations are used."""
        from scipy import optimize

        differential_evolution: Any = optimize.differential_evolution
        direct: Any = optimize.direct
        size = len(self.evaluator.problem.space.variations)
        bounds = [(0.0, 1.0)] * size
        with contextlib.suppress(BudgetSpent):
            if algorithm == "direct":
                direct(
                    lambda x: self._losses(x[None])[0],
                    bounds,
                    locally_biased=True,
                    maxfun=20 * self.evaluator.most,
                    maxiter=20 * self.evaluator.most,
                    vol_tol=1e-12 if size < 3 else 1e-16,
                )
                return
            differential_evolution(
                lambda xs: self._losses(xs.T),
                bounds,
                popsize=POPULATION,
                maxiter=GENERATIONS,
                tol=1e-4,
                rng=self.seed,
                init="sobol",
                polish=False,
                updating="deferred",
                vectorized=True,
            )

    def _losses(self, xs: Array) -> Array:
        """Return heights if feasible, else violations above all heights (Deb's rule)."""
        return np.array([self._loss(point) for point in self.evaluator.at(list(xs))])

    def _loss(self, point: DesignPoint) -> float:
        violation = point.violation(self.evaluator.inward())
        if math.isinf(violation):
            return 1e6 * BEYOND
        height = float(np.max(self.heights(point)))
        return BEYOND * (1.0 + violation) if violation else math.tanh(height / BEYOND) * BEYOND
