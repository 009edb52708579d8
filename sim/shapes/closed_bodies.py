"""Closed bodies of a triangle mesh, and the locations at which it is not closed.

Faces that share an edge belong to one body, but bodies written one after the other in the file are
separate although they share edges: programs write them in this way.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.maths.arrays import Array, distinct_rows

Faces = NDArray[np.int64]

SHARPEST = np.radians(150)  # angle of an edge: inside a sharper one a shell has no inner surface
SAME = 1e-9  # of the largest side: closer vertices are merged


class ClosedMesh(Struct, frozen=True, eq=False, dict=True):
    """Triangles with equal vertices merged, without those of zero area.

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
        """Edges of the bounding box along X, Y and Z, shape (3,) [m]."""
        return np.ptp(self.vertices, axis=0)

    @property
    def volume(self) -> float:
        """Enclosed volume, negative if faces are clockwise from outside [m³]."""
        a, b, c = (self.vertices - self.vertices.mean(axis=0))[self.faces].transpose(1, 0, 2)
        return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6

    @property
    def repeats(self) -> int:
        """Number of faces that occur more than once with the same orientation."""
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
        """Number of edges whose two faces have the same direction: one of them is reversed."""
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
        """Number of edges with more than two faces: bodies that touch there count as one."""
        along, against = self._runs
        return int((along + against > 2).sum())

    @property
    def _runs_of_faces(self) -> Faces:
        """Index of the run of each face: a run ends where all edges so far are closed."""
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
        """Edge index at each side of each face, and its direction, +1 or -1."""
        a = self.faces.T.ravel()
        b = np.roll(self.faces, -1, axis=1).T.ravel()
        low, high = np.minimum(a, b), np.maximum(a, b)
        _, edge = np.unique(low * (len(self.vertices) + 1) + high, return_inverse=True)
        return edge.reshape(-1), np.where(a < b, 1, -1)

    @property
    def _runs(self) -> tuple[Faces, Faces]:
        """Indices of the faces along each edge, and against it."""
        edge, way = self._edges
        count = int(edge.max(initial=-1)) + 1
        along, against = (np.bincount(edge[way == one], minlength=count) for one in (1, -1))
        return along, against

    def _part(self, chosen: NDArray[np.bool_]) -> ClosedMesh:
        vertices, faces = np.unique(self.faces[chosen], return_inverse=True)
        return ClosedMesh(self.vertices[vertices], faces.reshape(-1, 3).astype(np.int64))

    @cached_property
    def bend(self) -> float:
        """Σ length × tan(angle/2) of the edges with two faces [m].

        Twice this is the area that a shell loses inwards per metre of depth: 4πR for a sphere, 12 a
        for a cube of edge a. Convex edges count positive, concave ones negative; angles are limited
        to `SHARPEST`.
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
        """Edges with two faces: the face along it, the one against it, its two ends."""
        edge, way = self._edges
        along, against = self._runs
        sound = (along == 1) & (against == 1)
        order = np.lexsort((-way, edge))
        side, other = order[sound[edge[order]]].reshape(-1, 2).T
        start, end = self.faces.T.ravel(), np.roll(self.faces, -1, axis=1).T.ravel()
        count = len(self.faces)
        return side % count, other % count, start[side], end[side]


def weld(vertices: Array, faces: Faces) -> ClosedMesh:
    """Merge vertices of a mesh within `SAME` of its largest side.

    Far from the origin coordinates have fewer digits; the last bits are ignored.

    Parameters
    ----------
    vertices : ndarray, shape (V, 3)
        [m]
    faces : ndarray of int, shape (F, 3)
    """
    indices, named = np.unique(faces, return_inverse=True)
    places = vertices[indices]
    grid = max(SAME * float(np.ptp(places, axis=0).max()), 4 * np.spacing(np.abs(places).max()))
    rounded = np.rint((places - places.mean(axis=0)) / grid)
    first, index = distinct_rows(rounded)
    joined = index[named.reshape(-1, 3)]
    a, b, c = joined.T
    return ClosedMesh(places[first], joined[(a != b) & (b != c) & (c != a)].astype(np.int64))
