"""Cells of a box of numbers x, and the peaks and energies of ``base + Σ x_j slope_j`` there.

Within a cell few samples can hold the largest value, and the sign of most powers is the same. The
others are left out, so that a case costs a few samples instead of all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sim.maths.arrays import Array

IntArray = np.ndarray[tuple[int, ...], np.dtype[np.intp]]

CELLS = 32  # into which the range of a single number is divided
ROUNDING = 1e-13  # of the largest value: more than the rounding of a sum of a few terms
NUMBERS = 400_000  # values that are evaluated at once: they stay in the cache


@dataclass(frozen=True, eq=False)
class AffineRows:
    """Curves of one channel, ``base + Σ x_j slope_j``.

    Parameters
    ----------
    base : ndarray, shape (N,)
    slope : ndarray, shape (m, N)
    """

    base: Array
    slope: Array

    def at(self, x: Array) -> Array:
        """The curves of cases x (B, m), as (B, N).

        Term by term, for a product of matrices would round differently for another B.
        """
        found = np.empty((x.shape[0], self.base.size))
        found[:] = self.base if not len(self.slope) else x[:, :1] * self.slope[0]
        for k in range(1, len(self.slope)):
            found += x[:, k : k + 1] * self.slope[k]
        if len(self.slope):
            found += self.base
        return found

    def take(self, samples: IntArray) -> AffineRows:
        """The curves at some of the samples."""
        return AffineRows(self.base[samples], self.slope[:, samples])

    def times(self, factor: Array) -> AffineRows:
        """The curves, each sample multiplied by a factor (N,)."""
        return AffineRows(self.base * factor, self.slope * factor)

    def bounds(self, low: Array, high: Array) -> tuple[Array, Array]:
        """The least and the largest value of each sample for low ≤ x ≤ high, (N,) each."""
        middle = self.base + ((low + high) / 2) @ self.slope
        reach = ((high - low) / 2) @ np.abs(self.slope)
        sizes = np.abs(self.base) + np.maximum(np.abs(low), np.abs(high)) @ np.abs(self.slope)
        reach += ROUNDING * np.max(sizes, initial=0.0)
        return middle - reach, middle + reach


class Peaks:
    """The largest magnitude of curves for low ≤ x ≤ high, from the samples that can hold it.

    Parameters
    ----------
    rows : AffineRows
    low, high : ndarray, shape (m,)
    """

    def __init__(self, rows: AffineRows, low: Array, high: Array) -> None:
        least, most = rows.bounds(low, high)
        sure = max(float(np.max(least)), float(np.max(-most)), 0.0)
        (self.samples,) = np.nonzero(~(np.maximum(most, -least) < sure))  # NaN is among them
        self.rows = rows.take(self.samples)

    def evaluate(self, x: Array) -> tuple[Array, IntArray]:
        """The largest magnitudes of cases x (B, m), and their samples: the first of equal ones."""
        sizes, samples = in_blocks(self._evaluate, x, self.samples.size)
        return sizes, samples.astype(np.intp)

    def _evaluate(self, x: Array) -> tuple[Array, Array]:
        values, every = self.rows.at(x), np.arange(len(x))
        high, low = values.argmax(axis=1), values.argmin(axis=1)
        is_high = values[every, high] >= -values[every, low]
        at = np.where(is_high, high, low)
        return np.abs(values[every, at]), self.samples[at]


class Delivered:
    """The weighted sum of positive values of curves for low ≤ x ≤ high.

    Parameters
    ----------
    rows : AffineRows
        Powers.
    weights : ndarray, shape (N,)
        Of the samples [s].
    low, high : ndarray, shape (m,)
    """

    def __init__(self, rows: AffineRows, weights: Array, low: Array, high: Array) -> None:
        least, most = rows.bounds(low, high)
        always = least > 0
        (undecided,) = np.nonzero(~((most <= 0) | always))  # NaN is among them
        self.weights, self.undecided = weights[undecided], rows.take(undecided)
        self.base = float(np.sum(np.where(always, rows.base * weights, 0.0)))
        self.slope = np.sum(np.where(always, rows.slope * weights, 0.0), axis=1)

    def evaluate(self, x: Array) -> Array:
        """The sums of cases x (B, m), as (B,)."""
        (found,) = in_blocks(self._evaluate, x, self.undecided.base.size)
        return found

    def _evaluate(self, x: Array) -> tuple[Array]:
        values = np.maximum(self.undecided.at(x), 0.0)
        sums = np.full(len(x), self.base) + sum_weighted(values, self.weights)
        for k, slope in enumerate(self.slope):
            sums += x[:, k] * slope
        return (sums,)


@dataclass(frozen=True, eq=False)
class AffineCell:
    """One part of a box of numbers, with what is evaluated there.

    Parameters
    ----------
    torques, powers : tuple of AffineRows
        Of each row of joints.
    weights : ndarray, shape (N,)
        Of the trapezoidal rule [s].
    low, high : ndarray, shape (m,)
    """

    torques: tuple[AffineRows, ...]
    powers: tuple[AffineRows, ...]
    weights: Array
    low: Array
    high: Array

    @cached_property
    def torque_peaks(self) -> tuple[Peaks, ...]:
        """Of each row of joints."""
        return tuple(Peaks(rows, self.low, self.high) for rows in self.torques)

    @cached_property
    def power_peaks(self) -> tuple[Peaks, ...]:
        """Of each row of joints."""
        return tuple(Peaks(rows, self.low, self.high) for rows in self.powers)

    @cached_property
    def deliveries(self) -> tuple[Delivered, ...]:
        """Energy that each drive delivers [J]."""
        return tuple(Delivered(rows, self.weights, self.low, self.high) for rows in self.powers)


def cell_of(x: Array, low: Array, high: Array) -> Array:
    """Which cell of a box each case x (B, m) is in, by x alone: one of `CELLS` of one number."""
    if x.shape[1] != 1 or not np.all(high > low):
        return np.zeros(len(x), dtype=int)
    share = (x[:, 0] - low[0]) / (high[0] - low[0])
    return np.clip((CELLS * share).astype(int), 0, CELLS - 1)


def ends_of(cell: int, low: Array, high: Array) -> tuple[Array, Array]:
    """The ends of a cell, a rounding beyond what `cell_of` puts there."""
    if low.size != 1 or not np.all(high > low):
        return low, high
    width = (high - low) / CELLS
    spare = ROUNDING * np.maximum(np.abs(low), np.abs(high))
    return low + cell * width - spare, low + (cell + 1) * width + spare


def sum_weighted(curves: Array, weights: Array) -> Array:
    """Sums of the samples of each curve by their weights; (B, N) `curves` are overwritten.

    A product of matrices would round otherwise for each B, and so for each way to part the cases.
    """
    curves *= weights
    return np.asarray(curves.sum(axis=1))


def in_blocks(
    evaluate: Callable[[Array], tuple[Array, ...]], x: Array, samples: int
) -> tuple[Array, ...]:
    """What is evaluated of cases (B, m), as many at once as their samples allow."""
    size = max(1, NUMBERS // max(samples, 1))
    parts = [evaluate(x[begin : begin + size]) for begin in range(0, len(x), size)]
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))
