"""Quantisation of curves in steps that are fine enough for a page.

Values are stored as integer differences from the previous value, which compress better than the
digits of floats, most of which are noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array, largest_finite

Codes = NDArray[np.uint64]

# Largest step relative to the tolerance shown: a stored value is off by at most half a step,
# and its printed text, rounded to the step, by a whole one.
OF_TOLERANCE = 0.1
# Largest step relative to the range of a plot (of values from lowest to highest, of differences
# from zero). A screen has some 2^11 rows, and plots are zoomed.
OF_SPAN, OF_DIFFERENCE = 2.0**-16, 2.0**-11
# Smallest step of values relative to the largest value: narrower tolerances are visible in the
# differences, which have steps of their own.
OF_LARGEST = 2.0**-21
# A code must be an integer that the page's float64 represents exactly.
FINEST = 2.0**-48
LEAST = -1022  # the exponent of the smallest normal float64

# Codes of non-finite values; those of differences follow.
NAN, PLUS, MINUS, FIRST = 0, 1, 2, 3


def step_of_values(values: Array, tolerance: float | None) -> int:
    """Return the binary exponent of the step of a curve whose values are shown.

    Parameters
    ----------
    values : ndarray, shape (N,)
    tolerance : float or None
        Half the width of the narrowest tolerance band about the curve.
    """
    highest = largest_finite(values)
    finite = np.isfinite(values)
    low = np.min(values, where=finite, initial=highest)
    high = np.max(values, where=finite, initial=-highest)
    half = float(high / 2 - low / 2)  # half of the range, which may overflow a float64
    return _exponent(2 * OF_SPAN * half, OF_LARGEST * highest, tolerance)


def step_of_differences(values: Array, tolerance: float | None) -> int:
    """Return the binary exponent of the step of differences, shown with their tolerance band."""
    highest = largest_finite(values)
    return _exponent(OF_DIFFERENCE * highest, FINEST * highest, tolerance)


def _exponent(wanted: float, finest: float, tolerance: float | None) -> int:
    if finest == 0.0:  # every value is zero, or far below the smallest normal float64
        return LEAST
    if tolerance is not None and tolerance > 0.0:
        wanted = min(wanted, OF_TOLERANCE * tolerance)
    wanted = max(wanted, finest, 2.0**LEAST)
    return math.frexp(wanted)[1] - 1


def encode_steps(values: Array, exponent: int) -> Codes:
    """Return values in steps, as codes.

    0, 1, 2 are NaN, ∞ and −∞; other codes are 3 more than the zigzag code of the difference from
    the previous finite value: 0, −1, 1, −2, … → 0, 1, 2, 3, ….

    Parameters
    ----------
    values : ndarray, shape (N,)
    exponent : int
        The step is 2**exponent.
    """
    step = 2.0**exponent
    finite = np.isfinite(values)
    all_finite = bool(finite.all())
    steps = (values if all_finite else np.where(finite, values, 0.0)) / step
    nearest = np.round(steps)
    with np.errstate(over="ignore"):
        nearest = np.where(np.isfinite(nearest * step), nearest, np.trunc(steps))
    whole = nearest.astype(np.int64)
    if not all_finite:
        before = np.maximum.accumulate(np.where(finite, np.arange(values.size), -1))
        whole = np.where(before >= 0, whole[before], 0)
    apart = np.diff(whole, prepend=np.int64(0))
    codes = ((apart << 1) ^ (apart >> 63)) + FIRST
    if all_finite:
        return codes.view(np.uint64)
    for code, alike in ((NAN, np.isnan), (PLUS, np.isposinf), (MINUS, np.isneginf)):
        codes[alike(values)] = code
    return codes.astype(np.uint64)


def planes(codes: Sequence[Codes]) -> tuple[bytes, int]:
    """Return codes in one block, grouped by byte position to compress well, and bytes per code."""
    largest = max((int(one.max(initial=0)) for one in codes), default=0)
    width = (largest.bit_length() + 7) // 8
    block = np.empty((width, sum(one.size for one in codes)), np.uint8)
    begin = 0
    for one in codes:  # in turn, since one array of all would need several times the memory
        rows = one.astype("<u8", copy=False).view("u1").reshape(-1, 8)
        block[:, begin : begin + one.size] = rows[:, :width].T
        begin += one.size
    return block.tobytes(), width
