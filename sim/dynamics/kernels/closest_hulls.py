"""The closest features of a convex mesh and a capsule, a cylinder or another mesh."""

from __future__ import annotations

import math

from sim.dynamics.kernels.closest_features import (
    APART,
    GOLDEN,
    NARROWINGS,
    NEARER,
    PARALLEL,
    TINY,
    Features,
    Solid,
    better,
    distance_to,
    extent,
    farthest,
    gap_along,
    nearest_of_segments,
    nearest_on_segment,
    no_features,
    swap,
)
from sim.dynamics.kernels.compiling import inner
from sim.dynamics.kernels.hull_distance import normal_of
from sim.dynamics.kernels.shape_kinds import CYLINDER
from sim.dynamics.kernels.vectors import (
    Vector,
    add,
    column_of,
    cross,
    dot,
    rotate,
    row_of,
    scale,
    subtract,
)

PLACES = 8  # points on the arc between two faces that bracket the peaks


@inner
def corner_of(mesh: Solid, k: int) -> Vector:
    """Return a corner of a mesh in the world."""
    return add(mesh.p, rotate(mesh.R, mesh.frame, row_of(mesh.hulls.points, k)))


@inner
def face_normal(mesh: Solid, face: int) -> Vector:
    """Return the normal of a face in the world."""
    return rotate(mesh.R, mesh.frame, normal_of(mesh.hulls, face))


@inner
def _edge_of(mesh: Solid, e: int) -> tuple[Vector, Vector]:
    """Return middle and half length of an edge."""
    a, b = corner_of(mesh, mesh.hulls.edges[e, 0]), corner_of(mesh, mesh.hulls.edges[e, 1])
    return scale(0.5, add(a, b)), scale(0.5, subtract(b, a))


@inner
def _towards(n: Vector, m: Vector, angle: float, share: float) -> Vector:
    """Return the negative of the unit vector at a share of the angle from n to m."""
    sine = math.sin(angle)
    a, b = math.sin((1.0 - share) * angle) / sine, math.sin(share * angle) / sine
    return add(scale(-a, n), scale(-b, m))


@inner
def _narrow(
    a: Solid, to: Vector, n: Vector, m: Vector, angle: float, low: float, high: float
) -> Vector:
    """Return the direction of largest separation of a shape and a point, by golden sections."""
    s, t = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_s = _part_point(a, to, _towards(n, m, angle, s))
    at_t = _part_point(a, to, _towards(n, m, angle, t))
    for _ in range(NARROWINGS):
        if at_s > at_t:
            high, t, at_t = t, s, at_s
            s = high - GOLDEN * (high - low)
            at_s = _part_point(a, to, _towards(n, m, angle, s))
        else:
            low, s, at_s = s, t, at_t
            t = low + GOLDEN * (high - low)
            at_t = _part_point(a, to, _towards(n, m, angle, t))
    return _towards(n, m, angle, 0.5 * (low + high))


@inner
def _part_point(a: Solid, to: Vector, n: Vector) -> float:
    """Return the separation of a point from a shape along a direction."""
    return dot(n, to) - extent(a, n)


@inner
def _part_edge(a: Solid, mesh: Solid, e: int, best: float, normal: Vector) -> tuple[float, Vector]:
    """Return the better of a known separation and those between a shape and an edge of a mesh.

    Directions between the normals of its faces are searched; the separation has several peaks.
    """
    n, m = face_normal(mesh, mesh.hulls.edges[e, 2]), face_normal(mesh, mesh.hulls.edges[e, 3])
    across = cross(n, m)
    angle = math.atan2(math.sqrt(dot(across, across)), dot(n, m))
    if angle < PARALLEL:
        return best, normal
    c, _ = _edge_of(mesh, e)
    to = subtract(c, a.p)
    before, here = -math.inf, _part_point(a, to, scale(-1.0, n))
    for k in range(PLACES + 1):
        after = -math.inf
        if k < PLACES:
            after = _part_point(a, to, _towards(n, m, angle, (k + 1) / PLACES))
        if here >= before and here >= after:
            low, high = max(0.0, (k - 1) / PLACES), min(1.0, (k + 1) / PLACES)
            direction = _narrow(a, to, n, m, angle, low, high)
            gap = _part_point(a, to, direction)
            if gap > best + NEARER:
                best, normal = gap, direction
        before, here = here, after
    return best, normal


@inner
def parted_from_mesh(a: Solid, mesh: Solid) -> Features:
    """Return features of a capsule or a cylinder that overlaps a mesh or passes through it."""
    best, normal, hulls, h = -math.inf, (0.0, 0.0, 1.0), mesh.hulls, mesh.hull
    axis = column_of(a.R, a.frame, 2)
    for f in range(hulls.first_face[h], hulls.first_face[h + 1]):
        best, normal = better(a, mesh, face_normal(mesh, f), best, normal)
    if a.kind == CYLINDER:
        best, normal = better(a, mesh, axis, best, normal)
        for k in range(hulls.first_point[h], hulls.first_point[h + 1]):
            to = subtract(corner_of(mesh, k), a.p)
            across = subtract(to, scale(dot(to, axis), axis))
            size = math.sqrt(dot(across, across))
            if size > TINY:  # between its side and a corner
                best, normal = better(a, mesh, scale(1.0 / size, across), best, normal)
    for e in range(hulls.first_edge[h], hulls.first_edge[h + 1]):
        _, u = _edge_of(mesh, e)
        across = cross(u, axis)
        size = math.sqrt(dot(across, across))
        if size > PARALLEL * math.sqrt(dot(u, u)):
            best, normal = better(a, mesh, scale(1.0 / size, across), best, normal)
        if a.kind == CYLINDER:
            best, normal = _part_edge(a, mesh, e, best, normal)
    point = farthest(a, normal)
    return Features(best, normal, point, add(point, scale(best, normal)))


