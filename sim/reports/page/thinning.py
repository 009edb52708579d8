"""Thinning: which samples of a curve a page keeps, and how finely it rounds them.

Of each bucket of samples the lowest and the highest stay, so that a plot looks as it would with
all of them; and every sample that fails a check.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array, Mask
from sim.reports.page.plotted_channels import Channel

Indices = NDArray[np.int64]

EASY = 1200  # samples that need no thinning
BUCKETS = (480, 1000)  # least and most: a bucket a pixel, and room to come nearer in long runs
BUCKET = 20  # samples, between those two
MOST_FAILING = 400_000  # failing samples kept in all; beyond, their buckets' ends and extremes
MOST_INTERVALS = 200  # strips a plot can show


def kept(
    channels: Sequence[Channel],
    limited: Collection[str],
    failing: Mapping[str, Mask],
    apart: Sequence[Mapping[str, Array]],
    count: int,
) -> list[Indices]:
    """Samples of each channel that the page keeps.

    Parameters
    ----------
    channels : sequence of Channel
    limited : collection of str
        The channels whose errors have a say, since there is a limit to them.
    failing : mapping of str to ndarray of bool, shape (count,)
        Failing samples of each channel that has any.
    apart : sequence of mapping of str to ndarray, shape (count,)
        How far other runs are from each channel.
    count : int
        Samples of the run.
    """
    total = sum(int(bad.sum()) for bad in failing.values())
    samples: list[Indices] = []
    for channel in channels:
        name = channel.name
        series = [channel.recorded, channel.error] if name in limited else [channel.recorded]
        series += [theirs[name] for theirs in apart if name in theirs]
        keep = np.zeros(count, dtype=bool)
        if count <= EASY:
            keep[:] = True
        else:
            keep[[0, -1]] = True
            for values in series:
                keep[extremes(values, min(max(count // BUCKET, BUCKETS[0]), BUCKETS[1]))] = True
        bad = failing.get(name)
        if bad is not None:
            keep |= bad if total <= MOST_FAILING else _sketched(bad, channel.error)
        samples.append(np.flatnonzero(keep))
    return samples


def _sketched(bad: Mask, error: Array) -> Mask:
    """Of too many failing samples: the ends of each row, and the extremes in narrow buckets."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], bad, [False]])))
    keep = np.zeros(bad.size, dtype=bool)
    if edges.size <= 4 * BUCKETS[0]:
        keep[edges[::2]] = keep[edges[1::2] - 1] = True
    keep[extremes(np.where(bad, error, 0.0), 4 * BUCKETS[0])] = True
    return keep & bad


def extremes(values: Array, buckets: int) -> Indices:
    """Sample of the lowest and of the highest value in each of at most `buckets` buckets."""
    width = -(-values.size // buckets)
    full = -(-values.size // width)
    padded = np.pad(values, (0, full * width - values.size), mode="edge").reshape(full, width)
    start = width * np.arange(full)
    low = start + np.argmin(padded, axis=1)
    high = start + np.argmax(padded, axis=1)
    return np.minimum(np.concatenate([low, high]), values.size - 1)


def rounded(values: Array, fraction: float) -> Array:
    """The values to the nearest power of two that is at most `fraction` of the largest."""
    highest = peak(values)
    if fraction * highest < sys.float_info.min:
        return values
    step = 2.0 ** math.floor(math.log2(fraction * highest))
    return np.asarray(np.round(values / step) * step)


def peak(values: Array) -> float:
    """Largest magnitude of the finite values."""
    return float(np.max(np.abs(values), where=np.isfinite(values), initial=0.0))


def intervals(t: Array, bad: Mask) -> list[tuple[float, float]]:
    """First and last time of each row of samples that are bad; the nearest rows joined."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], bad, [False]])))
    start, end = t[edges[::2]], t[edges[1::2] - 1]
    if start.size > MOST_INTERVALS:
        gaps = start[1:] - end[:-1]
        widest = np.sort(np.argsort(gaps, kind="stable")[-(MOST_INTERVALS - 1) :])
        start = np.concatenate([start[:1], start[widest + 1]])
        end = np.concatenate([end[widest], end[-1:]])
    return [(float(a), float(b)) for a, b in zip(start, end, strict=True)]
