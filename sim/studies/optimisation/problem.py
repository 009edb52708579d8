"""Problem: objectives and constraints of an optimisation; Point: their values in one case."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from sim.errors import ScenarioError
from sim.maths.arrays import Array
from sim.scenario.script import Script
from sim.studies.case_rows import CaseRow
from sim.studies.optimisation.constraint import ResponseConstraint, parse_constraint
from sim.studies.optimisation.goal_options import GoalOptions
from sim.studies.optimisation.quantity import Quantity, parse_quantity
from sim.studies.optimisation.space import Space, parse_space
from sim.studies.request import StudyRequest


@dataclass(frozen=True)
class Objective:
    """A quantity to minimise (`sign` 1) or to maximise (-1); of a pattern the worst counts."""

    quantity: Quantity
    sign: int = 1

    @property
    def text(self) -> str:
        """Such as ``minimum of energy``."""
        return f"{'minimum' if self.sign > 0 else 'maximum'} of {self.quantity.text}"


@dataclass(frozen=True)
class OptimisationProblem:
    """Problem of an optimisation: objectives, constraints and parameters.

    Parameters
    ----------
    space : Space
    objectives : tuple of Objective
    constraints : tuple of ResponseConstraint
    """

    space: Space
    objectives: tuple[Objective, ...]
    constraints: tuple[ResponseConstraint, ...]

    @property
    def responses(self) -> tuple[str, ...]:
        """The responses that objectives and constraints need, each once."""
        quantities = [one.quantity for one in self.objectives]
        quantities += [one.quantity for one in self.constraints if one.quantity is not None]
        return tuple(dict.fromkeys(name for one in quantities for name in one.responses))

    def point(self, x: Array, row: CaseRow) -> DesignPoint:
        """The values of a case at a point of shares."""
        costs = [
            {name: -value for name, value in one.quantity.values(row).items()}
            if one.sign < 0
            else one.quantity.upper_values(row)
            for one in self.objectives
        ]
        slacks = {
            (k, name): slack
            for k, one in enumerate(self.constraints)
            for name, slack in one.slacks(row).items()
        }
        scales = {(k, name): self.constraints[k].scale for k, name in slacks}
        return DesignPoint(x, row, tuple(costs), slacks, scales)


Key = tuple[int, str]  # number of a constraint, and the name of one of its values


@dataclass(frozen=True, eq=False)
class DesignPoint:
    """A case: costs to minimise and slacks that must not be negative.

    Parameters
    ----------
    x : ndarray, shape (n,)
        Shares of the parameters.
    row : CaseRow
    costs : tuple of dict
        By objective, of each of its numbers: the value, negated where it is maximised.
    slacks, scales : dict
        By constraint and name.
    """

    x: Array
    row: CaseRow
    costs: tuple[Mapping[str, float], ...]
    slacks: Mapping[Key, float]
    scales: Mapping[Key, float] = field(repr=False)

    @cached_property
    def cost(self) -> Array:
        """Of each objective, the worst of its numbers."""
        return np.array([max_or_nan(list(one.values())) for one in self.costs])

    @property
    def has_values(self) -> bool:
        """Whether every objective and constraint has a number."""
        return self.row.is_run and not (
            np.isnan(self.cost).any() or any(map(math.isnan, self.slacks.values()))
        )

    def scaled_slacks(self, shifts: Mapping[Key, float]) -> dict[Key, float]:
        """Slacks relative to the size of their bounds, after bounds were moved inward."""
        return {
            key: (slack - shifts.get(key, 0.0)) / self.scales[key]
            for key, slack in self.slacks.items()
        }

    def violation(self, shifts: Mapping[Key, float]) -> float:
        """How far it is beyond its constraints, relative to their bounds; 0 inside."""
        if not self.has_values:
            return math.inf
        return max((0.0, *(-slack for slack in self.scaled_slacks(shifts).values())))


def max_or_nan(values: Sequence[float]) -> float:
    """The largest; NaN where one is NaN."""
    return math.nan if any(map(math.isnan, values)) else max(values)


def parse_problem(script: Script, request: StudyRequest, goals: GoalOptions) -> OptimisationProblem:
    """The problem of a request.

    Raises
    ------
    ScenarioError
        If it has no objective or no parameter, or one that does not exist.
    """
    if not goals.objectives:
        raise ScenarioError(
            "Nothing is optimised: give --minimise EXPR or --maximise EXPR, such as "
            "--minimise energy or --minimise 'peak tau.*'"
        )
    space = parse_space(script, request.vary)
    twice = [text for text in goals.objectives if goals.objectives.count(text) > 1]
    if twice:
        raise ScenarioError(f"{twice[0]!r} is an objective twice; give it once")
    objectives = [
        Objective(parse_quantity(text, space.names, option), sign)
        for option, sign, texts in (
            ("--minimise", 1, goals.minimise),
            ("--maximise", -1, goals.maximise),
        )
        for text in texts
    ]
    constraints = [parse_constraint(text, space.names) for text in goals.subject_to]
    return OptimisationProblem(space, tuple(objectives), tuple(constraints))
