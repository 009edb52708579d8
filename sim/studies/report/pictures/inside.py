"""Ranges of a study within all ratings, linearly interpolated between its cases.

This is exact if each fraction is linear in the parameter, as torque is in a mass while its peak
stays at the same instant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.maths.arrays import Array
from sim.studies.report.pictures.rating_use import TIE, Cases, Use


@dataclass(frozen=True, eq=False)
class Span:
    """An interval of a parameter inside all ratings.

    Parameters
    ----------
    low, high : float
    low_by, high_by : tuple of Use
        Ratings that end it; empty at the ends of the cases.
    """

    low: float
    high: float
    low_by: tuple[Use, ...] = ()
    high_by: tuple[Use, ...] = ()

    @property
    def is_all(self) -> bool:
        """Whether no rating ends it."""
        return not (self.low_by or self.high_by)


def crossings(x: Array, share: Array) -> list[float]:
    """Return the crossings of a fraction (N,) with 1 along ascending x (N,), up or down."""
    places, is_beyond = [], share > 1
    for k in np.flatnonzero(is_beyond[:-1] != is_beyond[1:]).tolist():
        begin, end = _interval_inside(float(share[k]), float(share[k + 1]))
        if 0 <= begin <= end and (begin > 0 or end < 1):
            places.append(_interpolate(x, k, begin if begin > 0 else end))
    return places


def spans_inside(x: Array, uses: Sequence[Use], on: Cases, level: float = 1.0) -> list[Span]:
    """Return intervals with all fractions up to a level, for cases `on` (N,), ascending x (N,)."""
    shares = [(use, (use.share if level == 1 else use.effective_share)[on] / level) for use in uses]
    if x.size == 1:
        is_inside = not any(y[0] > 1 for _, y in shares)
        return [Span(float(x[0]), float(x[0]))] if is_inside else []
    # a case inside changes nothing if the cases before and after it are inside, too
    is_beyond = np.any([y > 1 for _, y in shares], axis=0) if shares else np.zeros(x.size, bool)
    kept = np.pad(is_beyond[:-2] | is_beyond[1:-1] | is_beyond[2:], 1, constant_values=True)
    x, shares = x[kept], [(use, y[kept]) for use, y in shares]
    spans: list[Span] = []
    for k in range(x.size - 1):
        pieces = [(use, *_interval_inside(float(y[k]), float(y[k + 1]))) for use, y in shares]
        a = max((begin for _, begin, _ in pieces), default=0.0)
        b = min((end for _, _, end in pieces), default=1.0)
        if a > b:
            continue
        low_by = tuple(use for use, begin, _ in pieces if a > 0 and begin >= a - TIE)
        high_by = tuple(use for use, _, end in pieces if b < 1 and end <= b + TIE)
        one = Span(_interpolate(x, k, a), _interpolate(x, k, b), low_by, high_by)
        if a == 0 and spans and spans[-1].high == x[k]:
            begun = spans.pop()
            one = Span(begun.low, one.high, begun.low_by, one.high_by)
        spans.append(one)
    return spans


def _interpolate(x: Array, k: int, part: float) -> float:
    return float(x[k + 1]) if part == 1 else float(x[k] + part * (x[k + 1] - x[k]))


def _interval_inside(first: float, last: float) -> tuple[float, float]:
    """Return the interval inside, relative to the step between two fractions; (2, -1) if empty."""
    if first > 1 and last > 1:
        return 2.0, -1.0
    if last > 1:
        return 0.0, (1 - first) / (last - first)  # 0 if the excess has no fraction
    if first > 1:
        return (first - 1) / (first - last) if np.isfinite(first) else 1.0, 1.0
    return 0.0, 1.0
