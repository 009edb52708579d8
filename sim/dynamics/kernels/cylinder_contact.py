"""Points of contact of cylinders: of a line of the side, of a rim and of two faces."""

from __future__ import annotations

import math

from sim.dynamics.kernels.closest import corner
from sim.dynamics.kernels.closest_features import Features, Solid, distance_to, unit
from sim.dynamics.kernels.compiling import inner
from sim.dynamics.kernels.contact_records import ContactPairs, Meeting
from sim.dynamics.kernels.mesh_contact import touch_by_corners
from sim.dynamics.kernels.shape_kinds import BOX, CYLINDER, MESH
from sim.dynamics.kernels.touch import add_point
from sim.dynamics.kernels.vectors import Vector, add, column_of, cross, dot, scale, subtract
from sim.maths.arrays import Array

INSIDE = 1.0 / math.sqrt(3.0)  # Gauss's two points of a line, from -1 to 1
SEARCHED = 60  # bisections for the ends of a contact line
FACE = 0.7  # cosine between normal and axis above which a cylinder stands on its face


@inner
def rim_point(solid: Solid, down: Vector, end: float, which: int) -> Vector:
    """Return one of four points of a cylinder's rim, the first of them farthest along `down`."""
    axis = column_of(solid.R, solid.frame, 2)
    side = cross(axis, down)
    v = down if which % 2 == 0 else side
    v = scale(solid.size[0] if which < 2 else -solid.size[0], v)
    return add(solid.p, add(scale(end * solid.size[1], axis), v))


@inner
def across_axis(solid: Solid, n: Vector) -> Vector:
    """Return the unit vector normal to a shape's axis nearest to n; any, if n is along it."""
    axis = column_of(solid.R, solid.frame, 2)
    across = subtract(n, scale(dot(n, axis), axis))
    if dot(across, across) > 1e-18:
        return unit(across)
    return column_of(solid.R, solid.frame, 0)


@inner
def _end_of_touch(b: Solid, c: Vector, u: Vector, radius: float, t: float, end: float) -> float:
    """Return the length from t towards an end of c + t u with a distance to b below a radius."""
    low, high = t, end
    distance, _ = distance_to(b, add(c, scale(end, u)))
    if distance <= radius:
        return end
    for _ in range(SEARCHED):
        t = 0.5 * (low + high)
        distance, _ = distance_to(b, add(c, scale(t, u)))
        if distance <= radius:
            low = t
        else:
            high = t
    return low


@inner
def touch_line(
    pairs: ContactPairs, c: int, at: Meeting, q: Vector, u: Vector, radius: float, normal: Vector,
    total: Array
) -> None:  # fmt: skip
    """Add two points of a line of the first shape, of some radius, where it is in the second."""
    b, best, middle = at.b, math.inf, 0.0
    for k in range(17):
        t = -1.0 + k / 8.0
        distance, _ = distance_to(b, add(q, scale(t, u)))
        if distance < best:
            best, middle = distance, t
    axis = dot(u, u)
    along = dot(subtract(at.point, q), u) / axis
    distance, _ = distance_to(b, add(q, scale(along, u)))
    if distance < best and -1.0 <= along <= 1.0:
        best, middle = distance, along
    if best > radius:
        return
    low = _end_of_touch(b, q, u, radius, middle, -1.0)
    high = _end_of_touch(b, q, u, radius, middle, 1.0)
    for sign in (-1.0, 1.0):
        t = 0.5 * (low + high) + sign * INSIDE * 0.5 * (high - low)
        core = add(q, scale(t, u))
        distance, _ = distance_to(b, core)
        point = add(core, scale(radius, normal))
        add_point(pairs, c, at, point, normal, radius - distance, 0.5, total)


@inner
def touch_standing(pairs: ContactPairs, c: int, at: Meeting, normal: Vector, total: Array) -> None:
    """Add points of the rim of a cylinder in a shape, and corners of a box in the cylinder."""
    a, b = at.a, at.b
    down = across_axis(a, normal)
    for end in (-1.0, 1.0):
        for which in range(4):
            point = rim_point(a, down, end, which)
            distance, _ = distance_to(b, point)
            add_point(pairs, c, at, point, normal, -distance, 0.25, total)
    if b.kind == BOX:
        for which in range(8):
            point = corner(b, which)
            distance, _ = distance_to(a, point)
            add_point(pairs, c, at, point, normal, -distance, 0.25, total)
    elif b.kind == MESH:
        touch_by_corners(pairs, c, at, normal, total)


