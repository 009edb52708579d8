"""Work: running integral of a power known at samples."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from sim.maths.arrays import Array, Mask, distinct
from sim.maths.pieces import by_pieces
from sim.maths.sampling import SAME_TIME

# Nodes of Gauss's rule on [0, 1]: the average of both values is the mean of a cubic, exactly.
GAUSS = (0.5 - 0.5 / np.sqrt(3), 0.5 + 0.5 / np.sqrt(3))

# Nodes and weights of Gauss's rule on [0, 1] that is exact for fifth degree polynomials: the power
# of a damper on a cubic spline is one of fourth degree.
INSIDE = (0.5 - 0.5 * np.sqrt(0.6), 0.5, 0.5 + 0.5 * np.sqrt(0.6))
WEIGHTS = (5 / 18, 8 / 18, 5 / 18)

CUBIC = 4  # samples that define one

# Steps in a row below which samples between two breaks are too few: the cubics at both ends of a
# row are one-sided, and so short a piece bends as strongly as its drive.
SHORT = 10


def cumulative(
    power: ArrayLike, t: ArrayLike, jumps: ArrayLike = (), before: ArrayLike | None = None
) -> Array:
    """Return the running integral W(t_k) = ∫ P dt from t_0 to t_k, zero at the first sample.

    Between two samples the power is the cubic through them and their neighbours; the error is of
    fourth order in the step where the power is smooth. Cubics do not cross a jump: on each side of
    it the neighbours are from that side alone. A jump or bend between two samples is not known here
    and costs up to half the jump times the step; a sample there avoids this.

    Parameters
    ----------
    power : array_like, shape (..., N)
        Power; at a jump the value to its right [W].
    t : array_like, shape (N,)
        Ascending times, evenly spaced or not [s].
    jumps : array_like of int, shape (K,)
        Ascending indices of samples at which the power jumps or bends.
    before : array_like, shape (..., K), optional
        Power to the left of each jump [W]; omitted if it only bends.

    Returns
    -------
    ndarray, shape (..., N)
        [J]

    Raises
    ------
    ValueError
        If the shapes do not match.
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
    ends = distinct([0, *at, last])
    at_end = P.copy()
    at_end[..., at] = before_jumps
    steps = [np.zeros((*P.shape[:-1], 0))]
    for begin, end in pairwise(ends):
        smooth = np.concatenate([P[..., begin:end], at_end[..., end : end + 1]], axis=-1)
        steps.append(_over_steps(smooth, time[begin : end + 1]))
    return _running_sum(np.concatenate(steps, axis=-1))


class Nodes(Struct, frozen=True, eq=False):
    """Times inside the steps that require more than samples of power, for Gauss's rule.

    Parameters
    ----------
    step : ndarray of int, shape (M,)
        Step of each node; step k is between samples k and k + 1.
    t : ndarray, shape (M,)
        Ascending; on no sample and no break [s].
    weight : ndarray, shape (M,)
        Weights, which sum to the length of each step [s].
    """

    step: NDArray[np.intp]
    t: Array
    weight: Array


def nodes_near(breaks: Array, t: Array) -> Nodes:
    """Return three nodes for each piece between breaks of each step that a break touches.

    A power that jumps at a sample has two values there and a sample one; between breaks it is
    smooth, so Gauss's rule needs neither. Rows of fewer than `SHORT` steps without a break have
    nodes too.

    Parameters
    ----------
    breaks : ndarray, shape (B,)
        Times where the power or a derivative of it jumps, in any order [s]; one at the start has no
        effect, since the first sample is the value after it.
    t : ndarray, shape (N,)
        Ascending sample times [s].
    """
    near = distinct(breaks[(breaks > t[0] + SAME_TIME) & (breaks < t[-1] + SAME_TIME)])
    touched = np.zeros(t.size + 1, dtype=bool)  # padded at both ends, so shifted by one
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
    ends = distinct(t, near[distance > SAME_TIME])
    step = np.searchsorted(t, ends[:-1], side="right") - 1
    has_nodes = noded[step]
    begins, lengths = ends[:-1][has_nodes], np.diff(ends)[has_nodes]
    return Nodes(
        step=np.repeat(step[has_nodes], len(INSIDE)),
        t=(begins[:, None] + lengths[:, None] * np.array(INSIDE)).ravel(),
        weight=(lengths[:, None] * np.array(WEIGHTS)).ravel(),
    )


