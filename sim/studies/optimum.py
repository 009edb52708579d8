"""find_optimum: largest or smallest value of a parameter at which a response satisfies a limit.

The limit is bracketed: its crossing is found by Brent's method, then narrowed by the neighbouring
values with the digits of the precision. Values inside and outside the limit are cases of the study.
Between a value that satisfies the limit and one that violates it, a single crossing is assumed; if
both ends violate it, values in between are tried.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal

from sim.checks.limits import RANGE_ROUNDING
from sim.errors import ScenarioError
from sim.studies.case_rows import CaseRow, Worst
from sim.studies.responses import KINDS, checks_of, parse_response, without_folder
from sim.studies.variation import DIGITS, Variation, decimal_places

PRECISION = 1e-3  # of the range; default of --to
MOST_RUNS = 60  # a range halved so often is a point
COARSE = 16  # steps between two ends that both violate the limit
SEARCHED = 24  # further values near the best one, before the result is "none"

ROUNDED = 1e-12  # relative to a bound: rounding

Direction = Literal["largest", "smallest"]


@dataclass(frozen=True)
class ResponseLimit:
    """Limit of a response.

    Parameters
    ----------
    response : str
        Name or pattern; each matching response must satisfy the limit.
    sign : {1, -1}
        1 for a lower bound, -1 for an upper one.
    bound : float
        In units of the response.
    """

    response: str
    sign: int
    bound: float

    @property
    def text(self) -> str:
        """Text such as ``margin >= 0``."""
        relation = ">=" if self.sign > 0 else "<="
        return f"{without_folder(self.response)} {relation} {self.bound:g}"

    def slacks(self, row: CaseRow) -> dict[str, float]:
        """Return the slack of each response that it names; negative outside.

        Keys are names of responses, for margins those of their checks. Missing numbers, and cases
        without a run, are outside. Violations by rounding are inside, as in the checks of ranges.
        """
        nothing, slacks = -max(1.0, abs(self.bound)), dict[str, float]()
        for name in self._names(row.responses) if row.is_run else ():
            value, unit = row.responses[name]
            checks = [check for check in checks_of(name) if check in row.worst]
            for what in checks or [name]:
                quantity = _slack(row.worst[what]) if checks else value
                slacks[what] = nothing if quantity is None else self._inside(quantity, unit)
        return slacks or {self.response: nothing}

    def _names(self, responses: Iterable[str]) -> list[str]:
        """Return the responses that the limit names; user functions by name."""
        response = self.response.rpartition(".py:")[2]
        return [name for name in responses if name == response or fnmatchcase(name, response)]

    def _inside(self, value: float, unit: str) -> float:
        inside = self.sign * (value - self.bound)
        slight = max(ROUNDED * abs(self.bound), RANGE_ROUNDING if unit in ("rad", "m") else 0.0)
        return 0.0 if -slight <= inside < 0 else inside

    def binding(self, row: CaseRow) -> str:
        """Return the quantity closest to its limit or beyond it, such as ``elbow_joint torque``."""
        if not row.is_run:
            return row.reason
        slacks = self.slacks(row)
        what = min(slacks, key=slacks.__getitem__)
        if what not in row.worst and row.response(what) is None:
            return f"{what}, which has no value at that point"
        return _joint_and_kind(what, row.worst[what]) if what in row.worst else what


def _slack(one: Worst) -> float | None:
    """Return the margin to a rating or range; 0 if a passed check allows rounding."""
    return None if one.used is None else 1.0 - (min(one.used, 1.0) if one.ok else one.used)


def _joint_and_kind(check: str, one: Worst) -> str:
    """Return what limits a margin, such as ``elbow_joint torque``."""
    kind = next(kind for kind, names in KINDS.items() if check in names)
    end = check if kind == "range" else kind
    return f"{one.channel.partition('.')[2]} {end}"


def parse_limit(text: str) -> ResponseLimit:
    """Parse a limit such as ``peak tau.elbow<=100``.

    Raises
    ------
    ScenarioError
        If it is invalid.
    """
    match = re.fullmatch(r"(.+?)(>=|<=)\s*+([-+.0-9eE]++)", text.strip())
    try:
        if match is not None:
            response, sign, bound = match.groups()
            return ResponseLimit(
                parse_response(response.rstrip()).text, 1 if sign == ">=" else -1, float(bound)
            )
    except ValueError as error:
        if isinstance(error, ScenarioError):
            raise
    raise ScenarioError(
        "--within requires RESPONSE>=NUMBER or RESPONSE<=NUMBER, such as 'margin>=0.1', got "
        f"{text!r}"
    )


@dataclass(frozen=True)
class Search:
    """Request of a search for an optimum.

    Parameters
    ----------
    varied : Variation
    direction : {"largest", "smallest"}
    within : ResponseLimit
    precision : float
        Largest difference between the satisfying and the violating value.
    """

    varied: Variation
    direction: Direction
    within: ResponseLimit
    precision: float


@dataclass
class Bracket:
    """Values that bracket an optimum, and all values tried.

    Parameters
    ----------
    holds, fails : float or None
        Last value that satisfies the limit, and the closest value beyond that violates it; None if
        there is none.
    values : dict of float to float
        Slack by value.
    value : float or None
        Value between both, with the digits of the precision; None if nothing satisfies the limit.
    binds : str
        Response that violates the limit; otherwise the closest to it.
    """

    holds: float | None = None
    fails: float | None = None
    values: dict[float, float] = field(default_factory=dict)
    value: float | None = None
    binds: str = ""

    def narrow(self, x: float) -> None:
        """Narrow the bracket by a tried value, if it is inside."""
        if self.is_between(x):
            good = self.values[x] >= 0
            self.holds, self.fails = (x, self.fails) if good else (self.holds, x)

    def is_between(self, x: float) -> bool:
        """Whether a value is inside the bracket."""
        if self.holds is None or self.fails is None:
            return False
        return min(self.holds, self.fails) < x < max(self.holds, self.fails)

    @property
    def width(self) -> float:
        """Width of the bracket; 0 if one side is missing."""
        if self.holds is None or self.fails is None:
            return 0.0
        return abs(self.holds - self.fails)


def find_optimum(
    room: Callable[[float], float],
    low: float,
    high: float,
    direction: Direction,
    precision: float,
    *,
    is_whole: bool = False,
    expected: float | None = None,
) -> Bracket:
    """Find the last value towards an end of a range at which `room` is not negative.

    Parameters
    ----------
    room : callable
        Slack as a function of the value. It is assumed to cross zero once between a value at which
        it is not negative and the next tried value at which it is.
    low, high : float
    direction : {"largest", "smallest"}
    precision : float
        Largest difference between the satisfying and the violating value.
    is_whole : bool
        Whether only integers are values.
    expected : float, optional
        Closed-form estimate of the only crossing: if it is confirmed by the values just inside and
        outside, only the ends are tried in addition.
    """
    bracket = Bracket()

    def at(value: float) -> float:
        x = _as_value(value, is_whole=is_whole)
        if x not in bracket.values:
            bracket.values[x] = room(x)
        return bracket.values[x]

    goal, other = (high, low) if direction == "largest" else (low, high)
    if at(goal) >= 0:
        bracket.holds = goal
    elif _confirm(at, bracket, expected, (other, goal), precision, is_whole=is_whole):
        return bracket
    elif at(other) >= 0:
        bracket.holds, bracket.fails = other, goal
    else:
        bracket.fails = other
        _look_inside(at, bracket, goal, other, is_whole=is_whole)
    _narrow(at, bracket, precision, is_whole=is_whole)
    if bracket.value is None or not bracket.is_between(bracket.value):
        bracket.value = bracket.holds
    return bracket


def _confirm(
    at: Callable[[float], float],
    bracket: Bracket,
    expected: float | None,
    ends: tuple[float, float],
    precision: float,
    *,
    is_whole: bool,
) -> bool:
    """Whether the value just inside an expected one is valid, and the one just outside invalid.

    Both ends are tried too, to show the other responses over the range.
    """
    other, goal = ends
    if expected is None or not min(ends) < expected < max(ends):
        return False
    if is_whole:
        two = float(math.floor(expected)), float(math.floor(expected) + 1)
    else:
        places = decimal_places(precision)
        middle, half = round(expected, places), 0.5 * 10.0**-places
        two = _as_value(middle - half), _as_value(middle + half)
    inner, outer = two if other < goal else two[::-1]
    at(other)
    if at(inner) < 0 or at(outer) >= 0:
        return False
    bracket.holds, bracket.fails = inner, outer
    bracket.value = inner if is_whole else middle
    return True


def _look_inside(
    at: Callable[[float], float], bracket: Bracket, goal: float, other: float, *, is_whole: bool
) -> None:
    """Search between two invalid ends for a valid value, starting at the desired end."""
    steps = [goal + k / COARSE * (other - goal) for k in range(COARSE + 1)]
    steps = list(dict.fromkeys(_as_value(x, is_whole=is_whole) for x in steps))
    for before, inner in itertools.pairwise(steps):
        if at(inner) >= 0:
            bracket.holds, bracket.fails = inner, before
            return
    best = max(range(len(steps)), key=lambda k: at(steps[k]))
    near = steps[max(best - 1, 0)], steps[min(best + 1, len(steps) - 1)]
    if not is_whole and (x := _maximum(at, *sorted(near))) is not None:
        bracket.holds, bracket.fails = x, near[0]


def _maximum(at: Callable[[float], float], low: float, high: float) -> float | None:
    """Return a value in between at which `at` is not negative, searched at its maximum."""
    from scipy.optimize import minimize_scalar

    class _Holds(Exception):  # noqa: N818 - no error: the search is at its end
        pass

    def loss(x: float) -> float:
        if (inside := at(x)) >= 0:
            raise _Holds(x)
        return -inside

    try:
        minimize_scalar(loss, bounds=(low, high), method="bounded", options={"maxiter": SEARCHED})
    except _Holds as held:
        return float(held.args[0])
    return None


def _narrow(
    at: Callable[[float], float], bracket: Bracket, precision: float, *, is_whole: bool
) -> None:
    """Narrow the bracket around a value of the requested digits."""
    if not is_whole and bracket.width > precision:
        _close_on_zero(at, bracket, precision)
    near = precision * (1 + 1e-9)  # 0.915 - 0.905 is slightly more than 0.01
    for x in sorted(bracket.values) if bracket.width > near else ():
        bracket.narrow(x)
    for _ in range(MOST_RUNS):
        if bracket.holds is None or bracket.fails is None or bracket.width <= near:
            break
        at(middle := (bracket.holds + bracket.fails) / 2)
        bracket.narrow(_as_value(middle, is_whole=is_whole))


def _close_on_zero(at: Callable[[float], float], bracket: Bracket, precision: float) -> None:
    """Find the zero by Brent's method, and try the values half a last digit below and above."""
    from scipy.optimize import brentq

    places = decimal_places(precision)
    step, ends = 10.0**-places, (bracket.holds or 0.0, bracket.fails or 0.0)
    zero = float(brentq(at, *ends, xtol=step / 50, maxiter=MOST_RUNS, disp=False))
    bracket.value = round(zero, places)
    for offset in (-step / 2, step / 2):
        x = _as_value(bracket.value + offset)
        if bracket.is_between(x):
            at(x)
            bracket.narrow(x)


def _as_value(x: float, *, is_whole: bool = False) -> float:
    """Return a value rounded to the digits of a study, or to an integer."""
    return round(x) if is_whole else float(f"{x:.{DIGITS}g}")
