"""Quantising: a curve in whole steps that are fine enough for all that a page shows of it.

What is kept of a value are whole numbers, as differences from the value before: they compress to
less than the digits of a float, of which most are noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array
from sim.reports.page.thinning import peak

Codes = NDArray[np.uint64]

# A step is at most this share of the tolerance that is shown: what is stored is off by half a step,
# and what is printed of it, to the place of the step, by a whole one at most.
OF_TOLERANCE = 0.1
# Nor is it more than this part of what a plot spans: of values from the lowest to the highest, of
# differences from zero. A screen has some 2^11 rows, and values are zoomed.
OF_SPAN, OF_DIFFERENCE = 2.0**-16, 2.0**-11
# Of values less than this part of the largest is never kept: a tolerance that is narrower is seen
# in the differences, which have steps of their own.
OF_LARGEST = 2.0**-21
# A code must be a whole number that a float64 of the page's script holds.
FINEST = 2.0**-48
LEAST = -1022  # the exponent of the smallest normal float64

# Codes of what is no number; those of differences follow.
NAN, PLUS, MINUS, FIRST = 0, 1, 2, 3


def step_of_values(values: Array, tolerance: float | None) -> int:
    """Exponent of two of the step of a curve whose values are shown.

    Parameters
    ----------
    values : ndarray, shape (N,)
    tolerance : float or None
        Half the width of the narrowest band that is drawn about it.
    """
    highest = peak(values)
    finite = np.isfinite(values)
    low = np.min(values, where=finite, initial=highest)
    high = np.max(values, where=finite, initial=-highest)
    half = float(high / 2 - low / 2)  # of the span, which may be more than a float64 holds
    return _exponent(2 * OF_SPAN * half, OF_LARGEST * highest, tolerance)


def step_of_differences(values: Array, tolerance: float | None) -> int:
    """Exponent of two of the step of a curve that is seen next to zero and its band."""
    highest = peak(values)
    return _exponent(OF_DIFFERENCE * highest, FINEST * highest, tolerance)


def _exponent(wanted: float, finest: float, tolerance: float | None) -> int:
    if finest == 0.0:  # and so is every value, or it is far below the smallest normal float64
        return LEAST
    if tolerance is not None and tolerance > 0.0:
        wanted = min(wanted, OF_TOLERANCE * tolerance)
    wanted = max(wanted, finest, 2.0**LEAST)
    return math.frexp(wanted)[1] - 1


def encode_steps(values: Array, exponent: int) -> Codes:
    """Values in whole steps, as codes.

    0, 1, 2 stand for NaN, ∞ and −∞; else it is 3 more than what the difference from the finite
    value before folds to: 0, −1, 1, −2, … → 0, 1, 2, 3, ….

    Parameters
    ----------
    values : ndarray, shape (N,)
    exponent : int
        A step is 2 to the power of it.
    """
    step = 2.0**exponent
    finite = np.isfinite(values)
    steps = np.where(finite, values, 0.0) / step
    nearest = np.round(steps)
    with np.errstate(over="ignore"):
        nearest = np.where(np.isfinite(nearest * step), nearest, np.trunc(steps))
    whole = nearest.astype(np.int64)
    if not finite.all():
        before = np.maximum.accumulate(np.where(finite, np.arange(values.size), -1))
        whole = np.where(before >= 0, whole[before], 0)
    apart = np.diff(whole, prepend=np.int64(0))
    codes = ((apart << 1) ^ (apart >> 63)) + FIRST
    for code, alike in ((NAN, np.isnan), (PLUS, np.isposinf), (MINUS, np.isneginf)):
        codes[alike(values)] = code
    return codes.astype(np.uint64)


def planes(codes: Sequence[Codes]) -> tuple[bytes, int]:
    """Codes in one block, equal bytes next to each other to compress best; bytes per code."""
    every = np.concatenate([np.zeros(0, np.uint64), *codes]).astype("<u8", copy=False)
    width = (int(every.max(initial=0)).bit_length() + 7) // 8
    return every.view("u1").reshape(-1, 8)[:, :width].T.tobytes(), width
