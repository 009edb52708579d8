"""The closest features of two shapes, with a certificate of their distance.

A box in a possible contact with a mesh is treated as a mesh.
"""

from __future__ import annotations

import math

from sim.dynamics.kernels.closest_cylinders import closest_of_cylinders
from sim.dynamics.kernels.closest_features import (
    APART,
    Features,
    Solid,
    distance_to,
    farthest,
    gap_along,
    nearest_of_segments,
    nearest_on_segment,
    no_features,
    parting_direction,
    swap,
)
from sim.dynamics.kernels.closest_hulls import (
    closest_of_cylinder_and_mesh,
    closest_of_meshes,
    parted_from_mesh,
)
from sim.dynamics.kernels.compiling import inner
from sim.dynamics.kernels.shape_kinds import CAPSULE, CYLINDER, MESH, PLANE, SPHERE
from sim.dynamics.kernels.vectors import (
    Vector,
    add,
    column_of,
    dot,
    rotate,
    scale,
    subtract,
)


@inner
def _by_parting(a: Solid, b: Solid) -> Features:
    """Return features of overlapping shapes with edges."""
    distance, normal = parting_direction(a, b)
    point = farthest(a, normal)
    return Features(distance, normal, point, add(point, scale(distance, normal)))


@inner
def _above_plane(plane: Solid, b: Solid) -> Features:
    normal = column_of(plane.R, plane.frame, 2)
    point = farthest(b, scale(-1.0, normal))
    distance = dot(normal, subtract(point, plane.p))
    return Features(distance, normal, subtract(point, scale(distance, normal)), point)


@inner
def _of_round(a: Solid, b: Solid) -> Features:
    """Return features of a sphere or a capsule, a core with a radius, and another shape."""
    core, radius = a.p, a.size[0]
    if a.kind == SPHERE:
        distance, slope = distance_to(b, core)
    else:
        u = scale(a.size[1], column_of(a.R, a.frame, 2))
        distance, t, slope = nearest_on_segment(b, a.p, u)
        core = add(a.p, scale(t, u))
        if distance <= 0.0 and b.kind > CAPSULE:
            return parted_from_mesh(a, b) if b.kind == MESH else _by_parting(a, b)
    first, second = scale(radius, slope), scale(distance, slope)
    return Features(
        distance - radius, scale(-1.0, slope), subtract(core, first), subtract(core, second)
    )


@inner
def _edge(box: Solid, axis: int, which: int) -> tuple[Vector, Vector]:
    """Return middle and half length of one of the four edges of a box along an axis."""
    j, k = (axis + 1) % 3, (axis + 2) % 3
    R, i, size = box.R, box.frame, box.size
    y = scale(size[j] * (1 - 2 * (which & 1)), column_of(R, i, j))
    z = scale(size[k] * (1 - (which & 2)), column_of(R, i, k))
    return add(box.p, add(y, z)), scale(size[axis], column_of(R, i, axis))


@inner
def corner(box: Solid, which: int) -> Vector:
    """Return one of the eight corners of a box."""
    size = box.size
    x = size[0] * (1 - 2 * (which & 1))
    y = size[1] * (1 - (which & 2))
    z = size[2] * (1 - (which & 4) // 2)
    return add(box.p, rotate(box.R, box.frame, (x, y, z)))


@inner
def _cylinder_and_box(a: Solid, box: Solid) -> Features:
    """Compare edges of the box with the cylinder, and faces of the box with its nearest point."""
    best = no_features()
    for axis in range(3):
        for which in range(4):
            c, u = _edge(box, axis, which)
            distance, t, slope = nearest_on_segment(a, c, u)
            if distance < best.distance:
                point = add(c, scale(t, u))
                best = Features(distance, slope, subtract(point, scale(distance, slope)), point)
        for sign in (-1.0, 1.0):
            normal = scale(sign, column_of(box.R, box.frame, axis))
            point = farthest(a, scale(-1.0, normal))
            distance, slope = distance_to(box, point)
            if 0.0 < distance < best.distance or (distance <= 0.0 < best.distance):
                on_box = subtract(point, scale(distance, slope))
                best = Features(distance, scale(-1.0, slope), point, on_box)
    if best.distance > 0.0 and gap_along(a, box, best.normal) > best.distance - APART:
        return best
    return _by_parting(a, box)  # also if the cylinder passes right through the box


@inner
def _corners_to(a: Solid, b: Solid, best: Features) -> Features:
    """Return features of the corner of box b nearest to a, if it is nearer than `best`."""
    for which in range(8):
        point = corner(b, which)
        distance, slope = distance_to(a, point)
        if distance < best.distance:
            best = Features(distance, slope, subtract(point, scale(distance, slope)), point)
    return best


@inner
def _boxes(a: Solid, b: Solid) -> Features:
    best = _by_parting(a, b)
    if best.distance <= 0.0:
        return best
    best = _corners_to(a, b, no_features())
    best = swap(_corners_to(b, a, swap(best)))
    for k in range(12):
        c, u = _edge(a, k // 4, k % 4)
        for m in range(12):
            e, v = _edge(b, m // 4, m % 4)
            x, y = nearest_of_segments(c, u, e, v)
            d = subtract(y, x)
            distance = math.sqrt(dot(d, d))
            if 0.0 < distance < best.distance:
                best = Features(distance, scale(1.0 / distance, d), x, y)
    return best


@inner
def _in_order(a: Solid, b: Solid) -> Features:
    """Return features of two shapes in ascending order of their kinds."""
    if a.kind == PLANE:
        return _above_plane(a, b)
    if a.kind in (SPHERE, CAPSULE):
        return _of_round(a, b)
    if a.kind == CYLINDER:
        if b.kind == MESH:
            return closest_of_cylinder_and_mesh(a, b)
        return closest_of_cylinders(a, b) if b.kind == CYLINDER else _cylinder_and_box(a, b)
    return closest_of_meshes(a, b) if a.kind == MESH else _boxes(a, b)


@inner
def closest(a: Solid, b: Solid) -> Features:
    """Return the distance of two shapes, the normal from a to b and a point of each."""
    return _in_order(a, b) if a.kind <= b.kind else swap(_in_order(b, a))
