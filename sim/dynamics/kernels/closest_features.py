"""Signed distances of planes, spheres, capsules, cylinders and boxes, and their building blocks.

The symmetry axis of a shape is its z axis; for a plane that is the normal, with the body below.
Sizes: radius; radius and half length; three half lengths. A negative distance is the length of the
shortest translation that separates the two shapes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sim.dynamics.kernels.compiling import inner
from sim.dynamics.kernels.hull_distance import (
    Hulls,
    distance_to_hull,
    extent_of_hull,
    farthest_of_hull,
)
from sim.dynamics.kernels.shape_kinds import BOX, CAPSULE, CYLINDER, MESH, PLANE, SPHERE
from sim.dynamics.kernels.vectors import (
    ORIGIN,
    Vector,
    add,
    column_of,
    cross,
    dot,
    rotate,
    rotate_back,
    row_of,
    scale,
    subtract,
)
from sim.maths.arrays import Array

TINY = 1e-300
ALONG = 1e-12  # component of a unit vector below which a whole face or edge is normal to it
PARALLEL = 1e-9  # sine of the angle between edges that have no common normal
NEARER = 1e-13  # m, improvement that a direction requires to replace another
APART = 1e-9  # m, agreement of the two bounds of a distance
HALVINGS, AROUND, NARROWINGS = 80, 48, 45
GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)


class Solid(NamedTuple):
    """A shape in the world."""

    kind: int
    size: Vector
    R: Array  # (m, 3, 3), rotations; `frame` selects its own
    frame: int
    p: Vector
    hulls: Hulls
    hull: int  # index of a mesh


class Features(NamedTuple):
    """Distance of two shapes, unit normal from the first to the second, and a point of each."""

    distance: float
    normal: Vector
    first: Vector
    second: Vector


@inner
def unit(v: Vector) -> Vector:
    """Return v / |v|."""
    return scale(1.0 / math.sqrt(dot(v, v)), v)


@inner
def _distance_to_box(size: Vector, q: Vector) -> tuple[float, Vector]:
    sides = math.copysign(1.0, q[0]), math.copysign(1.0, q[1]), math.copysign(1.0, q[2])
    a, b, c = abs(q[0]) - size[0], abs(q[1]) - size[1], abs(q[2]) - size[2]
    if a <= 0.0 and b <= 0.0 and c <= 0.0:
        if a >= b and a >= c:
            return a, (sides[0], 0.0, 0.0)
        if b >= c:
            return b, (0.0, sides[1], 0.0)
        return c, (0.0, 0.0, sides[2])
    a, b, c = max(a, 0.0), max(b, 0.0), max(c, 0.0)
    length = math.sqrt(a * a + b * b + c * c)
    return length, (sides[0] * a / length, sides[1] * b / length, sides[2] * c / length)


@inner
def _distance_to_cylinder(size: Vector, q: Vector) -> tuple[float, Vector]:
    across = math.sqrt(q[0] * q[0] + q[1] * q[1])
    x, y = (q[0] / across, q[1] / across) if across > TINY else (1.0, 0.0)
    a, b, side = across - size[0], abs(q[2]) - size[1], math.copysign(1.0, q[2])
    if a > 0.0 and b > 0.0:
        length = math.sqrt(a * a + b * b)
        return length, (a / length * x, a / length * y, b / length * side)
    return (a, (x, y, 0.0)) if a > b else (b, (0.0, 0.0, side))


@inner
def distance_in_frame(solid: Solid, q: Vector) -> tuple[float, Vector]:
    """Return the signed distance of a point in the shape's own frame, and its gradient."""
    kind, size = solid.kind, solid.size
    if kind == MESH:
        return distance_to_hull(solid.hulls, solid.hull, q)
    if kind == PLANE:
        return q[2], (0.0, 0.0, 1.0)
    if kind == BOX:
        return _distance_to_box(size, q)
    if kind == CYLINDER:
        return _distance_to_cylinder(size, q)
    z = q[2] - min(max(q[2], -size[1]), size[1]) if kind == CAPSULE else q[2]
    length = math.sqrt(q[0] * q[0] + q[1] * q[1] + z * z)
    if length < TINY:  # on the core, where all normals to it are equivalent
        return -size[0], (1.0, 0.0, 0.0)
    return length - size[0], (q[0] / length, q[1] / length, z / length)


