"""Time axis for dates of runs: positions between 0 and 1, round ticks, and a title."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sim.history.entry import seconds_of

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0  # [s]
STEPS = (
    *(n * MINUTE for n in (1, 2, 5, 10, 20, 30)),
    *(n * HOUR for n in (1, 2, 3, 6, 12)),
    *(n * DAY for n in (1, 2, 5, 10, 20)),
)
MOST = 5  # largest number of ticks


@dataclass(frozen=True)
class TimeAxis:
    """A time axis.

    Parameters
    ----------
    begin, end : float
        Seconds since 1970, UTC.
    ticks : tuple of (float, str)
        Position on the axis, from 0 to 1, and label of each tick.
    title : str
        Title of the axis, with the parts of dates that the labels omit.
    """

    begin: float
    end: float
    ticks: tuple[tuple[float, str], ...]
    title: str

    def share_of(self, when: str) -> float:
        """Return the position of a date in ISO 8601, from 0 to 1; the middle for a single date."""
        return _share(seconds_of(when), self.begin, self.end)


def time_axis(dates: Sequence[str]) -> TimeAxis:
    """Return the axis of dates in ISO 8601, with at most five round ticks.

    Labels are times of day if the dates span less than two days, months and days below 75 days,
    else first days of months; dates within a minute have one tick.
    """
    seconds = [seconds_of(one) for one in dates]
    begin, end = min(seconds), max(seconds)
    if end - begin < MINUTE:
        middle = ((0.5 if begin == end else 0.0, f"{_utc(begin):%Y-%m-%d %H:%M}"),)
        return TimeAxis(begin, end, middle, "date (UTC)")
    span = end - begin
    if span < 2 * DAY:
        places, label = _round_ticks(begin, end), "%H:%M"
        title = f"time (UTC), from {_utc(begin):%Y-%m-%d}"
    elif span < 75 * DAY:
        places, label = _round_ticks(begin, end), "%m-%d"
        title = f"month-day (UTC), from {_utc(begin):%Y-%m-%d}"
    else:
        places, label, title = _months(begin, end), "%Y-%m", "year-month (UTC)"
    ticks = tuple((_share(one, begin, end), f"{_utc(one):{label}}") for one in places)
    return TimeAxis(begin, end, ticks, title)


def _round_ticks(begin: float, end: float) -> list[float]:
    """Return multiples of a round step of minutes, hours or days."""
    step = next(s for s in STEPS if (end - begin) / s <= MOST - 1)
    return [step * k for k in range(math.ceil(begin / step), math.floor(end / step) + 1)]


def _months(begin: float, end: float) -> list[float]:
    """Return the first days of every n-th month."""
    first, last = (12 * day.year + day.month - 1 for day in (_utc(begin), _utc(end)))
    step = math.ceil((last - first) / (MOST - 1)) or 1
    days = [
        datetime(k // 12, k % 12 + 1, 1, tzinfo=UTC).timestamp()
        for k in range(first, last + 1, step)
    ]
    return [day for day in days if begin <= day <= end]


def _share(second: float, begin: float, end: float) -> float:
    return 0.5 if end == begin else (second - begin) / (end - begin)


def _utc(second: float) -> datetime:
    return datetime.fromtimestamp(second, UTC)
