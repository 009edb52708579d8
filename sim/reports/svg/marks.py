"""SVG as text: marks in pixels, whose colours are classes of the page's style."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from markupsafe import Markup, escape

from sim.maths.arrays import Array

# A mark, or marks in drawing order.
Marks: TypeAlias = "str | Iterable[Marks]"

LETTER = 6.4  # px, about the width of a letter of 11 px


def text(
    x: float, y: float, words: str, anchor: str = "start", cls: str = "", turned: float = 0.0
) -> str:
    """Return text at a point, rotated by `turned` degrees about it."""
    extra = f' transform="rotate({turned:.0f} {x:.0f} {y:.0f})"' if turned else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{cls}"{extra}>'
        f"{escape(words)}</text>"
    )


def line(x1: float, y1: float, x2: float, y2: float, cls: str, title: str = "") -> str:
    """Return a straight line."""
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} class="{cls}">{_title(title)}</line>'


def polyline(points: Iterable[tuple[float, float]], cls: str, title: str = "") -> str:
    """Return a line through points; non-finite points are left out."""
    known = ((x, y) for x, y in points if np.isfinite(x) and np.isfinite(y))
    return (
        f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in known)}" class="{cls}">'
        f"{_title(title)}</polyline>"
    )


def path(
    lines: Iterable[Iterable[tuple[float, float]]], cls: str, title: str = "", *, closed: bool
) -> str:
    """Return several lines through points as one mark; closed ones enclose an area."""
    end = "Z" if closed else ""
    d = "".join("M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in one) + end for one in lines)
    return f'<path d="{d}" class="{cls}">{_title(title)}</path>'


def dot(x: float, y: float, radius: float, cls: str, title: str = "") -> str:
    """Return a dot with a tooltip."""
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" class="{cls}">{_title(title)}</circle>'
    )


def rect(x: float, y: float, width: float, height: float, cls: str, title: str = "") -> str:
    """Return a rectangle; empty without width or height."""
    if not (width > 0 and height > 0):
        return ""
    size = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect {size} class="{cls}">{_title(title)}</rect>'


def _title(words: str) -> str:
    return f"<title>{escape(words)}</title>" if words else ""


def drawing(
    width: float, height: float, marks: Iterable[Marks], label: str, cls: str = ""
) -> Markup:
    """Return a drawing; `label` is the description for screen readers."""
    return Markup(
        f'<svg class="{f"chart {cls}".strip()}" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" role="img" aria-label="{escape(label)}">{_join(marks)}</svg>'
    )


def _join(marks: Marks) -> str:
    return marks if isinstance(marks, str) else "".join(map(_join, marks))


def spread_labels(targets: Sequence[float] | Array, gap: float, high: float) -> Array:
    """Place labels as near to the wanted heights as the gap allows, none beyond `high`.

    Crowded labels become one block about the mean of their wanted heights.
    """
    order = np.argsort(targets, kind="stable")
    blocks: list[tuple[float, int]] = []  # mean position of the first label, number of labels
    for place in np.asarray(targets, dtype=np.float64)[order]:
        start, count = float(place), 1
        while blocks and blocks[-1][0] + gap * blocks[-1][1] > start:
            above, size = blocks.pop()
            start = (above * size + (start - gap * size) * count) / (size + count)
            count += size
        blocks.append((min(start, high - gap * (count - 1)), count))
    heights = [start + gap * k for start, count in blocks for k in range(count)]
    for k in reversed(range(len(heights) - 1)):  # shift labels below those limited by `high`
        heights[k] = min(heights[k], heights[k + 1] - gap)
    placed = np.empty(len(heights))
    placed[order] = heights
    return placed


def middle_cut(words: str, most: int) -> str:
    """Shorten a long text in its middle, since names differ at their ends."""
    half = (most - 1) // 2
    return words if len(words) <= most else f"{words[:half]}…{words[-half:]}"
