"""Parallel coordinates: a line a case, an axis a number, ratings as notches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from sim.maths.arrays import Array
from sim.reports.svg.marks import drawing, line, middle_cut, polyline, text
from sim.reports.svg.scales import num
from sim.studies.report.pictures.rating_use import Use
from sim.studies.report.pictures.study_data import StudyData

MOST_LINES = 300
MOST_INPUTS, MOST_OUTPUTS = 6, 7
STEP, HEIGHT, TOP, BOTTOM, SIDE = 128, 270, 48, 26, 66  # px


def parallel_chart(data: StudyData) -> Markup:
    """All cases with the numbers that vary and the responses that move."""
    inputs = {**data.inputs, **data.drawn}
    names = [n for n, v in inputs.items() if np.isfinite(v).all() and np.ptp(v) > 0][:MOST_INPUTS]
    axes: list[tuple[str, Array, Use | None]] = [(n, inputs[n], None) for n in names]
    moving = [n for n in data.moving if np.isfinite(data.outputs[n]).all()][:MOST_OUTPUTS]
    axes += [
        (n, data.outputs[n], data.rating_of(n))
        for n in sorted(moving, key=list(data.outputs).index)
    ]
    marks = _lines(data, [y for _, y, _ in axes])
    for i, (name, y, use) in enumerate(axes):
        marks += _axis(data, SIDE + STEP * i, name, y, use)
    width = 2 * SIDE + STEP * (len(axes) - 1)
    return drawing(width, HEIGHT, marks, "parallel coordinates of all cases", "wide")


def _up(value: float, y: Array) -> float:
    span = float(np.ptp(y)) or 1.0
    return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (value - float(y.min())) / span


def _lines(data: StudyData, columns: Sequence[Array]) -> list[str]:
    on = np.unique(np.linspace(0, len(data.rows) - 1, min(len(data.rows), MOST_LINES)).astype(int))
    marks = []
    for k in [*on[data.passed[on]], *on[~data.passed[on]]]:
        points = ((SIDE + STEP * i, _up(float(y[k]), y)) for i, y in enumerate(columns))
        label = f"case {data.numbers[k]}: {data.nearest.label(k) or data.rows[k].status}"
        marks.append(polyline(points, "case" if data.passed[k] else "case bad", label))
    return marks


def _axis(data: StudyData, x: float, name: str, y: Array, use: Use | None) -> list[str]:
    """An axis with its ends; the head in two lines."""
    head = data.heading(name)
    first, _, last = head.partition(" peak ") if " peak " in head else ("", "", head)
    above, below = (f"peak {last}", first) if first else ("", head)
    marks = [
        line(x, TOP, x, HEIGHT - BOTTOM, "axis"),
        text(x, TOP - 30, middle_cut(above, 20), "middle", "tick"),
        text(x, TOP - 16, middle_cut(below, 17), "middle", "name"),
        text(x, TOP - 3, num(float(y.max())), "middle", "tick"),
        text(x, HEIGHT - BOTTOM + 14, num(float(y.min())), "middle", "tick"),
    ]
    if use is not None and use.limit is not None and y.min() < use.limit < y.max():
        at = _up(use.limit, y)
        marks.append(line(x - 7, at, x + 7, at, "limit notch"))
        marks.append(text(x + 9, at + 4, num(use.limit), "start", "limit-name halo"))
    return marks
