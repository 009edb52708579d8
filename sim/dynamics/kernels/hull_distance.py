"""Convex meshes in their own frames: distance of a point, and extent along a direction."""

from __future__ import annotations

import math

from sim.dynamics.kernels.compiling import inner, record
from sim.dynamics.kernels.records import Indices
from sim.dynamics.kernels.vectors import (
    ORIGIN,
    Vector,
    add,
    cross,
    dot,
    row_of,
    scale,
    subtract,
)
from sim.maths.arrays import Array

ALONG = 1e-12  # m, tolerance for several corners to count as farthest along a direction


@record
class Hulls:
    """Convex meshes, concatenated: points (V), faces (F), their corners (K), edges (E).

    The rows of hull h are those from `first_…[h]` to `first_…[h + 1]`.
    """

    points: Array  # (V, 3) [m]
    planes: Array  # (F, 4): outward unit normals, and extent of the hull along them
    areas: Array  # (F,) [m²]
    corners: Indices  # (K,), points of each face, counter-clockwise from outside
    shares: Array  # (K,), share of a face's area at each corner
    edges: Indices  # (E, 4), two points and the two adjacent faces
    first_point: Indices  # (H + 1,)
    first_face: Indices
    first_corner: Indices  # (F + 1,)
    first_edge: Indices


@inner
def normal_of(hulls: Hulls, face: int) -> Vector:
    """Return the outward unit normal of a face."""
    planes = hulls.planes
    return planes[face, 0], planes[face, 1], planes[face, 2]


@inner
def extent_of_hull(hulls: Hulls, h: int, n: Vector) -> float:
    """Return the extent of a hull along a vector from its origin."""
    most, points = -math.inf, hulls.points
    for k in range(hulls.first_point[h], hulls.first_point[h + 1]):
        most = max(most, points[k, 0] * n[0] + points[k, 1] * n[1] + points[k, 2] * n[2])
    return most


@inner
def farthest_of_hull(hulls: Hulls, h: int, n: Vector) -> Vector:
    """Return the farthest point of a hull along a unit vector: the mean of the corners there."""
    most, total, count = extent_of_hull(hulls, h, n) - ALONG, ORIGIN, 0
    for k in range(hulls.first_point[h], hulls.first_point[h + 1]):
        point = row_of(hulls.points, k)
        if dot(point, n) >= most:
            total, count = add(total, point), count + 1
    return scale(1.0 / count, total)


@inner
def _to_segment(q: Vector, a: Vector, b: Vector) -> Vector:
    """Return the vector from the nearest point of a segment to q."""
    along, to = subtract(b, a), subtract(q, a)
    t = min(max(dot(to, along) / dot(along, along), 0.0), 1.0)
    return subtract(to, scale(t, along))


@inner
def distance_to_hull(hulls: Hulls, h: int, q: Vector) -> tuple[float, Vector]:
    """Return the signed distance of a point to a hull, and its gradient.

    For a point outside, the nearest point is inside or on an edge of a face below the point.
    """
    deepest, normal = -math.inf, ORIGIN
    least, to = math.inf, ORIGIN
    for f in range(hulls.first_face[h], hulls.first_face[h + 1]):
        n = normal_of(hulls, f)
        height = dot(n, q) - hulls.planes[f, 3]
        if height > deepest:
            deepest, normal = height, n
        if height <= 0.0:
            continue
        begin, end, is_above = hulls.first_corner[f], hulls.first_corner[f + 1], True
        a = row_of(hulls.points, hulls.corners[end - 1])
        for k in range(begin, end):
            b = row_of(hulls.points, hulls.corners[k])
            if dot(cross(n, subtract(b, a)), subtract(q, a)) < 0.0:
                is_above = False
                away = _to_segment(q, a, b)
                square = dot(away, away)
                if square < least:
                    least, to = square, away
            a = b
        if is_above:
            return height, n
    size = math.sqrt(least)
    if deepest <= 0.0 or not 0.0 < size < math.inf:
        return deepest, normal
    return size, scale(1.0 / size, to)
