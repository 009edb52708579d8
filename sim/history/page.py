"""A history as a page of one file: a row per run, jumps, a line for each number over the runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from markupsafe import Markup

from sim.history.entry import CHECK, HistoryEntry, Measured, seconds_of
from sim.history.jumps import LEAST_SHARE, jumps_in, largest_peaks, peak_of_rounding
from sim.history.to_terminal import date_text, jumps_by_run, nearest_text, sentence_of
from sim.recording.files.named_file import write_named
from sim.reports.page.standalone import asset, provenance_rows, render
from sim.reports.svg.chart import Chart
from sim.reports.svg.marks import Marks
from sim.showing.shares import share_text

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0  # [s]
STEPS = (
    *(n * MINUTE for n in (1, 2, 5, 10, 20, 30)),
    *(n * HOUR for n in (1, 2, 3, 6, 12)),
    *(n * DAY for n in (1, 2, 5, 10, 20)),
)
MOST = 5  # largest number of ticks

SHARES = (1e-4, 1e-2, 1.0)  # of a limit; the labelled levels
JUMPS = 3  # listed jumps of a run
LEAST = 1e-6  # share of a limit at the bottom of a drawing, whose scale is logarithmic

TEMPLATE = Path(__file__).with_name("template")
WIDTH, HEIGHT, EDGE = 300.0, 104.0, 8.0  # px
LEFT, FOOT = 64.0, 32.0  # px, for the labels of both axes


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


@dataclass(frozen=True)
class _Point:
    """Number of one run: its height between 0 and 1, and its tooltip."""

    entry: HistoryEntry
    height: float
    words: str
    is_bad: bool


def write_page(scenario: str, entries: Sequence[HistoryEntry], path: Path) -> None:
    """Write the page of a history, whole or not at all.

    Raises
    ------
    RecordingError
        If a file of another origin is in its place, or it cannot be written.
    """
    write_named(path, page(scenario, entries).encode("utf-8"), ".html")


def page(scenario: str, entries: Sequence[HistoryEntry]) -> str:
    """Return the HTML of the page, without scripts."""
    runs = jumps_by_run(jumps_in(entries))
    return render(
        "history.html.j2",
        TEMPLATE,
        extra=asset("charts.css") + asset("history.css", TEMPLATE),
        scenario=scenario,
        passed=entries[-1].verdict == "pass",
        rows=[(one, date_text(one.when), nearest_text(one)) for one in reversed(entries)],
        jumps=[
            (
                any(jump.is_worse for jump in jumps),
                sentence_of(jumps[:JUMPS]),
                [jump.what for jump in jumps[JUMPS:]],
            )
            for jumps in reversed(runs)
        ],
        checks=_lines(entries, is_check=True),
        small=_lines(entries, is_check=True, is_small=True),
        peaks=_lines(entries, is_check=False),
        cpu=_cpu(entries),
        provenance=provenance_rows(),
    )


def _lines(
    entries: Sequence[HistoryEntry], *, is_check: bool, is_small: bool = False
) -> list[tuple[str, str, Markup]]:
    """Return label, newest number and drawing of each check or peak; the tightest first.

    With `is_small` only checks below a hundredth of their limit, otherwise the others; peaks that
    are rounding are left out.
    """
    by_key: dict[tuple[str, str], list[tuple[HistoryEntry, Measured]]] = {}
    for entry in entries:
        for one in entry.numbers:
            if (one.kind == CHECK) == is_check and (one.used is not None or not is_check):
                by_key.setdefault(one.key, []).append((entry, one))
    largest = largest_peaks(one for entry in entries for one in entry.numbers)

    def is_drawn(numbers: list[Measured]) -> bool:
        if is_check:
            return all((m.used or 0.0) < LEAST_SHARE for m in numbers) == is_small
        return any(abs(m.value or 0.0) > peak_of_rounding(m, largest) for m in numbers)

    lines = [pairs for pairs in by_key.values() if is_drawn([one for _, one in pairs])]
    runs = _keep_runs(entries)
    order = sorted(lines, key=lambda pairs: -(pairs[-1][1].used or 0.0))
    return [(pairs[-1][1].label, _newest(pairs[-1][1]), _line_of(pairs, runs)) for pairs in order]


def _keep_runs(entries: Sequence[HistoryEntry]) -> list[HistoryEntry]:
    """Return the runs; an acceptance from before history was recorded has no numbers to draw."""
    return [entry for entry in entries if entry.numbers]


def _newest(one: Measured) -> str:
    if one.limit is None:
        return f"{_text(one.value, 5)} {one.unit}"
    of_limit = share_text(one.used or 0.0)
    return f"{_text(one.value, 3)} of {_text(one.limit, 3)} {one.unit}, {of_limit}"


def _text(value: float | None, digits: int) -> str:
    return "no number" if value is None else f"{value:.{digits}g}"


def _line_of(line: Sequence[tuple[HistoryEntry, Measured]], runs: Sequence[HistoryEntry]) -> Markup:
    one = line[-1][1]
    if one.kind == CHECK:
        points = [
            # a check that passes within rounding is slightly beyond its limit
            _Point(
                entry,
                _share_height(m.used),
                _newest(m),
                entry.verdict != "pass" and (m.used or 0.0) > 1.0,
            )
            for entry, m in line
        ]
        levels = [(_share_height(share), f"{100 * share:g} %") for share in SHARES]
        return _draw_lines(points, runs, one.label, levels, limit=_share_height(1.0))
    points, levels = _scale_numbers([(entry, m.value, _newest(m)) for entry, m in line])
    return _draw_lines(points, runs, one.label, levels)


def _cpu(entries: Sequence[HistoryEntry]) -> Markup | None:
    known = [(one, one.cpu, f"{one.cpu:.2f} s") for one in entries if one.cpu is not None]
    if not known:
        return None
    points, levels = _scale_numbers(known)
    return _draw_lines(points, _keep_runs(entries), "CPU time [s]", levels)


def _share_height(share: float | None) -> float:
    """Return the logarithm of a share between `LEAST` and ten times the limit, scaled to 0 … 1."""
    known = 10.0 if share is None or not math.isfinite(share) else min(max(share, LEAST), 10.0)
    return math.log(known / LEAST) / math.log(10.0 / LEAST)


def _scale_numbers(
    values: Sequence[tuple[HistoryEntry, float | None, str]],
) -> tuple[list[_Point], list[tuple[float, str]]]:
    """Return numbers scaled between their extremes, and labelled levels.

    Numbers that agree to a millionth have one height.
    """
    known = [value for _, value, _ in values if value is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    room = high - low
    levels = [(0.0, _text(low, 4)), (1.0, _text(high, 4))]
    if room <= 1e-6 * max(abs(low), abs(high)):
        levels = [(0.5, _text(high, 4))] if known else []
        low, room = low - 0.5, 1.0
    elif levels[0][1] == levels[1][1]:
        levels = [(0.0, _text(low, 7)), (1.0, _text(high, 7))]
    points = [
        _Point(entry, 0.5 if value is None else (value - low) / room, words, is_bad=False)
        for entry, value, words in values
    ]
    return points, levels


def _draw_lines(
    points: Sequence[_Point],
    runs: Sequence[HistoryEntry],
    label: str,
    levels: Sequence[tuple[float, str]],
    limit: float | None = None,
) -> Markup:
    """Draw a line for each engine and method over the dates of the runs; rings are acceptances.

    The time axis spans all `runs`, so that a run has the same position in all drawings; `levels`
    are the labelled heights.
    """
    axis = time_axis([entry.when for entry in runs])
    margins = LEFT + EDGE, 2 * EDGE, EDGE, FOOT + EDGE
    chart = Chart(WIDTH, HEIGHT, *margins, (0.0, 1.0), (0.0, 1.0))
    places = [(axis.share_of(point.entry.when), point.height) for point in points]
    kinds = dict.fromkeys(point.entry.kind for point in points)
    marks: list[Marks] = [
        chart.grid(axis.ticks, levels, x_title=axis.title),
        chart.rule_y(0.0, "axis"),
        [] if limit is None else chart.rule_y(limit, "limit"),
    ]
    for kind in kinds:
        line = [at for at, point in zip(places, points, strict=True) if point.entry.kind == kind]
        marks.append(chart.path([np.array(line)], "curve strong"))
    for (x, y), point in zip(places, points, strict=True):
        if point.entry.accepted:
            marks.append(chart.dot(x, y, 5.5, "accepted"))
        words = f"{date_text(point.entry.when)} {point.entry.commit_text} {point.entry.kind}"
        cls = "bad" if point.is_bad else "run"
        marks.append(chart.dot(x, y, 3, cls, f"{words}: {point.words}"))
    return chart.drawing(marks, f"{label} over the dates of the runs", "history-line")
