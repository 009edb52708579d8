"""Operators and profiles of numbers: what `sim.functions.jet` and `profiles` give as values.

Where the mathematics is undefined the value is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np


def divide(a: float, b: float) -> float:
    """a / b."""
    return a / b if b != 0.0 else math.nan


def lower(a: float, b: float) -> float:
    """The lower of two numbers."""
    return a if a <= b else b if a > b else math.nan


def higher(a: float, b: float) -> float:
    """The higher of two numbers."""
    return a if a >= b else b if a < b else math.nan


def power(a: float, b: float) -> float:
    """a ** b."""
    if (a < 0.0 and b != math.floor(b)) or (a == 0.0 and b < 0.0):
        return math.nan
    return float(np.power(a, b))


def profile(shape: Callable[[float], float]) -> Callable[..., float]:
    """The function of x, x0, h0, x1, h1 that goes from h0 at x0 to h1 at x1; NaN unless x1 > x0."""

    def value(x: float, x0: float, h0: float, x1: float, h1: float) -> float:
        if not x1 > x0 or math.isnan(x):
            return math.nan
        return h0 + (h1 - h0) * shape(min(max((x - x0) / (x1 - x0), 0.0), 1.0))

    return value


step = profile(lambda z: z * z * (3.0 - 2.0 * z))
step5 = profile(lambda z: z * z * z * (10.0 + z * (6.0 * z - 15.0)))
