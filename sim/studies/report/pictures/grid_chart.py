"""Shares over two parameters: a cell a case, a heavy line between inside and beyond.

The line runs along the edges of cells: a contour would run through their texts. Colours are five
steps of blue to the limit and three of orange beyond, so that the limit is a change of hue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from markupsafe import Markup

from sim.maths.arrays import Array
from sim.reports.svg.marks import LETTER, drawing, line, middle_cut, rect, text
from sim.reports.svg.scales import num

EDGES = (0.25, 0.5, 0.7, 0.85, 1.0, 1.15, 1.3)
KEYS = ("0–25 %", "–50", "–70", "–85", "–100 %", "–115", "–130", "more")
WIDE, NARROW, SMALL = (700, 440), (366, 300), (250, 130)  # px that the cells may take
LARGEST = {WIDE: (84, 40), NARROW: (46, 30), SMALL: (33, 22)}  # px of a cell
TWO_LINES, ONE_LINE = 74, 30  # px that the text of a cell needs
NARROW_LETTER = 5.4  # px, about the width of a letter of 10 px
MOST_CELLS = 400  # of which each has its text for the pointer; of more, rows are joined

Words = Callable[[int, int], tuple[str, str]]


def colour(share: float) -> str:
    """The class of a share; of none a class of its own."""
    return f"q{sum(share > edge for edge in EDGES)}" if not np.isnan(share) else "q-none"


def grid_chart(xs: Array, ys: Array, z: Array, titles: tuple[str, str], words: Words) -> Markup:
    """Shares z (M, N) over xs (N,) and ys (M,), for wide and for narrow windows.

    Parameters
    ----------
    titles : tuple of str
        Of both parameters, with their units.
    words : callable
        Of a row and a column: the share, and whose rating it is.
    """
    return _grid(xs, ys, z, titles, words, WIDE) + _grid(xs, ys, z, titles, words, NARROW)


def small_grid(xs: Array, ys: Array, z: Array, label: str) -> Markup:
    """Shares without texts: the axes are those of the large drawing."""
    return _grid(xs, ys, z, (label, ""), lambda i, k: (f"{100 * z[i, k]:.0f} %", ""), SMALL)


def _grid(
    xs: Array, ys: Array, z: Array, titles: tuple[str, str], words: Words, size: tuple[int, int]
) -> Markup:
    is_small = size is SMALL
    rows, columns = z.shape
    said_y = [num(float(v)) for v in ys]
    left = 10 + LETTER * max(map(len, said_y)) + (0 if is_small else 22)
    top, bottom = (4, 22) if is_small else (6, 40)
    most = LARGEST[size]
    across = min(most[0], (size[0] - left) / columns)
    up = min(most[1], size[1] / rows)
    width, height = left + across * columns + 8, top + up * rows + bottom
    place = (left, top, across, up)
    marks = list(_cells(z, place, words))
    marks += _front(z, place)
    if not is_small:
        marks += _words(z, place, words, size)
    y_every = max(1, int(np.ceil(15 / up)))
    for i in sorted({0, rows - 1} if is_small else set(range(0, rows, y_every))):
        marks.append(text(left - 6, top + up * (rows - i - 0.5) + 4, said_y[i], "end", "tick"))
    wide = LETTER * (1 + max(len(num(float(v))) for v in xs))
    x_every = max(1, int(np.ceil(wide / across)))
    for k in sorted({0, columns - 1} if is_small else set(range(0, columns, x_every))):
        x = left + across * (k + 0.5)
        marks.append(text(x, height - bottom + 15, num(float(xs[k])), "middle", "tick"))
    if not is_small:
        marks.append(text(left + across * columns / 2, height - 5, titles[0], "middle", "tick"))
        marks.append(text(12, top + up * rows / 2, titles[1], "middle", "tick", turned=-90))
    label = titles[0] if is_small else f"share of ratings over {titles[0]} and {titles[1]}"
    cls = {WIDE: "wide-only", NARROW: "narrow-only", SMALL: ""}[size]
    return drawing(width, height, marks, label, cls)


Place = tuple[float, float, float, float]


def _cells(z: Array, place: Place, words: Words) -> Iterator[str]:
    left, top, across, up = place
    rows, columns = z.shape
    gap = 1.0 if min(across, up) > 6 else 0.0
    for i in range(rows):
        y, begin = top + up * (rows - 1 - i), 0
        for k in range(columns):
            joins = z.size > MOST_CELLS and k + 1 < columns
            if joins and colour(z[i, k + 1]) == colour(z[i, k]):
                continue
            title = "" if z.size > MOST_CELLS else " ".join(words(i, k)).strip()
            x, wide = left + across * begin, across * (k + 1 - begin)
            yield rect(x + gap / 2, y + gap / 2, wide - gap, up - gap, colour(z[i, k]), title)
            begin = k + 1


def _front(z: Array, place: Place) -> Iterator[str]:
    """Edges between a case inside and a neighbour beyond."""
    left, top, across, up = place
    beyond, rows = z > 1, z.shape[0]
    for i, k in np.argwhere(beyond[:, 1:] != beyond[:, :-1]):
        x, y = left + across * (k + 1), top + up * (rows - 1 - i)
        yield line(x, y, x, y + up, "front")
    for i, k in np.argwhere(beyond[1:] != beyond[:-1]):
        x, y = left + across * k, top + up * (rows - 1 - i)
        yield line(x, y, x + across, y, "front")


def _words(z: Array, place: Place, words: Words, size: tuple[int, int]) -> Iterator[str]:
    """The share and the rating in each cell, as far as they fit."""
    left, top, across, up = place
    rows, columns = z.shape
    if across < ONE_LINE or up < 18:
        return
    for i in range(rows):
        for k in range(columns):
            x, y = left + across * (k + 0.5), top + up * (rows - i - 0.5)
            under, (one, two) = f"s{colour(z[i, k])[1:]}", words(i, k)
            if size is WIDE and across >= TWO_LINES and up >= 36:
                yield text(x, y - 1, one, "middle", f"cell {under}")
                whose = middle_cut(two, int(across / NARROW_LETTER))
                yield text(x, y + 12, whose, "middle", f"cell-why {under}")
            else:
                yield text(x, y + 4, one.removesuffix(" %"), "middle", f"cell {under}")
