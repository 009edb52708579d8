"""Derivative, integral and low-pass filter of samples, with stated rules."""

from __future__ import annotations

import math

import numpy as np

from sim.errors import CurveError
from sim.maths.arrays import Array

FEWEST = 3  # samples of a derivative
ORDERS = range(1, 11)  # orders of a filter
ORDER = 4
# Binary times are off by rounding [of a step].
EVEN = 1e-6


def derivative(t: Array, values: Array) -> Array:
    """Return the slope of the parabola through each sample and its neighbours, shape (N,).

    Its error is h²/6 times the third derivative, and next to a jump of the second one h/4 of the
    jump. The parabola at either end is that of the three samples there.

    Raises
    ------
    CurveError
        If there are fewer than three samples.
    """
    if t.size < FEWEST:
        raise CurveError(f"A derivative needs at least {FEWEST} samples; there are {t.size}")
    return np.asarray(np.gradient(values, t, edge_order=2))


def integral(t: Array, values: Array) -> Array:
    """Return the integral from the first sample on, shape (N,), by the trapezoidal rule.

    Its error is h²/12 times the change of the first derivative, and h/2 of a jump.

    Raises
    ------
    CurveError
        If a sample is not finite, which would invalidate all later values.
    """
    from scipy.integrate import cumulative_trapezoid

    require_finite_samples(t, values, "an integral")
    return np.asarray(cumulative_trapezoid(values, t, initial=0))


def low_pass(t: Array, values: Array, cutoff: float, order: int = ORDER) -> Array:
    """Filter by a zero-phase Butterworth low-pass, (N,): forwards, then backwards in time.

    At the cut-off frequency one pass leaves 1/√2 of an amplitude, both leave 1/2; far above it the
    gain falls with the power 2 × `order` of the frequency. The samples are extended beyond either
    end by point reflection, for one period of the cut-off.

    Parameters
    ----------
    cutoff : float
        [Hz]
    order : int
        Order of one pass, 1 to 10.

    Raises
    ------
    CurveError
        If the samples are not evenly spaced or not finite, or too few; if the cut-off is not
        between 0 and half the sampling rate, or the order not between 1 and 10.
    """
    from scipy import signal

    rate = sampling_rate(t, "a filter")
    if order not in ORDERS:
        raise CurveError(f"A filter's order is a whole number from 1 to 10; got {order}")
    if not 0 < cutoff < rate / 2:
        raise CurveError(
            f"A cut-off of {cutoff:g} Hz is not between 0 and {rate / 2:g} Hz, half the sampling "
            f"rate of {rate:g} Hz"
        )
    require_finite_samples(t, values, "a filter")
    beyond = math.ceil(rate / cutoff)
    if t.size <= beyond:
        raise CurveError(
            f"A filter of {cutoff:g} Hz needs more than {beyond} samples, one period of the "
            f"cut-off; the curve has {t.size}: raise the cut-off or use a longer run"
        )
    sections = signal.butter(order, cutoff, fs=rate, output="sos")
    return np.asarray(signal.sosfiltfilt(sections, values, padtype="odd", padlen=beyond))


def zero_phase(x: Array, rate: float, cutoff: float) -> Array:
    """Apply the filter of `low_pass` along the last axis at a rate [Hz], to rows of any length.

    The samples are extended beyond either end for three periods of the cut-off, or for their
    number.
    """
    from scipy import signal

    sections = signal.butter(ORDER, cutoff, fs=rate, output="sos")
    beyond = min(x.shape[-1] - 1, int(3 * rate / cutoff))
    return np.asarray(signal.sosfiltfilt(sections, x, axis=-1, padtype="odd", padlen=beyond))


def sampling_rate(t: Array, what: str) -> float:
    """Return the sampling rate [Hz] of evenly spaced times.

    Raises
    ------
    CurveError
        If they are fewer than three or not evenly spaced; the message names the place.
    """
    if t.size < FEWEST:
        raise CurveError(f"For {what} at least {FEWEST} samples are needed; there are {t.size}")
    step = (t[-1] - t[0]) / (t.size - 1)
    off = np.abs(t - (t[0] + step * np.arange(t.size)))
    k = int(np.argmax(off))
    if off[k] > EVEN * step:
        raise CurveError(
            f"For {what} the samples must be evenly spaced; the one at {t[k]:.9g} s is "
            f"{off[k]:.3g} s from its place: bring the curve to even times first, curve.at(times)"
        )
    return float(1 / step)


def require_finite_samples(t: Array, values: Array, what: str) -> None:
    """Check that all samples are finite.

    Raises
    ------
    CurveError
        Names the first time at which one is not.
    """
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        k = int(bad[0])
        raise CurveError(f"For {what} all samples must be finite; at {t[k]:.9g} s is {values[k]:g}")
