"""Programs of functions of the two frames of a loop, run with jets.

A jet has nine numbers: value, gradients by v and ω, and first and second time derivative.
"""

from __future__ import annotations

import numpy as np

from sim.dynamics.kernels import expressions as ops
from sim.dynamics.kernels.compiling import inner
from sim.dynamics.kernels.expressions import of_one, of_two
from sim.dynamics.kernels.records import Loops
from sim.dynamics.kernels.vectors import Vector, column_of, copy_to, cross, dot, rotate_back
from sim.maths.arrays import Array

# p, v, a, ω and α of a loop's frame b as seen from frame a, along a's axes
Seen = tuple[Vector, Vector, Vector, Vector, Vector]


@inner
def _entry(axes: Array, relative: Seen, row: int, column: int, out: Array) -> None:
    """Write the jet of an entry of the rotation of b as seen from a."""
    z, (_, _, _, w, wd) = rotate_back(axes, 0, column_of(axes, 1, column)), relative
    once = cross(w, z)
    out[0], out[7] = z[row], once[row]
    out[8] = cross(wd, z)[row] + cross(w, once)[row]
    e = 1.0 if row == 0 else 0.0, 1.0 if row == 1 else 0.0, 1.0 if row == 2 else 0.0
    out[1:4] = 0.0
    out[4], out[5], out[6] = cross(z, e)


@inner
def _seen_jet(
    reading: int, hinges: int, angles: Array, q: Array, axes: Array, relative: Seen, turns: float,
    out: Array
) -> None:  # fmt: skip
    """Write the jet of DM, DX, DY, DZ, AX, AY or AZ of b as seen from a, along the axes of a.

    `turns` holds the whole turns of an angle that no hinges count.
    """
    p, v, a, _, _ = relative
    out[:] = 0.0
    if reading == ops.DM:
        length = np.sqrt(dot(p, p))
        divisor = length if length > 0.0 else np.nan
        along = p[0] / divisor, p[1] / divisor, p[2] / divisor
        rate = dot(along, v)
        out[0], out[7] = length, rate
        out[1], out[2], out[3] = along
        out[8] = dot(along, a) + (dot(v, v) - rate * rate) / divisor
        return
    if reading < ops.AX:
        k = reading - ops.DX
        out[0], out[1 + k], out[7], out[8] = p[k], 1.0, v[k], a[k]
        return
    above, below = np.empty(9), np.empty(9)
    axis = reading - ops.AX
    if axis == 2:
        _entry(axes, relative, 1, 0, above)
        _entry(axes, relative, 0, 0, below)
    else:
        _entry(axes, relative, 1 if axis == 0 else 0, 2, above)
        _entry(axes, relative, 2, 2, below)
    if axis == 0:
        above *= -1.0
    y, x = above[0], below[0]
    square, angle = x * x + y * y, np.arctan2(y, x)
    for k in range(1, 9):
        out[k] = (x * above[k] - y * below[k]) / square
    out[8] -= 2.0 * out[7] * (x * below[7] + y * above[7]) / square
    if hinges >= 0:
        turned = ops.turned_by(angles, hinges, angles[hinges, 0], q)
        angle += 2.0 * np.pi * np.rint((turned - angle) / (2.0 * np.pi))
    else:
        angle += 2.0 * np.pi * turns
    out[0] = angle


@inner
def _exponential_slopes(operation: int, x: float, f: float) -> tuple[float, float]:
    """Return the first two derivatives of a function whose value is f."""
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
    """Return a function of one value and its first two derivatives; NaN where undefined."""
    f = of_one(operation, x)
    slope, bend = 0.0, 0.0  # for AINT and ANINT
    if operation == ops.NEGATE:
        slope = -1.0
    elif operation == ops.ABS:
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
    elif operation not in (ops.AINT, ops.ANINT):
        slope, bend = _exponential_slopes(operation, x, f)
    return f, slope, bend


@inner
def _chain(x: Array, f: float, slope: float, bend: float) -> None:
    """Replace the jet of x by that of f(x)."""
    x[8] = slope * x[8] + bend * x[7] * x[7]
    x[1:8] *= slope
    x[0] = f


@inner
def _multiply(x: Array, y: Array) -> None:
    """Replace the jet of x by that of the product."""
    x[8] = x[8] * y[0] + 2.0 * x[7] * y[7] + x[0] * y[8]
    x[1:8] = x[1:8] * y[0] + x[0] * y[1:8]
    x[0] *= y[0]


@inner
def _raise(x: Array, y: Array) -> None:
    """Replace the jet of x by that of the power."""
    a, n = x[0], y[0]
    value = of_two(ops.POWER, a, n)
    if np.any(y[1:] != 0.0):
        _chain(x, *_with_slopes(ops.LOG, a))
        _multiply(x, y)
        _chain(x, *_with_slopes(ops.EXP, x[0]))
        x[0] = value
        return
    slope = n if n in (0.0, 1.0) else n * of_two(ops.POWER, a, n - 1.0)
    bend = 0.0 if n == 1.0 else n * (n - 1.0)
    if bend != 0.0 and n != 2.0:
        bend *= of_two(ops.POWER, a, n - 2.0)
    _chain(x, value, slope, bend)


@inner
def _combine(operation: int, x: Array, y: Array) -> None:
    """Replace the jet of x by that of a function of two values; NaN where undefined."""
    if operation == ops.ADD:
        x += y
    elif operation == ops.TIMES:
        _multiply(x, y)
    elif operation == ops.POWER:
        _raise(x, y)
    elif operation == ops.DIVIDE:
        quotient, inverse = of_two(operation, x[0], y[0]), of_two(operation, 1.0, y[0])
        _chain(y, inverse, -inverse * inverse, 2.0 * inverse**3)
        _multiply(x, y)
        x[0] = quotient  # exact, because AINT of it jumps
    elif operation in (ops.MIN, ops.MAX) and abs(x[0] - y[0]) > 0.0:
        if (x[0] < y[0]) == (operation == ops.MAX):
            copy_to(y, x)
    else:
        x[:] = np.nan


@inner
def evaluate_jet(
    loops: Loops, which: Array, q: Array, axes: Array, relative: Seen, turns: float, out: Array
) -> None:
    """Evaluate the jet of a function of two frames, by jets on a stack.

    The result is NaN if there is no second derivative, or only NumPy can compute it.
    """
    code, constants, hinges = loops.code, loops.constants, loops.hinges
    stack, top = np.zeros((len(code) + 1, 9)), 0
    for line in range(int(which[0]), int(which[1])):
        operation, a = code[line, 0], code[line, 1]
        if operation >= ops.READINGS:
            _seen_jet(operation, a, hinges, q, axes, relative, turns, stack[top])
            top += 1
        elif operation >= ops.OF_MORE:
            top -= 3 if operation == ops.IF else 6 if operation == ops.IMPACT else 4
            side = stack[top - 1, 0]
            if operation == ops.IF and abs(side) > 0.0:
                copy_to(stack[top] if side < 0.0 else stack[top + 2], stack[top - 1])
            else:
                stack[top - 1, :] = np.nan
        elif operation >= ops.OF_TWO:
            top -= 1
            _combine(operation, stack[top - 1], stack[top])
        elif operation >= ops.OF_ONE:
            _chain(stack[top - 1], *_with_slopes(operation, stack[top - 1, 0]))
        else:
            stack[top, :] = 0.0
            stack[top, 0] = constants[a]
            top += 1
    copy_to(stack[0], out)