@inner
def closest_of_cylinder_and_mesh(a: Solid, mesh: Solid) -> Features:
    """Compare edges of the mesh with the cylinder, and faces with the cylinder's nearest point."""
    best, hulls, h = no_features(), mesh.hulls, mesh.hull
    for e in range(hulls.first_edge[h], hulls.first_edge[h + 1]):
        c, u = _edge_of(mesh, e)
        distance, t, slope = nearest_on_segment(a, c, u)
        if distance < best.distance:
            point = add(c, scale(t, u))
            best = Features(distance, slope, subtract(point, scale(distance, slope)), point)
    for f in range(hulls.first_face[h], hulls.first_face[h + 1]):
        point = farthest(a, scale(-1.0, face_normal(mesh, f)))
        distance, slope = distance_to(mesh, point)
        if 0.0 < distance < best.distance or (distance <= 0.0 < best.distance):
            on_mesh = subtract(point, scale(distance, slope))
            best = Features(distance, scale(-1.0, slope), point, on_mesh)
    if best.distance > 0.0 and gap_along(a, mesh, best.normal) > best.distance - APART:
        return best
    return parted_from_mesh(a, mesh)


@inner
def _part_faces(a: Solid, b: Solid, best: float, normal: Vector) -> tuple[float, Vector]:
    """Return the better of a known separation of two meshes and those along faces of the first."""
    hulls, h = a.hulls, a.hull
    for f in range(hulls.first_face[h], hulls.first_face[h + 1]):
        n = face_normal(a, f)
        gap = gap_along(a, b, n)
        if gap > best:
            best, normal = gap, n
    return best, normal


@inner
def _are_across(n: Vector, m: Vector, k: Vector, j: Vector) -> bool:
    """Whether the arc of directions from n to m crosses that from k to j."""
    first, second = cross(n, m), cross(k, j)
    at_k, at_j, at_n, at_m = dot(first, k), dot(first, j), dot(second, n), dot(second, m)
    return at_k * at_j < 0.0 and at_n * at_m < 0.0 and at_k * at_m > 0.0


@inner
def _part_edges(a: Solid, b: Solid, best: float, normal: Vector) -> tuple[float, Vector]:
    """Return the better of a known separation and those normal to an edge of each mesh.

    Two edges separate the meshes if the arc between the normals of one's faces crosses the opposite
    arc of the other.
    """
    A, B = a.hulls, b.hulls
    for e in range(A.first_edge[a.hull], A.first_edge[a.hull + 1]):
        n, m = face_normal(a, A.edges[e, 2]), face_normal(a, A.edges[e, 3])
        c, u = _edge_of(a, e)
        for g in range(B.first_edge[b.hull], B.first_edge[b.hull + 1]):
            k = scale(-1.0, face_normal(b, B.edges[g, 2]))
            j = scale(-1.0, face_normal(b, B.edges[g, 3]))
            if not _are_across(n, m, k, j):
                continue
            d, v = _edge_of(b, g)
            across = cross(u, v)
            size = math.sqrt(dot(across, across))
            if size <= PARALLEL * math.sqrt(dot(u, u) * dot(v, v)):
                continue
            across = scale(math.copysign(1.0 / size, dot(across, add(n, m))), across)
            gap = dot(across, subtract(d, c))
            if gap > best + NEARER:
                best, normal = gap, across
    return best, normal


@inner
def _corners_of(b: Solid, a: Solid, best: Features) -> Features:
    """Return features of the corner of mesh b nearest to a, if it is nearer than `best`."""
    for k in range(b.hulls.first_point[b.hull], b.hulls.first_point[b.hull + 1]):
        point = corner_of(b, k)
        distance, slope = distance_to(a, point)
        if distance < best.distance:
            best = Features(distance, slope, subtract(point, scale(distance, slope)), point)
    return best


@inner
def closest_of_meshes(a: Solid, b: Solid) -> Features:
    """Return features of two meshes, by the shortest translation if they overlap."""
    best, normal = _part_faces(a, b, -math.inf, (0.0, 0.0, 1.0))
    best, normal = _part_faces(b, a, best, scale(-1.0, normal))
    normal = scale(-1.0, normal)
    best, normal = _part_edges(a, b, best, normal)
    if best <= 0.0:
        point = farthest(a, normal)
        return Features(best, normal, point, add(point, scale(best, normal)))
    one = _corners_of(b, a, no_features())
    one = swap(_corners_of(a, b, swap(one)))
    A, B = a.hulls, b.hulls
    for e in range(A.first_edge[a.hull], A.first_edge[a.hull + 1]):
        c, u = _edge_of(a, e)
        for g in range(B.first_edge[b.hull], B.first_edge[b.hull + 1]):
            d, v = _edge_of(b, g)
            x, y = nearest_of_segments(c, u, d, v)
            to = subtract(y, x)
            distance = math.sqrt(dot(to, to))
            if 0.0 < distance < one.distance:
                one = Features(distance, scale(1.0 / distance, to), x, y)
    return one
