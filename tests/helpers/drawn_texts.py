"""Where Matplotlib's own renderer puts the texts of a figure, and which of them collide."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox


def drawn_texts(figure: Figure) -> list[tuple[str, Bbox]]:
    """All texts of a figure and its legends, with their boxes [px]."""
    FigureCanvasAgg(figure).draw()
    boxes = [
        (text.get_text(), text.get_window_extent())
        for text in _texts(figure)
        if text.get_visible() and text.get_text().strip()
    ]
    return [*boxes, *(("the legend", legend.get_window_extent()) for legend in figure.legends)]


def _texts(figure: Figure) -> Iterator[Text]:
    yield from figure.texts
    for axes in figure.axes:
        if axes.get_visible():
            # the three titles and what is annotated
            yield from (child for child in axes.get_children() if isinstance(child, Text))
            for axis in (axes.xaxis, axes.yaxis):
                yield from (axis.label, axis.offsetText)
                yield from _tick_labels(axis)


def _tick_labels(axis: Axis) -> Iterator[Text]:
    """Labels of the ticks that are in sight; Matplotlib keeps one more at each end."""
    low, high = sorted(axis.get_view_interval())
    slack = 1e-9 * (high - low)
    for tick in axis.get_major_ticks():
        if tick.label1.get_visible() and low - slack <= tick.get_loc() <= high + slack:
            yield tick.label1


def collisions(figure: Figure) -> list[str]:
    """What is cut by the edge of the paper, and what lies over each other by more than 0.5 px."""
    texts, (width, height) = drawn_texts(figure), figure.bbox.size
    found = [
        f"{text!r} is cut"
        for text, box in texts
        if box.x0 < 0 or box.y0 < 0 or box.x1 > width or box.y1 > height
    ]
    for (one, a), (other, b) in itertools.combinations(texts, 2):
        wide, high = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        if min(wide, high) > 0.5:
            found.append(f"{one!r} lies over {other!r}")
    return found
