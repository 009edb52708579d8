"""Case: a problem with an independent solution, and the tolerance of each method."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ScenarioError
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.recording.columns import ColumnTable
from sim.robots.robot import Robot
from sim.scenario.scenario import Scenario
from sim.verification.solving import METHODS, SolvingMethod

EARLIEST = 1600  # earliest year of a source
LEFT_OUT: Any = None  # default of required fields, refused as invalid


@dataclass(frozen=True)
class Source:
    """Source of an expected value or of its formula.

    Parameters
    ----------
    author : str
    year : int
    title : str
    place : str
        Page, section, equation, table or URL.

    Raises
    ------
    ScenarioError
        If one of them is missing.
    """

    author: str
    year: int
    title: str
    place: str

    def __post_init__(self) -> None:
        for name in ("author", "title", "place"):
            text = getattr(self, name)
            if not (isinstance(text, str) and text.strip()):
                raise ScenarioError(f"A source names its {name} as text, got {text!r}")
        if not (isinstance(self.year, int) and self.year >= EARLIEST):
            raise ScenarioError(
                f"The source by {self.author} names its year, from {EARLIEST} on, got {self.year!r}"
            )

    def __str__(self) -> str:
        return f"{self.author} ({self.year}), {self.title}, {self.place}"


@checked
@dataclass(frozen=True, eq=False)
class Expected:
    """Expected value with unit, tolerance and reason.

    Parameters
    ----------
    value : array_like
        A number, or an array of any shape; for a curve over time shape (N,).
    unit : str
        Of `value` and `within`; ``1`` for a dimensionless number.
    within : float
        Allowed difference of each number from the expected one, in the unit.
    why : str
        Reason for `within`: digits printed, the solver's tolerance, rounding.
    t : array_like, optional
        Times of a curve [s], shape (N,).
    stepped : float, optional
        `within` for engines that step through time (default: engines are skipped).
    needs : str
        A Python package without which the quantity is skipped.

    Raises
    ------
    ScenarioError
        If a part is missing or not a number.
    """

    value: ArrayLike
    unit: str
    within: float
    why: str
    t: ArrayLike | None = None
    stepped: float | None = None
    needs: str = ""

    def __post_init__(self) -> None:
        for name in ("unit", "why"):
            text = getattr(self, name)
            if not (isinstance(text, str) and text.strip()):
                raise ScenarioError(f"An expected value needs its `{name}` as text, got {text!r}")
        for name in ("within", "stepped"):
            limit = getattr(self, name)
            if name == "stepped" and limit is None:
                continue
            if not (isinstance(limit, int | float) and math.isfinite(limit) and limit > 0):
                raise ScenarioError(
                    f"An expected value needs `{name}`, a tolerance above 0 in {self.unit}, "
                    f"got {limit!r}"
                )
        try:
            value = np.array(self.value, dtype=np.float64)
        except (TypeError, ValueError):
            value = np.empty(0)
        if not (value.size and np.isfinite(value).all()):
            raise ScenarioError(
                f"An expected value in {self.unit} needs finite numbers, got {self.value!r}"
            )
        object.__setattr__(self, "value", value)
        if self.t is not None:
            t = np.asarray(self.t, dtype=np.float64)
            if t.shape != value.shape[-1:]:
                raise ScenarioError(
                    f"A curve of {value.shape[-1:]} numbers has times of shape {t.shape}"
                )
            object.__setattr__(self, "t", t)

    @property
    def numbers(self) -> Array:
        """Value as an array."""
        return np.asarray(self.value)

    def within_of(self, method: SolvingMethod) -> float | None:
        """Tolerance of a method; None if the method does not apply."""
        return self.stepped if method.is_stepped else self.within


Answers = Mapping[str, ArrayLike | Callable[[], ArrayLike]]
"""A value by quantity, or what gives it, called only where all that it needs is there."""


@dataclass(frozen=True, eq=False)
class Case:
    """A verification case: problem, solution of a source, and readings of a run.

    Title and problem are the docstring of its file.

    Parameters
    ----------
    source : Source
    expected : callable
        ``expected() -> {quantity: Expected}``. It must not call anything that the case verifies.
    scenario : callable, optional
        ``scenario() -> Scenario``, solved by each method, with `read`; or use `compute`.
    read : callable, optional
        ``read(table) -> {quantity: value}`` from the channels of one method's result.
    compute : callable, optional
        ``compute(method) -> {quantity: value}`` without a run over time.
    methods : tuple of str
        The methods, of `METHODS`; stepping engines where an `Expected` has `stepped`.
    equation : str
        Equation of the solution, as plain text.
    oracle : str
        Python package that gives the expected result; if it is missing, the case is skipped.
    file : str
        Environment variable with the path of the expected data; if unset, the case is skipped.
    shown : callable, optional
        ``shown() -> (robot, q)``, drawn if the case has no scenario.

    Raises
    ------
    ScenarioError
        If a part is missing or of another type.
    """

    source: Source = LEFT_OUT
    expected: Callable[[], Mapping[str, Expected]] = LEFT_OUT
    scenario: Callable[[], Scenario] | None = None
    read: Callable[[ColumnTable], Answers] | None = None
    compute: Callable[[SolvingMethod], Answers] | None = None
    methods: tuple[str, ...] = ("model", "bullet", "mujoco")
    equation: str = ""
    oracle: str = ""
    file: str = ""
    shown: Callable[[], tuple[Robot, ArrayLike]] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.source, Source):
            raise ScenarioError(
                "A case needs a source: sim.Source(author, year, title, place); "
                f"got {self.source!r}"
            )
        if not callable(self.expected):
            raise ScenarioError("A case needs `expected`, a function that gives {name: Expected}")
        runs, computes = self.scenario is not None, self.compute is not None
        if runs == computes or runs != (self.read is not None):
            raise ScenarioError(
                "A case has either a `scenario` with a `read`, or a `compute` of its own"
            )
        unknown = [name for name in self.methods if name not in METHODS]
        if unknown or not self.methods:
            raise ScenarioError(
                f"A case is answered by methods of {', '.join(METHODS)}; got {self.methods}"
            )

    def answer(self, method: SolvingMethod) -> Answers:
        """Results of a method, by quantity."""
        if self.scenario is not None and self.read is not None:
            return self.read(method.solve(self.scenario()))
        assert self.compute is not None
        return self.compute(method)
