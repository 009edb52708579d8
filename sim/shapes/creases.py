"""Normals of a closed or open triangle mesh: smooth where it bends gently, sharp at its creases."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array

CREASE = np.radians(40)  # a sharper bend is an edge


def corner_normals(vertices: Array, faces: NDArray[np.int64]) -> Array:
    """Unit normal at each corner of each face, shape (F, 3, 3); zero for a face without area.

    The sum over the faces around the vertex that turn less than `CREASE` from this one, weighted by
    area, so that a flat face stays flat next to a narrow rounded edge.

    Parameters
    ----------
    vertices : ndarray, shape (V, 3)
        Faces are neighbours where they share a vertex.
    faces : ndarray of int, shape (F, 3)
        Counter-clockwise from outside.
    """
    a, b, c = vertices[faces].transpose(1, 0, 2)
    area = np.cross(b - a, c - a)
    flat = _unit(area)
    corner, other = _corners_that_share_a_vertex(faces.ravel(), len(vertices))
    face, neighbour = corner // 3, other // 3
    near = np.einsum("ij,ij->i", flat[face], flat[neighbour]) > np.cos(CREASE)
    weights = area[neighbour] * near[:, None]
    sums = [np.bincount(corner, weights[:, axis], minlength=faces.size) for axis in range(3)]
    return _unit(np.stack(sums, axis=1)).reshape(-1, 3, 3)


def _corners_that_share_a_vertex(
    vertex: NDArray[np.int64], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All pairs (corner, other corner) of one vertex, each corner with itself too."""
    by_vertex = np.argsort(vertex, kind="stable")
    degree = np.bincount(vertex, minlength=count)
    first = np.cumsum(degree) - degree
    partners = degree[vertex]
    corner = np.repeat(np.arange(len(vertex)), partners)
    place = np.arange(len(corner)) - np.repeat(np.cumsum(partners) - partners, partners)
    return corner, by_vertex[first[vertex[corner]] + place]


def _unit(vectors: Array) -> Array:
    length = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return vectors / np.where(length > 0, length, 1.0)[:, None]
