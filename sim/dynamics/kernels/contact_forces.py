"""Forces between touching shapes: points, the push at each by its law, and friction.

Several points of a pair share its stiffness by a number that belongs to the shapes, never by how
many touch, so that no force jumps where one more comes to touch.
"""

from __future__ import annotations

import math

from sim.dynamics.kernels.bodies import add_gradient
from sim.dynamics.kernels.closest import closest, corner
from sim.dynamics.kernels.closest_features import (
    Features,
    Solid,
    distance_to,
    gap_along,
    solid_of,
    unit,
)
from sim.dynamics.kernels.compiling import inner, kernel
from sim.dynamics.kernels.contact_records import ContactPairs, Meeting
from sim.dynamics.kernels.face_contact import touch_boxes
from sim.dynamics.kernels.records import MarkerWork
from sim.dynamics.kernels.shape_kinds import BOX, CAPSULE, CYLINDER, PLANE, SPHERE
from sim.dynamics.kernels.touch import add_point
from sim.dynamics.kernels.vectors import (
    ORIGIN,
    Vector,
    add,
    column_of,
    cross,
    dot,
    row_of,
    scale,
    subtract,
)
from sim.maths.arrays import Array

INSIDE = 1.0 / math.sqrt(3.0)  # Gauss's two points of a line, from -1 to 1
SEARCHED = 60  # halvings, by which the ends of a line of touch are had
FACE = 0.7  # cosine between normal and axis above which a cylinder stands on its face


@inner
def around(solid: Solid) -> float:
    """Radius of the sphere about a shape that is no plane."""
    x, y, z = solid.size
    if solid.kind == SPHERE:
        return x
    if solid.kind == CAPSULE:
        return x + y
    if solid.kind == CYLINDER:
        return math.sqrt(x * x + y * y)
    return math.sqrt(x * x + y * y + z * z)


@inner
def distance_of_spheres(a: Solid, b: Solid) -> float:
    """A lower bound of the distance of two shapes: that of the spheres about them."""
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
    """An upper bound of the rate of the distance of two shapes."""
    a, b = at.a, at.b
    apart = _size_of(subtract(b.p, a.p))
    arm_a = apart + around(b) if a.kind == PLANE else around(a)
    arm_b = apart + around(a) if b.kind == PLANE else around(b)
    turning = arm_a * _size_of(at.wa) + arm_b * _size_of(at.wb)
    return _size_of(subtract(at.va, at.vb)) + turning


@inner
def rim_point(solid: Solid, down: Vector, end: float, which: int) -> Vector:
    """One of four points of a cylinder's rim, the first of which is farthest along `down`."""
    axis = column_of(solid.R, solid.frame, 2)
    side = cross(axis, down)
    v = down if which % 2 == 0 else side
    v = scale(solid.size[0] if which < 2 else -solid.size[0], v)
    return add(solid.p, add(scale(end * solid.size[1], axis), v))


@inner
def across_axis(solid: Solid, n: Vector) -> Vector:
    """The unit vector across a shape's axis that is nearest to n; any, where n is along it."""
    axis = column_of(solid.R, solid.frame, 2)
    across = subtract(n, scale(dot(n, axis), axis))
    if dot(across, across) > 1e-18:
        return unit(across)
    return column_of(solid.R, solid.frame, 0)


@inner
def _touch_plane(pairs: ContactPairs, c: int, at: Meeting, total: Array) -> None:
    """The points of a shape that may carry it on a plane; the plane is the first."""
    plane, b = at.a, at.b
    normal = column_of(plane.R, plane.frame, 2)
    height = dot(normal, plane.p)
    if b.kind == BOX:
        for which in range(8):
            point = corner(b, which)
            add_point(pairs, c, at, point, normal, height - dot(normal, point), 0.25, total)
    elif b.kind == CYLINDER:
        down = across_axis(b, scale(-1.0, normal))
        for end in (-1.0, 1.0):
            for which in range(4):
                point = rim_point(b, down, end, which)
                add_point(pairs, c, at, point, normal, height - dot(normal, point), 0.25, total)
    elif b.kind == CAPSULE:
        along = scale(b.size[1], column_of(b.R, b.frame, 2))
        for end in (-1.0, 1.0):
            point = subtract(add(b.p, scale(end, along)), scale(b.size[0], normal))
            add_point(pairs, c, at, point, normal, height - dot(normal, point), 0.5, total)
    else:
        point = subtract(b.p, scale(b.size[0], normal))
        add_point(pairs, c, at, point, normal, height - dot(normal, point), 1.0, total)


@inner
def _end_of_touch(b: Solid, c: Vector, u: Vector, radius: float, t: float, end: float) -> float:
    """How far from t to an end of the line c + t u the distance to a shape is below a radius."""
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
def _touch_line(
    pairs: ContactPairs, c: int, at: Meeting, q: Vector, u: Vector, radius: float, normal: Vector,
    total: Array
) -> None:  # fmt: skip
    """Two points of a line of the first shape, of some radius, where it is in the second."""
    b, best, middle = at.b, math.inf, 0.0
    for k in range(17):
        t = -1.0 + k / 8.0
        distance, _ = distance_to(b, add(q, scale(t, u)))
        if distance < best:
            best, middle = distance, t
    axis = dot(u, u)
    along = dot(subtract(at.found, q), u) / axis
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
def _touch_standing(pairs: ContactPairs, c: int, at: Meeting, normal: Vector, total: Array) -> None:
    """Points of the rim of a cylinder in a shape, and corners of a box in the cylinder."""
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


