"""Cheap bounds of the distance of shapes, and of the time until they may touch."""

from __future__ import annotations

import math

from sim.dynamics.dormand_prince import STAGES
from sim.dynamics.kernels.closest_features import Solid, gap_along, solid_of
from sim.dynamics.kernels.compiling import inner, kernel
from sim.dynamics.kernels.contact_records import ContactPairs, Meeting, Reserve
from sim.dynamics.kernels.marker_forces import follow_markers
from sim.dynamics.kernels.records import MarkerWork
from sim.dynamics.kernels.shape_kinds import BOX, CAPSULE, CYLINDER, MESH, PLANE, SPHERE
from sim.dynamics.kernels.vectors import ORIGIN, Vector, column_of, dot, row_of, scale, subtract
from sim.maths.arrays import Array

# Largest ratio of a polynomial of degree 6 within a step to its values at the stages.
BETWEEN = 4.4


@inner
def around(solid: Solid) -> float:
    """Return the radius of the bounding sphere of a shape other than a plane."""
    x, y, z = solid.size
    if solid.kind in (SPHERE, MESH):
        return x
    if solid.kind == CAPSULE:
        return x + y
    if solid.kind == CYLINDER:
        return math.sqrt(x * x + y * y)
    return math.sqrt(x * x + y * y + z * z)


@inner
def distance_of_spheres(a: Solid, b: Solid) -> float:
    """Return a lower bound of the distance of two shapes: that of their bounding spheres."""
    d = subtract(b.p, a.p)
    if a.kind == PLANE:
        return dot(d, column_of(a.R, a.frame, 2)) - around(b)
    if b.kind == PLANE:
        return -dot(d, column_of(b.R, b.frame, 2)) - around(a)
    return math.sqrt(dot(d, d)) - around(a) - around(b)


@inner
def _size_of(v: Vector) -> float:
    return math.sqrt(dot(v, v))


@inner
def fastest(at: Meeting) -> float:
    """Return an upper bound of the rate of the distance of two shapes."""
    a, b = at.a, at.b
    distance = _size_of(subtract(b.p, a.p))
    arm_a = distance + around(b) if a.kind == PLANE else around(a)
    arm_b = distance + around(a) if b.kind == PLANE else around(b)
    turning = arm_a * _size_of(at.wa) + arm_b * _size_of(at.wb)
    return _size_of(subtract(at.va, at.vb)) + turning


@inner
def meeting(pairs: ContactPairs, c: int, R: Array, p: Array, v: Array, w: Array) -> Meeting:
    """Return the two shapes of a pair at the poses of its markers."""
    i, j = pairs.markers[c, 0], pairs.markers[c, 1]
    kinds, sizes, hulls, mesh = pairs.kinds, pairs.sizes, pairs.hulls, pairs.mesh
    a = solid_of(kinds[c, 0], sizes, 2 * c, R, i, p, hulls, mesh[c, 0])
    b = solid_of(kinds[c, 1], sizes, 2 * c + 1, R, j, p, hulls, mesh[c, 1])
    return Meeting(
        a, b, row_of(v, i), row_of(w, i), row_of(v, j), row_of(w, j), a.p, 1.0, ORIGIN
    )  # fmt: skip


@inner
def _least_distance(a: Solid, b: Solid) -> float:
    """Return a lower bound of the distance of two shapes: the separation along some directions."""
    if a.kind == PLANE:
        return gap_along(a, b, column_of(a.R, a.frame, 2))
    if b.kind == PLANE:
        return gap_along(b, a, column_of(b.R, b.frame, 2))
    least = distance_of_spheres(a, b)
    d = subtract(b.p, a.p)
    size = _size_of(d)
    if size == 0.0:
        return least
    least = max(least, gap_along(a, b, scale(1.0 / size, d)))
    for k in range(3):
        for one in (a, b):
            if one.kind == BOX or (k == 2 and one.kind in (CAPSULE, CYLINDER)):
                axis = column_of(one.R, one.frame, k)
                least = max(least, gap_along(a, b, scale(math.copysign(1.0, dot(axis, d)), axis)))
    return least


@inner
def compute_distances(
    reserve: Reserve, work: MarkerWork, pairs: ContactPairs, q: Array, qd: Array
) -> float:
    """Compute the rates and times of `reserve` at a state of the tree's joints; not its place.

    Return the least time [s].
    """
    follow_markers(work, q, qd)
    reach, rate, times = reserve.reach, reserve.rate, reserve.times
    least = math.inf
    for i in range(rate.size):
        rate[i] = 0.0
    for c in range(times.size):
        at = meeting(pairs, c, work.axes, work.p, work.v, work.w)
        distance, speed = _least_distance(at.a, at.b), fastest(at)
        times[c] = 0.0
        if distance > 0.0:
            times[c] = distance / speed if speed > 0.0 else math.inf
        least = min(least, times[c])
        for i in range(rate.size):
            rate[i] = max(rate[i], reach[c, i] / distance) if distance > 0.0 else math.nan
    return least


@kernel
def look(reserve: Reserve, work: MarkerWork, pairs: ContactPairs, q: Array, qd: Array) -> float:
    """Call `compute_distances` from Python."""
    return compute_distances(reserve, work, pairs, q, qd)


@kernel
def used_share(rate: Array, place: Array, q: Array) -> float:
    """Return the share of the distances at a place that positions q (n,) may use up."""
    share = 0.0
    for i in range(rate.size):
        share += rate[i] * abs(q[i] - place[i])
    return share


@inner
def stay_apart(reserve: Reserve, y: Array, h: float, K: Array) -> bool:
    """Whether no pair can touch in a step of length h from a state y (size,), with rates K.

    A velocity within a step is a polynomial of degree 6, and differs from that at the beginning by
    at most `BETWEEN` times as much as at the stages.
    """
    place, rate, share = reserve.place, reserve.rate, 0.0
    for i in range(rate.size):
        change = 0.0
        for s in range(1, STAGES + 1):
            change = max(change, abs(K[s, i] - K[0, i]))
        share += rate[i] * (abs(y[i] - place[i]) + h * (abs(K[0, i]) + BETWEEN * change))
    return share < 1.0
