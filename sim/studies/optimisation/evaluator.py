"""Evaluator: points of a search as cases of its study, each computed and stored once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sim.errors import ScenarioError
from sim.maths.arrays import Array
from sim.studies.case_rows import CaseRow, key_of
from sim.studies.design import StudyCase
from sim.studies.optimisation.constraint import names_of
from sim.studies.optimisation.problem import DesignPoint, Key, OptimisationProblem
from sim.studies.responses import without_folder
from sim.studies.variation import value_text
from sim.studies.workers.execution import StudyRun, require_responses

INWARD = 1e-7  # of its bound: tightening of constraints in a search, which ends within rounding


class BudgetSpent(Exception):  # noqa: N818 - no error: the search ends with what it has
    """Raised when all evaluations are used."""


@dataclass
class Evaluator:
    """Evaluations of one search.

    A search requests the same points in the same order whenever it is run: one that was stopped
    takes the finished cases from the log of its study, and continues.

    Parameters
    ----------
    run : StudyRun
    problem : OptimisationProblem
    most : int
        Largest number of different cases.
    shifts : dict
        Tightening of constraints, in their units.
    points : dict
        By key of their case, in the order of evaluation.
    improvements : list of int
        Numbers of successive best points.
    on_point : callable
        Called after each point.
    """

    run: StudyRun
    problem: OptimisationProblem
    most: int
    shifts: dict[Key, float] = field(default_factory=dict)
    points: dict[str, DesignPoint] = field(default_factory=dict)
    improvements: list[int] = field(default_factory=list)
    on_point: Callable[[], None] = lambda: None

    def at(self, xs: Sequence[Array]) -> list[DesignPoint]:
        """Return the points of given fractions (n,).

        Raises
        ------
        BudgetSpent
            If they exceed the allowed number.
        ScenarioError
            If the first case lacks its responses, or a function returns a dict.
        """
        fingerprint, space = self.run.study.plan.fingerprint, self.problem.space
        cases = [StudyCase(space.parameters(x)) for x in xs]
        keys = [key_of(fingerprint, case) for case in cases]
        new = {
            key: (case, x)
            for key, case, x in zip(keys, cases, xs, strict=True)
            if key not in self.points
        }
        allowed = dict(list(new.items())[: max(self.evaluations_left, 0)])
        self._evaluate(allowed)
        if len(allowed) < len(new):
            raise BudgetSpent
        return [self.points[key] for key in keys]

    def _evaluate(self, new: Mapping[str, tuple[StudyCase, Array]]) -> None:
        if missing := [case for case, _ in new.values() if not self.run.is_done(case)]:
            self._compute(missing)
        for key, (case, x) in new.items():
            self._add(key, self.problem.point(np.array(x), self.run.row(case)))

    def _compute(self, missing: Sequence[StudyCase]) -> None:
        """Compute cases; the first of a study alone, as its responses may not exist."""
        first = 0 if self.points else 1
        if first:
            self.run.workers.compute(
                missing[:1],
                lambda rows: self.run.log.add(self._require_numbers(require_responses(rows))),
            )
        self.run.workers.compute(missing[first:], self.run.log.add)

    def _require_numbers(self, rows: list[CaseRow]) -> list[CaseRow]:
        """Check that no objective or constraint is a function that returns a dict."""
        for row in rows:
            for response in self.problem.responses if row.is_run else ():
                if not names_of(response, row):
                    raise ScenarioError(
                        f"{without_folder(response)} must return one number where it is an "
                        "objective or a constraint, not a dict"
                    )
        return rows

    def _add(self, key: str, point: DesignPoint) -> None:
        before = self.best()
        self.points[key] = point
        self.on_point()
        if not point.has_values:
            self.run.callbacks.message(f"{self._label(point)}: {missing_reason(point)}")
        elif before is None or self.rank(point) < self.rank(before):
            self.improvements.append(len(self.points))
            values = ", ".join(
                f"{one.quantity.text} {one.sign * cost:.6g}"
                for one, cost in zip(self.problem.objectives, point.cost, strict=True)
            )
            beyond = point.violation(self.shifts)
            state = f"; beyond a constraint by {100 * beyond:.2g} %" if beyond else ""
            self.run.callbacks.message(f"{self._label(point)}: {values}{state}")

    def _label(self, point: DesignPoint) -> str:
        values = ", ".join(f"{k}={value_text(v)}" for k, v in point.row.parameters.items())
        return f"case {len(self.points)}, {values}"

    def rank(self, point: DesignPoint) -> tuple[float, float]:
        """Return the sort key of the best point: violation, then first objective."""
        violation = point.violation(self.shifts)
        return violation, (math.inf if math.isinf(violation) else float(point.cost[0]))

    def best(self, height: Callable[[DesignPoint], float] | None = None) -> DesignPoint | None:
        """Return the best point so far, by the first objective or another height; None if none."""
        having = [point for point in self.points.values() if point.has_values]
        if height is None:
            return min(having, key=self.rank, default=None)
        return min(having, key=lambda p: (p.violation(self.shifts), height(p)), default=None)

    def number(self, point: DesignPoint) -> int:
        """Return the case number of a point, from 1."""
        return 1 + next(k for k, one in enumerate(self.points.values()) if one is point)

    @property
    def evaluations_left(self) -> int:
        """Number of remaining evaluations."""
        return self.most - len(self.points)

    @property
    def rows(self) -> list[CaseRow]:
        """Rows of all points, in the order of evaluation."""
        return [point.row for point in self.points.values()]

    def inward(self) -> Mapping[Key, float]:
        """Tightening used by a solver, which may end slightly outside."""
        keys = {key: p.scales[key] for p in self.points.values() for key in p.slacks}
        return {key: self.shifts.get(key, 0.0) + INWARD * scale for key, scale in keys.items()}


def missing_reason(point: DesignPoint) -> str:
    """Return why a point has no value, as a sentence."""
    if not point.row.is_run:
        return f"no value ({point.row.reason}); the search goes on"
    costs = [name for one in point.costs for name, value in one.items() if math.isnan(value)]
    slacks = [name for (_, name), value in point.slacks.items() if math.isnan(value)]
    return f"{(costs + slacks)[0]} is not a number; the search goes on"
