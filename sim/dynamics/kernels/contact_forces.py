"""Forces between touching shapes: points of contact, normal force at each, and friction.

The points of a pair share its stiffness by a number that depends on the shapes only, not on how
many points touch, so that no force jumps when another point comes into contact.

Friction of a pair with stiction: one force and one moment where all its points press together.

The patch slides with the velocity v of its centre of pressure along the surface and the rate w of
turning about the normal. With the radius R at which the pushes act, in root mean square, its slip
is s = (v, R w), and its friction -mu(|s|) N s/|s|: at most mu N along any slip, and mu N R where it
turns on the spot. A single point has R = 0.
"""

from __future__ import annotations

import math

from sim.dynamics.kernels.bodies import add_gradient
from sim.dynamics.kernels.closest import closest, corner
from sim.dynamics.kernels.closest_features import Features, gap_along
from sim.dynamics.kernels.compiling import inner, kernel
from sim.dynamics.kernels.contact_records import ContactPairs, Meeting
from sim.dynamics.kernels.cylinder_contact import across_axis, rim_point, touch_cylinder, touch_line
from sim.dynamics.kernels.mesh_contact import touch_boxes, touch_by_corners, touch_meshes
from sim.dynamics.kernels.nearness import distance_of_spheres, fastest, meeting
from sim.dynamics.kernels.records import MarkerWork
from sim.dynamics.kernels.shape_kinds import (
    AT_REST,
    BOX,
    CAPSULE,
    CYLINDER,
    FADED,
    MESH,
    PLANE,
    SPHERE,
    START,
)
from sim.dynamics.kernels.touch import add_point, smooth_step
from sim.dynamics.kernels.vectors import Vector, add, column_of, cross, dot, row_of, scale, subtract
from sim.maths.arrays import Array

FLAT = 1e-10  # of the square of the distance of its points, below which a patch is one point


@inner
def is_of_one_point(kind_a: int, kind_b: int) -> bool:
    """Whether shapes of these kinds touch in one point at most, whatever their poses."""
    return SPHERE in (kind_a, kind_b) or (kind_a == CAPSULE and kind_b == CAPSULE)


@inner
def rub_patch(pairs: ContactPairs, c: int, at: Meeting, normal: Vector, total: Array) -> None:
    """Add the friction of a patch to the pushes of its points; `normal` is from the first out.

    The last numbers of `total` become R, the centre, the normal from a to b, the slip of a on b
    along the surface, and R times the rate at which a turns on b about the normal.
    """
    push, spread = total[6], total[16]
    total[16] = 0.0
    if push <= 0.0:
        return
    centre = scale(1.0 / push, (total[11], total[12], total[13]))
    radius = 0.0
    if not is_of_one_point(at.a.kind, at.b.kind):
        aside = subtract(centre, at.point)
        square = spread / push - dot(aside, aside)
        if square > FLAT * spread / push:
            radius = math.sqrt(square)
        surface = at.a.p if at.a.kind == PLANE else at.point
        centre = add(centre, scale(dot(normal, subtract(surface, centre)), normal))
    va = add(at.va, cross(at.wa, subtract(centre, at.a.p)))
    vb = add(at.vb, cross(at.wb, subtract(centre, at.b.p)))
    v = subtract(va, vb)
    v = subtract(v, scale(dot(v, normal), normal))
    turning = radius * dot(subtract(at.wa, at.wb), normal)
    total[16], total[26] = radius, turning
    for k in range(3):
        total[17 + k], total[20 + k] = centre[k], at.sign * normal[k]
        total[23 + k] = at.sign * v[k]
    one = pairs.patches[c]
    ahead, around = (one[1], one[2], one[3]), (one[4], one[5], one[6])
    size, law = math.sqrt(dot(v, v) + turning * turning), pairs.friction[c]
    mu, is_starting = smooth_step(size, law[2], law[0], law[3], law[1]), one[0] > 1.0
    if is_starting and size < FADED:
        shift = at.sign * START * (1.0 - size / FADED) ** 3
        v = add(v, scale(shift, ahead))
        turning += shift * dot(around, normal)
        size = math.sqrt(dot(v, v) + turning * turning)
    if size == 0.0 or (size <= AT_REST and not is_starting):
        return
    rubbing = scale(-push * mu / size, v)
    twisting = scale(-push * mu / size * radius * turning, normal)
    force = scale(at.sign, rubbing)
    moment = add(cross(subtract(centre, at.about), force), scale(at.sign, twisting))
    for k in range(3):
        total[k] += force[k]
        total[3 + k] += moment[k]
        total[7 + k] += rubbing[k]


