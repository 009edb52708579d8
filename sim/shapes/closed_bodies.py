"""Closed bodies of a triangle mesh, and the places where it is not closed.

Two faces belong to one body if they share an edge, but bodies that stand in the file one after the
other are several although they share edges: programs write them so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array, distinct_rows

Faces = NDArray[np.int64]

SHARPEST = np.radians(150)  # of an edge: behind a sharper one a skin has no inner side
SAME = 1e-9  # of the largest side: vertices that are nearer are one


@dataclass(frozen=True, eq=False)
class ClosedMesh:
    """Triangles whose equal vertices are one, without those that have no area for it.

    Parameters
    ----------
    vertices : ndarray, shape (V, 3)
        [m]
    faces : ndarray of int, shape (F, 3)
        Indices of vertices, counter-clockwise from outside.
    """

    vertices: Array
    faces: Faces

    @property
    def sides(self) -> Array:
        """Edges of the box around it along X, Y and Z, shape (3,) [m]."""
        return np.ptp(self.vertices, axis=0)

    @property
    def repeats(self) -> int:
        """Number of faces that occur more than once, run in the same way."""
        start = self.faces.argmin(axis=1)[:, None]
        turned = np.take_along_axis(self.faces, (start + np.arange(3)) % 3, axis=1)
        return len(turned) - len(distinct_rows(turned)[0])

    @property
    def open_edges(self) -> int:
        """Number of edges with a face on one side only."""
        along, against = self._runs
        return int(((along + against) % 2 == 1).sum())

    @property
    def turned_edges(self) -> int:
        """Number of edges with two faces that run the same way: one of them is turned over."""
        along, against = self._runs
        return int((((along + against) % 2 == 0) & (along != against)).sum())

    @cached_property
    def bodies(self) -> tuple[ClosedMesh, ...]:
        """Closed parts of the mesh, each with its own vertices, in the order of their faces."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        faces = len(self.faces)
        face = np.tile(np.arange(faces), 3)
        pairs = self._runs_of_faces[face] * (int(self._edges[0].max()) + 1) + self._edges[0]
        _, edge = np.unique(pairs, return_inverse=True)
        edges = int(edge.max()) + 1
        ties = coo_array((np.ones(len(edge)), (face, faces + edge)), shape=(faces + edges,) * 2)
        label = connected_components(ties, directed=False)[1][:faces]
        _, first = np.unique(label, return_index=True)
        return tuple(self._part(label == label[k]) for k in np.sort(first))

    @property
    def shared_edges(self) -> int:
        """Number of edges with more than two faces: bodies touch there and count as one."""
        along, against = self._runs
        return int((along + against > 2).sum())

    @property
    def _runs_of_faces(self) -> Faces:
        """Number of the run that each face is in: a run ends where all edges so far are closed."""
        edge, way = self._edges
        face = np.tile(np.arange(len(self.faces)), 3)
        order = np.lexsort((face, edge))
        is_open = np.cumsum(way[order])[:-1] != 0  # from this face on to the edge's next
        change = np.zeros(len(self.faces) + 1, dtype=np.int64)
        np.add.at(change, face[order][:-1][is_open], 1)
        np.add.at(change, face[order][1:][is_open], -1)
        is_last = np.cumsum(change)[:-1] == 0
        return np.concatenate([[0], np.cumsum(is_last)[:-1]])

    @cached_property
    def _edges(self) -> tuple[Faces, Faces]:
        """Edge number at each side of each face, and +1 or -1: the sense in which it is run."""
        a = self.faces.T.ravel()
        b = np.roll(self.faces, -1, axis=1).T.ravel()
        low, high = np.minimum(a, b), np.maximum(a, b)
        _, edge = np.unique(low * (len(self.vertices) + 1) + high, return_inverse=True)
        return edge.reshape(-1), np.where(a < b, 1, -1)

    @property
    def _runs(self) -> tuple[Faces, Faces]:
        """Numbers of faces that run along each edge, and against it."""
        edge, way = self._edges
        count = int(edge.max(initial=-1)) + 1
        along, against = (np.bincount(edge[way == one], minlength=count) for one in (1, -1))
        return along, against

    def _part(self, chosen: NDArray[np.bool_]) -> ClosedMesh:
        used, faces = np.unique(self.faces[chosen], return_inverse=True)
        return ClosedMesh(self.vertices[used], faces.reshape(-1, 3).astype(np.int64))

    @cached_property
    def bend(self) -> float:
        """Σ length × tan(angle/2) of the edges with two faces [m].

        The area that a skin loses inwards for each metre of depth is twice that: 4πR for a sphere,
        12 a for a cube of edge a. An edge that turns outwards counts positive, one in a corner
        negative; more than `SHARPEST` counts as that.
        """
        a, b, c = self.vertices[self.faces].transpose(1, 0, 2)
        normal = np.cross(b - a, c - a)
        normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
        face, other, start, end = self._hinges
        ahead = self.vertices[end] - self.vertices[start]
        length = np.linalg.norm(ahead, axis=1)
        n, m = normal[face], normal[other]
        turn = np.einsum("ij,ij->i", np.cross(n, m), ahead) / np.maximum(length, 1e-300)
        angle = np.arctan2(turn, np.einsum("ij,ij->i", n, m))
        return float(length @ np.tan(np.clip(angle, -SHARPEST, SHARPEST) / 2))

    @property
    def _hinges(self) -> tuple[Faces, Faces, Faces, Faces]:
        """The edges with two faces: the face along it, that against it, its two ends."""
        edge, way = self._edges
        along, against = self._runs
        sound = (along == 1) & (against == 1)
        order = np.lexsort((-way, edge))
        side, other = order[sound[edge[order]]].reshape(-1, 2).T
        start, end = self.faces.T.ravel(), np.roll(self.faces, -1, axis=1).T.ravel()
        count = len(self.faces)
        return side % count, other % count, start[side], end[side]


def weld(vertices: Array, faces: Faces) -> ClosedMesh:
    """The mesh whose vertices within `SAME` of its largest side are one.

    Far from the origin a coordinate has less digits: what its last bits make is the same place.

    Parameters
    ----------
    vertices : ndarray, shape (V, 3)
        [m]
    faces : ndarray of int, shape (F, 3)
    """
    used, named = np.unique(faces, return_inverse=True)
    places = vertices[used]
    grid = max(SAME * float(np.ptp(places, axis=0).max()), 4 * np.spacing(np.abs(places).max()))
    rounded = np.rint((places - places.mean(axis=0)) / grid)
    first, index = distinct_rows(rounded)
    joined = index[named.reshape(-1, 3)]
    a, b, c = joined.T
    return ClosedMesh(places[first], joined[(a != b) & (b != c) & (c != a)].astype(np.int64))
