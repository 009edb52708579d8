"""Mechanics of a tree of bodies at one state: poses, velocities, mass matrix, bias and loads.

The same sums as in `sim.dynamics.single_state.instant`, in scalar form.
"""

from __future__ import annotations

import numpy as np

from sim.dynamics.kernels.compiling import inner, kernel
from sim.dynamics.kernels.records import Bodies, BodyWork, Indices
from sim.dynamics.kernels.vectors import (
    ORIGIN,
    Vector,
    add,
    column_of,
    cross,
    dot,
    multiply,
    rotate,
    rotate_back,
    rotation_columns,
    row_of,
    scale,
    set_columns,
    set_row,
    subtract,
)
from sim.maths.arrays import Array


@inner
def _pose_ball(row: int, q: Array, R: Array, i: int) -> None:
    """Rotate body i, one of a ball's three, whose z is along x, y or z of its child.

    Its rotation for zero angles is set before.
    """
    if row > 1:  # the rotation of the previous body, with its columns shifted
        set_columns(R, i, column_of(R, i - 1, 1), column_of(R, i - 1, 2), column_of(R, i - 1, 0))
        return
    x, y, z = rotation_columns((q[i], q[i + 1], q[i + 2]))
    set_columns(R, i, rotate(R, i, y), rotate(R, i, z), rotate(R, i, x))


@inner
def _pose_bodies(bodies: Bodies, q: Array) -> None:
    """Compute rotations and origins of all bodies in the world."""
    parent, slides, T, ball = bodies.parent, bodies.slides, bodies.T, bodies.ball
    R, p = bodies.work.R, bodies.work.p
    for i in range(q.size):
        up, place = parent[i], column_of(T, i, 3)
        x, y, z = column_of(T, i, 0), column_of(T, i, 1), column_of(T, i, 2)
        if up >= 0:
            x, y, z = rotate(R, up, x), rotate(R, up, y), rotate(R, up, z)
            place = add(row_of(p, up), rotate(R, up, place))
        if slides[i]:
            place = add(place, scale(q[i], z))
        elif ball[i] == 0:
            c, s = np.cos(q[i]), np.sin(q[i])
            x, y = add(scale(c, x), scale(s, y)), subtract(scale(c, y), scale(s, x))
        set_row(p, i, place)
        set_columns(R, i, x, y, z)
        if ball[i] > 0:
            _pose_ball(ball[i], q, R, i)


@inner
def _rotate_bodies(bodies: Bodies, qd: Array) -> None:
    """Compute angular velocities of all bodies, and accelerations without qdd."""
    parent, slides, ball = bodies.parent, bodies.slides, bodies.ball
    R, w, wd = bodies.work.R, bodies.work.w, bodies.work.wd
    for i in range(qd.size):
        up = parent[i]
        turn = ORIGIN if slides[i] else scale(qd[i], column_of(R, i, 2))
        before = parent[i + 1 - ball[i]] if ball[i] > 1 else up
        set_row(w, i, add(row_of(w, up), turn))
        set_row(wd, i, add(row_of(wd, up), cross(row_of(w, before), turn)))


@inner
def _accumulate_body(bodies: Bodies, qd: Array, b: int) -> None:
    """Compute Jacobians of body b, and the force and moment that it requires without qdd."""
    parent, slides, ball, axes = bodies.parent, bodies.slides, bodies.ball, bodies.axes
    work = bodies.work
    R, p, Jv, G, w, principal = work.R, work.p, work.Jv[b], work.G[b], work.w, work.principal
    center = add(rotate(R, b, row_of(bodies.com, b)), row_of(p, b))
    e1, e2, e3 = column_of(axes, b, 0), column_of(axes, b, 1), column_of(axes, b, 2)
    set_columns(principal, b, rotate(R, b, e1), rotate(R, b, e2), rotate(R, b, e3))
    set_row(work.center, b, center)
    gravity, j = bodies.gravity, b
    force = -gravity[0], -gravity[1], -gravity[2]
    while j >= 0:
        z = column_of(R, j, 2)
        twice = subtract(scale(2.0, row_of(w, j)), ORIGIN if slides[j] else scale(qd[j], z))
        if ball[j] > 0:
            twice = add(row_of(w, j + 3 - ball[j]), row_of(w, parent[j + 1 - ball[j]]))
        rate = z if slides[j] else cross(z, subtract(center, row_of(p, j)))
        set_row(Jv, j, rate)
        set_row(G, j, ORIGIN if slides[j] else rotate_back(principal, b, z))
        force = add(force, scale(qd[j], cross(twice, rate)))
        j = parent[j]
    set_row(work.force, b, scale(bodies.mass[b], force))
    (A, B, C), (w1, w2, w3) = row_of(bodies.moments, b), rotate_back(principal, b, row_of(w, b))
    spin = multiply(rotate_back(principal, b, row_of(work.wd, b)), (A, B, C))
    gyration = (C - B) * w2 * w3, (A - C) * w3 * w1, (B - A) * w1 * w2
    set_row(work.moment, b, add(spin, gyration))