@inner
def _touch_plane(pairs: ContactPairs, c: int, at: Meeting, total: Array) -> None:
    """Add the points of a shape that may support it on a plane; the plane is the first shape."""
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
def _touch_in_order(pairs: ContactPairs, c: int, at: Meeting, one: Features, total: Array) -> None:
    """Add the points of a pair whose kinds ascend."""
    a, b = at.a, at.b
    if a.kind == PLANE and b.kind == MESH:
        touch_by_corners(pairs, c, at, one.normal, total)
    elif a.kind == PLANE:
        _touch_plane(pairs, c, at, total)
    elif a.kind == CAPSULE and b.kind != CAPSULE:
        u = scale(a.size[1], column_of(a.R, a.frame, 2))
        touch_line(pairs, c, at, a.p, u, a.size[0], one.normal, total)
    elif a.kind in (SPHERE, CAPSULE):
        add_point(pairs, c, at, one.first, one.normal, -one.distance, 1.0, total)
    elif a.kind == CYLINDER:
        touch_cylinder(pairs, c, at, one, total)
    elif a.kind == MESH:
        touch_meshes(pairs, c, at, one, total)
    else:
        touch_boxes(pairs, c, at, one, total)


@inner
def meet(pairs: ContactPairs, c: int, at: Meeting, total: Array) -> None:
    """Compute force and moment on the first shape of a pair, and the values of its channels.

    `total` has 27 numbers: force; moment about the origin of the first shape; sum of the normal
    forces; friction; largest depth; sum of each normal force times its point; distance, or a lower
    bound of it, and the largest rate at which it may decrease; with stiction the results of
    `rub_patch`.
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
        if pairs.patches[c, 0] > 0.0:
            rub_patch(pairs, c, at, one.normal, total)
    else:
        back = Features(one.distance, scale(-1.0, one.normal), one.second, one.first)
        at = Meeting(at.b, at.a, at.vb, at.wb, at.va, at.wa, at.a.p, -1.0, one.second)
        _touch_in_order(pairs, c, at, back, total)
        if pairs.patches[c, 0] > 0.0:
            rub_patch(pairs, c, at, back.normal, total)


@kernel
def act_in_contact(work: MarkerWork, pairs: ContactPairs) -> bool:
    """Add the generalised forces of all pairs; the markers of `work` are at their poses.

    Return False if a force is not finite.
    """
    bodies, body, p = work.bodies, work.markers.body, work.p
    acting = pairs.acting
    for c in range(len(pairs.kinds)):
        i, j = pairs.markers[c, 0], pairs.markers[c, 1]
        total = pairs.totals[c]
        meet(pairs, c, meeting(pairs, c, work.axes, p, work.v, work.w), total)
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
    pairs: ContactPairs, patches: Array, R: Array, p: Array, v: Array, w: Array, totals: Array
) -> None:
    """Compute `meet` of one pair at N states, (N, 27); `patches` (N, 7), poses (N, 2, …)."""
    for k in range(len(R)):
        pairs.patches[0] = patches[k]
        meet(pairs, 0, meeting(pairs, 0, R[k], p[k], v[k], w[k]), totals[k])


@kernel
def features_of_poses(
    pairs: ContactPairs, R: Array, p: Array, features: Array, gaps: Array
) -> None:
    """Compute distance, normal, points of a pair at N poses, (N, 10), and gaps along it, (N,)."""
    for k in range(len(R)):
        at = meeting(pairs, 0, R[k], p[k], p[k], p[k])
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
