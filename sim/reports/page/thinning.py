"""Thinning: the choice of the samples of a curve that a page keeps.

The lowest and the highest sample of each bucket are kept, so that a plot looks unchanged, and every
sample that fails a check.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array, Mask

Indices = NDArray[np.int64]

EASY = 1200  # samples below which a curve is not thinned
BUCKETS = (480, 1000)  # least and most: a bucket per pixel, and resolution for zooming
BUCKET = 20  # samples per bucket, between those two
MOST_FAILING = 400_000  # failing samples kept in all; beyond, ends and extremes of buckets
MOST_INTERVALS = 200  # strips a plot can show


def samples_to_keep(series: Sequence[Array], error: Array, bad: Mask | None, total: int) -> Indices:
    """Return the samples of a channel that the page keeps.

    Parameters
    ----------
    series : sequence of ndarray, shape (N,)
        Curves whose extremes are shown: recorded values, errors with a limit, differences of other
        runs.
    error : ndarray, shape (N,)
        Recorded minus analytic.
    bad : ndarray of bool, shape (N,), or None
        Failing samples, if any fails.
    total : int
        Number of failing samples of all channels.
    """
    count = error.size
    keep = np.full(count, count <= EASY)
    keep[[0, -1]] = True
    if count > EASY:
        for values in series:
            keep[extremes(values, min(max(count // BUCKET, BUCKETS[0]), BUCKETS[1]))] = True
    if bad is not None:
        keep |= bad if total <= MOST_FAILING else _sketch(bad, error)
    return np.flatnonzero(keep)


def _sketch(bad: Mask, error: Array) -> Mask:
    """Reduce failing samples to the ends of each interval and extremes of narrow buckets."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], bad, [False]])))
    keep = np.zeros(bad.size, dtype=bool)
    if edges.size <= 4 * BUCKETS[0]:
        keep[edges[::2]] = keep[edges[1::2] - 1] = True
    keep[extremes(np.where(bad, error, 0.0), 4 * BUCKETS[0])] = True
    return keep & bad


def extremes(values: Array, buckets: int) -> Indices:
    """Return the samples of the lowest and highest value in each of at most `buckets` buckets."""
    width = -(-values.size // buckets)
    full = -(-values.size // width)
    padded = values
    if beyond := full * width - values.size:
        padded = np.concatenate([values, values[-1:].repeat(beyond)])
    padded = padded.reshape(full, width)
    start = width * np.arange(full)
    low = start + np.argmin(padded, axis=1)
    high = start + np.argmax(padded, axis=1)
    return np.minimum(np.concatenate([low, high]), values.size - 1)


def intervals(t: Array, bad: Mask) -> list[tuple[float, float]]:
    """Return first and last time of each interval of bad samples; the closest intervals joined."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], bad, [False]])))
    start, end = t[edges[::2]], t[edges[1::2] - 1]
    if start.size > MOST_INTERVALS:
        gaps = start[1:] - end[:-1]
        widest = np.sort(np.argsort(gaps, kind="stable")[-(MOST_INTERVALS - 1) :])
        start = np.concatenate([start[:1], start[widest + 1]])
        end = np.concatenate([end[widest], end[-1:]])
    return [(float(a), float(b)) for a, b in zip(start, end, strict=True)]