@inner
def distance_to(solid: Solid, q: Vector) -> tuple[float, Vector]:
    """Return the signed distance of a point of the world to a shape, and its gradient."""
    local = rotate_back(solid.R, solid.frame, subtract(q, solid.p))
    distance, slope = distance_in_frame(solid, local)
    return distance, rotate(solid.R, solid.frame, slope)


@inner
def extent(solid: Solid, n: Vector) -> float:
    """Return the extent of a shape along a unit vector from its own origin."""
    x, y, z = rotate_back(solid.R, solid.frame, n)
    size = solid.size
    if solid.kind == MESH:
        return extent_of_hull(solid.hulls, solid.hull, (x, y, z))
    if solid.kind == SPHERE:
        return size[0]
    if solid.kind == CAPSULE:
        return size[0] + size[1] * abs(z)
    if solid.kind == CYLINDER:
        return size[0] * math.sqrt(x * x + y * y) + size[1] * abs(z)
    return size[0] * abs(x) + size[1] * abs(y) + size[2] * abs(z)


@inner
def _end(size: float, along: float) -> float:
    """Return the end of an edge that is farther along; its middle if neither is."""
    return math.copysign(size, along) if abs(along) > ALONG else 0.0


@inner
def farthest(solid: Solid, n: Vector) -> Vector:
    """Return a point of a shape that is farthest along a unit vector."""
    x, y, z = rotate_back(solid.R, solid.frame, n)
    size = solid.size
    if solid.kind == MESH:
        q = farthest_of_hull(solid.hulls, solid.hull, (x, y, z))
    elif solid.kind == SPHERE:
        q = scale(size[0], (x, y, z))
    elif solid.kind == CAPSULE:
        q = (size[0] * x, size[0] * y, size[0] * z + _end(size[1], z))
    elif solid.kind == CYLINDER:
        across = math.sqrt(x * x + y * y)
        factor = size[0] / across if across > ALONG else 0.0
        q = (factor * x, factor * y, _end(size[1], z))
    else:
        q = (_end(size[0], x), _end(size[1], y), _end(size[2], z))
    return add(solid.p, rotate(solid.R, solid.frame, q))


@inner
def gap_along(a: Solid, b: Solid, n: Vector) -> float:
    """Return the separation of two shapes along a unit vector from a to b, a lower bound."""
    if a.kind == PLANE:
        return dot(n, subtract(b.p, a.p)) - extent(b, scale(-1.0, n))
    return dot(n, subtract(b.p, a.p)) - extent(a, n) - extent(b, scale(-1.0, n))


@inner
def nearest_on_segment(solid: Solid, c: Vector, u: Vector) -> tuple[float, float, Vector]:
    """Return the least distance on the segment c + t u, |t| <= 1, to a shape, with t and gradient.

    The distance to a convex body is convex, so its slope is bisected.
    """
    R, i = solid.R, solid.frame
    low, high = -1.0, 1.0
    direction, middle = rotate_back(R, i, u), rotate_back(R, i, subtract(c, solid.p))
    for end in (-1.0, 1.0):
        q = add(middle, scale(end, direction))
        distance, slope = distance_in_frame(solid, q)
        if end * dot(slope, direction) <= 0.0:
            return distance, end, rotate(R, i, slope)
    for _ in range(HALVINGS):
        t = 0.5 * (low + high)
        if t in (low, high):
            break
        q = add(middle, scale(t, direction))
        _, slope = distance_in_frame(solid, q)
        if dot(slope, direction) > 0.0:
            high = t
        else:
            low = t
    t = 0.5 * (low + high)
    q = add(middle, scale(t, direction))
    distance, slope = distance_in_frame(solid, q)
    return distance, t, rotate(R, i, slope)


@inner
def nearest_of_segments(c: Vector, u: Vector, e: Vector, v: Vector) -> tuple[Vector, Vector]:
    """Return closest points of the segments c + s u and e + t v, |s|, |t| <= 1."""
    w = subtract(c, e)
    a, b, f, g, h = dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)
    determinant, s = a * f - b * b, 0.0
    if determinant > 1e-14 * a * f:
        s = min(max((b * h - f * g) / determinant, -1.0), 1.0)
    t = (b * s + h) / f
    if t < -1.0 or t > 1.0:
        t = min(max(t, -1.0), 1.0)
        s = min(max((b * t - g) / a, -1.0), 1.0)
    return add(c, scale(s, u)), add(e, scale(t, v))


@inner
def _axis(solid: Solid, k: int) -> Vector:
    """Return the k-th axis of a shape."""
    return column_of(solid.R, solid.frame, k)


