"""Work: the running integral of a power known at samples."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from sim.maths.arrays import Array

# Nodes of Gauss's rule on [0, 1]: half the sum of both values is the mean of a cubic, exactly.
GAUSS = (0.5 - 0.5 / np.sqrt(3), 0.5 + 0.5 / np.sqrt(3))


def cumulative(
    power: ArrayLike, t: ArrayLike, jumps: ArrayLike = (), before: ArrayLike | None = None
) -> Array:
    """Running integral W(t_k) = ∫ P dt from t_0 to t_k, zero at the first sample.

    Between two samples the power is the cubic through them and their neighbours, so that the error
    is of fourth order in the step where the power is smooth. No cubic reaches across a jump: on
    each side of it the neighbours are taken from that side alone. A jump or bend between two
    samples is not known here and costs up to half the jump times the step; give the table a sample
    there.

    Parameters
    ----------
    power : array_like, shape (..., N)
        At a jump the value from the right, as it is after it [W].
    t : array_like, shape (N,)
        Ascending times, evenly spaced or not [s].
    jumps : array_like of int, shape (K,)
        Ascending sample numbers at which the power jumps, or is bent.
    before : array_like, shape (..., K), optional
        The power from the left at each jump [W]; left out where it is bent only.

    Returns
    -------
    ndarray, shape (..., N)
        [J]

    Raises
    ------
    ValueError
        If the shapes do not fit together.
    """
    P, time = np.asarray(power, dtype=np.float64), np.asarray(t, dtype=np.float64)
    at = np.asarray(jumps, dtype=np.intp)
    left = P[..., at] if before is None else np.asarray(before, dtype=np.float64)
    if P.shape[-1:] != time.shape or left.shape != (*P.shape[:-1], *at.shape):
        raise ValueError(
            f"expected N powers for N times and a power before each jump, got {P.shape} powers, "
            f"{time.shape} times, {at.shape} jumps and {left.shape} powers before them"
        )
    last = time.size - 1
    ends = np.unique([0, *at, last])
    at_end = P.copy()
    at_end[..., at] = left
    steps = [np.zeros((*P.shape[:-1], 1))]
    for begin, end in pairwise(ends):
        smooth = np.concatenate([P[..., begin:end], at_end[..., end : end + 1]], axis=-1)
        steps.append(_over_steps(smooth, time[begin : end + 1]))
    return np.cumsum(np.concatenate(steps, axis=-1), axis=-1)


def _over_steps(P: Array, t: Array) -> Array:
    """Integral over each step of a smooth piece, by Newton's interpolation, shape (..., N - 1)."""
    count = min(4, t.size)
    step = np.arange(t.size - 1)
    nodes = np.clip(step - 1, 0, t.size - count) + np.arange(count)[:, None]
    x, difference = t[nodes], P[..., nodes]  # nodes down the second last axis, steps along the last
    coefficients = [difference[..., 0, :]]
    for order in range(1, count):
        difference = np.diff(difference, axis=-2) / (x[order:] - x[:-order])
        coefficients.append(difference[..., 0, :])
    h = np.diff(t)
    total = np.zeros((*P.shape[:-1], h.size))
    for place in GAUSS:
        at = t[:-1] + place * h
        value = coefficients[-1]
        for order in range(count - 2, -1, -1):
            value = coefficients[order] + (at - x[order]) * value
        total += 0.5 * h * value
    return total


@dataclass(frozen=True)
class Estimate:
    """An integral over samples and how far off it may be, in the unit of the quantity.

    Parameters
    ----------
    value : float or None
        None where it was no number before it was written down.
    error : float or None
        None in a table of two samples, which cannot tell.
    """

    value: float | None
    error: float | None

    def over(self, span: float) -> Estimate:
        """The mean over a span of time, of which this is the integral."""
        return Estimate(
            None if self.value is None else self.value / span,
            None if self.error is None else self.error / span,
        )

    def root(self) -> Estimate:
        """The square root, whose error is the larger of its two sides."""
        if self.value is None:
            return self
        root = float(np.sqrt(self.value))
        if self.error is None:
            return Estimate(root, None)
        lowest = float(np.sqrt(max(self.value - self.error, 0.0)))
        highest = float(np.sqrt(self.value + self.error))
        return Estimate(root, max(root - lowest, highest - root))


def integral(y: Array, t: Array) -> Estimate:
    """∫ y dt by the trapezoidal rule, with the error that leaving out every second sample shows.

    The differences between the rule over two steps and over one step of twice the length are added
    up without their signs. With even steps that is the error itself of a jump on a sample, no less
    than the error of a jump or a bend between two, and three times the error of a smooth curve.

    Parameters
    ----------
    y, t : ndarray, shape (N,)
        Times ascend, evenly or not [s].
    """
    h = np.diff(t)
    steps = 0.5 * h * (y[1:] + y[:-1])
    pairs = np.arange(0, h.size - 1, 2)
    if h.size % 2 and h.size > 1:
        pairs = np.append(pairs, h.size - 2)  # the last step has its partner before it
    if not pairs.size:
        return Estimate(float(np.sum(steps)), None)
    twice = 0.5 * (h[pairs] + h[pairs + 1]) * (y[pairs] + y[pairs + 2])
    seen = np.abs(steps[pairs] + steps[pairs + 1] - twice)
    return Estimate(float(np.sum(steps)), float(np.sum(seen)))
