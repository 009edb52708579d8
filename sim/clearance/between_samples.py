"""Smallest distance of pairs of links at and between samples, with an error bound; the first touch.

In the middle of each block of samples, the pieces that can be the nearest within the block are
determined; at its other samples only these are examined.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.clearance.link_pairs import JudgedPair, LinkPair, Points, Queries, rotations_and_origins
from sim.clearance.pairs import Pair
from sim.clearance.pieces import ConvexPiece
from sim.clearance.sampled_motion import SampledMotion
from sim.maths.arrays import Array, Mask

TOLERANCE = 1e-5  # [m]; the search for a smallest distance ends at this bound
RESOLUTION = 1e-6  # [s]; resolution of a first touch
MOST_HALVINGS = 40  # of an interval
MOST_INTERVALS = 30_000  # of a pair, in total
FIRST_INTERVALS = 300  # initial subdivision of a run

Window = tuple[float, float]
BLOCKS = 1000  # blocks of a run
Candidates = list[tuple[int, int]]  # pairs of pieces, by index


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


class PlacedPieces:
    """Pieces at the poses of a motion's samples.

    Parameters
    ----------
    run : SampledMotion
    pieces : sequence of ConvexPiece
    queries : Queries
        Queries of these pieces.
    """

    def __init__(self, run: SampledMotion, pieces: Sequence[ConvexPiece], queries: Queries) -> None:
        self.run, self._queries = run, queries
        body_of = [piece.body for piece in pieces]
        frames = {body: rotations_and_origins(run.poses, body) for body in set(body_of)}
        placed = {
            body: [queries.pose(*frame) for frame in zip(R, p, strict=True)]
            for body, (R, p) in frames.items()
        }
        self._poses = [placed[body] for body in body_of]

    @property
    def points(self) -> Points:
        """Return the nearest points of the last `distance` [m]."""
        return self._queries.points

    def distance(self, a: int, b: int, sample: int) -> float:
        """Return the signed distance of two pieces at a sample [m]."""
        return self._queries.distance(a, b, self._poses[a][sample], self._poses[b][sample])


@dataclass(frozen=True, eq=False)
class Smallest:
    """Smallest signed distance of pairs at every sample.

    Parameters
    ----------
    distance : ndarray, shape (N,)
        [m]
    points : ndarray, shape (6, N)
        Nearest points of both links in the world [m].
    """

    distance: Array
    points: Array


def smallest_at_samples(
    pairs: Sequence[LinkPair], active: Sequence[Mask], placed: Sequence[PlacedPieces]
) -> list[Smallest]:
    """Return the smallest signed distance of all pairs at every sample, for each motion.

    Parameters
    ----------
    pairs : sequence of LinkPair
        Pairs of the same pieces.
    active : sequence of ndarray of bool, shape (N,)
        Samples at which a pair counts; there must be at least one.
    placed : sequence of PlacedPieces
        Nearly equal motions at the same times: the engine's and the model's.
    """
    count = placed[0].run.t.size
    results = [Smallest(np.full(count, np.inf), np.empty((6, count))) for _ in placed]
    for block, candidates in _near_pieces(pairs, active, placed):
        for smallest, at in zip(results, placed, strict=True):
            for sample in range(block.start, block.stop):
                for a, b in candidates:
                    d = at.distance(a, b, sample)
                    if d < smallest.distance[sample]:
                        smallest.distance[sample] = d
                        smallest.points[:3, sample], smallest.points[3:, sample] = at.points
    return results


def _near_pieces(
    pairs: Sequence[LinkPair], active: Sequence[Mask], placed: Sequence[PlacedPieces]
) -> list[tuple[slice, Candidates]]:
    """Return blocks of samples, each with all pieces that can be the nearest in it."""
    runs, here_at = [one.run for one in placed], placed[0].distance
    run = runs[0]
    edges = _blocks(run.t.size, active)
    middle = (edges[:-1] + edges[1:]) // 2
    poses = run.poses_at(run.t[middle])
    travel = [_travel(pair, runs, edges, middle) for pair in pairs]
    low = [
        np.where(here[middle], pair.between_balls(poses), np.inf)
        for pair, here in zip(pairs, active, strict=True)
    ]
    owner = np.repeat(np.arange(len(pairs)), [len(pair.a) for pair in pairs])
    a, b = (np.concatenate([getattr(pair, side) for pair in pairs]).tolist() for side in "ab")
    travelled, least = np.array(travel)[owner], np.concatenate(low)
    blocks, last = [], 0
    for m, sample in enumerate(middle.tolist()):
        reachable = least[:, m] - travelled[:, m]
        d = here_at(a[last], b[last], sample) if np.isfinite(reachable[last]) else np.inf
        known = {last: d} if np.isfinite(d) else {}
        most = d + travelled[last, m]  # upper bound of the nearest distance in the block
        near = np.flatnonzero(reachable < most)
        for k in near[np.argsort(reachable[near], kind="stable")].tolist():
            if reachable[k] >= most:
                break
            if k not in known:
                known[k] = here_at(a[k], b[k], sample)
                most = min(most, known[k] + travelled[k, m])
        last = min(known, key=lambda k: known[k])
        block_pairs = [(a[k], b[k]) for k, d in known.items() if d - travelled[k, m] <= most]
        blocks.append((slice(int(edges[m]), int(edges[m + 1])), block_pairs))
    return blocks


def _blocks(samples: int, active: Sequence[Mask]) -> np.ndarray:
    """Return the first samples of all blocks and the number of samples; pairs change at edges."""
    step = max(1, round(samples / BLOCKS))
    changes = [np.flatnonzero(np.diff(here)) + 1 for here in active]
    return np.unique(np.concatenate([np.arange(0, samples, step), [samples], *changes])).astype(int)


def _travel(
    pair: LinkPair, runs: Sequence[SampledMotion], edges: np.ndarray, middle: np.ndarray
) -> Array:
    """Return the travel of a pair's points within each block, and between the motions [m]."""
    run = runs[0]
    speeds = pair.motion.speed_bound(run.largest_rates)
    way = np.concatenate([[0.0], np.cumsum(speeds * np.diff(run.t))])
    difference = np.max([run.distance_to(other) for other in runs], axis=0)
    slack = float(pair.motion.speed_bound(difference[:, None])[0])
    return np.maximum(way[middle] - way[edges[:-1]], way[edges[1:] - 1] - way[middle]) + slack
