"""Page of two compared tables: each curve over its reference, and their difference."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sim.comparison.two_tables import TablesCompared
from sim.maths.arrays import Array
from sim.recording.files.named_file import write_named
from sim.reference.alignment import AlignedCurve
from sim.reports.page.standalone import asset, provenance_rows, render
from sim.reports.page.thinning import extremes
from sim.reports.svg.chart import Chart
from sim.reports.svg.marks import text
from sim.reports.svg.scales import in_degrees, num, room_for, span_of

WIDTH, HEIGHT, BELOW = 560.0, 150.0, 96.0  # px: chart of the curves, and height of the difference
POINTS = 500  # buckets per curve, of which the lowest and the highest value are drawn
MOST = 40  # curves that are drawn: those that use the largest shares of their limits


def write_tables_page(found: TablesCompared, path: Path) -> None:
    """Write the page.

    Raises
    ------
    RecordingError
        If the file cannot be written, or an existing file was not written by sim.
    """
    write_named(path, tables_page(found).encode("utf-8"), ".html")


def tables_page(found: TablesCompared) -> str:
    """Return the HTML of the page, without scripts."""
    drawn = _nearest_first(found)
    return render(
        "tables.html.j2",
        extra=asset("charts.css"),
        found=found,
        result=found.result,
        curves=[(one.channel, _curves(one, unit), _apart(one, unit, limit, found.second))
                for one, unit, limit in drawn[:MOST]],
        left_out=len(drawn) - len(drawn[:MOST]),
        number=num,
        provenance=provenance_rows(),
    )  # fmt: skip


def _nearest_first(found: TablesCompared) -> list[tuple[AlignedCurve, str, float | None]]:
    """Return each curve with its unit and limit, in descending order of the used share."""
    by_name = {one.channel: one for one in found.curves}
    seen: dict[str, tuple[AlignedCurve, str, float | None]] = {}
    units = {d.channel: (d.unit, d.limit) for d in found.result.differences}
    for d in found.result.differences:
        name = d.channel if d.channel in by_name else d.channel.partition(" of ")[2]
        unit, limit = units.get(name, (found.units[name], None))
        seen.setdefault(name, (by_name[name], unit, limit))
    return list(seen.values())


def _curves(one: AlignedCurve, unit: str) -> str:
    """Draw both curves over time."""
    mine, shown = in_degrees(one.mine, unit)
    theirs, _ = in_degrees(one.theirs, unit)
    finite = np.concatenate([mine, theirs])
    chart = _chart(one.t, span_of(finite[np.isfinite(finite)], 0.0), HEIGHT)
    marks = [
        chart.grid(x=5, y=4),
        _line(chart, one.t, mine, "curve strong"),
        _line(chart, one.t, theirs, "theirs"),
        text(chart.left, 10, "" if shown == "1" else f"[{shown}]", "start", "tick"),
    ]
    return chart.drawing(marks, f"{one.channel} of both tables over time")


def _apart(one: AlignedCurve, unit: str, limit: float | None, second: str) -> str:
    """Draw their difference, and its limits if there are any."""
    apart, shown = in_degrees(np.where(one.beyond > 0, one.mine - one.theirs, 0.0), unit)
    allowed = 0.0 if limit is None else float(in_degrees(np.array([limit]), unit)[0][0])
    finite = apart[np.isfinite(apart)]
    size = max(float(np.max(np.abs(finite), initial=0.0)), allowed) or 1.0
    chart = _chart(one.t, (-1.15 * size, 1.15 * size), BELOW, bottom=34.0)
    words = f"minus {second}" if shown == "1" else f"minus {second} [{shown}]"
    marks = [
        chart.grid(x=5, y=2, x_title="time [s]"),
        [chart.rule_y(y, "limit") for y in (-allowed, allowed) if allowed],
        _line(chart, one.t, apart, "curve strong"),
        text(chart.left, 10, words, "start", "tick"),
    ]
    return chart.drawing(marks, f"difference of {one.channel} over time")


def _chart(t: Array, y: tuple[float, float], height: float, bottom: float = 20.0) -> Chart:
    x = (float(t[0]), float(t[-1]))
    return Chart(WIDTH, height, max(room_for(y, 4), 44.0), 10.0, 16.0, bottom, x, y)


def _line(chart: Chart, t: Array, values: Array, cls: str) -> str:
    """Return a curve, thinned to the resolution of its pixels."""
    kept = np.arange(t.size)
    if t.size > 2 * POINTS:
        kept = np.unique(np.concatenate([[0, t.size - 1], extremes(values, POINTS)]))
    return chart.line(t[kept], values[kept], cls)
