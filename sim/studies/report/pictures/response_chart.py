"""Small drawings of a response with its rating: over a parameter, as dots, as a histogram."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sim.maths.arrays import Array, Mask
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
from sim.reports.svg.scales import Frame, num, room_for, share_text, span_of
from sim.studies.report.pictures.blocks import Figure
from sim.studies.report.pictures.rating_use import Cases, Use
from sim.studies.report.pictures.study_data import StudyData

SIZE = 290, 148  # px
FOOT = 38  # px, for the labels and the title of the x axis
NEAR = 0.45  # of a rating: from here on its line belongs into the drawing
MOST_DOTS = 400
MOST_NAMED = 80  # dots with text


@dataclass(frozen=True)
class Bound:
    """A limit of a response; what is beyond it is above or below."""

    at: float
    is_upper: bool = True


def response_bound(data: StudyData, response: str) -> Bound | None:
    """The rating of a response where it comes near it."""
    use = data.rating_of(response)
    if use is None or use.limit is None:
        return None
    known = data.outputs[response]
    return Bound(use.limit) if float(np.nanmax(known)) > NEAR * use.limit else None


def curve_figure(
    data: StudyData, name: str, on: Cases, response: str, bound: Bound | None = None
) -> Figure:
    """A response over one parameter; `on` are cases with ascending values of it."""
    bound = bound or response_bound(data, response)
    x, y = data.inputs[name][on], data.outputs[response][on]
    frame = _frame((x[0], x[-1]), y[np.isfinite(y)], bound)
    title = data.heading(name)
    marks = [*_limit_marks(frame, bound), *frame.grid(x_most=4, y_most=3, x_title=title)]
    marks.append(
        polyline(
            ((frame.across(a), frame.up(v)) for a, v in zip(x, y, strict=True)), "curve strong"
        )
    )
    if x.size <= MOST_NAMED:
        for a, v in zip(x, y, strict=True):
            if np.isfinite(v):
                label = f"{name} {data.quantity(name, a)}: {data.quantity(response, v)}"
                marks.append(dot(frame.across(a), frame.up(v), 2.4, _class(v, bound), label))
    if bound is not None:
        marks += _crossing(frame, x, y, bound)
    return _figure(data, response, marks, f"{response} over {name}")


def _crossing(frame: Frame, x: Array, y: Array, bound: Bound) -> list[str]:
    marks = []
    off = y - bound.at
    for k in np.flatnonzero((off[:-1] <= 0) != (off[1:] <= 0))[:2]:
        at = float(x[k] - off[k] * (x[k + 1] - x[k]) / (off[k + 1] - off[k]))
        px, bottom = frame.across(at), frame.ends[3]
        marks += [
            line(px, frame.up(bound.at), px, bottom, "drop"),
            dot(px, frame.up(bound.at), 3.6, "cross"),
        ]
        side = px > frame.width / 2
        marks.append(
            text(px + (-5 if side else 5), bottom - 5, num(at), "end" if side else "start", "at")
        )
    return marks


def family_figure(
    data: StudyData, name: str, response: str, families: Mapping[str, Cases]
) -> Figure:
    """A response over one parameter, a curve for each of some sets of cases, named at its end."""
    bound, ends = response_bound(data, response), data.inputs[name]
    y = data.outputs[response]
    longest = min(max(map(len, families)), 14)
    frame = replace(
        _frame((float(ends.min()), float(ends.max())), y[np.isfinite(y)], bound),
        right=12 + LETTER * longest,
    )
    title = data.heading(name)
    marks = [*_limit_marks(frame, bound), *frame.grid(x_most=3, y_most=3, x_title=title)]
    lasts = [float(y[on][-1]) for on in families.values()]
    heights = spread_labels([frame.up(v) for v in lasts], 13, frame.ends[3])
    for k, ((word, on), at) in enumerate(zip(families.items(), heights, strict=True)):
        points = ((frame.across(data.inputs[name][i]), frame.up(y[i])) for i in on)
        marks.append(polyline(points, f"curve strong d{k % 4}", word))
        marks += [
            dot(frame.across(data.inputs[name][i]), frame.up(y[i]), 2.2, _class(y[i], bound))
            for i in (on if on.size <= MOST_NAMED else ())
            if np.isfinite(y[i])
        ]
        marks.append(text(frame.ends[2] + 6, at + 4, middle_cut(word, 14), "start", "tick"))
    return _figure(data, response, marks, f"{response} over {name}")


def dots_figure(data: StudyData, name: str, x: Array, y: Array, *, title: str) -> Figure:
    """The share of the nearest rating over a parameter, a dot a case."""
    on = _some(data.passed, x.size)
    y = np.where(np.isfinite(y), y, np.nan)
    high = max(1.1, float(np.nanmax(y, initial=0.0)) * 1.06)
    frame = Frame(*SIZE, 48, 16, 8, FOOT, (float(np.nanmin(x)), float(np.nanmax(x))), (0.0, high))
    scales = frame.grid(x_most=4, y_most=4, percent=True, x_title=data.heading(name))
    marks = [*_limit_marks(frame, Bound(1.0)), *scales]
    for k in on:
        if np.isfinite(x[k]) and np.isfinite(y[k]):
            label = (
                f"case {data.numbers[k]}: {data.nearest.label(k)}" if on.size <= MOST_NAMED else ""
            )
            cls = "point" if data.passed[k] else "point bad"
            marks.append(dot(frame.across(x[k]), frame.up(y[k]), 2.4, cls, label))
    return Figure(title, drawing(*SIZE, marks, f"share of the nearest rating over {name}"))


def histogram_figure(
    data: StudyData,
    title: str,
    values: Array,
    unit: str,
    bound: Bound | None,
    *,
    percent: bool = False,
) -> Figure:
    """How often a number has which value, its median and the middle nine tenths."""
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
    frame = Frame(
        *SIZE, 34, 18, 12, FOOT, (ends[0] - room, ends[1] + room), (0.0, 1.1 * float(counts.max()))
    )
    _, top, right, bottom = frame.ends
    marks = []
    if bound is not None and frame.x[0] < bound.at < frame.x[1]:
        at = frame.across(bound.at)
        marks = [
            rect(at, top, right - at, bottom - top, "beyond"),
            line(at, top, at, bottom, "limit"),
        ]
    shown = replace(frame, x=(100 * frame.x[0], 100 * frame.x[1])) if percent else frame
    dim = "" if percent or unit in ("", "1") else f"[{unit}]"
    x_title = f"{title} {'[%]' if percent else dim}, number of cases upward".replace(" ,", ",")
    marks += shown.grid(x_most=4, y_most=3, x_title=x_title)
    for count, a, b in zip(counts, edges[:-1], edges[1:], strict=True):
        is_bad = bound is not None and a >= bound.at
        x, y = frame.across(float(a)), frame.up(float(count))
        cls = "bar over" if is_bad else "bar"
        marks.append(
            rect(x + 0.5, y, frame.across(float(b)) - x - 1, bottom - y, cls, f"{count} cases")
        )
    for value, cls in ((low, "drop"), (middle, "middle"), (high, "drop")):
        marks.append(line(frame.across(value), top, frame.across(value), bottom, cls))
    as_text = share_text if percent else num
    note = f"5 %: {as_text(low)}, median {as_text(middle)}, 95 %: {as_text(high)}"
    return Figure(title, drawing(*SIZE, marks, f"histogram of {title}"), dim, note)


def _some(passed: Mask, count: int) -> Cases:
    """Numbers of the cases that are drawn, the failing ones last, so that they are seen."""
    on = np.unique(np.linspace(0, count - 1, min(count, MOST_DOTS)).astype(np.intp))
    return np.concatenate([on[passed[on]], on[~passed[on]]])


def _frame(x: tuple[float, float], y: Array, bound: Bound | None) -> Frame:
    ends = span_of(y, *([bound.at] if bound else []))
    return Frame(*SIZE, room_for(ends, 3), 16, 8, FOOT, (float(x[0]), float(x[1])), ends)


def _limit_marks(frame: Frame, bound: Bound | None) -> list[str]:
    """The ground beyond a limit, and its line."""
    if bound is None:
        return []
    left, top, right, bottom = frame.ends
    at = min(max(frame.up(bound.at), top), bottom)
    ground = (top, at - top) if bound.is_upper else (at, bottom - at)
    return [
        rect(left, ground[0], right - left, ground[1], "beyond"),
        line(left, at, right, at, "limit"),
    ]


def _class(value: float, bound: Bound | None) -> str:
    if bound is None:
        return "point"
    return "point bad" if (value > bound.at) == bound.is_upper and value != bound.at else "point"


def _figure(data: StudyData, response: str, marks: Sequence[str], label: str) -> Figure:
    y, use = data.outputs[response], data.rating_of(response)
    note = f"{num(float(np.nanmin(y)), 3)} … {num(float(np.nanmax(y)), 3)}"
    if use is not None and use.limit is not None:
        note += f" of {num(use.limit)}"
    unit = data.units.get(response, "")
    dim = "" if unit in ("", "1") else f"[{unit}]"
    return Figure(_title(data, response, use), drawing(*SIZE, marks, label), dim, note)


def _title(data: StudyData, response: str, use: Use | None) -> str:
    return use.name if use is not None else data.title(response)