@inner
def _touch_in_order(pairs: ContactPairs, c: int, at: Meeting, one: Features, total: Array) -> None:
    """Add up the points of a pair whose kinds ascend."""
    a, b = at.a, at.b
    if a.kind == PLANE:
        _touch_plane(pairs, c, at, total)
    elif a.kind == CAPSULE and b.kind != CAPSULE:
        u = scale(a.size[1], column_of(a.R, a.frame, 2))
        _touch_line(pairs, c, at, a.p, u, a.size[0], one.normal, total)
    elif a.kind in (SPHERE, CAPSULE):
        add_point(pairs, c, at, one.first, one.normal, -one.distance, 1.0, total)
    elif a.kind == CYLINDER:
        axis = column_of(a.R, a.frame, 2)
        if abs(dot(one.normal, axis)) > FACE:
            _touch_standing(pairs, c, at, one.normal, total)
        else:
            down = scale(a.size[0], across_axis(a, one.normal))
            u = scale(a.size[1], axis)
            _touch_line(pairs, c, at, add(a.p, down), u, 0.0, one.normal, total)
    else:
        touch_boxes(pairs, c, at, one, total)


@inner
def meet(pairs: ContactPairs, c: int, at: Meeting, total: Array) -> None:
    """Force and moment on the first shape of a pair, and what its channels are.

    `total` has 16 numbers: the force; the moment about the origin of the first shape; the sum of
    the pushes; friction; the largest depth; the sum of each push times its point; the distance, or
    a lower bound of it, and how fast it may become less.
    """
    for k in range(total.size):
        total[k] = 0.0
    total[14], total[15] = distance_of_spheres(at.a, at.b), fastest(at)
    if total[14] > 0.0:
        return
    one = closest(at.a, at.b)
    total[14] = one.distance
    if one.distance >= 0.0:
        return
    total[10] = -one.distance
    if at.a.kind <= at.b.kind:
        at = Meeting(at.a, at.b, at.va, at.wa, at.vb, at.wb, at.a.p, 1.0, one.first)
        _touch_in_order(pairs, c, at, one, total)
    else:
        back = Features(one.distance, scale(-1.0, one.normal), one.second, one.first)
        at = Meeting(at.b, at.a, at.vb, at.wb, at.va, at.wa, at.a.p, -1.0, one.second)
        _touch_in_order(pairs, c, at, back, total)


@inner
def _meeting(pairs: ContactPairs, c: int, R: Array, p: Array, v: Array, w: Array) -> Meeting:
    """The two shapes of a pair at the poses of its markers."""
    i, j = pairs.markers[c, 0], pairs.markers[c, 1]
    a = solid_of(pairs.kinds[c, 0], pairs.sizes, 2 * c, R, i, p)
    b = solid_of(pairs.kinds[c, 1], pairs.sizes, 2 * c + 1, R, j, p)
    return Meeting(
        a, b, row_of(v, i), row_of(w, i), row_of(v, j), row_of(w, j), a.p, 1.0, ORIGIN
    )  # fmt: skip


@kernel
def act_in_contact(work: MarkerWork, pairs: ContactPairs) -> bool:
    """Add what all pairs do at the joints; the markers of `work` are at their poses.

    False if a force is not finite.
    """
    bodies, body, p = work.bodies, work.markers.body, work.p
    acting = pairs.acting
    for c in range(len(pairs.kinds)):
        i, j = pairs.markers[c, 0], pairs.markers[c, 1]
        total = pairs.totals[c]
        meet(pairs, c, _meeting(pairs, c, work.axes, p, work.v, work.w), total)
        force, moment = (total[0], total[1], total[2]), (total[3], total[4], total[5])
        at_i, at_j = row_of(p, i), row_of(p, j)
        back = add(moment, cross(subtract(at_i, at_j), force))
        for k in range(3):
            acting[c, k], acting[c, 3 + k], acting[c, 6 + k] = force[k], moment[k], at_i[k]
            acting[c, 9 + k], acting[c, 12 + k], acting[c, 15 + k] = -force[k], -back[k], at_j[k]
            if not (math.isfinite(force[k]) and math.isfinite(moment[k])):
                return False
        if total[6] != 0.0 or total[10] != 0.0:
            add_gradient(bodies, body[i], at_i, force, moment, 1.0, work.torque)
            add_gradient(bodies, body[j], at_j, force, back, -1.0, work.torque)
    return True


@kernel
def meet_at_states(
    pairs: ContactPairs, R: Array, p: Array, v: Array, w: Array, totals: Array
) -> None:
    """What one pair does at N states, (N, 16); poses and velocities are (N, 2, …)."""
    for k in range(len(R)):
        meet(pairs, 0, _meeting(pairs, 0, R[k], p[k], v[k], w[k]), totals[k])


@kernel
def features_of_poses(
    pairs: ContactPairs, R: Array, p: Array, features: Array, gaps: Array
) -> None:
    """Distance, normal and points of one pair at N poses, (N, 10), and the gaps along it, (N,)."""
    for k in range(len(R)):
        at = _meeting(pairs, 0, R[k], p[k], p[k], p[k])
        one = closest(at.a, at.b)
        features[k, 0] = one.distance
        for m in range(3):
            features[k, 1 + m] = one.normal[m]
            features[k, 4 + m], features[k, 7 + m] = one.first[m], one.second[m]
        gaps[k] = _gap(at, one.normal)


@inner
def _gap(at: Meeting, normal: Vector) -> float:
    if at.a.kind <= at.b.kind:
        return gap_along(at.a, at.b, normal)
    return gap_along(at.b, at.a, scale(-1.0, normal))
