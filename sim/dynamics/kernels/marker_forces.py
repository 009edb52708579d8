"""Programs of motors and of forces between markers at one state, and the forces' effects."""

from __future__ import annotations

import numpy as np

from sim.dynamics.kernels.bodies import add_gradient, follow_bodies
from sim.dynamics.kernels.compiling import inner, kernel
from sim.dynamics.kernels.expressions import HALF_TURN, evaluate, projected_rate
from sim.dynamics.kernels.records import MarkerWork, State
from sim.dynamics.kernels.vectors import (
    ORIGIN,
    Vector,
    add,
    column_of,
    cross,
    dot,
    multiply,
    rotate,
    row_of,
    scale,
    set_columns,
    set_row,
    subtract,
    vector_rate,
)
from sim.maths.arrays import Array


@inner
def follow_markers(work: MarkerWork, q: Array, qd: Array) -> None:
    """Compute poses, velocities and angular velocities of all bodies and markers."""
    bodies, markers = work.bodies, work.markers
    owners, origins, still = markers.body, markers.origin, markers.axes
    R, p, v, w = bodies.work.R, bodies.work.p, bodies.work.v, bodies.work.w
    P, V, W, axes = work.p, work.v, work.w, work.axes
    follow_bodies(bodies, q, qd)
    for m in range(len(owners)):
        body = owners[m]
        place, speed, turning = row_of(origins, m), ORIGIN, ORIGIN
        x, y, z = column_of(still, m, 0), column_of(still, m, 1), column_of(still, m, 2)
        if body >= 0:
            lever, turning = rotate(R, body, place), row_of(w, body)
            place = add(row_of(p, body), lever)
            speed = add(row_of(v, body), cross(turning, lever))
            x, y, z = rotate(R, body, x), rotate(R, body, y), rotate(R, body, z)
        set_row(P, m, place)
        set_row(V, m, speed)
        set_row(W, m, turning)
        set_columns(axes, m, x, y, z)


@inner
def _resist_turning(stiffness: Vector, axes: Array, i: int, j: int) -> Vector:
    """Return the torque of a bushing against the rotation vector of frame i in frame j."""
    x, y, z = column_of(axes, i, 0), column_of(axes, i, 1), column_of(axes, i, 2)
    u, v, w = column_of(axes, j, 0), column_of(axes, j, 1), column_of(axes, j, 2)
    phi = scale(0.5, (dot(w, y) - dot(v, z), dot(u, z) - dot(w, x), dot(v, x) - dot(u, y)))
    sine = np.sqrt(dot(phi, phi))
    angle = np.arctan2(sine, 0.5 * (dot(u, x) + dot(v, y) + dot(w, z) - 1.0))
    if angle > np.pi - HALF_TURN:
        angle = np.nan
    phi = scale(angle / sine if sine > 0.0 else 1.0, phi)
    return vector_rate(phi, multiply(stiffness, phi))


@inner
def _rate_angles(work: MarkerWork) -> bool:
    """Compute the rates of counted angles; False if one is not finite."""
    angles, rates = work.markers.counted, work.rates
    for a in range(len(angles)):
        i, j = angles[a, 1], angles[a, 2]
        rates[a] = projected_rate(angles[a, 0], work.axes, work.w, i, j)
        if not np.isfinite(rates[a]):
            return False
    return True


@inner
def _act(work: MarkerWork, f: int) -> bool:
    """Apply a force whose programs have run; False if it is not finite or has no direction."""
    bodies, markers, components, P, axes = (
        work.bodies,
        work.markers,
        work.components,
        work.p,
        work.axes,
    )
    acting, forces, constants, values = work.acting, markers.forces, markers.constants, work.values
    i, j, along, first = forces[f, 0], forces[f, 1], forces[f, 2], forces[f, 4]
    at_i, at_j = row_of(P, i), row_of(P, j)
    d = subtract(at_i, at_j)
    if along < 0:
        length = np.sqrt(dot(d, d))
        if not length > 0.0:
            return False
        force, moment = scale(values[first] / length, d), ORIGIN
    else:
        for k in range(6):
            components[k // 3, k % 3] = values[first + k]
        push, moment = row_of(components, 0), row_of(components, 1)
        at = forces[f, 5]
        if at > 0:
            stiffness = constants[at], constants[at + 1], constants[at + 2]
            moment = subtract(moment, _resist_turning(stiffness, axes, i, j))
        force, moment = rotate(axes, along, push), rotate(axes, along, moment)
    back = add(moment, cross(d, force))
    for k in range(3):
        acting[f, k], acting[f, 3 + k], acting[f, 6 + k] = force[k], moment[k], at_i[k]
        acting[f, 9 + k], acting[f, 12 + k], acting[f, 15 + k] = -force[k], -back[k], at_j[k]
        if not (np.isfinite(force[k]) and np.isfinite(moment[k])):
            return False
    if forces[f, 6]:
        add_gradient(bodies, markers.body[i], at_i, force, moment, 1.0, work.torque)
        if forces[f, 3]:
            add_gradient(bodies, markers.body[j], at_j, force, back, -1.0, work.torque)
    return True


@kernel
def act_between_markers(work: MarkerWork, t: float, q: Array, qd: Array, own_states: Array) -> bool:
    """Run all programs, and apply each force after its last one.

    Return False if a force is not finite or has no direction. Programs read elements' `own_states`.
    """
    markers, forces, state, f = work.markers, work.markers.forces, State(t, q, qd, own_states), 0
    if markers.body.size:
        follow_markers(work, q, qd)
    work.torque[:] = 0.0
    if not _rate_angles(work):
        return False
    for which in range(len(markers.programs)):
        work.values[which] = evaluate(work, which, state)
        if f < len(forces) and which == forces[f, 4] + (0 if forces[f, 2] < 0 else 5):
            if not _act(work, f):
                return False
            f += 1
    return True
