"""Scales of a chart: their ends, round ticks and number formats."""

from __future__ import annotations

import math

import numpy as np

from sim.maths.arrays import Array
from sim.reports.svg.marks import LETTER

ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)  # mantissas of the steps of a scale
ROUNDING = 1e-9  # relative to a scale's length


def num(value: float | None, digits: int = 4) -> str:
    """Format a number; integers from 1e6 and small numbers have an exponent."""
    if value is None or not math.isfinite(value):
        return "–"
    if abs(value) < 1e-12:
        return "0"
    digits_text = f"{value:.{digits}g}"
    if "e" in digits_text and 1e-3 <= abs(value) < 1e6:
        digits_text = f"{value:.0f}"
    return digits_text.replace("-", "−")


def share_text(share: float) -> str:
    """Return a share of a rating in per cent, with one more digit near the limit."""
    if not math.isfinite(share):
        return "beyond"
    if 0.95 < share < 1.05 and share != 1.0:
        digits_text = f"{100 * share:.1f}"
        if digits_text == "100.0":
            digits_text = f"{100 * share:.3f}" if abs(share - 1) > 5e-6 else "100"
        return f"{digits_text} %"
    return f"{100 * share:.0f} %"


def in_degrees(values: Array, unit: str) -> tuple[Array, str]:
    """Return angles in degrees where a reader expects them, with their unit."""
    if unit in ("rad", "rad/s", "rad/s²"):
        return np.degrees(values), unit.replace("rad", "°")
    return values, unit


def with_unit(value: float | None, unit: str, digits: int = 4) -> str:
    """Return a number with its unit."""
    if unit in ("", "1"):
        return num(value, digits)
    return f"{num(value, digits)}{'' if unit == '°' else ' '}{unit}"


def heading(name: str, unit: str) -> str:
    """Return a name with its unit in brackets."""
    return name if unit in ("", "1") else f"{name} [{unit}]"


def ticks(low: float, high: float, most: int = 5) -> list[tuple[float, str]]:
    """Return about `most`, but at least two, round numbers with the decimals they need."""
    length = high - low
    if not (math.isfinite(length) and length > ROUNDING * max(abs(low), abs(high))):
        return [(low, num(low))]
    ten = 10.0 ** math.floor(math.log10(length / most))
    steps = [f * ten for f in (0.5, *ROUND)]
    k = next(k for k, step in enumerate(steps) if step * most >= length * (1 - ROUNDING))
    first, last = _within(low, high, steps[k])
    if first == last:  # one number alone is no scale
        k -= 1
        first, last = _within(low, high, steps[k])
    step = steps[k]
    decimals = max(0, -math.floor(math.log10(step) + ROUNDING))
    if round(step, decimals) != round(step, decimals + 1):
        decimals += 1  # 2.5
    ticks = []
    for k in range(first, last + 1):
        value = k * step
        if 1e-4 <= max(abs(low), abs(high)) < 1e7:
            label = f"{value + 0.0:.{decimals}f}"
        else:
            label = f"{value + 0.0:.4g}"
        if "." in label and "e" not in label:
            label = label.rstrip("0").rstrip(".")
        ticks.append((value, "0" if k == 0 else label.replace("-", "−")))
    return ticks


def _within(low: float, high: float, step: float) -> tuple[int, int]:
    """Return the first and the last multiple of a step between two ends."""
    return math.ceil(low / step - 1e-6), math.floor(high / step + 1e-6)


def span_of(values: Array, *more: float) -> tuple[float, float]:
    """Return the ends of a scale for values: from 0 on, unless they are far from it."""
    low, high = min((float(values.min()), *more)), max((float(values.max()), *more))
    if low > 0 and high - low > 0.1 * high:
        low = 0.0
    elif high < 0 and high - low > -0.1 * low:
        high = 0.0
    room = max(high - low, 1e-3 * max(abs(low), abs(high)), 1e-300)
    return (low if low == 0 else low - 0.06 * room), (high if high == 0 else high + 0.1 * room)


def decades(low: float, high: float) -> list[tuple[float, str]]:
    """Return powers of ten from one at or below `low` to one at or above `high`, with labels."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    return [(10.0**k, f"{10.0**k:g}") for k in range(first, last + 1)]


def room_for(ends: tuple[float, float], most: int) -> float:
    """Return the margin for the labels of a scale [px]."""
    return 14.0 + LETTER * max(len(label) for _, label in ticks(*ends, most=most))