@inner
def _add_body(bodies: Bodies, b: int) -> None:
    """Add the contribution of body b to the lower half of M and to the bias."""
    parent, mass, moments = bodies.parent, bodies.mass[b], row_of(bodies.moments, b)
    work, i = bodies.work, b
    M, bias, Jv, G = work.M, work.bias, work.Jv[b], work.G[b]
    force, moment = row_of(work.force, b), row_of(work.moment, b)
    while i >= 0:
        rate, turn = row_of(Jv, i), row_of(G, i)
        bias[i] += dot(rate, force) + dot(turn, moment)
        j, spin = i, multiply(moments, turn)
        while j >= 0:
            M[i, j] += mass * dot(rate, row_of(Jv, j)) + dot(spin, row_of(G, j))
            j = parent[j]
        i = parent[i]


@inner
def move_bodies(bodies: Bodies, q: Array, qd: Array) -> None:
    """Compute M, C qd + g, and the wrench on each body without qdd."""
    mass = bodies.mass
    _pose_bodies(bodies, q)
    _rotate_bodies(bodies, qd)
    for i in range(q.size):
        bodies.work.bias[i] = 0.0
        for j in range(q.size):
            bodies.work.M[i, j] = 0.0
    for b in range(q.size):
        if mass[b] > 0.0:
            _accumulate_body(bodies, qd, b)
            _add_body(bodies, b)


@kernel
def mass_and_bias(bodies: Bodies, q: Array, qd: Array) -> tuple[Array, Array]:
    """Return the lower half of M, and C qd + g, of the tree's joints."""
    move_bodies(bodies, q, qd)
    return bodies.work.M.copy(), bodies.work.bias.copy()


@inner
def load_joint(bodies: Bodies, joint: int, qdd: Array, still: bool, wrench: Array) -> None:
    """Compute a joint's wrench (6,), z along its axis; `still`: include the part without qdd."""
    parent, mass, moments, work = bodies.parent, bodies.mass, bodies.moments, bodies.work
    R, p, principal, force, moment = work.R, work.p, work.principal, work.force, work.moment
    F, N = ORIGIN, ORIGIN
    for b in range(joint, qdd.size):
        up = b
        while up > joint:
            up = parent[up]
        if up != joint or mass[b] == 0.0:
            continue
        f, t = (row_of(force, b), row_of(moment, b)) if still else (ORIGIN, ORIGIN)
        j, Jv, G = b, work.Jv[b], work.G[b]
        while j >= 0:
            f = add(f, scale(qdd[j], scale(mass[b], row_of(Jv, j))))
            t = add(t, scale(qdd[j], multiply(row_of(moments, b), row_of(G, j))))
            j = parent[j]
        lever = subtract(row_of(work.center, b), row_of(p, joint))
        F, N = add(F, f), add(N, add(rotate(principal, b, t), cross(lever, f)))
    wrench[0], wrench[1], wrench[2] = rotate_back(R, joint, F)
    wrench[3], wrench[4], wrench[5] = rotate_back(R, joint, N)


