"""Shares of one check, a row a text: dots of the cases along one scale."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from markupsafe import Markup

from sim.maths.arrays import Array
from sim.studies.report.pictures.scales import num, share_text, ticks
from sim.studies.report.pictures.svg_marks import LETTER, dot, drawing, line, middle_cut, rect, text

WIDE, NARROW = 620, 372  # px
GAP, TOP, BOTTOM = 34, 8, 22  # px
NAMED = 8  # dots of a row that have their numbers


def row_chart(
    title: str, rows: Mapping[str, tuple[Array, Array]], of: str, unit: str, top: float
) -> Markup:
    """Shares of a check by text, for wide and for narrow windows.

    Parameters
    ----------
    rows : mapping
        By text: values of the number (N,) and shares (N,); values of none are NaN.
    of, unit : str
        Name and unit of the number.
    top : float
        Share at the end of the scale.
    """
    return _rows(title, rows, of, unit, top, WIDE) + _rows(title, rows, of, unit, top, NARROW)


def _rows(
    title: str, rows: Mapping[str, tuple[Array, Array]], of: str, unit: str, top: float, width: int
) -> Markup:
    most = 24 if width == WIDE else 14
    left = 14 + LETTER * 1.1 * min(most, max(map(len, rows)))
    right, height = 16, TOP + GAP * len(rows) + BOTTOM

    def across(share: float) -> float:
        return left + (width - left - right) * min(share, top) / top

    bottom, limit = height - BOTTOM, across(1)
    marks = [rect(limit, TOP, width - right - limit, bottom - TOP, "beyond")]
    for value, _ in ticks(0.0, top, 3 if width == NARROW else 6):
        x = across(value)
        marks += [
            line(x, TOP, x, bottom, "grid"),
            text(x, height - 7, f"{num(100 * value)} %", "middle", "tick"),
        ]
    marks.append(line(limit, TOP, limit, bottom, "limit"))
    for i, (word, (numbers, share)) in enumerate(rows.items()):
        y = TOP + GAP * (i + 0.5)
        marks.append(text(left - 10, y + 4, middle_cut(word, most), "end", "name"))
        marks += _dots(across, y, numbers, share, (title, of, unit))
    cls = "wide-only" if width == WIDE else "narrow-only"
    return drawing(width, height, marks, title, cls)


def _dots(
    across: Callable[[float], float], y: float, x: Array, share: Array, names: tuple[str, str, str]
) -> list[str]:
    title, of, unit = names
    finite = np.where(np.isfinite(share), share, 1e9)
    marks = [line(across(finite.min()), y, across(finite.max()), y, "range")]
    is_one = bool(np.ptp(finite) < 1e-6)
    free = -1e9
    for k in range(1 if is_one else x.size):
        px, bad = across(finite[k]), bool(share[k] > 1)
        said = "" if np.isnan(x[k]) else f"{of} {num(x[k])} {unit}: "
        marks.append(
            dot(px, y, 5, "point bad" if bad else "point", f"{said}{share_text(share[k])} {title}")
        )
        if np.isnan(x[k]):
            words = share_text(share[k])
        elif is_one:
            words = f"{num(x.min())} … {num(x.max())} {unit}".strip() if x.size > 1 else num(x[0])
        else:
            words = num(x[k])
        if px - LETTER * len(words) / 2 > free:
            marks.append(text(px, y - 9, words, "middle", "tick halo soft" if bad else "tick halo"))
            free = px + LETTER * len(words) / 2
    return marks
