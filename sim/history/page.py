"""A history as a page of one file: a row a run, the jumps, a line for each number over the runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from sim.history.entry import CHECK, Entry, Measured
from sim.history.jumps import LEAST_SHARE, jumps_in, largest_peaks, peak_of_rounding
from sim.history.to_terminal import date_text, jumps_by_run, nearest_text, sentence_of
from sim.recording.files.named_file import write_named
from sim.reports.page.page import page_style, policy
from sim.reports.page.standalone import environment_of, provenance_rows
from sim.reports.svg.marks import dot, drawing, line, polyline
from sim.showing.shares import share_text

TEMPLATE = Path(__file__).with_name("template")
WIDTH, HEIGHT, EDGE = 260.0, 48.0, 8.0  # px
LEAST = 1e-6  # share of a limit at the foot of a drawing, whose scale is logarithmic


@dataclass(frozen=True)
class _Point:
    """A number of one run: where it stands, between 0 and 1, and what the pointer reads."""

    entry: Entry
    height: float
    words: str
    is_bad: bool


def write_page(scenario: str, entries: Sequence[Entry], path: Path) -> None:
    """Write the page of a history; the file appears whole or not at all.

    Raises
    ------
    RecordingError
        If a file of another origin stands there, or it cannot be written.
    """
    write_named(path, page(scenario, entries).encode("utf-8"), ".html")


def page(scenario: str, entries: Sequence[Entry]) -> str:
    """HTML of the page, without scripts."""
    style = page_style() + (TEMPLATE / "history.css").read_text(encoding="utf-8")
    runs = jumps_by_run(jumps_in(entries))
    return (
        environment_of(TEMPLATE)
        .get_template("history.html.j2")
        .render(
            scenario=scenario,
            style=style,
            policy=policy([], style),
            passed=entries[-1].verdict == "pass",
            rows=[(one, date_text(one.when), nearest_text(one)) for one in reversed(entries)],
            jumps=[
                (any(jump.is_worse for jump in jumps), sentence_of(jumps))
                for jumps in reversed(runs)
            ],
            checks=_lines(entries, is_check=True),
            small=_lines(entries, is_check=True, is_small=True),
            peaks=_lines(entries, is_check=False),
            cpu=_cpu(entries),
            provenance=provenance_rows(),
        )
    )


def _lines(
    entries: Sequence[Entry], *, is_check: bool, is_small: bool = False
) -> list[tuple[str, str, Markup]]:
    """Label, newest number and drawing of each check, or of each peak; the tightest first.

    With `is_small` of those checks that stay below a hundredth of their limit, else of the others;
    peaks of nothing but rounding are left out.
    """
    found: dict[tuple[str, str], list[tuple[Entry, Measured]]] = {}
    for entry in entries:
        for one in entry.numbers:
            if (one.kind == CHECK) == is_check and (one.used is not None or not is_check):
                found.setdefault(one.key, []).append((entry, one))
    largest = largest_peaks(one for entry in entries for one in entry.numbers)

    def is_drawn(numbers: list[Measured]) -> bool:
        if is_check:
            return all((m.used or 0.0) < LEAST_SHARE for m in numbers) == is_small
        return any(abs(m.value or 0.0) > peak_of_rounding(m, largest) for m in numbers)

    lines = [pairs for pairs in found.values() if is_drawn([one for _, one in pairs])]
    runs = _keep_runs(entries)
    order = sorted(lines, key=lambda pairs: -(pairs[-1][1].used or 0.0))
    return [(pairs[-1][1].label, _newest(pairs[-1][1]), _line_of(pairs, runs)) for pairs in order]


def _keep_runs(entries: Sequence[Entry]) -> list[Entry]:
    """The runs; an acceptance from before history was kept has no numbers to draw."""
    return [entry for entry in entries if entry.numbers]


def _newest(one: Measured) -> str:
    if one.limit is None:
        return f"{_text(one.value, 5)} {one.unit}"
    of_limit = share_text(one.used or 0.0)
    return f"{_text(one.value, 3)} of {_text(one.limit, 3)} {one.unit}, {of_limit}"


def _text(value: float | None, digits: int) -> str:
    return "no number" if value is None else f"{value:.{digits}g}"


def _line_of(line: Sequence[tuple[Entry, Measured]], runs: Sequence[Entry]) -> Markup:
    one = line[-1][1]
    if one.kind == CHECK:
        points = [
            # a check that holds by its rounding is a little beyond its limit in a run that passes
            _Point(
                entry,
                _share_height(m.used),
                _newest(m),
                entry.verdict != "pass" and (m.used or 0.0) > 1.0,
            )
            for entry, m in line
        ]
        return _draw_lines(points, runs, one.label, limit=_share_height(1.0))
    return _draw_lines(
        _between([(entry, m.value, _newest(m)) for entry, m in line]), runs, one.label
    )


def _cpu(entries: Sequence[Entry]) -> Markup | None:
    known = [(one, one.cpu, f"{one.cpu:.2f} s") for one in entries if one.cpu is not None]
    return _draw_lines(_between(known), _keep_runs(entries), "CPU time") if known else None


def _share_height(used: float | None) -> float:
    """Logarithm of a share between `LEAST` and ten times the limit, from 0 to 1."""
    known = 10.0 if used is None or not math.isfinite(used) else min(max(used, LEAST), 10.0)
    return math.log(known / LEAST) / math.log(10.0 / LEAST)


def _between(values: Sequence[tuple[Entry, float | None, str]]) -> list[_Point]:
    """Numbers between their least and their greatest; alike to a millionth they are one height."""
    known = [value for _, value, _ in values if value is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    room = high - low
    if room <= 1e-6 * max(abs(low), abs(high)):
        low, room = low - 0.5, 1.0
    return [
        _Point(entry, 0.5 if value is None else (value - low) / room, words, is_bad=False)
        for entry, value, words in values
    ]


def _draw_lines(
    points: Sequence[_Point], runs: Sequence[Entry], label: str, limit: float | None = None
) -> Markup:
    """A line for each engine and method, a dot a run, with a ring where it was accepted.

    A run has its place among all `runs`, so that one stands below the other in all drawings.
    """
    step = (WIDTH - 2 * EDGE) / max(len(runs) - 1, 1)
    place_of = {id(entry): EDGE + step * k for k, entry in enumerate(runs)}

    def up(height: float) -> float:
        return HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * height

    marks = [] if limit is None else [line(0, up(limit), WIDTH, up(limit), "limit", "the limit")]
    places = [(place_of[id(point.entry)], up(point.height), point) for point in points]
    for kind in dict.fromkeys(point.entry.kind for point in points):
        marks.append(
            polyline([(x, y) for x, y, point in places if point.entry.kind == kind], "course")
        )
    for x, y, point in places:
        if point.entry.accepted:
            marks.append(dot(x, y, 5.5, "accepted"))
        words = f"{date_text(point.entry.when)} {point.entry.commit_text} {point.entry.kind}"
        marks.append(dot(x, y, 3, "bad" if point.is_bad else "run", f"{words}: {point.words}"))
    return drawing(WIDTH, HEIGHT, marks, f"{label} over the kept runs", "history-line")
