"""Small charts of a response with its rating: over a parameter, as dots, as a histogram."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from sim.maths.arrays import Array, Mask
from sim.reports.svg.chart import Chart
from sim.reports.svg.marks import LETTER, Marks, middle_cut, spread_labels, text
from sim.reports.svg.scales import num, room_for, share_text, span_of
from sim.studies.report.pictures.blocks import Figure
from sim.studies.report.pictures.rating_use import Cases, Use
from sim.studies.report.pictures.study_data import StudyData

SIZE = 290, 148  # px
FOOT = 38  # px, for the labels and the title of the x axis
NEAR = 0.45  # of a rating: from here on its line is drawn
MOST_DOTS = 400
MOST_NAMED = 80  # dots with tooltips


@dataclass(frozen=True)
class Bound:
    """Limit of a response, violated above or below."""

    at: float
    is_upper: bool = True


def response_bound(data: StudyData, response: str) -> Bound | None:
    """Return the rating of a response, if the response comes close to it."""
    if (use := data.rating_of(response)) is None or use.limit is None:
        return None
    known = data.outputs[response]
    return Bound(use.limit) if float(np.nanmax(known)) > NEAR * use.limit else None


def curve_figure(
    data: StudyData, name: str, on: Cases, response: str, bound: Bound | None = None
) -> Figure:
    """Return a response over one parameter; `on` are cases with ascending values of it."""
    bound = bound or response_bound(data, response)
    x, y = data.inputs[name][on], data.outputs[response][on]
    chart = _chart((x[0], x[-1]), y[np.isfinite(y)], bound)
    marks: list[Marks] = [
        _limit_marks(chart, bound),
        chart.grid(x=4, y=3, x_title=data.heading(name)),
        chart.line(x, y, "curve strong"),
    ]
    if x.size <= MOST_NAMED:
        titles = [
            f"{name} {data.quantity(name, a)}: {data.quantity(response, v)}"
            for a, v in zip(x, y, strict=True)
        ]
        marks.append(chart.dots(x, y, 2.4, _classes(y, bound), titles))
    if bound is not None:
        marks.append(_crossing(chart, x, y, bound))
    return _figure(data, response, chart, marks, f"{response} over {name}")


def _crossing(chart: Chart, x: Array, y: Array, bound: Bound) -> list[str]:
    marks = []
    off, foot = y - bound.at, chart.y[0]
    for k in np.flatnonzero((off[:-1] <= 0) != (off[1:] <= 0))[:2]:
        at = float(x[k] - off[k] * (x[k + 1] - x[k]) / (off[k + 1] - off[k]))
        is_right = chart.across(at) > chart.width / 2
        anchor, shift = ("end", (-5, -5)) if is_right else ("start", (5, -5))
        marks += [
            chart.segment((at, at), (bound.at, foot), "drop"),
            chart.dot(at, bound.at, 3.6, "cross"),
            chart.label(at, foot, num(at), anchor, "at", shift),
        ]
    return marks


def family_figure(
    data: StudyData, name: str, response: str, families: Mapping[str, Cases]
) -> Figure:
    """Return a response over one parameter, with one labelled curve for each set of cases."""
    bound, x = response_bound(data, response), data.inputs[name]
    y = data.outputs[response]
    longest = min(max(map(len, families)), 14)
    chart = replace(
        _chart((float(x.min()), float(x.max())), y[np.isfinite(y)], bound),
        right=12 + LETTER * longest,
    )
    title = data.heading(name)
    marks: list[Marks] = [_limit_marks(chart, bound), chart.grid(x=3, y=3, x_title=title)]
    lasts = [float(y[on][-1]) for on in families.values()]
    heights = spread_labels([chart.up(v) for v in lasts], 13, chart.ends[3])
    for k, ((word, on), at) in enumerate(zip(families.items(), heights, strict=True)):
        marks.append(chart.line(x[on], y[on], f"curve strong d{k % 4}", word))
        if on.size <= MOST_NAMED:
            marks.append(chart.dots(x[on], y[on], 2.2, _classes(y[on], bound)))
        marks.append(text(chart.ends[2] + 6, at + 4, middle_cut(word, 14), "start", "tick"))
    return _figure(data, response, chart, marks, f"{response} over {name}")


def dots_figure(data: StudyData, name: str, x: Array, y: Array, *, title: str) -> Figure:
    """Return the fraction of the closest rating over a parameter, one dot per case."""
    on = _drawn_cases(data.passed, x.size)
    y = np.where(np.isfinite(y), y, np.nan)
    high = max(1.1, float(np.nanmax(y, initial=0.0)) * 1.06)
    chart = Chart(*SIZE, 48, 16, 8, FOOT, (float(np.nanmin(x)), float(np.nanmax(x))), (0.0, high))
    is_named = on.size <= MOST_NAMED
    titles = [f"case {data.numbers[k]}: {data.nearest.label(k)}" for k in on if is_named]
    classes = ["point" if data.passed[k] else "point bad" for k in on]
    marks = [
        _limit_marks(chart, Bound(1.0)),
        chart.grid(x=4, y=4, percent="y", x_title=data.heading(name)),
        chart.dots(x[on], y[on], 2.4, classes, titles),
    ]
    return Figure(title, chart.drawing(marks, f"share of the nearest rating over {name}"))


def histogram_figure(
    title: str, values: Array, unit: str, bound: Bound | None, *, percent: bool = False
) -> Figure:
    """Return the histogram of a number, with its median and central 90 %."""
    known = values[np.isfinite(values)]
    low, middle, high = (float(v) for v in np.percentile(known, [5, 50, 95]))
    ends = [float(known.min()), float(known.max())]
    if bound is not None and ends[0] - 2 * (ends[1] - ends[0]) < bound.at < ends[1] + 2 * (
        ends[1] - ends[0]
    ):
        ends = [min(ends[0], bound.at), max(ends[1], bound.at)]
    room = 0.04 * (ends[1] - ends[0]) or 1e-3 * abs(ends[0]) or 1.0
    bins = int(np.clip(np.sqrt(known.size) * 1.4, 6, 40))
    counts, edges = np.histogram(known, bins=bins)
    chart = Chart(
        *SIZE, 34, 18, 12, FOOT, (ends[0] - room, ends[1] + room), (0.0, 1.1 * float(counts.max()))
    )
    at = bound.at if bound is not None and chart.x[0] < bound.at < chart.x[1] else None
    shown = replace(chart, x=(100 * chart.x[0], 100 * chart.x[1])) if percent else chart
    dim = "" if percent or unit in ("", "1") else f"[{unit}]"
    x_title = f"{'[%]' if percent else dim} number of cases upward".strip()
    limit = np.inf if bound is None else bound.at
    gap = 0.5 * (chart.x[1] - chart.x[0]) / (chart.ends[2] - chart.ends[0])  # half a pixel
    marks = [
        [] if at is None else [chart.area("beyond", (at, None)), chart.rule_x(at, "limit")],
        shown.grid(x=4, y=3, x_title=x_title),
        [
            chart.area(
                "bar over" if a >= limit else "bar", (a + gap, b - gap), (0, n), f"{n} cases"
            )
            for n, a, b in zip(counts, edges[:-1], edges[1:], strict=True)
        ],
        [chart.rule_x(v, cls) for v, cls in ((low, "drop"), (middle, "middle"), (high, "drop"))],
    ]
    as_text = share_text if percent else num
    note = f"5 %: {as_text(low)}, median {as_text(middle)}, 95 %: {as_text(high)}"
    return Figure(title, chart.drawing(marks, f"histogram of {title}"), dim, note)


def _drawn_cases(passed: Mask, count: int) -> Cases:
    """Return the indices of the drawn cases, the failing ones last to be visible."""
    on = np.unique(np.linspace(0, count - 1, min(count, MOST_DOTS)).astype(np.intp))
    return np.concatenate([on[passed[on]], on[~passed[on]]])


def _chart(x: tuple[float, float], y: Array, bound: Bound | None) -> Chart:
    ends = span_of(y, *([bound.at] if bound else []))
    return Chart(*SIZE, room_for(ends, 3), 16, 8, FOOT, (float(x[0]), float(x[1])), ends)


def _limit_marks(chart: Chart, bound: Bound | None) -> list[str]:
    """Return the shading beyond a limit, and its line."""
    if bound is None:
        return []
    at = min(max(bound.at, chart.y[0]), chart.y[1])
    ground = (at, None) if bound.is_upper else (None, at)
    return [chart.area("beyond", y=ground), chart.rule_y(at, "limit")]


def _classes(values: Array, bound: Bound | None) -> list[str]:
    if bound is None:
        return ["point"] * values.size
    is_bad = ((values > bound.at) == bound.is_upper) & (values != bound.at)
    return ["point bad" if bad else "point" for bad in is_bad]


def _figure(data: StudyData, response: str, chart: Chart, marks: list[Marks], label: str) -> Figure:
    y, use = data.outputs[response], data.rating_of(response)
    note = f"{num(float(np.nanmin(y)), 3)} … {num(float(np.nanmax(y)), 3)}"
    if use is not None and use.limit is not None:
        note += f" of {num(use.limit)}"
    unit = data.units.get(response, "")
    dim = "" if unit in ("", "1") else f"[{unit}]"
    return Figure(_title(data, response, use), chart.drawing(marks, label), dim, note)


def _title(data: StudyData, response: str, use: Use | None) -> str:
    return use.name if use is not None else data.title(response)
