"""Parallel coordinates: one line per case, one axis per number, notches for ratings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from sim.maths.arrays import Array
from sim.reports.svg.chart import Chart
from sim.reports.svg.marks import Marks, middle_cut
from sim.reports.svg.scales import num
from sim.studies.report.pictures.blocks import PageSection
from sim.studies.report.pictures.rating_use import Use
from sim.studies.report.pictures.study_data import StudyData

Axis = tuple[str, Array, Use | None]
MOST_LINES = 300
MOST_INPUTS, MOST_OUTPUTS = 6, 7
STEP, HEIGHT, TOP, BOTTOM, SIDE = 128, 270, 48, 26, 66  # px


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
