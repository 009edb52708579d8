"""Peaks and energies of ``base + Σ x_j slope_j`` in the cells of a box of numbers x.

Within a cell few samples can have the largest value, and most powers have a constant sign. The
others are omitted, so that a case evaluates only a few samples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sim.maths.arrays import Array

IntArray = np.ndarray[tuple[int, ...], np.dtype[np.intp]]

CELLS = 32  # divisions of the range of a single number
ROUNDING = 1e-13  # of the largest value: more than the rounding of a sum of a few terms
NUMBERS = 400_000  # values evaluated at once, which fit into the cache


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
        """Return the curves of cases x (B, m), as (B, N).

        Summed term by term, since the rounding of a matrix product depends on B.
        """
        if not len(self.slope):
            return np.tile(self.base, (len(x), 1))
        curves = x[:, :1] * self.slope[0]
        for k in range(1, len(self.slope)):
            curves += x[:, k : k + 1] * self.slope[k]
        curves += self.base
        return np.asarray(curves)

    def take(self, samples: IntArray) -> AffineRows:
        """Return the curves at some of the samples."""
        return AffineRows(self.base[samples], self.slope[:, samples])

    def times(self, factor: Array) -> AffineRows:
        """Return the curves, each sample multiplied by a factor (N,)."""
        return AffineRows(self.base * factor, self.slope * factor)

    def bounds(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Return the minimum and maximum of each sample for low ≤ x ≤ high, (N,) each."""
        middle = self.base + ((low + high) / 2) @ self.slope
        reach = ((high - low) / 2) @ np.abs(self.slope)
        sizes = np.abs(self.base) + np.maximum(np.abs(low), np.abs(high)) @ np.abs(self.slope)
        reach += ROUNDING * np.max(sizes, initial=0.0)
        return middle - reach, middle + reach


class Peaks:
    """Largest magnitude of curves for low ≤ x ≤ high, from the samples that can attain it.

    Parameters
    ----------
    rows : AffineRows
    low, high : ndarray, shape (m,)
    """

    def __init__(self, rows: AffineRows, low: Array, high: Array) -> None:
        least, most = rows.bounds(low, high)
        sure = max(float(np.max(least)), float(np.max(-most)), 0.0)
        (self.samples,) = np.nonzero(~(np.maximum(most, -least) < sure))  # includes NaN
        self.rows = rows.take(self.samples)

    def evaluate(self, x: Array) -> tuple[Array, IntArray]:
        """Return largest magnitudes of cases x (B, m), and their samples: the first if equal."""
        sizes, samples = in_blocks(self._evaluate, x, self.samples.size)
        return sizes, samples.astype(np.intp)

    def _evaluate(self, x: Array) -> tuple[Array, Array]:
        values, every = self.rows.at(x), np.arange(len(x))
        high, low = values.argmax(axis=1), values.argmin(axis=1)
        is_high = values[every, high] >= -values[every, low]
        at = np.where(is_high, high, low)
        return np.abs(values[every, at]), self.samples[at]


class Delivered:
    """Weighted sum of positive values of curves for low ≤ x ≤ high.

    Parameters
    ----------
    rows : AffineRows
        Powers.
    weights : ndarray, shape (N,)
        Weights of the samples [s].
    low, high : ndarray, shape (m,)
    """

    def __init__(self, rows: AffineRows, weights: Array, low: Array, high: Array) -> None:
        least, most = rows.bounds(low, high)
        always = least > 0
        (undecided,) = np.nonzero(~((most <= 0) | always))  # includes NaN
        # While a drive rests its power is zero for all x. These zeros are not evaluated but summed,
        # because rounding depends on the number of terms.
        is_zero = (rows.base[undecided] == 0) & ~rows.slope[:, undecided].any(axis=0)
        (self.moving,), self.terms = np.nonzero(~is_zero), undecided.size
        self.weights = weights[undecided[self.moving]]
        self.undecided = rows.take(undecided[self.moving])
        self.base = float(np.sum(np.where(always, rows.base * weights, 0.0)))
        self.slope = np.sum(np.where(always, rows.slope * weights, 0.0), axis=1)

    def evaluate(self, x: Array) -> Array:
        """Return the sums of cases x (B, m), as (B,)."""
        (sums,) = in_blocks(self._evaluate, x, self.terms)
        return sums

    def _evaluate(self, x: Array) -> tuple[Array]:
        values = np.zeros((len(x), self.terms))
        values[:, self.moving] = np.maximum(self.undecided.at(x), 0.0) * self.weights
        sums = np.full(len(x), self.base) + values.sum(axis=1)
        for k, slope in enumerate(self.slope):
            sums += x[:, k] * slope
        return (sums,)


@dataclass(frozen=True, eq=False)
class AffineCell:
    """One cell of a box of numbers, with the quantities evaluated in it.

    Parameters
    ----------
    torques, powers : tuple of AffineRows
        One for each joint row.
    weights : ndarray, shape (N,)
        Weights of the trapezoidal rule [s].
    low, high : ndarray, shape (m,)
    """

    torques: tuple[AffineRows, ...]
    powers: tuple[AffineRows, ...]
    weights: Array
    low: Array
    high: Array

    @cached_property
    def torque_peaks(self) -> tuple[Peaks, ...]:
        """Torque peaks of each joint row."""
        return tuple(Peaks(rows, self.low, self.high) for rows in self.torques)

    @cached_property
    def power_peaks(self) -> tuple[Peaks, ...]:
        """Power peaks of each joint row."""
        return tuple(Peaks(rows, self.low, self.high) for rows in self.powers)

    @cached_property
    def deliveries(self) -> tuple[Delivered, ...]:
        """Energy delivered by each drive [J]."""
        return tuple(Delivered(rows, self.weights, self.low, self.high) for rows in self.powers)


def cell_of(x: Array, low: Array, high: Array) -> Array:
    """Return the cell of each case x (B, m), by x only: one of `CELLS` for a single number."""
    if x.shape[1] != 1 or not np.all(high > low):
        return np.zeros(len(x), dtype=int)
    share = (x[:, 0] - low[0]) / (high[0] - low[0])
    return np.clip((CELLS * share).astype(int), 0, CELLS - 1)


def ends_of(cell: int, low: Array, high: Array) -> tuple[Array, Array]:
    """Return the ends of a cell, extended by rounding beyond the values of `cell_of`."""
    if low.size != 1 or not np.all(high > low):
        return low, high
    width = (high - low) / CELLS
    spare = ROUNDING * np.maximum(np.abs(low), np.abs(high))
    return low + cell * width - spare, low + (cell + 1) * width + spare


def sum_weighted(curves: Array, weights: Array) -> Array:
    """Return weighted sums over the samples of each curve; (B, N) `curves` are overwritten.

    A matrix product would round differently for each B, and thus for each division of the cases.
    """
    curves *= weights
    return np.asarray(curves.sum(axis=1))


def in_blocks(
    evaluate: Callable[[Array], tuple[Array, ...]], x: Array, samples: int
) -> tuple[Array, ...]:
    """Evaluate cases (B, m), as many at once as their samples allow."""
    size = max(1, NUMBERS // max(samples, 1))
    parts = [evaluate(x[begin : begin + size]) for begin in range(0, len(x), size)]
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))
