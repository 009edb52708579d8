"""Smallest distance between samples with an error bound, and the first touch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.clearance.link_pairs import JudgedPair, Points
from sim.clearance.pairs import Pair
from sim.clearance.sampled_motion import SampledMotion
from sim.maths.arrays import Array

TOLERANCE = 1e-5  # [m]; the search for a smallest distance ends at this bound
RESOLUTION = 1e-6  # [s]; resolution of a first touch
MOST_HALVINGS = 40  # of an interval
MOST_INTERVALS = 30_000  # of a pair, in total
FIRST_INTERVALS = 300  # initial subdivision of a run

Window = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Least:
    """Smallest distance of two links over a run.

    Parameters
    ----------
    pair : tuple of two str
    distance : float
        Negative: penetration depth [m].
    at : float
        [s]
    left_over : float
        How much smaller the distance may be between samples and between the times examined [m].
    points : tuple of two ndarray, shape (3,)
        Nearest points of the two at that time, in the world [m].
    first_touch : float or None
        Time of the first touch, to within `RESOLUTION` [s].
    """

    pair: Pair
    distance: float
    at: float
    left_over: float
    points: Points
    first_touch: float | None


def least_distance(judged: JudgedPair, run: SampledMotion, windows: Sequence[Window]) -> Least:
    """Return the smallest distance of a pair within windows of time.

    Intervals that may contain a smaller distance are halved, all at once.
    """
    begin, end = _first_intervals(run.t, windows)
    best, at, lowest, spent = np.inf, float(begin[0]), np.inf, 0
    known: Array | None = None
    for _ in range(MOST_HALVINGS):
        spent += begin.size
        looked = judged.look(run, begin, end, best - TOLERANCE, TOLERANCE, known)
        m = int(np.argmin(looked.distance))
        if looked.distance[m] < best:
            best, at = float(looked.distance[m]), float(begin[m] + end[m]) / 2
        more = looked.bound < best - TOLERANCE
        lowest = min(lowest, float(looked.bound[~more].min(initial=np.inf)))
        if not more.any() or spent + 2 * int(more.sum()) > MOST_INTERVALS:
            lowest = min(lowest, float(looked.bound[more].min(initial=np.inf)))
            break
        begin, end = _halve(begin[more], end[more])
        known = np.tile(looked.pieces[:, more], 2)
    best, at, points = _polish(judged, run, at, windows)
    touch = first_touch(judged, run, windows) if best <= 0 else None
    return Least(judged.pair, best, at, max(0.0, best - lowest), points, touch)


def first_touch(judged: JudgedPair, run: SampledMotion, windows: Sequence[Window]) -> float | None:
    """Return the first time at which a distance is not positive [s]; None if there is none."""
    begin, end = _first_intervals(run.t, windows)
    starts = np.array([first for first, _ in windows])
    at_start = judged.look(run, starts, starts, math.inf).distance
    first = float(starts[at_start <= 0].min(initial=np.inf))
    known: Array | None = None
    for _ in range(MOST_HALVINGS):
        looked = judged.look(run, begin, end, 0.0, known=known)
        middle = (begin + end) / 2
        first = min(first, float(middle[looked.distance <= 0].min(initial=np.inf)))
        more = (looked.bound <= 0) & (begin < first)
        short = more & (end - begin < RESOLUTION)
        first = min(first, float(begin[short].min(initial=np.inf)))
        more &= ~short & (begin < first)
        if not more.any():
            break
        begin, end = _halve(begin[more], end[more])
        known = np.tile(looked.pieces[:, more], 2)
    return first if math.isfinite(first) else None


def _first_intervals(t: Array, windows: Sequence[Window]) -> tuple[Array, Array]:
    step = max(1, round((t.size - 1) / FIRST_INTERVALS))
    edges = np.union1d(t[::step], t[-1:])
    begins, ends = [], []
    for first, last in windows:
        inside = edges[(edges > first) & (edges < last)]
        whole = np.concatenate([[first], inside, [last]])
        begins.append(whole[:-1])
        ends.append(whole[1:])
    return np.concatenate(begins), np.concatenate(ends)


def _halve(begin: Array, end: Array) -> tuple[Array, Array]:
    middle = (begin + end) / 2
    return np.concatenate([begin, middle]), np.concatenate([middle, end])


def _polish(
    judged: JudgedPair, run: SampledMotion, at: float, windows: Sequence[Window]
) -> tuple[float, float, Points]:
    """Return the neighbouring sample of a least distance if lower, and the nearest points."""
    near = run.t[np.clip(np.searchsorted(run.t, at) + np.arange(-1, 2), 0, run.t.size - 1)]
    times = [float(t) for t in near if any(first <= t <= last for first, last in windows)]
    candidates = [
        (*judged.nearest(run.poses_at(np.array([t]))), t) for t in dict.fromkeys([at, *times])
    ]
    distance, points, t = min(candidates, key=lambda one: one[0])
    return distance, t, points
