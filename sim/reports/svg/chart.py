"""Chart with two scales, and marks in their units.

A figure is a list of marks, later ones over earlier ones::

    chart = Chart(290, 148, 48, 16, 8, 38, x=(0.0, 10.0), y=(0.0, 1.2))
    chart.drawing(
        [
            chart.area("beyond", y=(1.0, None)),
            chart.grid(4, 4, percent="y", x_title="load [kg]"),
            chart.rule_y(1.0, "limit"),
            chart.line(x, y, "curve strong"),
            chart.dots(x, y, 2.4, "point"),
        ],
        "share of the rating over load",
    )

Colours and widths are the classes of the page's style.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from sim.maths.arrays import Array
from sim.reports.svg.marks import Marks, dot, drawing, line, path, polyline, rect, text
from sim.reports.svg.scales import decades, num, ticks

Numbers = Sequence[float] | Array
Interval = tuple[float | None, float | None]
Ticks = int | Sequence[tuple[float, str]]

MOST_IN_PIXEL = 4  # points of a line, on average; beyond, those that it does not show are left out


@dataclass(frozen=True)
class Chart:
    """Rectangle of a drawing with a scale in each direction.

    Parameters
    ----------
    width, height : float
        Size of the drawing [px].
    left, right, top, bottom : float
        Margins around the rectangle [px].
    x, y : tuple of float
        Values at its left and right, and at its bottom and top.
    is_log : bool
        Whether y is logarithmic.
    """

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    x: tuple[float, float]
    y: tuple[float, float]
    is_log: bool = False

    @property
    def ends(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom [px]."""
        return self.left, self.top, self.width - self.right, self.height - self.bottom

    def across(self, value: float) -> float:
        """Return the horizontal position of a value [px]."""
        left, _, right, _ = self.ends
        return left + (right - left) * _share(value, self.x)

    def up(self, value: float) -> float:
        """Return the vertical position of a value [px]."""
        _, top, _, bottom = self.ends
        if self.is_log:
            low, high = (math.log(end) for end in self.y)
            return bottom - (bottom - top) * _share(math.log(value), (low, high))
        return bottom - (bottom - top) * _share(value, self.y)

    def drawing(self, marks: Iterable[Marks], label: str, cls: str = "") -> Markup:
        """Return the drawing; `label` is the description for screen readers."""
        return drawing(self.width, self.height, marks, label, cls)

    def grid(
        self,
        x: Ticks = 0,
        y: Ticks = 0,
        *,
        percent: Literal["", "x", "y"] = "",
        x_title: str = "",
        y_title: str = "",
    ) -> list[str]:
        """Return lines and labels of both scales, and their titles.

        Parameters
        ----------
        x, y : int or sequence of (float, str)
            Approximate number of ticks, or the ticks.
        percent : {"", "x", "y"}
            The scale whose numbers are shares.
        """
        left, _, right, bottom = self.ends
        marks = []
        for value, label in _ticks(self.y, y, percent == "y", self.is_log):
            marks += [
                self.rule_y(value, "grid"),
                text(left - 7, self.up(value) + 4, label, "end", "tick"),
            ]
        for value, label in _ticks(self.x, x, percent == "x"):
            marks += [
                self.rule_x(value, "grid"),
                text(self.across(value), bottom + 16, label, "middle", "tick"),
            ]
        if x_title:
            marks.append(text((left + right) / 2, self.height - 5, x_title, "middle", "tick"))
        if y_title:
            marks.append(text(2, 14, y_title, "start", "tick"))
        return marks

    def rule_x(self, value: float, cls: str) -> str:
        """Return a vertical line through the rectangle."""
        x = self.across(value)
        return line(x, self.ends[1], x, self.ends[3], cls)

    def rule_y(self, value: float, cls: str) -> str:
        """Return a horizontal line through the rectangle."""
        y = self.up(value)
        return line(self.ends[0], y, self.ends[2], y, cls)

    def area(
        self,
        cls: str,
        x: Interval = (None, None),
        y: Interval = (None, None),
        title: str = "",
        inset: float = 0.0,
    ) -> str:
        """Return a rectangle between two values of each scale; None is an end of the scale.

        Parameters
        ----------
        inset : float
            Inset on every side [px].
        """
        left, top, right, bottom = self.ends
        a, b = sorted(
            edge if value is None else self.across(value)
            for value, edge in zip(x, (left, right), strict=True)
        )
        c, d = sorted(
            edge if value is None else self.up(value)
            for value, edge in zip(y, (bottom, top), strict=True)
        )
        return rect(a + inset, c + inset, b - a - 2 * inset, d - c - 2 * inset, cls, title)

    def line(self, x: Numbers, y: Numbers, cls: str, title: str = "") -> str:
        """Return a line through points; non-finite points are left out.

        Of many points in each pixel, in ascending order of x, those are kept that the line shows.
        """
        points = np.array([x, y], dtype=float)
        points = points[:, np.isfinite(points).all(axis=0)]
        (low, high), (left, _, right, _) = self.x, self.ends
        is_dense = points.shape[1] > MOST_IN_PIXEL * self.width and high > low
        if is_dense and (np.diff(points[0]) >= 0).all():
            pixels = (left + (right - left) / (high - low) * (points[0] - low)).astype(int)
            points = points[:, _shown(pixels, points[1])]
        return polyline(((self.across(a), self.up(b)) for a, b in points.T.tolist()), cls, title)

    def path(
        self, lines: Iterable[Array], cls: str, title: str = "", *, closed: bool = False
    ) -> str:
        """Return several lines as one mark, each of points (N, 2); closed ones enclose an area."""
        return path(
            (((self.across(x), self.up(y)) for x, y in one) for one in lines),
            cls,
            title,
            closed=closed,
        )

    def segment(self, x: Sequence[float], y: Sequence[float], cls: str) -> str:
        """Return a straight line between two points."""
        return line(self.across(x[0]), self.up(y[0]), self.across(x[1]), self.up(y[1]), cls)

    def dot(self, x: float, y: float, radius: float, cls: str, title: str = "") -> str:
        """Return a dot with a tooltip."""
        return dot(self.across(x), self.up(y), radius, cls, title)

    def dots(
        self,
        x: Numbers,
        y: Numbers,
        radius: float,
        cls: str | Iterable[str],
        titles: Iterable[str] = (),
    ) -> list[str]:
        """Return a dot at each finite point; classes and tooltips per point, or one class."""
        classes = itertools.repeat(cls) if isinstance(cls, str) else cls
        words = itertools.chain(titles, itertools.repeat(""))
        rows = zip(x, y, classes, words)  # noqa: B905 the last ones may be endless
        return [
            self.dot(a, b, radius, one, title)
            for a, b, one, title in rows
            if math.isfinite(a) and math.isfinite(b)
        ]

    def label(
        self,
        x: float,
        y: float,
        words: str,
        anchor: str = "middle",
        cls: str = "tick",
        shift: tuple[float, float] = (0.0, 0.0),
    ) -> str:
        """Return text at a point, shifted by pixels."""
        return text(self.across(x) + shift[0], self.up(y) + shift[1], words, anchor, cls)


def _ticks(
    ends: tuple[float, float], requested: Ticks, percent: bool, is_log: bool = False
) -> Sequence[tuple[float, str]]:
    if not isinstance(requested, int):
        return requested
    if not requested:
        return []
    rounded = decades(*ends) if is_log else ticks(*ends, most=requested)
    return [(value, f"{num(100 * value)} %" if percent else label) for value, label in rounded]


def _shown(pixels: NDArray[np.int_], y: Array) -> NDArray[np.int_]:
    """Return the first, last, lowest and highest point in each pixel, in their order."""
    edges = np.flatnonzero(np.diff(pixels))
    by_height = np.lexsort((y, pixels))
    first, last = np.append(0, edges + 1), np.append(edges, pixels.size - 1)
    return np.unique([first, last, by_height[first], by_height[last]])


def _share(value: float, ends: tuple[float, float]) -> float:
    low, high = ends
    return (value - low) / (high - low) if high != low else 0.5
