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
    """A quantity to minimise (`sign` 1) or maximise (-1); the worst value of a pattern counts."""

    quantity: Quantity
    sign: int = 1

    @property
    def text(self) -> str:
        """Text such as ``minimum of energy``."""
        return f"{'minimum' if self.sign > 0 else 'maximum'} of {self.quantity.text}"


@dataclass(frozen=True)
class OptimisationProblem:
    """Objectives, constraints and parameters of an optimisation.

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
        """Responses used by objectives and constraints, without duplicates."""
        quantities = [one.quantity for one in self.objectives]
        quantities += [one.quantity for one in self.constraints if one.quantity is not None]
        return tuple(dict.fromkeys(name for one in quantities for name in one.responses))

    def point(self, x: Array, row: CaseRow) -> DesignPoint:
        """Return the values of a case at a point of fractions."""
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


Key = tuple[int, str]  # index of a constraint, and the name of one of its values


@dataclass(frozen=True, eq=False)
class DesignPoint:
    """A case: costs to minimise and slacks that must not be negative.

    Parameters
    ----------
    x : ndarray, shape (n,)
        Parameters as fractions.
    row : CaseRow
    costs : tuple of dict
        For each objective, its numbers by name; negated for a maximum.
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
        """Worst number of each objective."""
        return np.array([max_or_nan(list(one.values())) for one in self.costs])

    @property
    def has_values(self) -> bool:
        """Whether every objective and constraint has a value."""
        return self.row.is_run and not (
            np.isnan(self.cost).any() or any(map(math.isnan, self.slacks.values()))
        )

    def scaled_slacks(self, shifts: Mapping[Key, float]) -> dict[Key, float]:
        """Return slacks relative to the size of their bounds, after tightening."""
        return {
            key: (slack - shifts.get(key, 0.0)) / self.scales[key]
            for key, slack in self.slacks.items()
        }

    def violation(self, shifts: Mapping[Key, float]) -> float:
        """Return the violation of the constraints, relative to their bounds; 0 inside."""
        if not self.has_values:
            return math.inf
        return max((0.0, *(-slack for slack in self.scaled_slacks(shifts).values())))


def max_or_nan(values: Sequence[float]) -> float:
    """Return the maximum; NaN if a value is NaN."""
    return math.nan if any(map(math.isnan, values)) else max(values)


def parse_problem(script: Script, request: StudyRequest, goals: GoalOptions) -> OptimisationProblem:
    """Return the problem of a request.

    Raises
    ------
    ScenarioError
        If it has no objective or parameter, or an unknown one.
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
