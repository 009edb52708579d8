"""A sheet of panels with a common head and margins as wide as their numbers.

Matplotlib's layout engines draw a figure twice to find its margins, and a run writes up to six
figures. Here the widths of texts are summed from those of letters, and panels have fixed sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.ticker import Formatter, MaxNLocator

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

POINT = 1 / 72  # [inch]
EDGE = 0.15  # between the texts and the edge of the paper [inch]
TICK = 10 * POINT  # from an axis to the end of its tick labels, less their width [inch]
LABEL = 16 * POINT  # space for the label of an axis in addition to its ticks [inch]
FOOT = 0.5  # below a panel: tick labels and "time [s]" [inch]
TITLE, SMALL = 11.0, 7.5  # [pt]
KEY = 50 * POINT  # space for a legend entry in addition to its text [inch]
LINE = 0.3  # a line of the head [inch]
NUMBERS = 1e-3, 1e5  # a number outside this range is written with an exponent
MOST_TICKS = (8, 6, 4, 3, 2)
MOST_LETTERS = 300  # of a line: longer ones never fit


@dataclass(frozen=True)
class Panels:
    """Properties common to all panels of a sheet.

    Parameters
    ----------
    columns : int
    width, height : float
        Size of the plotting area [inch].
    above : float
        Height of the texts above a panel [inch].
    lines : int
        Number of lines of the legend.
    narrowest : float
        Least width of the sheet, set by its legend [inch].
    """

    columns: int
    width: float
    height: float
    above: float
    lines: int = 1
    narrowest: float = 0.0


class Numbers(Formatter):
    """Tick labels without a common factor: ``0.25``, ``−1200``, ``5e−13``."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Return the label of one tick."""
        return self.format_ticks([x])[0]

    def format_ticks(self, values: Sequence[float] | np.ndarray) -> list[str]:
        """Return the labels of all ticks of an axis, with enough digits to differ."""
        ticks = np.asarray(values, dtype=np.float64)
        size = float(np.max(np.abs(ticks), initial=0.0))
        step = float(np.min(np.diff(ticks))) if ticks.size > 1 else size
        if size == 0 or not NUMBERS[0] < size < NUMBERS[1]:
            return [_with_minus(_with_exponent(x, step)) for x in ticks]
        decimals = next((d for d in range(9) if abs(round(step, d) - step) < 1e-3 * step), 9)
        return [_with_minus(f"{x:.{decimals}f}") for x in ticks]


def _with_exponent(x: float, step: float) -> str:
    if abs(x) <= 1e-6 * step:
        return "0"
    digits = next(d for d in range(9) if abs(float(f"{x:.{d}e}") - x) < 1e-3 * step or d == 8)
    mantissa, exponent = f"{x:.{digits}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def _with_minus(text: str) -> str:
    """Return the text with minus signs for hyphens, and without one before a zero."""
    plain = text.removeprefix("-") if not text.strip("-0.") else text
    return plain.replace("-", "\N{MINUS SIGN}")


def width_of(text: str, size: float = 9.0, weight: str = "normal") -> float:
    """Return the width of a line of text [inch] in the current font."""
    family = str(mpl.rcParams["font.family"][0])
    return POINT * size * sum(_advance(letter, weight, family) for letter in text)


@lru_cache(maxsize=4096)
def _advance(letter: str, weight: str, family: str) -> float:
    """Return the advance width of a letter in a font of 1 pt."""
    font = FontProperties(family=family, weight=weight, size=10)
    width, _, _ = text_to_path.get_text_width_height_descent(10 * letter, font, ismath=False)
    return float(width) / 100


def fit_text(text: str, room: float, size: float = 9.0, weight: str = "normal") -> str:
    """Return the text, shortened in the middle with … to fit into `room` [inch].

    Names of joints begin alike and differ at the end, which therefore keeps two thirds.
    """
    for length in range(min(len(text), MOST_LETTERS), 0, -1):
        head = length // 3
        line = text if length == len(text) else f"{text[:head]}…{text[len(text) - length + head :]}"
        if width_of(line, size, weight) <= room:
            return line
    return "…"


