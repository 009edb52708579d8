"""verify: solve a case by each method, and compare the results with the expected ones."""

from __future__ import annotations

import importlib.util
import math
import os
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ScenarioError, SimError, in_one_line
from sim.maths.arrays import Array
from sim.verification.case import Case, Expected
from sim.verification.manual import FiledCase
from sim.verification.solving import METHODS, SolvingMethod

Status = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, eq=False)
class CaseReading:
    """One quantity by one method, with the expected value.

    Parameters
    ----------
    quantity : str
    method : SolvingMethod
    expected : Expected
    value : ndarray or None
        The result, of the expected shape; None if there is none.
    error : float
        Largest difference [the unit]; infinite without a result.
    within : float
        Tolerance [the unit].
    words : str
        Reason for no result; empty otherwise.
    """

    quantity: str
    method: SolvingMethod
    expected: Expected
    value: Array | None
    error: float
    within: float
    words: str = ""

    @property
    def share(self) -> float:
        """Error over tolerance."""
        return self.error / self.within

    @property
    def ok(self) -> bool:
        """Whether it is within its tolerance."""
        return self.share <= 1.0


@dataclass(frozen=True, eq=False)
class CaseVerdict:
    """Verdict of one case.

    Parameters
    ----------
    filed : FiledCase
    readings : tuple of CaseReading
    skipped : mapping of str to str
        Reason, by title of each unavailable method or by quantity that is unavailable; for the
        whole case under an empty title.
    seconds : float
        CPU time [s].
    """

    filed: FiledCase
    readings: tuple[CaseReading, ...]
    skipped: Mapping[str, str]
    seconds: float

    @property
    def status(self) -> Status:
        """Status, skipped if no method gave a result."""
        if not self.readings:
            return "skipped"
        return "passed" if all(reading.ok for reading in self.readings) else "failed"

    @property
    def worst(self) -> CaseReading | None:
        """Reading nearest to its tolerance or farthest beyond it."""
        return max(self.readings, key=lambda one: one.share, default=None)

    def share_by(self, method: str) -> float | None:
        """Return the worst share of tolerance of a named method; None without a result."""
        shares = [one.share for one in self.readings if one.method.name == method]
        return max(shares, default=None)


def methods_of(
    case: Case, engines: Collection[str], expected: Iterable[Expected]
) -> list[SolvingMethod]:
    """The methods that answer a case, by the engines asked for."""
    names = list(case.methods)
    if any(one.stepped is not None for one in expected):
        names += [f"{name}_stepped" for name in case.methods if f"{name}_stepped" in METHODS]
    chosen = [METHODS[name] for name in dict.fromkeys(names)]
    return [one for one in chosen if one.engine is None or one.engine in engines]


def verify(filed: FiledCase, engines: Collection[str]) -> CaseVerdict:
    """Solve a case by each of its methods, and judge each result.

    An error of a solver is a failed reading. A missing oracle, engine, package or file skips the
    readings that need it.

    Raises
    ------
    ScenarioError
        If the case's own code fails otherwise, or its quantities are not those expected.
    """
    begun, case = time.process_time(), filed.case
    if lacking := _missing_prerequisite(case):
        return CaseVerdict(filed, (), {"": lacking}, 0.0)
    every = _expected_results(filed)
    skipped = {name: why for name, one in every.items() if (why := _missing_package(one.needs))}
    expected = {name: one for name, one in every.items() if name not in skipped}
    readings: list[CaseReading] = []
    for method in methods_of(case, engines, expected.values()):
        if method.lacks:
            skipped[method.title] = method.lacks
            continue
        readings += _readings(filed, method, expected)
    if not readings and not skipped:
        skipped[""] = "requires an engine that --engine excludes"
    return CaseVerdict(filed, tuple(readings), skipped, time.process_time() - begun)


def _missing_prerequisite(case: Case) -> str:
    """Return the missing prerequisite of the expected result."""
    if missing := _missing_package(case.oracle):
        return missing
    if case.file and not os.environ.get(case.file):
        return f"environment variable {case.file} is not set"
    return ""


def _missing_package(package: str) -> str:
    """Return a note on a package that is not installed; empty if it is, or none is named."""
    is_there = not package or importlib.util.find_spec(package) is not None
    return "" if is_there else f"{package} is not installed"


def _expected_results(filed: FiledCase) -> Mapping[str, Expected]:
    try:
        with _own_code(filed):
            expected = filed.case.expected()
    except SimError as error:
        if error.__cause__ is not None:  # the case is already named
            raise
        raise ScenarioError(f"Case {filed.name!r}: {error}") from error
    if not (
        isinstance(expected, Mapping)
        and expected
        and all(isinstance(one, Expected) for one in expected.values())
    ):
        raise ScenarioError(f"Case {filed.name!r}: `expected` gives no {{name: sim.Expected}}")
    return expected


class _own_code:  # noqa: N801 a context manager
    """Context manager that names the case whose code fails."""

    def __init__(self, filed: FiledCase) -> None:
        self.name = filed.name

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, SimError):
            text = in_one_line(f"{type(error).__name__}: {error}")
            raise ScenarioError(f"Case {self.name!r}: {text}") from error


def _readings(
    filed: FiledCase, method: SolvingMethod, expected: Mapping[str, Expected]
) -> Iterator[CaseReading]:
    tolerances = {name: (one, one.within_of(method)) for name, one in expected.items()}
    answers: Mapping[str, ArrayLike] = {}
    words = ""
    try:
        with _own_code(filed):
            results = filed.case.answer(method)
            answers = {
                name: one() if callable(one) else one
                for name, one in results.items()
                if name in expected or not callable(one)
            }
    except ScenarioError as error:
        if error.__cause__ is not None:
            raise
        words = in_one_line(str(error))
    except SimError as error:
        words = in_one_line(str(error))
    for name, (one, within) in tolerances.items():
        if within is None:
            continue
        if not words and name not in answers:
            raise ScenarioError(
                f"Case {filed.name!r}: no {name!r} is read; there are {', '.join(answers)}"
            )
        value = None if words else np.asarray(answers[name], dtype=np.float64)
        yield _reading(name, method, one, value, within, words)


def _reading(
    name: str, method: SolvingMethod, one: Expected, value: Array | None, within: float, words: str
) -> CaseReading:
    if value is not None and value.shape != one.numbers.shape:
        words = f"shape {value.shape} in place of {one.numbers.shape}"
        value = None
    error = math.inf
    if value is not None:
        with np.errstate(invalid="ignore"):
            error = float(np.max(np.abs(value - one.numbers)))
        if not math.isfinite(error):
            error, words = math.inf, "no finite number"
    return CaseReading(name, method, one, value, error, within, words)