@inner
def _lens(r: float, R: float, d: float) -> tuple[float, float, float, float]:
    """Return the common part of two discs, r <= R, whose centres are d apart.

    The values are its ends along the line from the first centre to the second, half its length
    across, and its share of the area of the first disc.
    """
    if d <= R - r:
        return -r, r, r, 1.0
    if d >= R + r:
        return 0.0, 0.0, 0.0, 0.0
    x, z = (d * d + r * r - R * R) / (2.0 * d), (d * d + R * R - r * r) / (2.0 * d)
    half = math.sqrt(max(0.0, r * r - x * x))
    alpha, beta = math.acos(min(max(x / r, -1.0), 1.0)), math.acos(min(max(z / R, -1.0), 1.0))
    area = r * r * alpha + R * R * beta - d * half
    return d - R, r, r if x < 0.0 else half, area / (math.pi * r * r)


@inner
def _touch_faces(pairs: ContactPairs, c: int, at: Meeting, normal: Vector, total: Array) -> None:
    """Add four points of the common part of two faces, each with a quarter of its share."""
    a, b = at.a, at.b
    axis_a, axis_b = column_of(a.R, a.frame, 2), column_of(b.R, b.frame, 2)
    end_a = add(a.p, scale(math.copysign(a.size[1], dot(axis_a, normal)), axis_a))
    end_b = add(b.p, scale(-math.copysign(b.size[1], dot(axis_b, normal)), axis_b))
    is_first = a.size[0] <= b.size[0]
    small, middle, other = (a, end_a, end_b) if is_first else (b, end_b, end_a)
    axis = column_of(small.R, small.frame, 2)
    to = subtract(other, middle)
    to = subtract(to, scale(dot(to, axis), axis))
    distance, radius = math.sqrt(dot(to, to)), max(a.size[0], b.size[0])
    low, high, half, share = _lens(small.size[0], radius, distance)
    is_whole = distance <= radius - small.size[0]
    along = across_axis(small, normal if is_first else scale(-1.0, normal))
    if not is_whole:
        along = scale(1.0 / distance, to)
    across, center = cross(axis, along), 0.5 * (low + high)
    for which in range(4):
        x = (low, high, center, center)[which]
        y = (0.0, 0.0, half, -half)[which]
        point = add(middle, add(scale(x, along), scale(y, across)))
        if is_first:
            depth = -_above(end_b, axis_b, normal, -1.0, point)
        else:
            depth = -_above(end_a, axis_a, normal, 1.0, point)
        add_point(pairs, c, at, point, normal, depth, 0.25 * share, total)


@inner
def _above(end: Vector, axis: Vector, normal: Vector, sign: float, point: Vector) -> float:
    """Return the height of a point above a face whose axis is along the normal or against it."""
    height = dot(axis, subtract(point, end))
    return height if sign * dot(axis, normal) > 0.0 else -height


@inner
def touch_cylinder(pairs: ContactPairs, c: int, at: Meeting, one: Features, total: Array) -> None:
    """Add points of a cylinder and another one, or a box: of the line or the face in contact."""
    a, b, normal = at.a, at.b, one.normal
    along = dot(normal, column_of(a.R, a.frame, 2))
    if abs(along) <= FACE:
        _touch_side(pairs, c, at, normal, total)
    elif b.kind != CYLINDER:
        touch_standing(pairs, c, at, normal, total)
    elif abs(dot(normal, column_of(b.R, b.frame, 2))) <= FACE:
        at = Meeting(b, a, at.vb, at.wb, at.va, at.wa, at.about, -at.sign, one.second)
        _touch_side(pairs, c, at, scale(-1.0, normal), total)
    else:
        _touch_faces(pairs, c, at, normal, total)


@inner
def _touch_side(pairs: ContactPairs, c: int, at: Meeting, normal: Vector, total: Array) -> None:
    """Add points of the line of a cylinder's side that is farthest along the normal."""
    a = at.a
    down = scale(a.size[0], across_axis(a, normal))
    u = scale(a.size[1], column_of(a.R, a.frame, 2))
    touch_line(pairs, c, at, add(a.p, down), u, 0.0, normal, total)