def settle(figure: Figure, axes: Sequence[Axes], panels: Panels, title: str) -> None:
    """Place panels on a sheet that has space for all texts, and write its title.

    Parameters
    ----------
    axes : sequence of Axes
        Axes row by row, with curves and labels.
    title : str
        First line of the sheet.
    """
    _label_numbers(figure, axes, panels)
    columns = [axes[k :: panels.columns] for k in range(panels.columns)]
    margins = [max(_label_width(axis) for axis in column) for column in columns]
    gap = max((*margins[1:], 0.0)) + EDGE
    left = EDGE + margins[0]
    nominal = left + len(columns) * panels.width + (len(columns) - 1) * gap + 2 * EDGE
    width = max(nominal, panels.narrowest, width_of(title, TITLE) + 2 * EDGE)
    panel = panels.width + (width - nominal) / len(columns)  # panels fill the width of the head
    rows = -(-len(axes) // panels.columns)
    head = (1 + panels.lines) * LINE + 0.1
    has_own_foot = any(axis.get_xlabel() for axis in axes[: -panels.columns])
    step = panels.above + panels.height + (FOOT if has_own_foot else 0.15)
    height = head + rows * step - (0.0 if has_own_foot else 0.15) + (0.05 if has_own_foot else FOOT)
    figure.set_size_inches(width, height)
    for k, axis in enumerate(axes):
        row, column = divmod(k, panels.columns)
        x = left + column * (panel + gap)
        y = height - head - row * step - panels.above - panels.height
        axis.set_position((x / width, y / height, panel / width, panels.height / height))
    figure.text(EDGE / width, 1 - 0.28 / height, title, fontsize=TITLE)


def legend_width(words: Sequence[str], columns: int = 9) -> float:
    """Return the least width of a sheet whose legend has `columns` columns [inch]."""
    wide = [max(map(width_of, words[k::columns])) + KEY for k in range(min(columns, len(words)))]
    return sum(wide) + 2 * EDGE


def write_legend(
    figure: Figure, handles: Sequence[Artist], words: Sequence[str], columns: int = 9
) -> None:
    """Draw the legend below the title, filled row by row."""
    rows = -(-len(words) // columns)
    # Matplotlib fills column by column.
    count = -(-len(words) // rows)
    order = [k for c in range(count) for k in range(c, len(words), count)]
    width, height = figure.get_size_inches()
    figure.legend(
        [handles[k] for k in order],
        [words[k] for k in order],
        loc="upper left",
        bbox_to_anchor=(EDGE / width, 1 - 0.36 / height),
        borderaxespad=0.0,
        borderpad=0.2,
        ncols=count,
        frameon=False,
    )


def _label_numbers(figure: Figure, axes: Sequence[Axes], panels: Panels) -> None:
    """Choose ticks whose labels fit into panels of their final size."""
    width, height = figure.get_size_inches()
    for axis in axes:
        axis.set_position((0, 0, panels.width / width, panels.height / height))
        axis.apply_aspect()  # limits that follow the shape of the panel
    # Shared axes are the same object; the last to be computed gives the ticks of all.
    for axis in axes:
        for one in (axis.xaxis, axis.yaxis):
            one.set_major_formatter(Numbers())
        axis.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
        _space(axis.xaxis, panels.width)


def _space(axis: Axis, room: float) -> None:
    """Set the most ticks along an axis of `room` [inch] whose labels do not overlap."""
    for count in MOST_TICKS:
        axis.set_major_locator(MaxNLocator(count, steps=[1, 2, 2.5, 5, 10]))
        if sum(width_of(label) + 8 * POINT for label in _labels(axis)) < room:
            return


def _labels(axis: Axis) -> list[str]:
    """Return the labels of the visible ticks."""
    low, high = sorted(axis.get_view_interval())
    ticks = axis.get_majorticklocs()
    labels = axis.get_major_formatter().format_ticks(list(ticks))
    slack = 1e-9 * (high - low)
    return [
        label
        for tick, label in zip(ticks, labels, strict=True)
        if low - slack <= tick <= high + slack
    ]


def _label_width(axis: Axes) -> float:
    """Return the width of the numbers and the label left of a panel [inch]."""
    numbers = max((width_of(label) for label in _labels(axis.yaxis)), default=0.0)
    return numbers + TICK + (LABEL if axis.get_ylabel() else 0.0)
