"""Charts of cases: fractions of every rating over one parameter, and parallel coordinates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from sim.maths.arrays import Array
from sim.reports.svg.chart import Chart
from sim.reports.svg.marks import LETTER, Marks, middle_cut, spread_labels, text
from sim.reports.svg.scales import num, share_text, with_unit
from sim.studies.report.pictures.blocks import PageSection, Row, TableBlock
from sim.studies.report.pictures.inside import Span, crossings
from sim.studies.report.pictures.rating_use import Cases, Use
from sim.studies.report.pictures.study_data import STILL, StudyData

SLIGHT = 0.01  # fraction of a rating below which a curve is not drawn
MOST_CURVES = 10
MOST_DOTS = 60  # per curve
WIDE, NARROW = (760, 330), (372, 300)  # px
STRAIGHT = 0.01  # of a curve's height: allowed deviation from a line with a single slope

Axis = tuple[str, Array, Use | None]
MOST_LINES = 300
MOST_INPUTS, MOST_OUTPUTS = 6, 7
STEP, HEIGHT, TOP, BOTTOM, SIDE = 128, 270, 48, 26, 66  # px


def visible_uses(uses: Sequence[Use], on: Cases) -> list[Use]:
    """Return the ratings to be drawn: changing or violated ones, the most used first."""

    def top(use: Use) -> float:
        return float(np.nanmax(use.effective_share[on]))

    varying = [
        use
        for use in uses
        if np.isfinite(use.effective_share[on]).all()
        and (top(use) > 1 or (top(use) > SLIGHT and np.ptp(use.effective_share[on]) > STILL))
    ]
    return sorted(varying, key=top, reverse=True)[:MOST_CURVES]


def share_chart(
    data: StudyData, name: str, on: Cases, spans: Sequence[Span], level: float = 1.0
) -> Markup:
    """Return fractions over one parameter, for wide and narrow windows.

    Parameters
    ----------
    on : ndarray of int
        Cases with ascending values of the parameter.
    spans : sequence of Span
        Ranges within all ratings; the background is shaded outside.
    level : float
        Limit of the fractions, such as 0.9 for a margin of 10 %.
    """
    return Markup("").join(_draw(data, name, on, spans, level, wide) for wide in (True, False))


def _draw(
    data: StudyData, name: str, on: Cases, spans: Sequence[Span], level: float, wide: bool
) -> Markup:
    x, shown = data.inputs[name][on], visible_uses(data.uses, on)
    top = max(1.1, *(1.04 * float(use.share[on].max()) for use in shown)) if shown else 1.1
    labels = [_label(use, shown, float(use.share[on][-1]), wide) for use in shown]
    width, height = WIDE if wide else NARROW
    right = 14 + LETTER * 1.1 * max((len(words) for words in labels), default=0)
    margin = 20 + LETTER * len(f"{100 * top:.0f} %")
    chart = Chart(width, height, margin, min(right, 0.4 * width), 16, 40, (x[0], x[-1]), (0.0, top))
    over = [use for use in shown if use.share[on].max() > level]
    strong = over or shown[:1]
    heights = spread_labels([chart.up(float(use.share[on][-1])) for use in shown], 15, height - 44)
    marks: list[Marks] = [
        _excess_shading(chart, spans),
        chart.grid(x=8 if wide else 4, y=6, percent="y", x_title=data.heading(name)),
        _limits(chart, shown, on, level),
        [_curve(chart, data, name, on, use, use in strong, wide, level) for use in reversed(shown)],
        [
            text(chart.ends[2] + 8, y + 4, words, cls="name bad-name" if use in over else "name")
            for use, words, y in zip(shown, labels, heights, strict=True)
        ],
        _rings(chart, data, name, on, shown, level),
    ]
    label = f"share of the ratings over {name}"
    return chart.drawing(marks, label, "wide-only" if wide else "narrow-only")


def _label(use: Use, shown: Sequence[Use], last: float, wide: bool) -> str:
    name = use.joint if {one.kind for one in shown} == {"torque"} else use.name
    return f"{middle_cut(name, 20)} {share_text(last)}" if wide else middle_cut(name, 15)


def _excess_shading(chart: Chart, spans: Sequence[Span]) -> list[str]:
    """Return the shading beyond the ratings."""
    low, high = chart.x
    edges = [low, *(edge for span in spans for edge in (span.low, span.high)), high]
    return [chart.area("beyond", ends) for ends in zip(edges[::2], edges[1::2], strict=True)]


def _limits(chart: Chart, shown: Sequence[Use], on: Cases, level: float) -> list[str]:
    left, _, right, _ = chart.ends
    kinds = {use.kind for use in shown}
    words = f"rated {kinds.pop()}" if len(kinds) == 1 and "range" not in kinds else "limit"
    levels = [(1.0, words)] if level == 1 else [(1.0, words), (level, "required")]
    is_left_taken = any(abs(use.share[on[0]] - level) < 0.15 for use in shown)
    x, anchor = (right - 6, "end") if is_left_taken else (left + 6, "start")
    return [
        mark
        for at, label in levels
        for mark in (
            chart.rule_y(at, "limit"),
            text(x, chart.up(at) - 6, label, anchor, "limit-name halo"),
        )
    ]


def _curve(
    chart: Chart,
    data: StudyData,
    name: str,
    on: Cases,
    use: Use,
    strong: bool,
    wide: bool,
    level: float,
) -> list[str]:
    x, y = data.inputs[name][on], use.share[on]
    curve = chart.line(x, y, "curve strong" if strong else "curve")
    if x.size > MOST_DOTS:
        return [curve]
    usual = "point" if strong else "point slight"
    titles = [
        f"{name} {data.quantity(name, a)}: {use.name} {share_text(v)} of its limit" if wide else ""
        for a, v in zip(x, y, strict=True)
    ]
    classes = ["point bad" if v > level else usual for v in y]
    return [curve, *chart.dots(x, y, 2.6, classes, titles)]


def _rings(
    chart: Chart, data: StudyData, name: str, on: Cases, shown: Sequence[Use], level: float
) -> list[str]:
    """Return marks where ratings are reached, the first two with their values."""
    x, foot = data.inputs[name][on], chart.y[0]
    rings = [(at, use) for use in shown for at in crossings(x, use.share[on] / level)]
    rings.sort(key=lambda one: one[0])
    marks, free = [], -1e9
    for k, (at, use) in enumerate(rings):
        px, number = chart.across(at), num(at)
        wide = LETTER * 1.2 * len(number) + 6
        marks.append(chart.segment((at, at), (level, foot), "drop"))
        marks.append(chart.dot(at, level, 4.2, "cross", f"{use.name} is at its limit at {number}"))
        if px - wide > max(free, chart.ends[0]) and k == 0:
            marks.append(chart.label(at, foot, number, "end", "at", (-6, -8)))
            free = px
        elif px > free and px + wide < chart.ends[2]:
            marks.append(chart.label(at, foot, number, "start", "at", (6, -8)))
            free = px + wide
    return marks


def share_table(data: StudyData, name: str, on: Cases) -> TableBlock:
    """Return the value of each rating, its use at both ends, and the places where it is reached."""
    x, unit = data.inputs[name][on], data.units.get(name, "")
    shown = visible_uses(data.uses, on)
    kinds, units = {use.kind for use in shown}, {use.unit for use in shown}
    rated = f" rated [{shown[0].unit}]" if len(units) == 1 else " rated"
    rows = []
    for use in shown:
        y, limit = use.share[on] * use.limits[on], use.limit
        at = crossings(x, use.share[on])
        where = ", ".join(num(one) for one in at[:3]) if at else _never(use.share[on], x)
        cells: list[str | Markup] = [
            use.joint if kinds == {"torque"} else use.name,
            Markup("<b>{}</b>").format(where),
            "varies" if limit is None else with_unit(limit, use.unit if len(units) > 1 else ""),
        ]
        if use.kind == "range":
            cells += [share_text(float(use.share[on][k])) for k in (0, -1)]
            cells.append("–")
        else:
            cells += [num(float(y[0])), num(float(y[-1])), _slope(x, y)]
        over = bool(use.share[on].max() > 1)
        rows.append(Row(cells, over))
    of = f" {unit}" if unit not in ("", "1") else ""
    heads = [
        "torque of" if kinds == {"torque"} else "rating",
        f" limit reached at [{unit}]" if of else " limit reached at", rated,
        f" at {num(x[0])}{of}", f" at {num(x[-1])}{of}", f" per {unit}" if of else " slope",
    ]  # fmt: skip
    if all(one.cells[-1] == "–" for one in rows):  # no curve is linear
        heads, rows = heads[:-1], [Row(one.cells[:-1], one.failed) for one in rows]
    return TableBlock(heads, rows)


def _never(share: Array, x: Array) -> str:
    if share.min() > 1:
        return "all exceed"
    return f"over {num(x[-1])}" if share[-1] >= share[0] else f"under {num(x[0])}"


def _slope(x: Array, y: Array) -> str:
    """Return the slope of a linear curve."""
    if x.size < 2:
        return "–"
    chord = y[0] + (y[-1] - y[0]) * (x - x[0]) / (x[-1] - x[0])
    is_straight = np.max(np.abs(y - chord)) <= STRAIGHT * max(float(np.ptp(y)), 1e-300)
    return num(float((y[-1] - y[0]) / (x[-1] - x[0])), 3) if is_straight else "–"


def parallel_sections(data: StudyData, title: str, note: str) -> list[PageSection]:
    """Return all cases with varied numbers and changing responses; empty for a single axis."""
    axes = _axes_of(data)
    return [PageSection("cases-lines", title, note, _chart(data, axes))] if len(axes) > 1 else []


def _axes_of(data: StudyData) -> list[Axis]:
    inputs = {**data.inputs, **data.drawn}
    names = [n for n, v in inputs.items() if np.isfinite(v).all() and np.ptp(v) > 0][:MOST_INPUTS]
    axes: list[Axis] = [(n, inputs[n], None) for n in names]
    moving = [n for n in data.moving if np.isfinite(data.outputs[n]).all()][:MOST_OUTPUTS]
    return axes + [
        (n, data.outputs[n], data.rating_of(n))
        for n in sorted(moving, key=list(data.outputs).index)
    ]


def _chart(data: StudyData, axes: Sequence[Axis]) -> Markup:
    width = 2 * SIDE + STEP * (len(axes) - 1)
    ends = (0.0, len(axes) - 1.0)
    chart = Chart(width, HEIGHT, SIDE, SIDE, TOP, BOTTOM, ends, (0.0, 1.0))
    columns = np.stack([_shares(y, y) for _, y, _ in axes])
    marks: list[Marks] = [
        _lines(data, chart, columns),
        [_axis(data, chart, i, *axis) for i, axis in enumerate(axes)],
    ]
    return chart.drawing(marks, "parallel coordinates of all cases", "wide")


def _shares(values: Array | float, y: Array) -> Array:
    """Return positions of numbers y on the axis, from 0 to 1."""
    return np.asarray((values - y.min()) / (float(np.ptp(y)) or 1.0))


def _lines(data: StudyData, chart: Chart, columns: Array) -> list[str]:
    on = np.unique(np.linspace(0, len(data.rows) - 1, min(len(data.rows), MOST_LINES)).astype(int))
    return [
        chart.line(
            range(len(columns)),
            columns[:, k],
            "case" if data.passed[k] else "case bad",
            f"case {data.numbers[k]}: {data.nearest.label(k) or data.rows[k].status}",
        )
        for k in [*on[data.passed[on]], *on[~data.passed[on]]]
    ]


def _axis(data: StudyData, chart: Chart, i: int, name: str, y: Array, use: Use | None) -> list[str]:
    """Return an axis with its ends; the head has two lines."""
    head = data.heading(name)
    first, _, last = head.partition(" peak ") if " peak " in head else ("", "", head)
    above, below = (f"peak {last}", first) if first else ("", head)
    marks = [
        chart.rule_x(i, "axis"),
        chart.label(i, 1, middle_cut(above, 20), shift=(0, -30)),
        chart.label(i, 1, middle_cut(below, 17), cls="name", shift=(0, -16)),
        chart.label(i, 1, num(float(y.max())), shift=(0, -3)),
        chart.label(i, 0, num(float(y.min())), shift=(0, 14)),
    ]
    if use is not None and use.limit is not None and y.min() < use.limit < y.max():
        at, half = float(_shares(use.limit, y)), 7 / STEP
        marks.append(chart.segment((i - half, i + half), (at, at), "limit notch"))
        marks.append(chart.label(i, at, num(use.limit), "start", "limit-name halo", (9, 4)))
    return marks
