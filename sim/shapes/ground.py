"""Floor and pedestal of a picture, and the points that must be visible."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from msgspec import Struct

from sim.maths.arrays import Array, distinct

MARGIN = 0.02  # distance of the floor from the lowest point, relative to the extent
SLIGHT = 0.01  # the floor stays at the base for points lower by this fraction of the extent
SLIMMEST, WIDEST = 0.04, 0.2  # radius of a pedestal, relative to the extent
UPRIGHT = 0.7  # cosine; a base that leans more than 45 degrees is not on the floor
DIRECTIONS = 160  # in which the farthest points are kept
ROUNDING = 1e-9  # [m]
PIECE = 2048  # points per batch, in all directions or at all samples: bounds the memory
SAMPLES = 300  # of a motion, for its shapes; the tool's path is used completely


class Ground(Struct, frozen=True, eq=False):
    """Floor and pedestal of a robot during a motion.

    Parameters
    ----------
    floor : float
        Height of the floor [m].
    pedestal : float
        Radius of the pedestal from floor to base [m]; 0 if the base is on the floor or leans.
    pierced : bool
        Whether the robot enters the pedestal, which is then drawn transparent.
    base : tuple of three floats
        Origin of the base in the world [m].
    reached : ndarray, shape (M, 3)
        Farthest points of robot, pedestal and path, each in some direction [m].
    """

    floor: float
    pedestal: float
    pierced: bool
    base: tuple[float, float, float]
    reached: Array


def ground_of(
    outlines: Mapping[str, Array],
    moving: set[str],
    motions: Sequence[Mapping[str, Array]],
    path: Array,
    T_0b: Array,
) -> Ground:
    """Return the ground of a moving robot.

    Parameters
    ----------
    outlines : mapping of str to ndarray, shape (K, 3)
        Points of each link's shapes in its frame [m].
    moving : set of str
        Links moved by a joint; only these can be lower than the floor at the base.
    motions : sequence of mapping of str to ndarray, shape (4, 4, N)
        Poses of the links in the world during the run, and during each run shown as a ghost [m].
    path : ndarray, shape (P, 3)
        Path of the tool in the world [m].
    T_0b : ndarray, shape (4, 4)
        Pose of the base in the world.
    """
    base = T_0b[:3, 3]
    farthest = {link: far(points) for link, points in outlines.items()}
    path = path[np.isfinite(path).all(axis=1)]
    lowest = float(path[:, 2].min(initial=math.inf))
    reached, across = far(np.vstack([base, path])), 0.0
    for link, points in outlines.items():
        for poses in motions:
            T = poses[link] if link in moving else poses[link][:, :, :1]
            reached = _reach(reached, farthest[link], T)
            if link in moving:
                lowest = min(lowest, _lowest_height(points, T))  # all vertices count here
            else:
                still = pose_points(points, T)[:, :2] - base[:2]
                across = max(across, float(np.linalg.norm(still, axis=1).max()))
    length = float(np.linalg.norm(np.ptp(reached, axis=0))) or 1.0
    floor = float(base[2])
    if lowest < floor - SLIGHT * length:
        floor = lowest - MARGIN * length
    radius, pierced = 0.0, False
    if floor < base[2] and T_0b[2, 2] > UPRIGHT:
        radius = min(max(across, SLIMMEST * length), WIDEST * length)
        below = float(base[2]) - SLIGHT * length
        pierced = _comes_into(path, base, radius, below) or any(
            _comes_into(pose_points(_spokes(farthest[link]), poses[link]), base, radius, below)
            for link in outlines
            if link in moving
            for poses in motions
        )
        reached = far(np.concatenate([reached, _ring(base, radius, floor)]))
    x, y, z = map(float, base)
    return Ground(floor, radius, pierced, (x, y, z), reached)


def samples_of(count: int) -> list[int]:
    """Return the samples of a motion at which shapes are evaluated, including both ends."""
    return distinct(np.linspace(0, count - 1, min(count, SAMPLES)).astype(int)).tolist()


def pose_points(points: Array, T: Array) -> Array:
    """Return points (K, 3) at all poses (4, 4, N), shape (K N, 3)."""
    placed = np.einsum("abN,kb->Nka", T[:3, :3], points) + T[:3, 3].T[:, None]
    return np.asarray(placed.reshape(-1, 3))


def far(points: Array) -> Array:
    """Return the farthest points, each in some direction, shape (M, 3)."""
    ways, farthest = _ways(), np.zeros((0, 3))
    for begin in range(0, len(points), PIECE):
        part = np.concatenate([farthest, points[begin : begin + PIECE]])
        farthest = part[distinct(np.argmax(ways @ part.T.copy(), axis=1))]
    return farthest


def _reach(reached: Array, points: Array, T: Array) -> Array:
    """Return the `far` ones of points `reached`, and of others (K, 3) at all poses (4, 4, N).

    A pose counts only in directions in which a ball around its points is beyond all others: in one
    of thirty, in a run of a robot.
    """
    ways, middle = _ways(), points.mean(axis=0)  # within the points' hull at each pose
    radius = float(np.linalg.norm(points - middle, axis=1).max()) + ROUNDING
    along = pose_points(middle[None], T) @ ways.T
    beyond = np.maximum((ways @ reached.T).max(axis=1), along.max(axis=0))
    poses, directions = np.nonzero(along + radius > beyond)
    farthest = [reached]
    for begin in range(0, poses.size, PIECE):
        part = slice(begin, begin + PIECE)
        R, p = T[:3, :3, poses[part]], T[:3, 3, poses[part]]
        ways_in_link = np.einsum("abP,Pa->Pb", R, ways[directions[part]])
        corner = points[np.argmax(ways_in_link @ points.T, axis=1)]
        farthest.append(np.einsum("abP,Pb->Pa", R, corner) + p.T)
    return far(np.concatenate(farthest))


@cache
def _ways() -> Array:
    """Return unit vectors in all directions, those of the axes among them, shape (W, 3)."""
    k = np.arange(DIRECTIONS) + 0.5
    z, turn = 1 - 2 * k / DIRECTIONS, math.pi * (1 + math.sqrt(5)) * k
    level = np.sqrt(1 - z * z)
    around = np.stack([level * np.cos(turn), level * np.sin(turn), z])
    return np.concatenate([around, np.eye(3), -np.eye(3)], axis=1).T.copy()


def _lowest_height(points: Array, T: Array) -> float:
    """Return the height of the lowest point (K, 3) over all poses (4, 4, N)."""
    return min(
        float((points[begin : begin + PIECE] @ T[2, :3] + T[2, 3]).min())
        for begin in range(0, len(points), PIECE)
    )


def _comes_into(points: Array, base: Array, radius: float, below: float) -> bool:
    """Whether a point is within `radius` of the vertical through the base, and below a height."""
    low = points[points[:, 2] < below]
    return bool((np.linalg.norm(low[:, :2] - base[:2], axis=1) < radius).any())


def _spokes(corners: Array) -> Array:
    """Return corners, and points between them and their centre, as long bars have none there."""
    middle = corners.mean(axis=0)
    return np.concatenate(
        [middle + share * (corners - middle) for share in (0, 0.2, 0.4, 0.6, 0.8, 1)]
    )


def _ring(base: Array, radius: float, height: float) -> Array:
    turn = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    rows = [base[0] + radius * np.cos(turn), base[1] + radius * np.sin(turn), 0 * turn + height]
    return np.stack(rows, axis=1)
