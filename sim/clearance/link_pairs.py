"""Two links, or a link and the floor: distance at poses, and a lower bound near them.

The signed distance of two convex bodies is the largest separation along any direction n, so that
the separation along a direction fixed in the first body is a lower bound at every time. In its
frame the bodies' points move linearly in time except for their accelerations, so that within `half`
of a time

    d >= min_b (n·x_b ± half n·x'_b) - max_a n·x_a - half² a / 2

    n·x ± half n·x' = m·x ± half n·v,      m = n ± half n × w

with velocities and acceleration relative to the first body. A distance that is constant while
joints turn, as between parallel rods, has a constant bound. Distant pieces are bounded by their
balls and the largest speed alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sim.clearance.pairs import Pair
from sim.clearance.pieces import ConvexPiece, growth
from sim.clearance.sampled_motion import SampledMotion
from sim.kinematics.forward import BodyPoses
from sim.kinematics.pair_motion import PairMotion
from sim.maths.arrays import Array

Points = tuple[Array, Array]

UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Looked:
    """Bounds in intervals of time, from the distances at their middles.

    Parameters
    ----------
    bound : ndarray, shape (M,)
        Lower bound of the distance within the interval [m].
    distance : ndarray, shape (M,)
        At the middle if it was needed, else infinite [m].
    pieces : ndarray, shape (K, M)
        Bound of each pair of pieces, valid in every part of the interval [m].
    """

    bound: Array
    distance: Array
    pieces: Array


class Queries(Protocol):
    """Distances of pieces by one library, see `sim.clearance.coal_queries`."""

    def pose(self, R: Array, p: Array) -> Any:
        """Return a pose for `distance`."""

    def distance(self, a: int, b: int, pose_a: Any, pose_b: Any) -> float:
        """Return the signed distance of two pieces at poses [m]."""

    @property
    def normal(self) -> Array:
        """Return the unit vector from the first to the second piece of the last `distance`."""

    @property
    def points(self) -> Points:
        """Return the nearest points of the last `distance` [m]."""


class JudgedPair(Protocol):
    """Pair of links, as used by the search between samples."""

    @property
    def pair(self) -> Pair:
        """Names of the two links."""

    @property
    def motion(self) -> PairMotion:
        """Motion of the second link relative to the first."""

    def look(
        self,
        run: SampledMotion,
        begin: Array,
        end: Array,
        limit: float,
        margin: float | None = None,
        known: Array | None = None,
    ) -> Looked:
        """Return distances at the middles of intervals, and bounds within.

        Parameters
        ----------
        begin, end : ndarray, shape (M,)
            Ends of the intervals [s].
        limit : float
            A distance that cannot be lower is not computed [m].
        margin : float, optional
            The limit decreases with the results: to this much below the least [m].
        known : ndarray, shape (K, M), optional
            Bounds of pairs of pieces from intervals that contain these [m].
        """

    def nearest(self, poses: BodyPoses) -> tuple[float, Points]:
        """Return the signed distance at one pose, and the nearest points in the world [m]."""


@dataclass(frozen=True, eq=False)
class LinkPair:
    """Two links, with all pairs of their pieces.

    Parameters
    ----------
    pair : tuple of two str
    a, b : ndarray of int, shape (K,)
        Indices of the pieces of each pair.
    pieces : sequence of ConvexPiece
        Of all links.
    queries : Queries
        Queries of these pieces.
    motion : PairMotion
    """

    pair: Pair
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    pieces: Sequence[ConvexPiece]
    queries: Queries
    motion: PairMotion

    @property
    def bodies(self) -> tuple[int, int]:
        """Bodies of the tree that carry the two links."""
        return self.pieces[self.a[0]].body, self.pieces[self.b[0]].body

    @cached_property
    def _balls(self) -> tuple[Array, Array, Array]:
        """Centres of both pieces of each pair, in their bodies, and the sum of their radii."""
        first, second = ([self.pieces[k] for k in side] for side in (self.a, self.b))
        return (
            np.array([piece.centre for piece in first]),
            np.array([piece.centre for piece in second]),
            np.array([one.radius + two.radius for one, two in zip(first, second, strict=True)]),
        )

    def between_balls(self, poses: BodyPoses) -> Array:
        """Return the distance of the balls about the pieces of each pair, a lower bound, (K, M)."""
        first, second, radii = self._balls
        (R, p), (S, s) = (rotations_and_origins(poses, body) for body in self.bodies)
        away = np.einsum("Mij,kj->ikM", R, first) + p.T[:, None]
        away -= np.einsum("Mij,kj->ikM", S, second) + s.T[:, None]
        return np.asarray(np.sqrt(np.einsum("ikM,ikM->kM", away, away)) - radii[:, None])

    def look(
        self,
        run: SampledMotion,
        begin: Array,
        end: Array,
        limit: float,
        margin: float | None = None,
        known: Array | None = None,
    ) -> Looked:
        """See `JudgedPair.look`."""
        middle, half = (begin + end) / 2, (end - begin) / 2
        poses = run.poses_at(middle)
        rate = run.largest_within(run.largest_rates, begin, end)
        low = self.between_balls(poses) - self.motion.speed_bound(rate) * half
        sides = [rotations_and_origins(poses, body) for body in self.bodies]
        low = low if known is None else np.maximum(low, known)
        distance = np.full(middle.size, np.inf)
        by_interval: dict[int, list[tuple[int, Array]]] = {}
        rows, columns = np.nonzero(low < limit)
        a, b = self.a.tolist(), self.b.tolist()
        poses_of = [[self.queries.pose(R[m], p[m]) for m in range(middle.size)] for R, p in sides]
        nearest_first = np.argsort(low[rows, columns], kind="stable")
        for k, m in zip(rows[nearest_first].tolist(), columns[nearest_first].tolist(), strict=True):
            if low[k, m] >= limit:
                break
            d = self.queries.distance(a[k], b[k], poses_of[0][m], poses_of[1][m])
            distance[m] = min(distance[m], d)
            limit = limit if margin is None else min(limit, d - margin)
            by_interval.setdefault(k, []).append((m, self.queries.normal))
        change = run.largest_within(run.largest_changes, begin, end)
        bend = self.motion.acceleration_bound(rate, change)
        w, v = self.motion.twist(poses, run.rates_at(middle))
        for k, those in by_interval.items():
            m, n = np.array([one for one, _ in those]), np.array([normal for _, normal in those])
            first, second = (Corners.of([self.pieces[side[k]]]) for side in (self.a, self.b))
            (R, p), (S, s) = ((R[m], p[m]) for R, p in sides)
            ahead = -first.lowest(-n, R, p)
            _, bound = lowest_along(second, n, S, s, w.T[m], v.T[m], half[m])
            bound -= ahead + bend[m] * half[m] ** 2 / 2
            low[k, m] = np.maximum(low[k, m], bound)
        return Looked(low.min(axis=0), distance, low)

    def nearest(self, poses: BodyPoses) -> tuple[float, Points]:
        """See `JudgedPair.nearest`."""
        low = self.between_balls(poses)[:, 0]
        first, second = (
            self.queries.pose(R[0], p[0])
            for R, p in (rotations_and_origins(poses, body) for body in self.bodies)
        )
        best, points = np.inf, (np.zeros(3), np.zeros(3))
        for k in np.argsort(low):
            if low[k] >= best:
                break
            d = self.queries.distance(int(self.a[k]), int(self.b[k]), first, second)
            if d < best:
                best, points = d, self.queries.points
        return best, points


@dataclass(frozen=True, eq=False)
class OverFloor:
    """A link above a floor.

    Parameters
    ----------
    pair : tuple of two str
    body : int
    corners : Corners
        Of the link's pieces, in the frame of its body.
    height : float
        Height of the floor in the world [m].
    motion : PairMotion
        Motion of the link in the world.
    """

    pair: Pair
    body: int
    corners: Corners
    height: float
    motion: PairMotion

    def heights(self, poses: BodyPoses) -> Array:
        """Return heights of the link's lowest point above the floor, (M,) [m]."""
        R, p = rotations_and_origins(poses, self.body)
        return self.corners.lowest(np.broadcast_to(UP, p.shape), R, p) - self.height

    def look(
        self,
        run: SampledMotion,
        begin: Array,
        end: Array,
        limit: float,
        margin: float | None = None,
        known: Array | None = None,
    ) -> Looked:
        """See `JudgedPair.look`."""
        middle, half = (begin + end) / 2, (end - begin) / 2
        poses = run.poses_at(middle)
        rate = run.largest_within(run.largest_rates, begin, end)
        change = run.largest_within(run.largest_changes, begin, end)
        w, v = self.motion.twist(poses, run.rates_at(middle))
        R, p = rotations_and_origins(poses, self.body)
        up = np.broadcast_to(UP, (middle.size, 3))
        bend = self.motion.acceleration_bound(rate, change) * half**2 / 2
        where, low = lowest_along(self.corners, up, R, p, w.T, v.T, half)
        bound = low - self.height - bend
        return Looked(bound, where - self.height, bound[None])

    def nearest(self, poses: BodyPoses) -> tuple[float, Points]:
        """See `JudgedPair.nearest`."""
        R, p = rotations_and_origins(poses, self.body)
        point = R[0] @ self.corners.lowest_point(R[0].T @ UP) + p[0]
        below = np.array([point[0], point[1], self.height])
        return float(point[2] - self.height), (below, point)


