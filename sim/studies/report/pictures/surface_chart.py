"""Response surface over two parameters, with the cases and the path of a search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from markupsafe import Markup

from sim.maths.arrays import Array
from sim.reports.svg.chart import Chart
from sim.reports.svg.marks import Marks
from sim.reports.svg.scales import num, room_for
from sim.studies.optimisation.surface import ResponseSurface
from sim.studies.report.pictures.study_data import StudyData

SIZE = 700, 420  # px
CELLS = 40, 28  # of the background
LEVELS = 5  # colours with equal numbers of cells


def surface_chart(
    data: StudyData, surface: ResponseSurface, names: tuple[str, str],
    ends: Sequence[tuple[float, float]], path: Sequence[int], best: int,
) -> Markup:  # fmt: skip
    """Draw the surface as background, cases as dots, and successive best points joined by a line.

    Parameters
    ----------
    names : tuple of str
        Parameters of the horizontal and the vertical axis.
    ends : sequence of (float, float)
        Their ranges, ascending.
    path : sequence of int
        Indices of successive best cases.
    best : int
        Index of the optimum.
    """
    x, y = data.inputs[names[0]], data.inputs[names[1]]
    chart = Chart(*SIZE, room_for(ends[1], 4), 18, 20, 38, ends[0], ends[1])
    response = data.outputs.get(surface.response)
    titles = [
        f"case {data.numbers[k]}: {names[0]} {num(x[k])}, {names[1]} {num(y[k])}"
        + ("" if response is None else f", {data.quantity(surface.response, response[k])}")
        for k in range(len(data.rows))
    ]
    marks: list[Marks] = [
        list(_ground(chart, surface, names)),
        chart.grid(x=6, y=5, x_title=data.heading(names[0]), y_title=data.heading(names[1])),
        chart.line(x[list(path)], y[list(path)], "search-path"),
        chart.dots(x, y, 2.6, "point", titles),
        chart.dot(x[best], y[best], 6.5, "optimum", titles[best]),
    ]
    return chart.drawing(marks, f"response surface of {surface.response}", "wide")


def _ground(chart: Chart, surface: ResponseSurface, names: tuple[str, str]) -> Iterator[str]:
    """Yield cells of the surface, darker for larger values."""
    columns, rows = CELLS
    values = surface.evaluate(_coded_cells(surface, names))
    edges = np.quantile(values, np.linspace(0, 1, LEVELS + 1)[1:-1])
    levels = np.searchsorted(edges, values).reshape(rows, columns)
    low_x, high_x = chart.x
    low_y, high_y = chart.y
    for i in range(rows):
        begin = 0
        for k in range(columns):
            if k + 1 < columns and levels[i, k + 1] == levels[i, k]:
                continue
            span = [low_x + (high_x - low_x) * s / columns for s in (begin, k + 1)]
            rise = [low_y + (high_y - low_y) * s / rows for s in (i, i + 1)]
            yield chart.area(f"q{levels[i, k]}", (span[0], span[1]), (rise[0], rise[1]))
            begin = k + 1


def _coded_cells(surface: ResponseSurface, names: tuple[str, str]) -> Array:
    columns, rows = CELLS
    across = 2.0 * (np.arange(columns) + 0.5) / columns - 1.0
    up = 2.0 * (np.arange(rows) + 0.5) / rows - 1.0
    y, x = np.meshgrid(up, across, indexing="ij")
    by_name = {names[0]: x.ravel(), names[1]: y.ravel()}
    return np.stack([by_name[name] for name in surface.parameters], axis=1)