def cumulative_with(nodes: Nodes, inside: Array, power: Array, t: Array) -> Array:
    """Return the running integral W(t_k) = ∫ P dt from t_0 to t_k, by Gauss's rule at nodes.

    Between other samples the power is the cubic through them and their neighbours on the same side
    of all nodes.

    Parameters
    ----------
    inside : ndarray, shape (..., M)
        Power at the nodes [W].
    power : ndarray, shape (..., N)
        Power at the samples; those at breaks are not used [W].
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
    """Return running sums along the last axis, starting with zero."""
    return np.cumsum(np.concatenate([np.zeros((*parts.shape[:-1], 1)), parts], axis=-1), axis=-1)


def _rows_of_steps(noded: Mask) -> list[tuple[int, int]]:
    """Return first and one past the last of each row of consecutive steps without nodes."""
    edges = np.flatnonzero(np.diff(np.concatenate([[True], noded, [True]]).astype(int)))
    return [(int(begin), int(end)) for begin, end in edges.reshape(-1, 2)]


def cubic_of_steps(samples: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return indices of the first and the last sample of each step's cubic."""
    count = min(CUBIC, samples)
    first = np.clip(np.arange(-1, samples - 2), 0, samples - count)
    return first, first + count - 1


def _over_steps(P: Array, t: Array) -> Array:
    """Integrate each step of a smooth piece by Newton's interpolation, shape (..., N - 1)."""
    count = min(CUBIC, t.size)
    first, _ = cubic_of_steps(t.size)

    def integrals(part: slice) -> Array:
        low, high = first[part][0], first[part][-1] + count
        x, difference = t[low:high], P[..., low:high]
        at_step = first[part] - low  # neighbouring cubics share their differences
        coefficients = [difference[..., at_step]]
        for order in range(1, count):
            difference = np.diff(difference) / (x[order:] - x[:-order])
            coefficients.append(difference[..., at_step])
        begin, h = t[:-1][part], np.diff(t[part.start : part.stop + 1])
        total = np.zeros((*P.shape[:-1], h.size))
        for place in GAUSS:
            at = begin + place * h
            value = coefficients[-1]
            for order in range(count - 2, -1, -1):
                value = coefficients[order] + (at - x[at_step + order]) * value
            total += 0.5 * h * value
        return total

    if t.size < 2:
        return np.zeros((*P.shape[:-1], 0))
    return by_pieces(t.size - 1, integrals)


class Estimate(Struct, frozen=True):
    """An integral over samples and its estimated error, in the unit of the quantity.

    Parameters
    ----------
    value : float or None
        None if it was not finite when it was written.
    error : float or None
        None for a table of two samples, which give no estimate.
    """

    value: float | None
    error: float | None

    def over(self, span: float) -> Estimate:
        """Return the mean over a span of time, of which this is the integral."""
        return Estimate(
            None if self.value is None else self.value / span,
            None if self.error is None else self.error / span,
        )

    def root(self) -> Estimate:
        """Return the square root, with the larger of its two one-sided errors."""
        if self.value is None:
            return self
        root = float(np.sqrt(self.value))
        if self.error is None:
            return Estimate(root, None)
        lowest = float(np.sqrt(max(self.value - self.error, 0.0)))
        highest = float(np.sqrt(self.value + self.error))
        return Estimate(root, max(root - lowest, highest - root))


def integral(y: Array, t: Array) -> Estimate:
    """Return ∫ y dt by the trapezoidal rule, with an error estimated from every second sample.

    The absolute differences between the rule over two steps and over one step of twice the length
    are summed. For even steps that is the exact error for a jump on a sample, at least the error
    for a jump or a bend between two, and three times the error for a smooth curve.

    Parameters
    ----------
    y, t : ndarray, shape (N,)
        Ascending times, evenly spaced or not [s].
    """
    h = np.diff(t)
    steps = 0.5 * h * (y[1:] + y[:-1])
    pairs = np.arange(0, h.size - 1, 2)
    if h.size % 2 and h.size > 1:
        pairs = np.append(pairs, h.size - 2)  # the last step is paired with the previous one
    if not pairs.size:
        return Estimate(float(np.sum(steps)), None)
    twice = 0.5 * (h[pairs] + h[pairs + 1]) * (y[pairs] + y[pairs + 2])
    errors = np.abs(steps[pairs] + steps[pairs + 1] - twice)
    return Estimate(float(np.sum(steps)), float(np.sum(errors)))
