"""Scales of a drawing: round ticks, numbers as a reader takes them, a frame with its axes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim.maths.arrays import Array
from sim.reports.svg.marks import LETTER, line, text

ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)  # steps of a scale, times a power of ten
ROUNDING = 1e-9  # of a scale's length


def num(value: float | None, digits: int = 4) -> str:
    """A number in some digits; whole ones from a million on and small ones with a power of ten."""
    if value is None or not math.isfinite(value):
        return "–"
    if abs(value) < 1e-12:
        return "0"
    digits_text = f"{value:.{digits}g}"
    if "e" in digits_text and 1e-3 <= abs(value) < 1e6:
        digits_text = f"{value:.0f}"
    return digits_text.replace("-", "−")


def share_text(share: float) -> str:
    """A share of a rating in per cent; near the limit with a digit more."""
    if not math.isfinite(share):
        return "beyond"
    if 0.95 < share < 1.05 and share != 1.0:
        digits_text = f"{100 * share:.1f}"
        if digits_text == "100.0":
            digits_text = f"{100 * share:.3f}" if abs(share - 1) > 5e-6 else "100"
        return f"{digits_text} %"
    return f"{100 * share:.0f} %"


def in_degrees(values: Array, unit: str) -> tuple[Array, str]:
    """Angles as a reader takes them, with their unit."""
    if unit in ("rad", "rad/s", "rad/s²"):
        return np.degrees(values), unit.replace("rad", "°")
    return values, unit


def with_unit(value: float | None, unit: str, digits: int = 4) -> str:
    """A number with its unit."""
    if unit in ("", "1"):
        return num(value, digits)
    return f"{num(value, digits)}{'' if unit == '°' else ' '}{unit}"


def heading(name: str, unit: str) -> str:
    """A name with its unit in brackets."""
    return name if unit in ("", "1") else f"{name} [{unit}]"


def ticks(low: float, high: float, most: int = 5) -> list[tuple[float, str]]:
    """Round numbers between two, about `most`, with the decimals that distinguish them."""
    length = high - low
    if not (math.isfinite(length) and length > ROUNDING * max(abs(low), abs(high))):
        return [(low, num(low))]
    ten = 10.0 ** math.floor(math.log10(length / most))
    step = next(f * ten for f in ROUND if f * ten * most >= length * (1 - ROUNDING))
    first, last = math.ceil(low / step - 1e-6), math.floor(high / step + 1e-6)
    decimals = max(0, -math.floor(math.log10(step) + ROUNDING))
    if round(step, decimals) != round(step, decimals + 1):
        decimals += 1  # 2.5
    found = []
    for k in range(first, last + 1):
        value = k * step
        if 1e-4 <= max(abs(low), abs(high)) < 1e7:
            label = f"{value + 0.0:.{decimals}f}"
        else:
            label = f"{value + 0.0:.4g}"
        if "." in label and "e" not in label:
            label = label.rstrip("0").rstrip(".")
        found.append((value, "0" if k == 0 else label.replace("-", "−")))
    return found


def span_of(values: Array, *more: float) -> tuple[float, float]:
    """The ends of a scale for some numbers: from 0 on, unless they are far from it."""
    low, high = min((float(values.min()), *more)), max((float(values.max()), *more))
    if low > 0 and high - low > 0.1 * high:
        low = 0.0
    elif high < 0 and high - low > -0.1 * low:
        high = 0.0
    room = max(high - low, 1e-3 * max(abs(low), abs(high)), 1e-300)
    return (low if low == 0 else low - 0.06 * room), (high if high == 0 else high + 0.1 * room)


@dataclass(frozen=True)
class Frame:
    """A rectangle of a drawing with a scale in each direction.

    Parameters
    ----------
    width, height : float
        Of the drawing [px].
    left, right, top, bottom : float
        Margins around the rectangle [px].
    x, y : tuple of float
        Numbers at its left and right, and at its bottom and top.
    """

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    x: tuple[float, float]
    y: tuple[float, float]

    @property
    def ends(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom [px]."""
        return self.left, self.top, self.width - self.right, self.height - self.bottom

    def across(self, value: float) -> float:
        """Where a number is across [px]."""
        left, _, right, _ = self.ends
        return left + (right - left) * _share(value, self.x)

    def up(self, value: float) -> float:
        """Where a number is upward [px]."""
        _, top, _, bottom = self.ends
        return bottom - (bottom - top) * _share(value, self.y)

    def grid(
        self, *, x_most: int, y_most: int, percent: bool = False, x_title: str = ""
    ) -> list[str]:
        """Lines and labels of both scales, and the title of the lower one."""
        left, top, right, bottom = self.ends
        marks = []
        for value, label in ticks(*self.y, most=y_most):
            y = self.up(value)
            words = f"{num(100 * value)} %" if percent else label
            marks += [line(left, y, right, y, "grid"), text(left - 7, y + 4, words, "end", "tick")]
        for value, label in ticks(*self.x, most=x_most):
            x = self.across(value)
            marks += [
                line(x, top, x, bottom, "grid"),
                text(x, bottom + 16, label, "middle", "tick"),
            ]
        if x_title:
            marks.append(text((left + right) / 2, self.height - 5, x_title, "middle", "tick"))
        return marks


def _share(value: float, ends: tuple[float, float]) -> float:
    low, high = ends
    return (value - low) / (high - low) if high != low else 0.5


def room_for(ends: tuple[float, float], most: int) -> float:
    """Margin that the labels of a scale need [px]."""
    return 14.0 + LETTER * max(len(label) for _, label in ticks(*ends, most=most))
