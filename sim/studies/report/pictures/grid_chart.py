"""Fractions over two parameters: one cell per case, and a heavy line between inside and outside.

The line follows the edges of cells, since a contour would cross their texts. Colours are five steps
of blue up to the limit and three of orange beyond, so that the hue changes at the limit.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np
from markupsafe import Markup

from sim.maths.arrays import Array
from sim.reports.svg.chart import Chart
from sim.reports.svg.marks import LETTER, Marks, middle_cut, text
from sim.reports.svg.scales import num

EDGES = (0.25, 0.5, 0.7, 0.85, 1.0, 1.15, 1.3)
KEYS = ("0–25 %", "–50", "–70", "–85", "–100 %", "–115", "–130", "more")
WIDE, NARROW, SMALL = (700, 440), (366, 300), (250, 130)  # px available to the cells
LARGEST = {WIDE: (84, 40), NARROW: (46, 30), SMALL: (33, 22)}  # px of a cell
TWO_LINES, ONE_LINE = 74, 30  # px required by the text of a cell
NARROW_LETTER = 5.4  # px, approximate width of a letter of 10 px
MOST_CELLS = 400  # with a tooltip each; with more, runs are merged

Words = Callable[[int, int], tuple[str, str]]


def colour(share: float) -> str:
    """Return the CSS class of a fraction; missing ones have a class of their own."""
    return f"q{sum(share > edge for edge in EDGES)}" if not np.isnan(share) else "q-none"


def grid_chart(xs: Array, ys: Array, z: Array, titles: tuple[str, str], words: Words) -> Markup:
    """Return fractions z (M, N) over xs (N,) and ys (M,), for wide and narrow windows.

    Parameters
    ----------
    titles : tuple of str
        Titles of both parameters, with their units.
    words : callable
        Map row and column to the fraction and the name of the rating.
    """
    return _grid(xs, ys, z, titles, words, WIDE) + _grid(xs, ys, z, titles, words, NARROW)


def small_grid(xs: Array, ys: Array, z: Array, label: str) -> Markup:
    """Return fractions without texts, on the axes of the large drawing."""
    return _grid(xs, ys, z, (label, ""), lambda i, k: (f"{100 * z[i, k]:.0f} %", ""), SMALL)


def _grid(
    xs: Array, ys: Array, z: Array, titles: tuple[str, str], words: Words, size: tuple[int, int]
) -> Markup:
    is_small = size is SMALL
    rows, columns = z.shape
    said_x, said_y = ([num(float(v)) for v in values] for values in (xs, ys))
    inset = 10 + LETTER * max(map(len, said_y)) + (0 if is_small else 22)
    top, bottom = (4, 22) if is_small else (6, 40)
    across = min(LARGEST[size][0], (size[0] - inset) / columns)
    up = min(LARGEST[size][1], size[1] / rows)
    width, height = inset + across * columns + 8, top + up * rows + bottom
    chart = Chart(width, height, inset, 8, top, bottom, (-0.5, columns - 0.5), (-0.5, rows - 0.5))
    y_every = max(1, int(np.ceil(15 / up)))
    x_every = max(1, int(np.ceil(LETTER * (1 + max(map(len, said_x))) / across)))
    i_said = sorted({0, rows - 1}) if is_small else range(0, rows, y_every)
    k_said = sorted({0, columns - 1}) if is_small else range(0, columns, x_every)
    marks: list[Marks] = [
        _cells(z, chart, words, 1.0 if min(across, up) > 6 else 0.0),
        _front(z, chart),
        [] if is_small else _words(z, chart, words, (across, up), size),
        [text(inset - 6, chart.up(i) + 4, said_y[i], "end", "tick") for i in i_said],
        [text(chart.across(k), height - bottom + 15, said_x[k], "middle", "tick") for k in k_said],
    ]
    if not is_small:
        marks.append(text(inset + across * columns / 2, height - 5, titles[0], "middle", "tick"))
        marks.append(text(12, top + up * rows / 2, titles[1], "middle", "tick", turned=-90))
    label = titles[0] if is_small else f"share of ratings over {titles[0]} and {titles[1]}"
    return chart.drawing(marks, label, {WIDE: "wide-only", NARROW: "narrow-only", SMALL: ""}[size])


def _cells(z: Array, chart: Chart, words: Words, gap: float) -> Iterator[str]:
    """Yield a rectangle for each cell; in a large map for each run of equal colour."""
    rows, columns = z.shape
    for i in range(rows):
        begin = 0
        for k in range(columns):
            joins = z.size > MOST_CELLS and k + 1 < columns
            if joins and colour(z[i, k + 1]) == colour(z[i, k]):
                continue
            title = "" if z.size > MOST_CELLS else " ".join(words(i, k)).strip()
            x, y = (begin - 0.5, k + 0.5), (i - 0.5, i + 0.5)
            yield chart.area(colour(z[i, k]), x, y, title, gap / 2)
            begin = k + 1


def _front(z: Array, chart: Chart) -> Iterator[str]:
    """Yield edges between a case inside and a neighbour outside."""
    beyond = z > 1
    for i, k in np.argwhere(beyond[:, 1:] != beyond[:, :-1]):
        yield chart.segment((k + 0.5, k + 0.5), (i + 0.5, i - 0.5), "front")
    for i, k in np.argwhere(beyond[1:] != beyond[:-1]):
        yield chart.segment((k - 0.5, k + 0.5), (i + 0.5, i + 0.5), "front")


def _words(
    z: Array, chart: Chart, words: Words, cell: tuple[float, float], size: tuple[int, int]
) -> Iterator[str]:
    """Yield fraction and rating in each cell, as far as they fit."""
    across, up = cell
    if across < ONE_LINE or up < 18:
        return
    for i, k in itertools.product(range(z.shape[0]), range(z.shape[1])):
        under, (one, two) = f"s{colour(z[i, k])[1:]}", words(i, k)
        if size is WIDE and across >= TWO_LINES and up >= 36:
            yield chart.label(k, i, one, cls=f"cell {under}", shift=(0, -1))
            whose = middle_cut(two, int(across / NARROW_LETTER))
            yield chart.label(k, i, whose, cls=f"cell-why {under}", shift=(0, 12))
        else:
            yield chart.label(k, i, one.removesuffix(" %"), cls=f"cell {under}", shift=(0, 4))
