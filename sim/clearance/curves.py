"""Smallest distance of pairs of links at every sample.

In the middle of each block of samples, the pieces that can be the nearest within the block are
determined; at its other samples only these are examined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.clearance.link_pairs import LinkPair, Points, Queries, rotations_and_origins
from sim.clearance.pieces import ConvexPiece
from sim.clearance.sampled_motion import SampledMotion
from sim.maths.arrays import Array, Mask

BLOCKS = 1000  # blocks of a run
Candidates = list[tuple[int, int]]  # pairs of pieces, by index


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
    pairs: Sequence[LinkPair],
    active: Sequence[Mask],
    placed: Sequence[PlacedPieces],
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
