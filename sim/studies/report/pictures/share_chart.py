"""The share of every rating over one parameter, where it is crossed, and by which rating."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from sim.maths.arrays import Array
from sim.reports.svg.marks import (
    LETTER,
    dot,
    drawing,
    line,
    middle_cut,
    polyline,
    rect,
    spread_labels,
    text,
)
from sim.reports.svg.scales import Frame, num, share_text, with_unit
from sim.studies.report.pictures.blocks import Row, Table
from sim.studies.report.pictures.inside import Span, crossings
from sim.studies.report.pictures.rating_use import Cases, Use
from sim.studies.report.pictures.study_data import STILL, StudyData

SLIGHT = 0.01  # share of a rating below which a curve shows nothing
MOST_CURVES = 10
MOST_DOTS = 60  # of a curve
WIDE, NARROW = (760, 330), (372, 300)  # px
STRAIGHT = 0.01  # of a curve's height: so far it may leave a straight line and have one slope


def visible_uses(uses: Sequence[Use], on: Cases) -> list[Use]:
    """The ratings worth a curve: those that change or are broken, the most used first."""

    def top(use: Use) -> float:
        return float(np.nanmax(use.counted[on]))

    found = [
        use
        for use in uses
        if np.isfinite(use.counted[on]).all()
        and (top(use) > 1 or (top(use) > SLIGHT and np.ptp(use.counted[on]) > STILL))
    ]
    return sorted(found, key=top, reverse=True)[:MOST_CURVES]


def share_chart(
    data: StudyData, name: str, on: Cases, spans: Sequence[Span], level: float = 1.0
) -> Markup:
    """Shares over one parameter, for wide and for narrow windows.

    Parameters
    ----------
    on : ndarray of int
        Cases with ascending values of the parameter.
    spans : sequence of Span
        Where all ratings are kept; beyond them the ground is soft.
    level : float
        The limit of the shares, such as 0.9 where 10 % are to be left.
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
    left = 20 + LETTER * len(f"{100 * top:.0f} %")
    frame = Frame(width, height, left, min(right, 0.4 * width), 16, 40, (x[0], x[-1]), (0.0, top))
    title = data.heading(name)
    marks = [
        *_beyond(frame, spans),
        *frame.grid(x_most=8 if wide else 4, y_most=6, percent=True, x_title=title),
    ]
    marks += _limits(frame, shown, on, level)
    strong = [use for use in shown if use.share[on].max() > level]
    strong = strong or shown[:1]
    for use in reversed(shown):
        marks += _curve(frame, data, name, on, use, use in strong, wide, level)
    heights = spread_labels([frame.up(float(use.share[on][-1])) for use in shown], 15, height - 44)
    for use, words, y in zip(shown, labels, heights, strict=True):
        cls = "name bad-name" if use.share[on].max() > level else "name"
        marks.append(text(frame.ends[2] + 8, y + 4, words, cls=cls))
    marks += _rings(frame, data, name, on, shown, level)
    label = f"share of the ratings over {name}"
    return drawing(width, height, marks, label, "wide-only" if wide else "narrow-only")


def _label(use: Use, shown: Sequence[Use], last: float, wide: bool) -> str:
    name = use.joint if {one.kind for one in shown} == {"torque"} else use.name
    return f"{middle_cut(name, 20)} {share_text(last)}" if wide else middle_cut(name, 15)


def _beyond(frame: Frame, spans: Sequence[Span]) -> list[str]:
    """The ground beyond the ratings."""
    low, high = frame.x
    edges = [low, *(edge for span in spans for edge in (span.low, span.high)), high]
    _, top, _, bottom = frame.ends
    return [
        rect(frame.across(a), top, frame.across(b) - frame.across(a), bottom - top, "beyond")
        for a, b in zip(edges[::2], edges[1::2], strict=True)
    ]


def _limits(frame: Frame, shown: Sequence[Use], on: Cases, level: float) -> list[str]:
    left, _, right, _ = frame.ends
    kinds = {use.kind for use in shown}
    words = f"rated {kinds.pop()}" if len(kinds) == 1 and "range" not in kinds else "limit"
    found = [(1.0, words)] if level == 1 else [(1.0, words), (level, "required")]
    is_left_taken = any(abs(use.share[on[0]] - level) < 0.15 for use in shown)
    at_right, anchor = (right - 6, "end") if is_left_taken else (0.0, "start")
    return [
        mark
        for at, label in found
        for mark in (
            line(left, frame.up(at), right, frame.up(at), "limit"),
            text(at_right or left + 6, frame.up(at) - 6, label, anchor, "limit-name halo"),
        )
    ]


def _curve(
    frame: Frame,
    data: StudyData,
    name: str,
    on: Cases,
    use: Use,
    strong: bool,
    wide: bool,
    level: float,
) -> list[str]:
    x, y = data.inputs[name][on], use.share[on]
    points = [(frame.across(a), frame.up(v)) for a, v in zip(x, y, strict=True)]
    marks = [polyline(points, "curve strong" if strong else "curve")]
    if x.size <= MOST_DOTS:
        for (px, py), a, v in zip(points, x, y, strict=True):
            cls = "point bad" if v > level else "point" if strong else "point slight"
            label = f"{name} {data.quantity(name, a)}: {use.name} {share_text(v)} of its limit"
            marks.append(dot(px, py, 2.6, cls, label if wide else ""))
    return marks


def _rings(
    frame: Frame, data: StudyData, name: str, on: Cases, shown: Sequence[Use], level: float
) -> list[str]:
    """Where ratings are reached, the first two with their values."""
    x, bottom = data.inputs[name][on], frame.ends[3]
    found = [(at, use) for use in shown for at in crossings(x, use.share[on] / level)]
    found.sort(key=lambda one: one[0])
    marks, free = [], -1e9
    for k, (at, use) in enumerate(found):
        px, number = frame.across(at), num(at)
        wide = LETTER * 1.2 * len(number) + 6
        marks.append(line(px, frame.up(level), px, bottom, "drop"))
        marks.append(
            dot(px, frame.up(level), 4.2, "cross", f"{use.name} is at its limit at {number}")
        )
        if px - wide > max(free, frame.ends[0]) and k == 0:
            marks.append(text(px - 6, bottom - 8, number, "end", "at"))
            free = px
        elif px > free and px + wide < frame.ends[2]:
            marks.append(text(px + 6, bottom - 8, number, "start", "at"))
            free = px + wide
    return marks


def share_table(data: StudyData, name: str, on: Cases) -> Table:
    """Of each rating its value, what is used at both ends, and where it is reached."""
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
    if all(one.cells[-1] == "–" for one in rows):  # nothing is straight
        heads, rows = heads[:-1], [Row(one.cells[:-1], one.failed) for one in rows]
    return Table(heads, rows)


def _never(share: Array, x: Array) -> str:
    if share.min() > 1:
        return "all exceed"
    return f"over {num(x[-1])}" if share[-1] >= share[0] else f"under {num(x[0])}"


def _slope(x: Array, y: Array) -> str:
    """The slope of what is straight."""
    if x.size < 2:
        return "–"
    chord = y[0] + (y[-1] - y[0]) * (x - x[0]) / (x[-1] - x[0])
    is_straight = np.max(np.abs(y - chord)) <= STRAIGHT * max(float(np.ptp(y)), 1e-300)
    return num(float((y[-1] - y[0]) / (x[-1] - x[0])), 3) if is_straight else "–"
