"""Work: the running integral of a power known at samples."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.maths.arrays import Array, Mask
from sim.maths.pieces import by_pieces
from sim.maths.sampling import SAME_TIME

# Nodes of Gauss's rule on [0, 1]: half the sum of both values is the mean of a cubic, exactly.
GAUSS = (0.5 - 0.5 / np.sqrt(3), 0.5 + 0.5 / np.sqrt(3))

# Nodes and weights of Gauss's rule on [0, 1] that is exact for a polynomial of fifth degree: the
# heat of a damper under a cubic spline is one of fourth.
INSIDE = (0.5 - 0.5 * np.sqrt(0.6), 0.5, 0.5 + 0.5 * np.sqrt(0.6))
WEIGHTS = (5 / 18, 8 / 18, 5 / 18)

CUBIC = 4  # samples that make one

# Steps in a row below which samples are too few between two breaks: the cubics at both ends of a
# row lean to one side, and a piece of so few steps is bent as strongly as its drive is.
SHORT = 10


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
    before_jumps = P[..., at] if before is None else np.asarray(before, dtype=np.float64)
    if P.shape[-1:] != time.shape or before_jumps.shape != (*P.shape[:-1], *at.shape):
        raise ValueError(
            f"expected N powers for N times and a power before each jump, got {P.shape} powers, "
            f"{time.shape} times, {at.shape} jumps and {before_jumps.shape} powers before them"
        )
    last = time.size - 1
    ends = np.unique([0, *at, last])
    at_end = P.copy()
    at_end[..., at] = before_jumps
    steps = [np.zeros((*P.shape[:-1], 0))]
    for begin, end in pairwise(ends):
        smooth = np.concatenate([P[..., begin:end], at_end[..., end : end + 1]], axis=-1)
        steps.append(_over_steps(smooth, time[begin : end + 1]))
    return _running_sum(np.concatenate(steps, axis=-1))


@dataclass(frozen=True, eq=False)
class Nodes:
    """Times inside the steps whose power samples do not give, for Gauss's rule.

    Parameters
    ----------
    step : ndarray of int, shape (M,)
        Which step each node is in; step k lies between samples k and k + 1.
    t : ndarray, shape (M,)
        Ascending, and on no sample and no break [s].
    weight : ndarray, shape (M,)
        Lengths of time whose sum over a step is the step [s].
    """

    step: NDArray[np.intp]
    t: Array
    weight: Array


def nodes_near(breaks: Array, t: Array) -> Nodes:
    """Three nodes for each piece between breaks of each step that a break touches.

    A power that jumps at a sample has two values there and a sample has one; between breaks it is
    smooth, and so Gauss's rule needs neither. Steps that no break touches, but fewer than `SHORT`
    of them in a row, have nodes too.

    Parameters
    ----------
    breaks : ndarray, shape (B,)
        Times where the power or a derivative of it jumps, in any order; one at the start touches
        nothing, since the first sample is what comes after it [s].
    t : ndarray, shape (N,)
        Ascending sample times [s].
    """
    near = np.unique(breaks[(breaks > t[0] + SAME_TIME) & (breaks < t[-1] + SAME_TIME)])
    touched = np.zeros(t.size + 1, dtype=bool)  # one more at both ends, and each a place later
    touched[np.searchsorted(t, near - SAME_TIME)] = True
    touched[np.searchsorted(t, near + SAME_TIME, side="right")] = True
    noded = touched[1:-1]
    for begin, end in _rows_of_steps(noded):
        noded[begin:end] |= end - begin < min(SHORT, noded.size)
    samples = np.searchsorted(t, near)
    distance = np.minimum(
        np.abs(near - t[np.clip(samples - 1, 0, t.size - 1)]),
        np.abs(near - t[np.clip(samples, 0, t.size - 1)]),
    )
    ends = np.union1d(t, near[distance > SAME_TIME])
    step = np.searchsorted(t, ends[:-1], side="right") - 1
    kept = noded[step]
    begins, lengths = ends[:-1][kept], np.diff(ends)[kept]
    return Nodes(
        step=np.repeat(step[kept], len(INSIDE)),
        t=(begins[:, None] + lengths[:, None] * np.array(INSIDE)).ravel(),
        weight=(lengths[:, None] * np.array(WEIGHTS)).ravel(),
    )


def cumulative_with(nodes: Nodes, inside: Array, power: Array, t: Array) -> Array:
    """Running integral W(t_k) = ∫ P dt from t_0 to t_k: Gauss's rule where there are nodes.

    Between other samples the power is the cubic through them and their neighbours, on the same side
    of all nodes.

    Parameters
    ----------
    inside : ndarray, shape (..., M)
        The power at the nodes [W].
    power : ndarray, shape (..., N)
        The power at the samples; one that is a break does not count [W].
    t : ndarray, shape (N,)
        Ascending times [s].

    Returns
    -------
    ndarray, shape (..., N)
        [J]
    """
    noded = np.zeros(t.size - 1, dtype=bool)
    noded[nodes.step] = True
    steps = np.zeros((*power.shape[:-1], t.size - 1))
    for begin, end in _rows_of_steps(noded):
        steps[..., begin:end] = _over_steps(power[..., begin : end + 1], t[begin : end + 1])
    passed = np.searchsorted(nodes.step, np.arange(t.size))  # nodes before each sample
    return np.asarray(_running_sum(steps) + _running_sum(nodes.weight * inside)[..., passed])


def _running_sum(parts: Array) -> Array:
    """Running sums along the last axis, the first of nothing."""
    return np.cumsum(np.concatenate([np.zeros((*parts.shape[:-1], 1)), parts], axis=-1), axis=-1)


def _rows_of_steps(noded: Mask) -> list[tuple[int, int]]:
    """First and one past the last of the steps without nodes that lie in a row."""
    edges = np.flatnonzero(np.diff(np.concatenate([[True], noded, [True]]).astype(int)))
    return [(int(begin), int(end)) for begin, end in edges.reshape(-1, 2)]


def cubic_of_steps(samples: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Numbers of the first and the last sample that make the cubic of each step."""
    count = min(CUBIC, samples)
    first = np.clip(np.arange(-1, samples - 2), 0, samples - count)
    return first, first + count - 1


def _over_steps(P: Array, t: Array) -> Array:
    """Integral over each step of a smooth piece, by Newton's interpolation, shape (..., N - 1)."""
    count = min(CUBIC, t.size)
    first, _ = cubic_of_steps(t.size)

    def integrals(part: slice) -> Array:
        nodes = first[part] + np.arange(count)[:, None]
        x, difference = t[nodes], P[..., nodes]  # nodes down the second last axis, steps along last
        coefficients = [difference[..., 0, :]]
        for order in range(1, count):
            difference = np.diff(difference, axis=-2) / (x[order:] - x[:-order])
            coefficients.append(difference[..., 0, :])
        begin, h = t[:-1][part], np.diff(t)[part]
        total = np.zeros((*P.shape[:-1], h.size))
        for place in GAUSS:
            at = begin + place * h
            value = coefficients[-1]
            for order in range(count - 2, -1, -1):
                value = coefficients[order] + (at - x[order]) * value
            total += 0.5 * h * value
        return total

    return by_pieces(t.size - 1, integrals)


@dataclass(frozen=True)
class Estimate:
    """An integral over samples and how far off it may be, in the unit of the quantity.

    Parameters
    ----------
    value : float or None
        None where it was no number before it was written down.
    error : float or None
        None in a table of two samples, which do not give it.
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