@inner
def subtract_applied(bodies: Bodies, applied: Array, joint: int, wrench: Array) -> None:
    """Subtract applied wrenches on the bodies behind a joint from its wrench (6,).

    `applied` (n, 6) has force and moment at each body's origin, along its axes.
    """
    parent, R, p = bodies.parent, bodies.work.R, bodies.work.p
    F, N = ORIGIN, ORIGIN
    for b in range(joint, len(applied)):
        up = b
        while up > joint:
            up = parent[up]
        if up == joint:
            f = rotate(R, b, (applied[b, 0], applied[b, 1], applied[b, 2]))
            t = rotate(R, b, (applied[b, 3], applied[b, 4], applied[b, 5]))
            lever = subtract(row_of(p, b), row_of(p, joint))
            F, N = add(F, f), add(N, add(t, cross(lever, f)))
    F, N = rotate_back(R, joint, F), rotate_back(R, joint, N)
    for k in range(3):
        wrench[k] -= F[k]
        wrench[3 + k] -= N[k]


@kernel
def load_cases(
    bodies: Bodies, q: Array, qd: Array, qdd: Array, applied: Array, rows: Indices, wrenches: Array
) -> None:
    """Fill in the wrenches of k tree joints, (cases, k, 6), for accelerations (cases, n)."""
    move_bodies(bodies, q, qd)
    for case in range(len(qdd)):
        for k in range(rows.size):
            load_joint(bodies, rows[k], qdd[case], True, wrenches[case, k])
            subtract_applied(bodies, applied, rows[k], wrenches[case, k])


@inner
def velocity_at(work: BodyWork, body: int, place: Vector) -> Vector:
    """Velocity of a place on a body."""
    if body < 0:
        return ORIGIN
    lever = subtract(place, row_of(work.p, body))
    return add(row_of(work.v, body), cross(row_of(work.w, body), lever))


@inner
def acceleration_at(work: BodyWork, body: int, place: Vector) -> Vector:
    """Acceleration of a place on a body."""
    if body < 0:
        return ORIGIN
    lever, turning = subtract(place, row_of(work.p, body)), row_of(work.w, body)
    inward = cross(turning, cross(turning, lever))
    return add(inward, add(row_of(work.a, body), cross(row_of(work.wd, body), lever)))


@inner
def follow_bodies(bodies: Bodies, q: Array, qd: Array) -> None:
    """Compute poses of all bodies, velocities of their origins, and angular velocities."""
    parent, slides, work = bodies.parent, bodies.slides, bodies.work
    R, p, v, w = work.R, work.p, work.v, work.w
    _pose_bodies(bodies, q)
    for i in range(q.size):
        up = parent[i]
        speed, turning = velocity_at(work, up, row_of(p, i)), row_of(w, up)
        motion = scale(qd[i], column_of(R, i, 2))
        if slides[i]:
            speed = add(speed, motion)
        else:
            turning = add(turning, motion)
        set_row(v, i, speed)
        set_row(w, i, turning)


@inner
def accelerate_bodies(bodies: Bodies, qd: Array) -> None:
    """Compute accelerations of bodies for zero joint accelerations, after `follow_bodies`."""
    parent, slides, ball = bodies.parent, bodies.slides, bodies.ball
    work = bodies.work
    R, p, w, a, wd = work.R, work.p, work.w, work.a, work.wd
    for i in range(qd.size):
        up = parent[i]
        rate, turning = acceleration_at(work, up, row_of(p, i)), row_of(wd, up)
        motion = scale(qd[i], column_of(R, i, 2))
        before = parent[i + 1 - ball[i]] if ball[i] > 0 else up
        if slides[i]:
            rate = add(rate, scale(2.0, cross(row_of(w, i), motion)))
        elif before >= 0:
            turning = add(turning, cross(row_of(w, before), motion))
        set_row(a, i, rate)
        set_row(wd, i, turning)


@inner
def add_gradient(
    bodies: Bodies, body: int, point: Vector, force: Vector, moment: Vector, sign: float, J: Array
) -> None:
    """Add the generalised forces of a force and a moment on a body at a point to J."""
    parent, slides, R, p = bodies.parent, bodies.slides, bodies.work.R, bodies.work.p
    while body >= 0:
        along = force
        if not slides[body]:
            along = add(cross(subtract(point, row_of(p, body)), force), moment)
        J[body] += sign * dot(column_of(R, body, 2), along)
        body = parent[body]
