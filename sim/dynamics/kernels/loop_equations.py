"""Equations of closed loops at one state: errors, gradients and γ.

A loop may also constrain a function of its two frames to zero; its program is run with jets.
"""

from __future__ import annotations

import numpy as np

from sim.dynamics.kernels.bodies import (
    accelerate_bodies,
    acceleration_at,
    add_gradient,
    follow_bodies,
    velocity_at,
)
from sim.dynamics.kernels.compiling import inner, kernel
from sim.dynamics.kernels.expression_jets import Seen, evaluate_jet
from sim.dynamics.kernels.joint_rates import move_tree
from sim.dynamics.kernels.records import Bodies, BodyWork, Indices, Joints, Loops
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
    set_columns,
    subtract,
)
from sim.maths.arrays import Array

# Kinds of loop equations, as in `sim.kinematics.loop_rows`.
ALONG, SQUARE, LENGTH, TWIST, FUNCTION = range(5)
EVEN = 1e-9  # relative rounding of a loop function that is linear in whole turns


@inner
def _function(
    loops: Loops, which: Array, q: Array, axes: Array, relative: Seen
) -> tuple[float, float, Vector, Vector]:
    """Return error, γ, force and moment of a function of two frames that stays zero.

    The whole turns of its single angle that no hinges count are those of `loop_rows`.
    """
    first = np.zeros(9)
    evaluate_jet(loops, which, q, axes, relative, 0.0, first)
    if which[2] != 0.0:
        after, last, turns = np.zeros(9), np.zeros(9), 0.0
        evaluate_jet(loops, which, q, axes, relative, 1.0, after)
        evaluate_jet(loops, which, q, axes, relative, 2.0, last)
        f, step, least = first[0], after[0] - first[0], EVEN * max(1.0, abs(first[0]))
        if which[2] > 1.0 or not abs(last[0] - 2.0 * after[0] + f) <= least:
            turns = np.nan  # left to NumPy
        elif abs(step) > least:
            turns = -np.rint(f / step)
        if turns != 0.0:
            evaluate_jet(loops, which, q, axes, relative, turns, first)
    return first[0], first[8], (first[1], first[2], first[3]), (first[4], first[5], first[6])


@inner
def _square(
    u: Vector, side: Vector, axes: Array, w: Vector, wd: Vector
) -> tuple[float, float, Vector]:
    """Return error, γ and moment of an axis u of a and one of b that stay perpendicular."""
    z = rotate_back(axes, 0, rotate(axes, 1, side))
    bias = dot(u, cross(wd, z))
    return dot(u, z), bias + dot(u, cross(w, cross(w, z))), cross(z, u)


@inner
def _one_equation(
    kind: int, vector: Array, axes: Array, relative: Seen
) -> tuple[float, float, Vector, Vector]:
    """Return error, γ, force and moment of one equation, along the axes of a."""
    p, v, a, w, wd = relative
    u = vector[0], vector[1], vector[2]
    if kind == ALONG:
        return dot(u, p), dot(u, a), u, ORIGIN
    if kind == LENGTH:
        length = np.sqrt(dot(p, p))
        divisor = length if length > 0.0 else 1.0
        force = p[0] / divisor, p[1] / divisor, p[2] / divisor
        rate = dot(force, v)
        bias = dot(force, a) + (dot(v, v) - rate * rate) / divisor
        return length - vector[0], bias, force, ORIGIN
    if kind == TWIST:
        e, bias, moment = _square((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), axes, w, wd)
        opposite, back, other = _square((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), axes, w, wd)
        return e - opposite, bias - back, ORIGIN, subtract(moment, other)
    e, bias, moment = _square(u, (vector[3], vector[4], vector[5]), axes, w, wd)
    return e, bias, ORIGIN, moment


@inner
def _pose_frame(work: BodyWork, body: int, frames: Array, side: int, axes: Array) -> Vector:
    """Origin of a loop's frame, whose axes are filled in."""
    R, place = work.R, column_of(frames, side, 3)
    x, y, z = column_of(frames, side, 0), column_of(frames, side, 1), column_of(frames, side, 2)
    if body >= 0:
        place = add(row_of(work.p, body), rotate(R, body, place))
        x, y, z = rotate(R, body, x), rotate(R, body, y), rotate(R, body, z)
    set_columns(axes, side, x, y, z)
    return place


@inner
def _see_frames(work: BodyWork, ends: Indices, frames: Array, axes: Array) -> tuple[Vector, Seen]:
    """Origin of a loop's frame b, and how it is seen; the axes of both are filled in."""
    a, b = ends[0], ends[1]
    origin, at = _pose_frame(work, a, frames, 0, axes), _pose_frame(work, b, frames, 1, axes)
    w = row_of(work.w, a)
    v = subtract(velocity_at(work, b, at), velocity_at(work, a, at))
    turning = subtract(row_of(work.w, b), w)
    carried = add(acceleration_at(work, a, at), scale(2.0, cross(w, v)))
    rate = subtract(acceleration_at(work, b, at), carried)
    alpha = subtract(row_of(work.wd, b), add(row_of(work.wd, a), cross(w, turning)))
    return at, (
        rotate_back(axes, 0, subtract(at, origin)), rotate_back(axes, 0, v),
        rotate_back(axes, 0, rate), rotate_back(axes, 0, turning), rotate_back(axes, 0, alpha),
    )  # fmt: skip


@kernel
def close_loops(
    bodies: Bodies, loops: Loops, q: Array, qd: Array, e: Array, J: Array, bias: Array
) -> None:
    """Compute errors (rows,), gradients (rows, n_tree) and γ (rows,) of the loop equations.

    They are seen from frame a, along its axes; see `sim.kinematics.loop_equations`.
    """
    ends, frames, kinds, vectors = loops.ends, loops.frames, loops.kinds, loops.vectors
    last, J[:] = -1, 0.0
    follow_bodies(bodies, q, qd)
    accelerate_bodies(bodies, qd)
    axes, at, relative = np.empty((2, 3, 3)), ORIGIN, (ORIGIN, ORIGIN, ORIGIN, ORIGIN, ORIGIN)
    for row in range(len(kinds)):
        loop, kind = kinds[row, 0], kinds[row, 1]
        if loop != last:
            at, relative = _see_frames(bodies.work, ends[loop], frames[loop], axes)
            last = loop
        if kind == FUNCTION:
            e[row], bias[row], force, moment = _function(loops, vectors[row], q, axes, relative)
        else:
            e[row], bias[row], force, moment = _one_equation(kind, vectors[row], axes, relative)
        along, turning = rotate(axes, 0, force), rotate(axes, 0, moment)
        for side in range(2):
            sign = 2.0 * side - 1.0
            add_gradient(bodies, ends[loop, side], at, along, turning, sign, J[row])


@inner
def gradients_of_loops(
    bodies: Bodies, joints: Joints, loops: Loops, q: Array, qd: Array, e: Array, bias: Array
) -> Array:
    """Compute e, γ and return J (rows, n) of the loop equations, by the independent joints."""
    S, rows = joints.S, len(loops.kinds)
    tree, n = S.shape
    J_tree, J = np.empty((rows, tree)), np.zeros((rows, n))
    move_tree(joints, q, qd)
    close_loops(bodies, loops, joints.work.q_tree, joints.work.qd_tree, e, J_tree, bias)
    if tree == n:
        return J_tree
    for row in range(rows):
        for r in range(tree):
            for i in range(n):
                J[row, i] += J_tree[row, r] * S[r, i]
    return J
