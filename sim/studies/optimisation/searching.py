"""Optimisation: search of a problem, from the initial design to the optimum.

Global searches over all parameters: differential evolution and DIRECT, by SciPy.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sim.maths.arrays import Array
from sim.studies.optimisation.evaluator import BudgetSpent, Evaluator
from sim.studies.optimisation.goal_options import GoalOptions
from sim.studies.optimisation.local_search import Heights, LocalSearch
from sim.studies.optimisation.problem import DesignPoint, OptimisationProblem
from sim.studies.optimisation.scalarisation import (
    Scalarisation,
    front_of,
    scalarisation_of,
    weight_lattice,
)

POPULATION = 8  # members per parameter
GENERATIONS = 300
BEYOND = 1e3  # loss outside constraints, above all losses inside

LEAST = 60  # per start: a limit far inside a wide range takes many steps
MOST_COMBINATIONS = 12  # of discrete values, each with a local search
LOCAL_ALGORITHMS = ("auto", "gradient", "cobyqa")
MOST_FACTORIAL = 4  # parameters; with more, a cube has too many corners
SPARE = 1.5  # points per term of a surface

LOCAL, GLOBAL = 30, 200  # evaluations per parameter


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


@dataclass(frozen=True)
class Strategy:
    """Search strategy of a problem.

    Parameters
    ----------
    is_global : bool
        Whether a global search precedes the local one.
    most : int
        Number of evaluations.
    """

    is_global: bool
    most: int


def strategy_of(problem: OptimisationProblem, goals: GoalOptions) -> Strategy:
    """Return local searches for each combination of few discrete values, otherwise a global one."""
    space = problem.space
    combinations, free = space.combination_count(), len(space.free)
    is_global = goals.algorithm not in LOCAL_ALGORITHMS
    if not is_global:
        whole = goals.evaluations or GLOBAL * len(space.names)
        is_global = combinations > (MOST_COMBINATIONS if free else whole)
    if is_global:
        usual = GLOBAL * len(space.names) + LOCAL * free
    else:
        usual = combinations * (max(LOCAL * free, LEAST) * goals.starts if free else 1)
        usual *= len(weight_lattice(len(problem.objectives))) if free else 1
    return Strategy(is_global, goals.evaluations or usual)


@dataclass
class Optimisation:
    """A search with its results.

    Parameters
    ----------
    evaluator : Evaluator
    goals : GoalOptions
    seed : int

    Attributes
    ----------
    designed : list of DesignPoint
        Points of the design, to which surfaces are fitted.
    ends : list of DesignPoint
        End points of local searches.
    is_spent : bool
        Whether the search ended because its evaluations were used.
    """

    evaluator: Evaluator
    goals: GoalOptions
    seed: int
    designed: list[DesignPoint] = field(default_factory=list)
    ends: list[DesignPoint] = field(default_factory=list)
    is_spent: bool = False

    @property
    def _problem(self) -> OptimisationProblem:
        return self.evaluator.problem

    def run(self) -> None:
        """Search; all evaluations are stored in the evaluator."""
        strategy, evaluator = strategy_of(self._problem, self.goals), self.evaluator
        with contextlib.suppress(BudgetSpent):
            self._begin(strategy)
        lattice, most = weight_lattice(len(self._problem.objectives)), evaluator.most
        for weights in lattice if self._having() else ():
            evaluator.most = min(most, len(evaluator.points) + most // len(lattice))
            with contextlib.suppress(BudgetSpent):
                self._search(self.scalarisation(weights), strategy)
        self.is_spent = not evaluator.evaluations_left
        with contextlib.suppress(BudgetSpent):
            self._make_feasible()

    def refine(self, start: DesignPoint) -> None:
        """Continue the search from a point, for example after constraints were tightened."""
        with contextlib.suppress(BudgetSpent):
            for weights in weight_lattice(len(self._problem.objectives)):
                height = self.scalarisation(weights)
                begin = self.evaluator.best(height.height) or start
                self._local(height).run(begin, self._local_algorithm)

    def scalarisation(self, weights: np.ndarray) -> Scalarisation:
        """Return heights by weights, from the costs of all feasible points, or else of all."""
        having = self._having()
        return scalarisation_of(self.feasible() or having, weights, having)

    def feasible(self) -> list[DesignPoint]:
        """Points that satisfy all constraints."""
        shifts = self.evaluator.shifts
        return [p for p in self._having() if p.violation(shifts) == 0.0]

    def front(self) -> list[DesignPoint]:
        """End points of searches for several objectives that no other dominates."""
        if len(self._problem.objectives) == 1:
            return []
        shifts = self.evaluator.shifts
        ends = [p for p in self.ends if p.has_values and p.violation(shifts) == 0.0]
        return front_of(ends or self.feasible())

    def winner(self) -> DesignPoint | None:
        """Best point; for several objectives the one closest to the best of each."""
        count = len(self._problem.objectives)
        if count == 1 or not self._having():
            return self.evaluator.best()
        front = self.front() or self._having()
        height = scalarisation_of(front, np.full(count, 1.0 / count), front)
        return self.evaluator.best(height.height)

    def _having(self) -> list[DesignPoint]:
        return [p for p in self.evaluator.points.values() if p.has_values]

    @property
    def _local_algorithm(self) -> str:
        return self.goals.algorithm if self.goals.algorithm in LOCAL_ALGORITHMS else "auto"

    def _local(self, heights: Heights) -> LocalSearch:
        return LocalSearch(self.evaluator, heights, self._problem.space.free)

    def _begin(self, strategy: Strategy) -> None:
        """Evaluate the design, for each combination of discrete values if there are few."""
        space, base = self._problem.space, self._problem.space.middle()
        if strategy.is_global:
            self.evaluator.at([base])
            if not space.discrete:
                self._evaluate_design(base)
            elif not self._having():  # another case may have a value
                size = len(space.names)
                self.evaluator.at(list(hypercube(size, POPULATION * size, self.seed)))
            return
        points = []
        for combination in space.combinations():
            x = base.copy()
            x[list(space.discrete)] = combination
            if space.free:
                self._evaluate_design(x)
            else:
                points.append(x)
        if points:
            self.designed += self.evaluator.at(points)

    def _evaluate_design(self, base: np.ndarray) -> None:
        space = self._problem.space
        free = space.free
        points = design_points(len(free), self.seed, self.goals.starts)
        self.designed += self.evaluator.at(embed(points, free, base))

    def _search(self, heights: Scalarisation, strategy: Strategy) -> None:
        if strategy.is_global:
            evaluator = self.evaluator
            most, remaining = evaluator.most, evaluator.evaluations_left
            evaluator.most -= min(LOCAL * len(self._problem.space.free), remaining // 2)
            GlobalSearch(evaluator, heights, self.seed).run(self.goals.algorithm)
            best, evaluator.most = evaluator.best(heights.height), most
            self._run_local(heights, [best] if best else [])
            return
        groups: dict[tuple[float, ...], list[DesignPoint]] = {}
        for point in [*self.designed, *self.ends]:
            key = tuple(point.x[list(self._problem.space.discrete)])
            groups.setdefault(key, []).append(point)
        for group in groups.values():
            self._run_local(heights, self._starts(heights, group))

    def _starts(self, heights: Scalarisation, points: Sequence[DesignPoint]) -> list[DesignPoint]:
        """Return the best points, as many as local searches are requested."""
        having = [p for p in points if p.has_values]
        shifts = self.evaluator.shifts
        having.sort(key=lambda p: (p.violation(shifts), heights.height(p)))
        return having[: self.goals.starts]

    def _run_local(self, heights: Scalarisation, starts: Sequence[DesignPoint]) -> None:
        if not self._problem.space.free:
            return
        for start in starts:
            self.ends.append(self._local(heights).run(start, self._local_algorithm))

    def _make_feasible(self) -> None:
        """If no point is feasible, minimise the violation, and search again from there."""
        having = self._having()
        if self.feasible() or not having or not self._problem.space.free:
            return
        best = self.evaluator.best()
        if best is None or not math.isfinite(best.violation(self.evaluator.shifts)):
            return
        free = self._problem.space.free
        if self.goals.evaluations is None:
            self.evaluator.most += LOCAL * len(free)
        search = LocalSearch(self.evaluator, self._violations, free, is_constrained=False)
        if search.run(best, "auto").violation(self.evaluator.shifts) == 0.0:
            self.refine(best)

    def _violations(self, point: DesignPoint) -> np.ndarray:
        """Return the violations of all constraints, whose maximum is to be minimised."""
        return np.array([-s for s in point.scaled_slacks(self.evaluator.inward()).values()])


def term_count(size: int) -> int:
    """Return the number of terms of a quadratic polynomial."""
    return (size + 1) * (size + 2) // 2


def design_points(size: int, seed: int, least: int = 1) -> Array:
    """Return the points of a design as fractions, (N, size), the middle first.

    A face-centred central composite design for up to four parameters (five levels for one), a Latin
    hypercube for more; further points of a Latin hypercube if `least` requires them.
    """
    if size == 1:
        points = np.array([[0.5], [0.0], [1.0], [0.25], [0.75]])
    elif size <= MOST_FACTORIAL:
        middle = np.full((1, size), 0.5)
        faces = middle + 0.5 * np.vstack([-np.eye(size), np.eye(size)])
        corners = np.array(list(itertools.product((0.0, 1.0), repeat=size)))
        points = np.vstack([middle, faces, corners])
    else:
        points = np.vstack(
            [np.full((1, size), 0.5), hypercube(size, math.ceil(SPARE * term_count(size)), seed)]
        )
    more = least - len(points)
    return np.vstack([points, hypercube(size, more, seed)]) if more > 0 else points


def hypercube(size: int, count: int, seed: int) -> Array:
    """Return points of a Latin hypercube as fractions, (count, size)."""
    from scipy.stats import qmc

    return np.asarray(qmc.LatinHypercube(size, rng=seed).random(count))


def embed(points: Array, free: Sequence[int], base: Array) -> list[Array]:
    """Insert points of the free fractions into a complete point."""
    xs = []
    for row in points:
        x = base.copy()
        x[list(free)] = row
        xs.append(x)
    return xs
