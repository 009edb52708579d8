"""The closest features of two shapes, with a certificate of their distance.

A box in a possible contact with a mesh is treated as a mesh.
"""

from __future__ import annotations

import math

from sim.dynamics.kernels.closest_features import (
    APART,
    PARALLEL,
    TINY,
    Features,
    Solid,
    better,
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
    ORIGIN,
    Vector,
    add,
    column_of,
    cross,
    dot,
    rotate,
    scale,
    subtract,
)

AROUND, HALVINGS = 32, 52  # points on a rim between which minima are bracketed, and bisections


@inner
def _rim_frame(solid: Solid, angle: float) -> tuple[Vector, Vector]:
    """Return the unit vector from the axis at an angle, and the tangent of the rim there."""
    x, y = column_of(solid.R, solid.frame, 0), column_of(solid.R, solid.frame, 1)
    c, s = math.cos(angle), math.sin(angle)
    return add(scale(c, x), scale(s, y)), subtract(scale(c, y), scale(s, x))


@inner
def _end_of(solid: Solid, end: float) -> Vector:
    """Return the centre of one of the two faces of a cylinder."""
    return add(solid.p, scale(end * solid.size[1], column_of(solid.R, solid.frame, 2)))


@inner
def _with_point(b: Solid, point: Vector, best: Features) -> Features:
    """Return features of a point of the first shape, if it is nearer to b than `best`."""
    distance, slope = distance_to(b, point)
    if distance >= best.distance:
        return best
    return Features(distance, scale(-1.0, slope), point, subtract(point, scale(distance, slope)))


@inner
def _slope_on_rim(a: Solid, end: Vector, b: Solid, angle: float) -> float:
    """Return the slope of the distance of b along a rim of a."""
    out, along = _rim_frame(a, angle)
    _, slope = distance_to(b, add(end, scale(a.size[0], out)))
    return dot(slope, along)


@inner
def _points_of(a: Solid, b: Solid, best: Features) -> Features:
    """Return features of points of a: of its side, its rims, and the farthest along b's faces.

    The distance to b along a rim has few minima; each is bisected between two sample points.
    """
    axis = column_of(a.R, a.frame, 2)
    _, t, slope = nearest_on_segment(b, a.p, scale(a.size[1], axis))
    across = subtract(slope, scale(dot(slope, axis), axis))
    size = math.sqrt(dot(across, across))
    if size > PARALLEL:
        core = add(a.p, scale(t * a.size[1], axis))
        best = _with_point(b, subtract(core, scale(a.size[0] / size, across)), best)
    for sign in (-1.0, 1.0):
        best = _with_point(b, farthest(a, scale(sign, column_of(b.R, b.frame, 2))), best)
        end, part = _end_of(a, sign), 2.0 * math.pi / AROUND
        before = _slope_on_rim(a, end, b, 0.0)
        for k in range(AROUND):
            after = _slope_on_rim(a, end, b, (k + 1) * part)
            if before <= 0.0 <= after:
                low, high = k * part, (k + 1) * part
                for _ in range(HALVINGS):
                    middle = 0.5 * (low + high)
                    if _slope_on_rim(a, end, b, middle) > 0.0:
                        high = middle
                    else:
                        low = middle
                out, _ = _rim_frame(a, low)
                best = _with_point(b, add(end, scale(a.size[0], out)), best)
            before = after
    return best


@inner
def _across_rims(
    a: Solid, end_a: Vector, b: Solid, end_b: Vector, angle: float
) -> tuple[float, Vector]:
    """Return the slope of the rims' distance along that of a, and the common normal or 0."""
    out, along = _rim_frame(a, angle)
    point, axis = add(end_a, scale(a.size[0], out)), column_of(b.R, b.frame, 2)
    to = subtract(point, end_b)
    flat = subtract(to, scale(dot(to, axis), axis))
    size = math.sqrt(dot(flat, flat))
    flat = scale(1.0 / size, flat) if size > TINY else column_of(b.R, b.frame, 0)
    gap = subtract(to, scale(b.size[0], flat))
    normal = cross(along, cross(axis, flat))
    size = math.sqrt(dot(normal, normal))
    rate = dot(gap, along)
    if size < PARALLEL:
        return rate, ORIGIN
    return rate, scale(1.0 / size, normal)


@inner
def _part_rims(a: Solid, b: Solid, best: float, normal: Vector) -> tuple[float, Vector]:
    """Return the best of a known separation and those normal to both rims where closest."""
    part = 2.0 * math.pi / AROUND
    for ends in range(4):
        end_a, end_b = _end_of(a, 1.0 - 2 * (ends & 1)), _end_of(b, 1.0 - (ends & 2))
        before, _ = _across_rims(a, end_a, b, end_b, 0.0)
        for k in range(AROUND):
            after, _ = _across_rims(a, end_a, b, end_b, (k + 1) * part)
            if before * after <= 0.0:
                low, high = k * part, (k + 1) * part
                for _ in range(HALVINGS):
                    middle = 0.5 * (low + high)
                    rate, _ = _across_rims(a, end_a, b, end_b, middle)
                    if rate * after > 0.0:
                        high = middle
                    else:
                        low = middle
                _, n = _across_rims(a, end_a, b, end_b, low)
                if dot(n, n) > 0.0:
                    best, normal = better(a, b, n, best, normal)
            before = after
    return best, normal


@inner
def closest_of_cylinders(a: Solid, b: Solid) -> Features:
    """Return features of two cylinders, by the shortest translation if they overlap."""
    best = swap(_points_of(b, a, swap(_points_of(a, b, no_features()))))
    if best.distance > 0.0 and gap_along(a, b, best.normal) > best.distance - APART:
        return best
    distance, normal = parting_direction(a, b)
    distance, normal = _part_rims(a, b, distance, normal)
    point = farthest(a, normal)
    return Features(distance, normal, point, add(point, scale(distance, normal)))


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
