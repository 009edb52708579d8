"""optimum: the largest or smallest value of one parameter at which a response keeps its limit.

The limit is bracketed: by Brent's method where it is crossed, then by the values beside that, as
many digits of them as the precision has. What holds and what does not are cases of the study.
Between two values of which one holds, one crossing is assumed; where neither end holds, values
between them are tried.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from sim.studies.case_log import CaseLog
from sim.studies.case_row import CaseRow, key_of
from sim.studies.design import Case
from sim.studies.response_limit import Limit
from sim.studies.study import Study
from sim.studies.variation import DIGITS, Variation, places_of
from sim.studies.workers.case_work import Item
from sim.studies.workers.execution import Workers, require_responses

PRECISION = 1e-3  # of the range, without --to
MOST_RUNS = 60  # a range halved so often is a point
COARSE = 16  # steps between two ends that both break the limit
SEARCHED = 24  # further values where it is kept nearest, before there is said to be none

Direction = Literal["largest", "smallest"]


@dataclass
class Found:
    """What a search has found, and the values that it has tried.

    Parameters
    ----------
    holds, fails : float or None
        The last value that keeps the limit, and the nearest beyond that does not; None where there
        is none.
    tried : dict of float to float
        Room inside the limit by value.
    value : float or None
        Between both, as many digits of it as the precision has; None where nothing holds.
    binds : str
        What breaks the limit where it fails; what is nearest to it where nothing does.
    """

    holds: float | None = None
    fails: float | None = None
    tried: dict[float, float] = field(default_factory=dict)
    value: float | None = None
    binds: str = ""

    def take(self, x: float) -> None:
        """Narrow what holds and what fails by a value that was tried, where it is between."""
        if self.is_between(x):
            good = self.tried[x] >= 0
            self.holds, self.fails = (x, self.fails) if good else (self.holds, x)

    def is_between(self, x: float) -> bool:
        """Whether a value is between what holds and what fails."""
        if self.holds is None or self.fails is None:
            return False
        return min(self.holds, self.fails) < x < max(self.holds, self.fails)

    @property
    def apart(self) -> float:
        """How far what holds and what fails are apart; 0 where one is missing."""
        if self.holds is None or self.fails is None:
            return 0.0
        return abs(self.holds - self.fails)


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
        Of a value. Between a value at which it holds and the next one tried at which it does not
        it is taken to cross zero once.
    low, high : float
    direction : {"largest", "smallest"}
    precision : float
        How far the value that holds and the one that does not may be apart.
    is_whole : bool
        Only whole numbers are values.
    """
    found = Found()

    def at(value: float) -> float:
        x = _as_value(value, is_whole=is_whole)
        if x not in found.tried:
            found.tried[x] = room(x)
        return found.tried[x]

    wanted, other = (high, low) if direction == "largest" else (low, high)
    if at(wanted) >= 0:
        found.holds = wanted
    elif at(other) >= 0:
        found.holds, found.fails = other, wanted
    else:
        found.fails = other
        _look_inside(at, found, wanted, other, is_whole=is_whole)
    _narrow(at, found, precision, is_whole=is_whole)
    if found.value is None or not found.is_between(found.value):
        found.value = found.holds
    return found


def _look_inside(
    at: Callable[[float], float], found: Found, wanted: float, other: float, *, is_whole: bool
) -> None:
    """Look between two ends that do not hold for a value that does, the wanted end first."""
    steps = [wanted + k / COARSE * (other - wanted) for k in range(COARSE + 1)]
    steps = list(dict.fromkeys(_as_value(x, is_whole=is_whole) for x in steps))
    for before, inner in itertools.pairwise(steps):
        if at(inner) >= 0:
            found.holds, found.fails = inner, before
            return
    best = max(range(len(steps)), key=lambda k: at(steps[k]))
    near = steps[max(best - 1, 0)], steps[min(best + 1, len(steps) - 1)]
    if not is_whole and (x := _highest(at, *sorted(near))) is not None:
        found.holds, found.fails = x, near[0]


def _highest(at: Callable[[float], float], low: float, high: float) -> float | None:
    """A value between two others at which `at` is not negative, looked for where it is highest."""
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
    at: Callable[[float], float], found: Found, precision: float, *, is_whole: bool
) -> None:
    """Bring what holds and what fails together, around a value of the digits asked for."""
    if not is_whole and found.apart > precision:
        _close_on_zero(at, found, precision)
    near = precision * (1 + 1e-9)  # 0.915 - 0.905 is a little more than 0.01
    for x in sorted(found.tried) if found.apart > near else ():
        found.take(x)
    for _ in range(MOST_RUNS):
        if found.holds is None or found.fails is None or found.apart <= near:
            break
        at(middle := (found.holds + found.fails) / 2)
        found.take(_as_value(middle, is_whole=is_whole))


def _close_on_zero(at: Callable[[float], float], found: Found, precision: float) -> None:
    """Find the zero by Brent's method, and try what is half a last digit beside it."""
    from scipy.optimize import brentq

    places = places_of(precision)
    step, ends = 10.0**-places, (found.holds or 0.0, found.fails or 0.0)
    zero = float(brentq(at, *ends, xtol=step / 50, maxiter=MOST_RUNS, disp=False))
    found.value = round(zero, places)
    for beside in (-step / 2, step / 2):
        x = _as_value(found.value + beside)
        if found.is_between(x):
            at(x)
            found.take(x)


def _as_value(x: float, *, is_whole: bool = False) -> float:
    """What a study takes for a number: so many digits of it, or a whole one."""
    return round(x) if is_whole else float(f"{x:.{DIGITS}g}")


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
    """The optimum of one parameter of a study; each value that is tried is a case of it.

    Raises
    ------
    ScenarioError
        If the first case lacks what is asked of it.
    """
    broken: set[str] = set()

    def row_at(value: float) -> CaseRow:
        case = Case({varied.name: value})
        key = key_of(study.plan.fingerprint, case)
        if key not in log.rows:
            workers.work([Item(case)], lambda rows: log.add(require_responses(rows)))
        return log.rows[key]

    def room(value: float) -> float:
        rooms = within.rooms(row_at(value))
        least = min(rooms.values())
        tick(value, least)
        broken.update(what for what, inside in rooms.items() if inside < 0)
        # what is beyond its limit nowhere does not tell where that is reached
        return min((rooms[w] for w in broken & set(rooms)), default=least) if least >= 0 else least

    low, high = sorted(varied.range)
    if varied.is_whole:
        precision = 1.0
    found = optimum(room, low, high, direction, precision, is_whole=varied.is_whole)
    told = found.fails if found.holds is not None else max(found.tried, key=found.tried.__getitem__)
    if told is not None:
        found.binds = within.binds(row_at(told))
    return found
