"""Contact points of a box or a convex mesh with another shape: corners of a face.

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
from sim.dynamics.kernels.touch import add_point
from sim.dynamics.kernels.vectors import (
    Vector,
    add,
    cross,
    dot,
    rotate,
    rotate_back,
    row_of,
    scale,
    set_row,
    subtract,
)
from sim.maths.arrays import Array

ALIKE = 1e-12  # difference of two cosines below which the choice between faces would be rounding
MOST = 8  # corners of a rectangle clipped by another


@inner
def _largest(v: Vector) -> int:
    """Return the index of the component of largest magnitude."""
    x, y, z = abs(v[0]), abs(v[1]), abs(v[2])
    if x >= y and x >= z:
        return 0
    return 1 if y >= z else 2


@inner
def _face_corner(box: Solid, axis: int, side: float, which: int) -> Vector:
    """Return one of the four corners of a face, numbered around it."""
    j = (axis + 1) % 3
    signs_j = 1.0 if which in (0, 3) else -1.0
    signs_k = 1.0 if which < 2 else -1.0
    x, y, z = 0.0, 0.0, 0.0
    size = box.size
    for m in range(3):
        value = side * size[m] if m == axis else (signs_j if m == j else signs_k) * size[m]
        x, y, z = (value if m == 0 else x), (value if m == 1 else y), (value if m == 2 else z)
    return add(box.p, rotate(box.R, box.frame, (x, y, z)))


@inner
def clip(polygon: Array, count: int, new: Array, side: Vector, limit: float) -> int:
    """Clip a polygon by a plane; return the number of corners of the part behind it."""
    corners = 0
    for m in range(count):
        q, r = row_of(polygon, m), row_of(polygon, (m + count - 1) % count)
        dq, dr = dot(side, q) - limit, dot(side, r) - limit
        if dq * dr < 0.0:
            set_row(new, corners, add(r, scale(dr / (dr - dq), subtract(q, r))))
            corners += 1
        if dq <= 0.0:
            set_row(new, corners, q)
            corners += 1
    return corners


@inner
def _face_area(box: Solid, axis: int) -> float:
    size = box.size
    return 4.0 * size[(axis + 1) % 3] * size[(axis + 2) % 3]


@inner
def triangle_area(p: Vector, q: Vector, r: Vector) -> float:
    """Return the area of a triangle."""
    n = cross(subtract(q, p), subtract(r, p))
    return 0.5 * math.sqrt(dot(n, n))


@inner
def touch_boxes(pairs: ContactPairs, c: int, at: Meeting, one: Features, total: Array) -> None:
    """Add the corners of the common part of two faces, each with its share of the area.

    A complete face has a quarter of the stiffness at each corner, like a box on a plane.
    """
    normal = one.normal
    from_a, from_b = (
        rotate_back(at.a.R, at.a.frame, normal),
        rotate_back(at.b.R, at.b.frame, normal),
    )
    i, j = _largest(from_a), _largest(from_b)
    is_of_b = abs(from_b[j]) > abs(from_a[i]) + ALIKE
    if is_of_b:
        base, other, axis, turned = at.b, at.a, j, i
        side, back = -math.copysign(1.0, from_b[j]), math.copysign(1.0, from_a[i])
    else:
        base, other, axis, turned = at.a, at.b, i, j
        side, back = math.copysign(1.0, from_a[i]), -math.copysign(1.0, from_b[j])
    whole = min(_face_area(at.a, i), _face_area(at.b, j))
    polygon, cut, count = np.empty((MOST + 2, 3)), np.empty((MOST + 2, 3)), 4
    for m in range(4):
        q = _face_corner(other, turned, back, m)
        set_row(polygon, m, rotate_back(base.R, base.frame, subtract(q, base.p)))
    for around in range(1, 3):
        across = (axis + around) % 3
        for sign in (-1.0, 1.0):
            x, y = sign if across == 0 else 0.0, sign if across == 1 else 0.0
            z = sign if across == 2 else 0.0
            count = clip(polygon, count, cut, (x, y, z), base.size[across])
            polygon, cut = cut, polygon
    if count < 3:
        _touch_at_edge(pairs, c, at, one, total)
        return
    middle = (0.0, 0.0, 0.0)
    for m in range(count):
        middle = add(middle, scale(1.0 / count, row_of(polygon, m)))
    for m in range(count):
        q = row_of(polygon, m)
        before, after = row_of(polygon, (m + count - 1) % count), row_of(polygon, (m + 1) % count)
        area = 0.5 * (triangle_area(middle, before, q) + triangle_area(middle, q, after))
        depth = base.size[axis] - side * q[axis]
        point = add(base.p, rotate(base.R, base.frame, q))
        add_point(pairs, c, at, point, normal, depth, area / whole, total)


@inner
def _touch_at_edge(pairs: ContactPairs, c: int, at: Meeting, one: Features, total: Array) -> None:
    """Add two crossing edges, as one point with the share of a corner."""
    add_point(pairs, c, at, one.first, one.normal, -one.distance, 0.25, total)


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