def rotations_and_origins(poses: BodyPoses, body: int) -> tuple[Array, Array]:
    """Return rotations (M, 3, 3) and origins (M, 3) of a body (-1: the world), one row per pose."""
    R, p = poses.rotation(body, np.eye(3)), poses.point(body, np.zeros(3))
    return np.ascontiguousarray(np.moveaxis(R, 2, 0)), np.ascontiguousarray(p.T)


@dataclass(frozen=True, eq=False)
class Corners:
    """Vertices of pieces of one body, each grown; see `sim.clearance.pieces`.

    Parameters
    ----------
    vertices : ndarray, shape (V, 3)
        [m]
    grown : ndarray, shape (V,)
        [m]
    axes : ndarray, shape (V, 3)
    """

    vertices: Array
    grown: Array
    axes: Array

    @classmethod
    def of(cls, pieces: Sequence[ConvexPiece]) -> Corners:
        """Return the vertices of some pieces."""
        count = [len(one.vertices) for one in pieces]
        grown = np.repeat([one.grown for one in pieces], count)
        axes = np.repeat([one.axis for one in pieces], count, axis=0)
        return cls(np.concatenate([one.vertices for one in pieces]), grown, axes)

    @cached_property
    def _is_round(self) -> bool:
        return bool(self.grown.any())

    def along(self, m: Array) -> Array:
        """Return the least m·x of each, for vectors m (M, 3) in the frame of the body, (M, V)."""
        least = m @ self.vertices.T
        return np.asarray(least - growth(self.grown, self.axes, m)) if self._is_round else least

    def lowest(self, m: Array, R: Array, p: Array) -> Array:
        """Return min m·x at poses R (M, 3, 3), p (M, 3), for world vectors m (M, 3), (M,)."""
        local = np.einsum("Mji,Mj->Mi", R, m)
        return np.asarray(self.along(local).min(axis=1) + np.einsum("Mi,Mi->M", m, p))

    def lowest_point(self, m: Array) -> Array:
        """Return the point with the least m·x, for one vector in the body's frame, (3,) [m]."""
        k = int(np.argmin(self.along(m[None])))
        across = m - self.axes[k] * (self.axes[k] @ m)
        size = np.linalg.norm(across)
        return np.asarray(self.vertices[k] - self.grown[k] * across / (size if size else 1.0))


def lowest_along(
    corners: Corners, n: Array, R: Array, p: Array, w: Array, v: Array, half: Array
) -> tuple[Array, Array]:
    """Return min_b n·x_b and min_b (n·x_b ± half n·x'_b), (M,) each, of points with (w, v)."""
    speed, turning = np.einsum("Mi,Mi->M", n, v), half[:, None] * np.cross(n, w)
    ends = [corners.lowest(n + sign * turning, R, p) + sign * half * speed for sign in (1.0, -1.0)]
    return corners.lowest(n, R, p), np.minimum(*ends)