@inner
def _has_edge(solid: Solid, k: int) -> bool:
    """Whether a shape has edges, or a symmetry axis, along its k-th axis."""
    return solid.kind == BOX or (k == 2 and solid.kind >= CAPSULE)


@inner
def better(a: Solid, b: Solid, n: Vector, best: float, normal: Vector) -> tuple[float, Vector]:
    """Return the larger of a known separation and those along ±n, with its direction."""
    for sign in (-1.0, 1.0):
        m = scale(sign, n)
        gap = gap_along(a, b, m)
        if gap > best + NEARER:
            best, normal = gap, m
    return best, normal


@inner
def _on_circle(x: Vector, y: Vector, angle: float) -> Vector:
    """Return a unit vector in the plane of x and y."""
    return add(scale(math.cos(angle), x), scale(math.sin(angle), y))


@inner
def _narrow(a: Solid, b: Solid, x: Vector, y: Vector, low: float, high: float) -> float:
    """Return the angle with the largest separation in an interval, by golden sections."""
    s, t = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_s, at_t = gap_along(a, b, _on_circle(x, y, s)), gap_along(a, b, _on_circle(x, y, t))
    for _ in range(NARROWINGS):
        if at_s > at_t:
            high, t, at_t = t, s, at_s
            s = high - GOLDEN * (high - low)
            at_s = gap_along(a, b, _on_circle(x, y, s))
        else:
            low, s, at_s = s, t, at_t
            t = low + GOLDEN * (high - low)
            at_t = gap_along(a, b, _on_circle(x, y, t))
    return 0.5 * (low + high)


@inner
def _best_across(a: Solid, b: Solid, axis: Vector) -> Vector:
    """Return the direction normal to an axis with the largest separation of two shapes.

    The separation has several peaks over the angle.
    """
    x = unit(cross(axis, (1.0, 0.0, 0.0) if abs(axis[0]) < 0.6 else (0.0, 1.0, 0.0)))
    y, part = cross(axis, x), 2.0 * math.pi / AROUND
    best, normal = -math.inf, x
    before = gap_along(a, b, _on_circle(x, y, -part))
    here = gap_along(a, b, x)
    for k in range(AROUND):
        after = gap_along(a, b, _on_circle(x, y, (k + 1) * part))
        if here >= before and here >= after:
            angle = _narrow(a, b, x, y, (k - 1) * part, (k + 1) * part)
            n = _on_circle(x, y, angle)
            gap = gap_along(a, b, n)
            if gap > best:
                best, normal = gap, n
        before, here = here, after
    return normal


@inner
def parting_direction(a: Solid, b: Solid) -> tuple[float, Vector]:
    """Return the direction of the shortest separating translation of overlapping shapes with edges.

    It is the normal of a face, or normal to two edges or to the axis of a round shape.
    """
    best, normal = -math.inf, (0.0, 0.0, 1.0)
    for k in range(3):
        if a.kind == BOX or (k == 2 and a.kind == CYLINDER):
            best, normal = better(a, b, _axis(a, k), best, normal)
        if b.kind == BOX or (k == 2 and b.kind == CYLINDER):
            best, normal = better(a, b, _axis(b, k), best, normal)
    for j in range(3):
        for k in range(3):
            if _has_edge(a, j) and _has_edge(b, k):
                m = cross(_axis(a, j), _axis(b, k))
                length = math.sqrt(dot(m, m))
                if length > PARALLEL:
                    best, normal = better(a, b, scale(1.0 / length, m), best, normal)
    if CYLINDER in (a.kind, b.kind):
        for k in range(3):
            if _has_edge(a, k):
                best, normal = better(a, b, _best_across(a, b, _axis(a, k)), best, normal)
            if _has_edge(b, k):
                best, normal = better(a, b, _best_across(a, b, _axis(b, k)), best, normal)
    return best, normal


@inner
def solid_of(
    kind: int, sizes: Array, which: int, R: Array, index: int, p: Array, hulls: Hulls, hull: int
) -> Solid:
    """Return a shape made of array entries."""
    return Solid(kind, row_of(sizes, which), R, index, row_of(p, index), hulls, hull)


@inner
def no_features() -> Features:
    """Return placeholders for unknown features."""
    return Features(math.inf, ORIGIN, ORIGIN, ORIGIN)


@inner
def swap(one: Features) -> Features:
    """Return the features with the shapes exchanged."""
    return Features(one.distance, scale(-1.0, one.normal), one.second, one.first)
