"""Contact points of a convex mesh with a plane, a cylinder or another mesh: corners of a face.

Of the faces at the deepest corner the one most normal to the contact normal's direction is used. A
corner has the share of the face's area around it, a quarter on a rectangle, a third on a triangle.
"""

from __future__ import annotations

import math

import numpy as np

from sim.dynamics.kernels.closest_features import Features, Solid, distance_to
from sim.dynamics.kernels.closest_hulls import corner_of, face_normal
from sim.dynamics.kernels.compiling import inner
from sim.dynamics.kernels.contact_records import ContactPairs, Meeting
from sim.dynamics.kernels.face_contact import ALIKE, clip, triangle_area
from sim.dynamics.kernels.touch import add_point
from sim.dynamics.kernels.vectors import (
    Vector,
    add,
    cross,
    dot,
    row_of,
    scale,
    set_row,
    subtract,
)
from sim.maths.arrays import Array


@inner
def flattest_face(mesh: Solid, n: Vector) -> int:
    """Return the face, of those at the farthest corner along n, whose normal is nearest to n."""
    hulls, h = mesh.hulls, mesh.hull
    most, corner = -math.inf, 0
    for k in range(hulls.first_point[h], hulls.first_point[h + 1]):
        height = dot(n, corner_of(mesh, k))
        if height > most:
            most, corner = height, k
    best, face = -math.inf, 0
    for f in range(hulls.first_face[h], hulls.first_face[h + 1]):
        for k in range(hulls.first_corner[f], hulls.first_corner[f + 1]):
            if hulls.corners[k] == corner:
                cosine = dot(n, face_normal(mesh, f))
                if cosine > best:
                    best, face = cosine, f
    return face


@inner
def touch_by_corners(
    pairs: ContactPairs, c: int, at: Meeting, normal: Vector, total: Array
) -> None:
    """Add corners of a mesh, the second shape, in the first one."""
    mesh, hulls = at.b, at.b.hulls
    face = flattest_face(mesh, scale(-1.0, normal))
    for k in range(hulls.first_corner[face], hulls.first_corner[face + 1]):
        point = corner_of(mesh, hulls.corners[k])
        distance, _ = distance_to(at.a, point)
        add_point(pairs, c, at, point, normal, -distance, hulls.shares[k], total)


@inner
def touch_meshes(pairs: ContactPairs, c: int, at: Meeting, one: Features, total: Array) -> None:
    """Add corners of the common part of two faces, each with its share of the smaller face."""
    a, b, normal = at.a, at.b, one.normal
    face_a, face_b = flattest_face(a, normal), flattest_face(b, scale(-1.0, normal))
    flat_a, flat_b = dot(normal, face_normal(a, face_a)), -dot(normal, face_normal(b, face_b))
    is_of_b = flat_b > flat_a + ALIKE
    base, other = (b, a) if is_of_b else (a, b)
    face, cut_face = (face_b, face_a) if is_of_b else (face_a, face_b)
    hulls, cut_hulls = base.hulls, other.hulls
    begin, end = hulls.first_corner[face], hulls.first_corner[face + 1]
    first, last = cut_hulls.first_corner[cut_face], cut_hulls.first_corner[cut_face + 1]
    whole, count = min(hulls.areas[face], cut_hulls.areas[cut_face]), last - first
    polygon, cut = np.empty((count + end - begin + 2, 3)), np.empty((count + end - begin + 2, 3))
    for m in range(count):
        set_row(polygon, m, corner_of(other, cut_hulls.corners[first + m]))
    up = face_normal(base, face)
    before = corner_of(base, hulls.corners[end - 1])
    for k in range(begin, end):
        corner = corner_of(base, hulls.corners[k])
        side = cross(subtract(corner, before), up)
        count = clip(polygon, count, cut, side, dot(side, before))
        polygon, cut = cut, polygon
        before = corner
    if count < 3:
        add_point(pairs, c, at, one.first, normal, -one.distance, 0.25, total)
        return
    middle, level = (0.0, 0.0, 0.0), dot(up, before)
    for m in range(count):
        middle = add(middle, scale(1.0 / count, row_of(polygon, m)))
    for m in range(count):
        q = row_of(polygon, m)
        last_one, next_one = (
            row_of(polygon, (m + count - 1) % count),
            row_of(polygon, (m + 1) % count),
        )
        area = 0.5 * (triangle_area(middle, last_one, q) + triangle_area(middle, q, next_one))
        add_point(pairs, c, at, q, normal, level - dot(up, q), area / whole, total)
