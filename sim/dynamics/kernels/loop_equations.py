"""Equations of closed loops at one state: errors, gradients and γ.

A loop may keep a function of its two frames at zero. That is evaluated as a jet: the value, its
gradients by v and ω, and first and second derivative in time, nine numbers.
"""

from __future__ import annotations

import numpy as np

from sim.dynamics.kernels import expressions as ops
from sim.dynamics.kernels.bodies import (
    accelerate_bodies,
    acceleration_at,
    add_gradient,
    follow_bodies,
    velocity_at,
)
from sim.dynamics.kernels.compiling import inner, kernel
from sim.dynamics.kernels.expressions import of_one, of_two
from sim.dynamics.kernels.joint_rates import move_tree
from sim.dynamics.kernels.records import Bodies, Indices, Joints, Loops, Workspace
from sim.dynamics.kernels.vectors import (
    ORIGIN,
    Vector,
    add,
    column_of,
    copy_to,
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

# Kinds of loop equations, as `sim.kinematics.loop_rows` has them.
ALONG, SQUARE, LENGTH, TWIST, FUNCTION = range(5)
# p, v, a, ω and α of frame b of a loop as seen from a, along its axes
Seen = tuple[Vector, Vector, Vector, Vector, Vector]
EVEN = 1e-9  # of a function of a loop, what rounding makes of the same change by each turn


@inner
def _entry(axes: Array, seen: Seen, row: int, column: int, out: Array) -> None:
    """The jet of an entry of the rotation of b as seen from a."""
    z, (_, _, _, w, wd) = rotate_back(axes, 0, column_of(axes, 1, column)), seen
    once = cross(w, z)
    out[0], out[7] = z[row], once[row]
    out[8] = cross(wd, z)[row] + cross(w, once)[row]
    e = 1.0 if row == 0 else 0.0, 1.0 if row == 1 else 0.0, 1.0 if row == 2 else 0.0
    out[1:4] = 0.0
    out[4], out[5], out[6] = cross(z, e)


@inner
def _seen_jet(
    which: int, hinges: int, angles: Array, q: Array, axes: Array, seen: Seen, turns: float,
    out: Array
) -> None:  # fmt: skip
    """The jet of DM, DX, DY, DZ, AX, AY or AZ of b as seen from a, along the axes of a.

    `turns` are the whole ones of an angle that no hinges count.
    """
    p, v, a, _, _ = seen
    out[:] = 0.0
    if which == 0:
        length = np.sqrt(dot(p, p))
        divisor = length if length > 0.0 else np.nan
        along = p[0] / divisor, p[1] / divisor, p[2] / divisor
        rate = dot(along, v)
        out[0], out[7] = length, rate
        out[1], out[2], out[3] = along
        out[8] = dot(along, a) + (dot(v, v) - rate * rate) / divisor
        return
    if which < 4:
        k = which - 1
        out[0], out[1 + k], out[7], out[8] = p[k], 1.0, v[k], a[k]
        return
    above, below = np.empty(9), np.empty(9)
    if which == 6:
        _entry(axes, seen, 1, 0, above)
        _entry(axes, seen, 0, 0, below)
    else:
        _entry(axes, seen, 1 if which == 4 else 0, 2, above)
        _entry(axes, seen, 2, 2, below)
    if which == 4:
        above *= -1.0
    y, x = above[0], below[0]
    square, angle = x * x + y * y, np.arctan2(y, x)
    for k in range(1, 9):
        out[k] = (x * above[k] - y * below[k]) / square
    out[8] -= 2.0 * out[7] * (x * below[7] + y * above[7]) / square
    if hinges >= 0:
        turned = angles[hinges, 0]
        for i in range(q.size):
            turned += angles[hinges, 1 + i] * q[i]
        angle += 2.0 * np.pi * np.rint((turned - angle) / (2.0 * np.pi))
    else:
        angle += 2.0 * np.pi * turns
    out[0] = angle


@inner
def _exponential_slopes(operation: int, x: float, f: float) -> tuple[float, float]:
    """The first two derivatives of a function whose value is f."""
    if operation == ops.EXP:
        return f, f
    if operation in (ops.SINH, ops.COSH):
        return np.cosh(x) if operation == ops.SINH else np.sinh(x), f
    if operation == ops.TANH:
        slope = (1.0 - f) * (1.0 + f)
        return slope, -2.0 * f * slope
    if not x > 0.0:
        return np.nan, np.nan
    slope = 1.0 / (x * np.log(10.0)) if operation == ops.LOG10 else 1.0 / x
    return slope, -slope / x


@inner
def _with_slopes(operation: int, x: float) -> tuple[float, float, float]:
    """A function of one value and its first two derivatives; no numbers where it has none."""
    f = of_one(operation, x)
    slope, bend = -1.0, 0.0
    if operation == ops.ABS:
        slope = np.sign(x) if x != 0.0 else np.nan
    elif operation == ops.SIN:
        slope, bend = np.cos(x), -f
    elif operation == ops.COS:
        slope, bend = -np.sin(x), -f
    elif operation == ops.TAN:
        slope, bend = 1.0 + f * f, 2.0 * f * (1.0 + f * f)
    elif operation == ops.SQRT:
        slope = 0.5 / f if f > 0.0 else np.nan
        bend = -0.25 / f**3 if f > 0.0 else np.nan
    elif operation == ops.ATAN:
        slope = 1.0 / (1.0 + x * x)
        bend = -2.0 * x * slope * slope
    elif operation in (ops.ASIN, ops.ACOS):
        slope = 1.0 / np.sqrt(1.0 - x * x) if abs(x) < 1.0 else np.nan
        bend = x * slope**3
        if operation == ops.ACOS:
            slope, bend = -slope, -bend
    elif operation != ops.NEGATE:
        slope, bend = _exponential_slopes(operation, x, f)
    return f, slope, bend


@inner
def _chain(x: Array, f: float, slope: float, bend: float) -> None:
    """The jet of f(x) in the place of that of x."""
    x[8] = slope * x[8] + bend * x[7] * x[7]
    x[1:8] *= slope
    x[0] = f


@inner
def _combine(operation: int, x: Array, y: Array) -> None:
    """The jet of a sum, a product, a quotient or a constant power in the place of that of x."""
    if operation == ops.ADD:
        x += y
        return
    if operation == ops.POWER:
        a, n = x[0], y[0]
        slope = n if n == 1.0 else n * of_two(ops.POWER, a, n - 1.0)
        bend = 0.0 if n == 1.0 else n * (n - 1.0)
        if bend != 0.0 and n != 2.0:
            bend *= of_two(ops.POWER, a, n - 2.0)
        _chain(x, of_two(ops.POWER, a, n), slope, bend)
        return
    if operation == ops.DIVIDE:
        inverse = 1.0 / y[0] if y[0] != 0.0 else np.nan
        _chain(y, inverse, -inverse * inverse, 2.0 * inverse**3)
    x[8] = x[8] * y[0] + 2.0 * x[7] * y[7] + x[0] * y[8]
    x[1:8] = x[1:8] * y[0] + x[0] * y[1:8]
    x[0] *= y[0]


@inner
def _function_jet(
    loops: Loops, which: Array, q: Array, axes: Array, seen: Seen, turns: float, out: Array
) -> None:
    """The jet of a function of two frames, by jets on a stack."""
    code, constants, hinges = loops.code, loops.constants, loops.hinges
    stack, top = np.zeros((len(code) + 1, 9)), 0
    for line in range(int(which[0]), int(which[1])):
        operation = code[line, 0]
        if operation >= ops.SEEN:
            _seen_jet(operation - ops.SEEN, code[line, 1], hinges, q, axes, seen, turns, stack[top])
            top += 1
        elif operation == ops.NUMBER:
            stack[top, :] = 0.0
            stack[top, 0] = constants[code[line, 1]]
            top += 1
        elif operation < ops.NEGATE:
            top -= 1
            _combine(operation, stack[top - 1], stack[top])
        else:
            f, slope, bend = _with_slopes(operation, stack[top - 1, 0])
            _chain(stack[top - 1], f, slope, bend)
    copy_to(stack[0], out)


@inner
def _function(
    loops: Loops, which: Array, q: Array, axes: Array, seen: Seen
) -> tuple[float, float, Vector, Vector]:
    """Error, γ, force and moment of a function of two frames that stays zero.

    The whole turns of its one angle that no hinges count are those of `loop_function_row`.
    """
    first = np.zeros(9)
    _function_jet(loops, which, q, axes, seen, 0.0, first)
    if which[2] != 0.0:
        after, last, turns = np.zeros(9), np.zeros(9), 0.0
        _function_jet(loops, which, q, axes, seen, 1.0, after)
        _function_jet(loops, which, q, axes, seen, 2.0, last)
        f, step, least = first[0], after[0] - first[0], EVEN * max(1.0, abs(first[0]))
        if not abs(last[0] - 2.0 * after[0] + f) <= least:
            turns = np.nan  # NumPy knows more
        elif abs(step) > least:
            turns = -np.rint(f / step)
        if turns != 0.0:
            _function_jet(loops, which, q, axes, seen, turns, first)
    return first[0], first[8], (first[1], first[2], first[3]), (first[4], first[5], first[6])


@inner
def _square(
    u: Vector, own: Vector, axes: Array, w: Vector, wd: Vector
) -> tuple[float, float, Vector]:
    """Error and γ of an axis u of a and one of b that stay square, and the moment of it."""
    z = rotate_back(axes, 0, rotate(axes, 1, own))
    bias = dot(u, cross(wd, z))
    return dot(u, z), bias + dot(u, cross(w, cross(w, z))), cross(z, u)


@inner
def _one_equation(
    kind: int, vector: Array, axes: Array, seen: Seen
) -> tuple[float, float, Vector, Vector]:
    """Error and γ of one equation; its force and moment along the axes of a."""
    p, v, a, w, wd = seen
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
        lost, back, other = _square((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), axes, w, wd)
        return e - lost, bias - back, ORIGIN, subtract(moment, other)
    e, bias, moment = _square(u, (vector[3], vector[4], vector[5]), axes, w, wd)
    return e, bias, ORIGIN, moment


@inner
def _pose_frame(work: Workspace, body: int, frames: Array, side: int, axes: Array) -> Vector:
    """Origin of a loop's frame, whose axes are filled in."""
    R, place = work.R, column_of(frames, side, 3)
    x, y, z = column_of(frames, side, 0), column_of(frames, side, 1), column_of(frames, side, 2)
    if body >= 0:
        place = add(row_of(work.p, body), rotate(R, body, place))
        x, y, z = rotate(R, body, x), rotate(R, body, y), rotate(R, body, z)
    set_columns(axes, side, x, y, z)
    return place


@inner
def _see_frames(work: Workspace, ends: Indices, frames: Array, axes: Array) -> tuple[Vector, Seen]:
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
    """Errors (rows,), gradients (rows, n_tree) and γ (rows,) of the loop equations.

    See `sim.kinematics.loop_equations`: seen from frame a, along its axes.
    """
    ends, frames, kinds, vectors = loops.ends, loops.frames, loops.kinds, loops.vectors
    last, J[:] = -1, 0.0
    follow_bodies(bodies, q, qd)
    accelerate_bodies(bodies, qd)
    axes, at, seen = np.empty((2, 3, 3)), ORIGIN, (ORIGIN, ORIGIN, ORIGIN, ORIGIN, ORIGIN)
    for row in range(len(kinds)):
        loop, kind = kinds[row, 0], kinds[row, 1]
        if loop != last:
            at, seen = _see_frames(bodies.work, ends[loop], frames[loop], axes)
            last = loop
        if kind == FUNCTION:
            e[row], bias[row], force, moment = _function(loops, vectors[row], q, axes, seen)
        else:
            e[row], bias[row], force, moment = _one_equation(kind, vectors[row], axes, seen)
        along, turning = rotate(axes, 0, force), rotate(axes, 0, moment)
        for side in range(2):
            sign = 2.0 * side - 1.0
            add_gradient(bodies, ends[loop, side], at, along, turning, sign, J[row])


@inner
def gradients_of_loops(
    bodies: Bodies, joints: Joints, loops: Loops, q: Array, qd: Array, e: Array, bias: Array
) -> Array:
    """e, γ and J (rows, n) of the loop equations, by the independent joints."""
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
