"""optimum: the largest or smallest value of one parameter at which a response keeps its limit.

The limit is bracketed: by Brent's method where it is crossed, then from both sides, until a value
that holds and one that does not are no farther apart than the precision. Both are cases of the
study.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from sim.errors import ScenarioError
from sim.studies.case_log import CaseLog
from sim.studies.case_row import CaseRow, key_of
from sim.studies.case_work import Item
from sim.studies.design import Case
from sim.studies.execution import Workers
from sim.studies.responses import asked
from sim.studies.study import Study
from sim.studies.variation import DIGITS, Variation

PRECISION = 1e-3  # of the range, without --to
MOST_RUNS = 60  # a range halved so often is a point

Direction = Literal["largest", "smallest"]


@dataclass(frozen=True)
class Limit:
    """What a response must keep.

    Parameters
    ----------
    response : str
        As it is asked for; where it is several, each of them.
    sign : {1, -1}
        1 where it must not be below the bound, -1 where not above.
    bound : float
        In the unit of the response.
    """

    response: str
    sign: int
    bound: float

    @property
    def text(self) -> str:
        """Such as ``margin >= 0``."""
        return f"{self.response} {'>=' if self.sign > 0 else '<='} {self.bound:g}"

    def room(self, row: CaseRow, names: list[str]) -> float:
        """How far inside the limit a case is; negative beyond, and where there is no number."""
        values = [row.response(name) for name in names]
        known = [value for value in values if value is not None]
        if not row.is_run or not known or len(known) < len(values):
            return -max(1.0, abs(self.bound))
        return min(self.sign * (value - self.bound) for value in known)


def limit(text: str) -> Limit:
    """A limit from a text such as ``peak tau.elbow<=100``.

    Raises
    ------
    ScenarioError
        If it is none.
    """
    found = re.fullmatch(r"(.+?)(>=|<=)\s*+([-+.0-9eE]++)", text.strip())
    try:
        if found is not None:
            response, sign, bound = found.groups()
            return Limit(asked(response.rstrip()).text, 1 if sign == ">=" else -1, float(bound))
    except ValueError as error:
        if isinstance(error, ScenarioError):
            raise
    raise ScenarioError(
        f"--within takes RESPONSE>=NUMBER or RESPONSE<=NUMBER, such as 'margin>=0.1', got {text!r}"
    )


@dataclass
class Found:
    """What a search has found, and the values that it has tried.

    Parameters
    ----------
    holds, fails : float or None
        The last value that keeps the limit, and the nearest that does not; None where there is
        none in the range.
    tried : dict of float to float
        Room inside the limit by value.
    """

    holds: float | None = None
    fails: float | None = None
    tried: dict[float, float] = field(default_factory=dict)


def optimum(
    room: Callable[[float], float],
    low: float,
    high: float,
    direction: Direction,
    precision: float,
    *,
    is_whole: bool = False,
) -> Found:
    """The last value on the way to an end of a range at which `room` is not negative.

    Parameters
    ----------
    room : callable
        Of a value; crosses zero once between the ends.
    low, high : float
    direction : {"largest", "smallest"}
    precision : float
        How far the value that holds and the one that does not may be apart.
    is_whole : bool
        Only whole numbers are values.
    """
    found = Found()

    def at(value: float) -> float:
        x = round(value) if is_whole else float(f"{value:.{DIGITS}g}")
        if x not in found.tried:
            found.tried[x] = room(x)
        inside = found.tried[x]
        good, bad = found.holds, found.fails
        if good is not None and bad is not None and min(good, bad) < x < max(good, bad):
            found.holds, found.fails = (x, bad) if inside >= 0 else (good, x)
        return inside

    wanted, other = (high, low) if direction == "largest" else (low, high)
    if at(wanted) >= 0:
        found.holds = wanted
        return found
    found.fails = wanted
    if at(other) < 0:
        found.fails = other
        return found
    found.holds = other
    if not is_whole:
        _near_zero(at, found, low, high, precision)
    for _ in range(MOST_RUNS):
        if _apart(found) <= precision:
            break
        at((found.holds + found.fails) / 2)
    return found


def _near_zero(
    at: Callable[[float], float], found: Found, low: float, high: float, precision: float
) -> None:
    """Try values beside the zero that Brent's method finds."""
    from scipy.optimize import brentq

    zero = float(brentq(at, low, high, xtol=precision / 4, maxiter=MOST_RUNS, disp=False))
    for value in (zero - 0.45 * precision, zero + 0.45 * precision):
        if low < value < high and _apart(found) > precision:
            at(value)


def _apart(found: Found) -> float:
    if found.holds is None or found.fails is None:
        return 0.0
    return abs(found.holds - found.fails)


def searched(
    study: Study,
    log: CaseLog,
    workers: Workers,
    varied: Variation,
    within: Limit,
    direction: Direction,
    precision: float,
    tick: Callable[[float, float], None] = lambda value, room: None,
) -> Found:
    """The optimum of one parameter of a study; each value that is tried is a case of it."""
    names: list[str] = []

    def room(value: float) -> float:
        case = Case({varied.name: value})
        key = key_of(study.plan.fingerprint, case)
        if key not in log.rows:
            workers.work([Item(case)], log.add)
        row = log.rows[key]
        if not names:
            names.extend(n for n in row.responses if _is_asked(n, within.response))
        inside = within.room(row, names)
        tick(value, inside)
        return inside

    low, high = sorted(varied.range)
    if varied.is_whole:
        precision = 1.0
    return optimum(room, low, high, direction, precision, is_whole=varied.is_whole)


def _is_asked(name: str, response: str) -> bool:
    """Whether a response that a run has is one of those that a limit names."""
    from fnmatch import fnmatchcase

    return name == response or fnmatchcase(name, response)
