"""First roots of arrays of cubics that become positive, and of lines that leave a limit."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sim.maths.arrays import Array

HALVINGS = 80  # bisections of an interval: to the last digit of a float, and beyond


def interval_within(base: Array, slope: Array, limit: Array) -> tuple[Array, Array]:
    """Return the ends of the interval |base + slope x| <= limit, infinite for a zero slope.

    For a zero slope beyond its limit it is empty: the lower end is inf, the upper -inf.
    """
    level, beyond = slope == 0, np.abs(base) > limit
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (limit - base) / slope, (-limit - base) / slope
    low = np.where(level, np.where(beyond, np.inf, -np.inf), np.minimum(one, other))
    high = np.where(level, np.where(beyond, -np.inf, np.inf), np.maximum(one, other))
    return low, high


def first_rise_of_parabola(a: Array, b: Array, c: Array) -> Array:
    """Return the least r >= 0 above which a r² + b r + c > 0: 0 if at once, inf if never.

    Parameters
    ----------
    a, b, c : ndarray of one shape

    Notes
    -----
    The root that suffers from cancellation is computed from the other one,
    ``q = -(b ± √(b² - 4 a c)) / 2`` (Press et al., Numerical Recipes, equation 5.6.4).
    """
    square = b * b - 4.0 * a * c
    root = np.sqrt(np.maximum(square, 0.0))
    q = -0.5 * (b + np.copysign(root, b))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        one, other = np.where(a != 0, q / a, np.inf), np.where(q != 0, c / q, np.inf)
    first = np.minimum(np.where(one > 0, one, np.inf), np.where(other > 0, other, np.inf))
    rises_now = (c > 0) | ((c == 0) & ((b > 0) | ((b == 0) & (a > 0))))
    return np.where(rises_now, 0.0, np.where(square < 0, np.inf, first))


def first_rise_of_cubic(a: Array, b: Array, c: Array, d: Array, high: float | Array) -> Array:
    """Return the least r in (0, high] above which a r³ + b r² + c r + d > 0, d < 0; else inf.

    Between its stationary points a cubic is monotone, so bisection finds its only root there.

    Parameters
    ----------
    a, b, c, d : ndarray of one shape
    high : float or ndarray
        Finite; broadcasts to the others' shape.
    """

    def value(r: Array) -> Array:
        return np.asarray(((a * r + b) * r + c) * r + d)

    edges = [np.zeros_like(a), *_level(3.0 * a, 2.0 * b, c, high), np.broadcast_to(high, a.shape)]
    low, up = np.full_like(a, np.inf), np.full_like(a, np.inf)
    for begin, end in pairwise(edges):
        rises = np.isinf(up) & (value(end) > 0)
        low, up = np.where(rises, begin, low), np.where(rises, end, up)
    has_root = np.isfinite(up)
    low, up = np.where(has_root, low, 0.0), np.where(has_root, up, 0.0)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + up)
        above = value(middle) > 0
        low, up = np.where(above, low, middle), np.where(above, middle, up)
    return np.where(has_root, up, np.inf)


def _level(a: Array, b: Array, c: Array, high: float | Array) -> tuple[Array, Array]:
    """Return both roots of a r² + b r + c, ascending and clipped to 0 … `high`; 0 without any."""
    square = b * b - 4.0 * a * c
    q = -0.5 * (b + np.copysign(np.sqrt(np.maximum(square, 0.0)), b))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        roots = np.stack([np.where(a != 0, q / a, 0.0), np.where(q != 0, c / q, 0.0)])
    roots = np.sort(np.clip(np.where((square > 0) & np.isfinite(roots), roots, 0.0), 0.0, high), 0)
    return roots[0], roots[1]
