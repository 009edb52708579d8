"""Space: parameters; Problem: objectives and constraints; Point: their values in one case."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from sim.errors import ScenarioError
from sim.maths.arrays import Array
from sim.scenario.script import Script
from sim.studies.case_rows import CaseRow
from sim.studies.design import require_different
from sim.studies.optimisation.constraint import (
    Quantity,
    ResponseConstraint,
    parse_constraint,
    parse_quantity,
)
from sim.studies.optimisation.goal_options import GoalOptions
from sim.studies.request import StudyRequest
from sim.studies.variation import Variation, parse_variation, value_text

END = 1e-9  # of a range: distance that counts as its end
SMALLEST = 1e-5  # range over its larger end; a hundred-thousandth of it still has two digits


@dataclass(frozen=True)
class Space:
    """The varied parameters.

    Parameters
    ----------
    variations : tuple of Variation
        Ranges, and lists of values; an integer range includes all integers.
    """

    variations: tuple[Variation, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return tuple(one.name for one in self.variations)

    @property
    def free(self) -> tuple[int, ...]:
        """Indices of the continuous parameters."""
        return tuple(k for k, one in enumerate(self.variations) if not is_discrete(one))

    @property
    def discrete(self) -> tuple[int, ...]:
        """Indices of the discrete parameters."""
        return tuple(k for k, one in enumerate(self.variations) if is_discrete(one))

    def combination_count(self) -> int:
        """Number of combinations of the discrete values."""
        return math.prod(level_count(self.variations[k]) for k in self.discrete)

    def combinations(self) -> Iterator[tuple[float, ...]]:
        """Yield the fractions of the discrete parameters for all their combinations."""
        shares = (level_shares(self.variations[k]) for k in self.discrete)
        return itertools.product(*shares)

    def parameters(self, x: Array) -> dict[str, object]:
        """Return the parameter values at a point of fractions (n,)."""
        return {
            one.name: _value_at(one, float(share))
            for one, share in zip(self.variations, x, strict=True)
        }

    def shares(self, parameters: dict[str, object]) -> Array:
        """Return the point of some values, (n,); a discrete value is the middle of its interval."""
        return np.array([_share_of(one, parameters[one.name]) for one in self.variations])

    def middle(self) -> Array:
        """The middle of all ranges."""
        return np.full(len(self.variations), 0.5)

    def width(self, k: int) -> float:
        """Return the range of a continuous parameter, in its unit."""
        low, high = self.variations[k].range
        return high - low


def is_discrete(one: Variation) -> bool:
    """Whether a parameter has discrete values only."""
    return bool(one.values) or one.is_whole


def level_count(one: Variation) -> int:
    """Return the number of values of a discrete parameter."""
    if one.values:
        return len(one.values)
    low, high = one.range
    return round(high - low) + 1


def level_shares(one: Variation) -> list[float]:
    """Return the fractions of a discrete parameter's values, in the middle of their intervals."""
    count = level_count(one)
    return [(k + 0.5) / count for k in range(count)]


def _value_at(one: Variation, share: float) -> object:
    if one.values:
        return one.values[min(int(len(one.values) * share), len(one.values) - 1)]
    if share < END or share > 1.0 - END:
        return one.at(round(share))  # solvers reach the ends up to rounding
    return one.at(share)


def _share_of(one: Variation, value: object) -> float:
    if not is_discrete(one):
        return one.share_of(float(str(value)))
    if one.values:
        return (one.values.index(value) + 0.5) / len(one.values)
    return (float(str(value)) - one.range[0] + 0.5) / level_count(one)


def parse_space(script: Script, vary: Sequence[str]) -> Space:
    """Return the space of given ``--vary`` options.

    Raises
    ------
    ScenarioError
        If there is none, one occurs twice, or a range has a single value.
    """
    if not vary:
        raise ScenarioError(
            "No parameter varies: give --vary P=A:B; parameters of "
            f"{script.name}: {', '.join(script.parameters) or 'none'}"
        )
    variations = tuple(parse_variation(script, text) for text in vary)
    require_different(variations)
    for one in variations:
        _require_interior(one)
    return Space(variations)


def _require_interior(one: Variation) -> None:
    """Check that a parameter can have two values or more.

    Raises
    ------
    ScenarioError
        If it cannot; gives its range.
    """
    if one.values:
        if len(one.values) < 2:
            raise ScenarioError(
                f"--vary {one.name}={value_text(one.values[0])} has a single value, which leaves "
                f"nothing to vary; use --set {one.name}={value_text(one.values[0])}"
            )
        return
    low, high = one.range
    if high - low < SMALLEST * max(abs(low), abs(high)):
        raise ScenarioError(
            f"--vary {one.name}={low!r}:{high!r} is a range without interior: it is "
            f"narrower than {SMALLEST:g} of its larger end; give a wider one"
        )


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
    if twice := [text for text in goals.objectives if goals.objectives.count(text) > 1]:
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
