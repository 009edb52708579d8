"""Convex meshes of contacts: corners, edges, and faces with the sides that they share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.shapes.convex_hull import convex_hull

if TYPE_CHECKING:
    from sim.dynamics.kernels.hull_distance import Hulls

MOST_CORNERS = 400
# Relative to the largest side: faces that bend by less are merged. STL coordinates have 24 bits.
FLAT = 1e-6
Rows = NDArray[np.intp]


class Hull(Struct, frozen=True, eq=False, dict=True):
    """The convex hull of some points.

    Parameters
    ----------
    points : ndarray, shape (V, 3)
        Corners [m].
    planes : ndarray, shape (F, 4)
        Outward unit normals of the faces, and their distances from the origin [m].
    faces : sequence of ndarray
        The corners of each face, counter-clockwise from outside.
    """

    points: Array
    planes: Array
    faces: Sequence[Rows]

    @cached_property
    def smallest(self) -> float:
        """Half of the least width across a face [m]."""
        other = (self.points @ self.planes[:, :3].T).min(axis=0)
        return float((self.planes[:, 3] - other).min()) / 2

    @cached_property
    def flatness(self) -> float:
        """Largest distance of a corner below the plane of its face [m]."""
        return max(
            float((plane[3] - self.points[face] @ plane[:3]).max())
            for plane, face in zip(self.planes, self.faces, strict=True)
        )

    @cached_property
    def edges(self) -> Rows:
        """Two corners and the two faces of each edge, shape (E, 4)."""
        side = {
            (int(a), int(b)): f
            for f, face in enumerate(self.faces)
            for a, b in zip(face, np.roll(face, -1), strict=True)
        }
        pairs = [(a, b, f, side[b, a]) for (a, b), f in side.items() if a < b and (b, a) in side]
        return np.array(pairs, dtype=np.intp).reshape(-1, 4)

    def areas(self) -> tuple[Array, Array]:
        """Return areas of the faces (F,) [m²], and shares of their corners, concatenated."""
        areas, shares = list[float](), list[Array]()
        for face in self.faces:
            corners = self.points[face]
            to = corners - corners.mean(axis=0)
            triangles = np.linalg.norm(np.cross(to, np.roll(to, -1, axis=0)), axis=1) / 2
            areas.append(float(triangles.sum()))
            shares.append((triangles + np.roll(triangles, 1)) / 2 / areas[-1])
        return np.array(areas), np.concatenate(shares)


def hull_of(points: Array, what: str) -> Hull:
    """Return the convex hull of points (V, 3) [m].

    Raises
    ------
    ModelError
        If the points enclose no volume or the hull has too many corners.
    """
    hull = convex_hull(points)
    if hull is None:
        raise ModelError(f"{what} is flat: a contact shape needs a volume")
    if len(hull.corners) > MOST_CORNERS:
        raise ModelError(
            f"{what} has {len(hull.corners)} corners; at most {MOST_CORNERS} are supported: "
            "simplify the mesh, or use a sphere, capsule, cylinder or box"
        )
    limit = FLAT * float(np.ptp(points, axis=0).max())
    planes, faces = list[Array](), list[Rows]()
    for normal in hull.planes[:, :3]:
        heights = hull.corners @ normal
        face = np.flatnonzero(heights >= heights.max() - limit)
        if len(face) < 3 or any(np.array_equal(np.sort(face), np.sort(one)) for one in faces):
            continue
        ordered, n = _ordered_corners(hull.corners, face, normal)
        planes.append(np.append(n, (hull.corners @ n).max()))
        faces.append(ordered)
    return Hull(hull.corners, np.array(planes), faces)


def _ordered_corners(points: Array, face: Rows, normal: Array) -> tuple[Rows, Array]:
    """Return the corners of a face ordered around its normal, and its mean normal."""
    to = points[face] - points[face].mean(axis=0)
    x = to[0] / np.linalg.norm(to[0])
    angle = np.arctan2(to @ np.cross(normal, x), to @ x)
    order = np.argsort(angle)
    n = np.cross(to[order], np.roll(to[order], -1, axis=0)).sum(axis=0)
    return face[order], n / np.linalg.norm(n)


def box_hull(size: Sequence[float]) -> Hull:
    """Return a box with three half lengths [m]."""
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    points = signs * np.asarray(size)
    planes, faces = list[Array](), list[Rows]()
    for k in range(3):
        for sign in (-1.0, 1.0):
            normal = sign * np.eye(3)[k]
            face = np.flatnonzero(signs[:, k] == sign)
            ordered, _ = _ordered_corners(points, face, normal)
            planes.append(np.append(normal, size[k]))
            faces.append(ordered)
    return Hull(points, np.array(planes), faces)


def pack_hulls(hulls: Sequence[Hull]) -> Hulls:
    """Pack hulls into arrays for the kernels."""
    from sim.dynamics.kernels.hull_distance import Hulls

    def starts(lengths: Sequence[int]) -> Rows:
        return np.array([0, *accumulate(lengths)], dtype=np.intp)

    def stack(parts: Sequence[Array], width: int) -> Array:
        rows = [np.zeros((0, width)), *parts]
        return np.concatenate(rows)

    corner, face = starts([len(h.points) for h in hulls]), starts([len(h.faces) for h in hulls])
    areas = [h.areas() for h in hulls]
    faces = [one + corner[k] for k, h in enumerate(hulls) for one in h.faces]
    edges = [h.edges + np.repeat([corner[k], face[k]], 2) for k, h in enumerate(hulls)]
    empty = np.zeros(0)
    return Hulls(
        stack([h.points for h in hulls], 3),
        stack([h.planes for h in hulls], 4),
        np.concatenate([empty, *(one for one, _ in areas)]),
        np.concatenate([np.zeros(0, dtype=np.intp), *faces]),
        np.concatenate([empty, *(one for _, one in areas)]),
        np.concatenate([np.zeros((0, 4), dtype=np.intp), *edges]),
        corner,
        face,
        starts([len(one) for one in faces]),
        starts([len(h.edges) for h in hulls]),
    )
