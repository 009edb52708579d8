"""Expressions of time and state, which a machine with a stack evaluates."""

from __future__ import annotations

import numpy as np

from sim.dynamics.kernels.compiling import inner
from sim.dynamics.kernels.records import Indices, MarkerWork, State
from sim.dynamics.kernels.vectors import column_of, cross, dot, row_of, subtract
from sim.maths.arrays import Array

# Instructions of programs: a number, the time, an angle of hinges, operators, …
NUMBER, NOW, ANGLE, ADD, TIMES, DIVIDE, POWER, NEGATE = range(8)
# … functions of the last values, which are named as they are in `sim.functions.operations`, …
ABS, ACOS, ASIN, ATAN, COS, COSH, EXP, LOG, LOG10, SIN, SINH, SQRT, TAN, TANH = range(8, 22)
MIN, MAX, STEP, STEP5 = range(22, 26)
# … and of markers i, j, the axes of k, as seen from l.
DM, VR, VM, WM, DX, DY, DZ, VX, VY, VZ, WX, WY, WZ = range(26, 39)
# Of laws of motors: a state of their own, the rate of an angle of hinges, the value of an earlier
# expression, and which of three values a sign chooses.
OWN, HINGE_RATE, EARLIER, IF = 39, 40, 41, 42
# The angle of markers i and j about x, y or z of j, with the turns of the state whose number is one
# less than the third argument, or in a half turn where that is 0; a spline, whose numbers are
# among the constants.
PROJECTED, CURVE = 43, 46
# Of functions of loops: DM, DX, DY, DZ, AX, AY and AZ of b as seen from a.
SEEN = 47
HALF_TURN = 1e-2  # rad; as near to it NumPy says that an angle jumps


@inner
def _read_markers(code: Indices, line: int, work: MarkerWork) -> float:
    """A function of the state: see the operations from `DM` on."""
    P, V, W, axes = work.p, work.v, work.w, work.axes
    operation, i, j, k = code[line, 0], code[line, 1], code[line, 2], code[line, 3]
    d, v = subtract(row_of(P, i), row_of(P, j)), subtract(row_of(V, i), row_of(V, j))
    length = np.sqrt(dot(d, d))
    if operation == DM:
        return float(length)
    if operation == VR:
        return float(np.sqrt(dot(v, v)) if length == 0.0 else dot(d, v) / length)
    if DX <= operation < VX:
        return dot(d, column_of(axes, k, operation - DX))
    if operation == VM or VX <= operation < WX:
        v = subtract(v, cross(row_of(W, code[line, 4]), d))
    else:
        v = subtract(row_of(W, i), row_of(W, j))
    if operation in (VM, WM):
        return float(np.sqrt(dot(v, v)))
    return dot(v, column_of(axes, k, (operation - VX) % 3))


@inner
def _trigonometric(operation: int, x: float) -> float:
    """A function of angles."""
    if operation == ATAN:
        return float(np.arctan(x))
    if operation == COS:
        return float(np.cos(x))
    return float(np.sin(x) if operation == SIN else np.tan(x))


@inner
def _exponential(operation: int, x: float) -> float:
    """An exponential function."""
    if operation == EXP:
        return float(np.exp(x))
    if operation == COSH:
        return float(np.cosh(x))
    return float(np.sinh(x) if operation == SINH else np.tanh(x))


@inner
def of_one(operation: int, x: float) -> float:
    """A function of one value; not a number where there is none."""
    value = -x
    if operation == ABS:
        value = abs(x)
    elif operation in (ATAN, COS, SIN, TAN):
        value = _trigonometric(operation, x)
    elif operation in (EXP, COSH, SINH, TANH):
        value = _exponential(operation, x)
    elif operation == SQRT:
        value = np.sqrt(x) if x >= 0.0 else np.nan
    elif operation == LOG:
        value = np.log(x) if x > 0.0 else np.nan
    elif operation == LOG10:
        value = np.log10(x) if x > 0.0 else np.nan
    elif operation in (ACOS, ASIN):
        value = np.nan
        if abs(x) <= 1.0:
            value = np.arccos(x) if operation == ACOS else np.arcsin(x)
    return float(value)


@inner
def of_two(operation: int, x: float, y: float) -> float:
    """A function of two values; not a number where there is none."""
    if operation == ADD:
        return x + y
    if operation == TIMES:
        return x * y
    if operation == DIVIDE:
        return x / y if y != 0.0 else np.nan
    if operation == POWER:
        whole = y == np.floor(y)
        return x**y if x > 0.0 or (x == 0.0 and y >= 0.0) or (x < 0.0 and whole) else np.nan
    return min(x, y) if operation == MIN else max(x, y)


@inner
def _step_between(operation: int, x: float, x0: float, h0: float, x1: float, h1: float) -> float:
    """STEP, or STEP5."""
    if not x1 > x0:
        return np.nan
    z = min(max((x - x0) / (x1 - x0), 0.0), 1.0)
    if operation == STEP:
        return h0 + (h1 - h0) * (z * z * (3.0 - 2.0 * z))
    return h0 + (h1 - h0) * (z * z * z * (10.0 + z * (6.0 * z - 15.0)))


@inner
def _read_own(
    operation: int, which: int, hinges: Array, state: State, stack: Array, top: int
) -> int:
    """Put what only laws of motors read onto the stack; its new height."""
    if operation == OWN:
        stack[top] = state.own[which]
    elif operation == EARLIER:
        stack[top] = state.values[which]
    elif operation == HINGE_RATE:
        stack[top] = 0.0
        for i in range(state.qd.size):
            stack[top] += hinges[which, 1 + i] * state.qd[i]
    else:
        top -= 4
        side = stack[top]
        if side < 0.0:
            stack[top] = stack[top + 1]
        else:  # where it switches right now, what comes after decides, which NumPy knows
            stack[top] = stack[top + 3] if side > 0.0 else np.nan
    return top + 1


@inner
def _project_angle(axis: int, axes: Array, i: int, j: int) -> float:
    """AX, AY or AZ of frame i in frame j by their axes, in (-π, π]."""
    if axis == 2:
        x = column_of(axes, i, 0)
        return float(np.arctan2(dot(x, column_of(axes, j, 1)), dot(x, column_of(axes, j, 0))))
    z = column_of(axes, i, 2)
    aside = -dot(z, column_of(axes, j, 1)) if axis == 0 else dot(z, column_of(axes, j, 0))
    return float(np.arctan2(aside, dot(z, column_of(axes, j, 2))))


@inner
def _with_turns(angle: float, which: int, counted: Array) -> float:
    """An angle with the turns of a state; not a number near half a turn where none counts them."""
    if which > 0:
        return float(angle + 2.0 * np.pi * np.rint((counted[which - 1] - angle) / (2.0 * np.pi)))
    return angle if abs(angle) <= np.pi - HALF_TURN else np.nan


@inner
def projected_rate(axis: int, axes: Array, W: Array, i: int, j: int) -> float:
    """The rate of AX, AY or AZ of frame i in frame j."""
    part = column_of(axes, i, 2 if axis < 2 else 0)
    rate = cross(subtract(row_of(W, i), row_of(W, j)), part)
    above, along = (
        column_of(axes, j, 1 if axis != 1 else 0),
        column_of(axes, j, 2 if axis < 2 else 0),
    )
    sign = -1.0 if axis == 0 else 1.0
    y, x = sign * dot(part, above), dot(part, along)
    y_rate, x_rate = sign * dot(rate, above), dot(rate, along)
    return (x * y_rate - y * x_rate) / (x * x + y * y)


@inner
def _on_curve(numbers: Array, first: int, x: float) -> float:
    """A spline at x: points, what it does beyond them, knots, cubics between, and the two ends."""
    count, beyond = int(numbers[first]), numbers[first + 1]
    knots = numbers[first + 2 : first + 2 + count]
    cubics = first + 2 + count
    if beyond and not knots[0] <= x <= knots[count - 1]:
        if beyond == 2.0:
            return np.nan
        end, at = (0, 0) if x < knots[0] else (2, count - 1)
        ends = cubics + 4 * (count - 1) + end
        return float(numbers[ends] + numbers[ends + 1] * (x - knots[at]))
    low, high = 0, count - 1
    while high - low > 1:
        middle = (low + high) // 2
        if knots[middle] <= x:
            low = middle
        else:
            high = middle
    value, c = 0.0, cubics + 4 * low
    for k in range(4):
        value = value * (x - knots[low]) + numbers[c + k]
    return float(value)


@inner
def evaluate(work: MarkerWork, which: int, state: State) -> float:
    """The value of an expression at a state."""
    markers, stack, q, top = work.markers, work.stack, state.q, 0
    code, constants = markers.code, markers.constants
    hinges, programs = markers.hinges, markers.programs
    for row in range(programs[which, 0], programs[which, 1]):
        operation = code[row, 0]
        if operation == CURVE:
            stack[top - 1] = _on_curve(constants, code[row, 1], stack[top - 1])
        elif operation >= PROJECTED:
            i, j = code[row, 1], code[row, 2]
            angle_now = _project_angle(operation - PROJECTED, work.axes, i, j)
            stack[top] = _with_turns(angle_now, code[row, 3], state.own)
            top += 1
        elif operation >= OWN:
            top = _read_own(operation, code[row, 1], hinges, state, stack, top)
        elif operation >= DM:
            stack[top] = _read_markers(code, row, work)
            top += 1
        elif operation == NUMBER:
            stack[top] = constants[code[row, 1]]
            top += 1
        elif operation == NOW:
            stack[top] = min(state.t, constants[0])
            top += 1
        elif operation == ANGLE:
            which_angle = code[row, 1]
            stack[top] = hinges[which_angle, 0]
            for i in range(q.size):
                stack[top] += hinges[which_angle, 1 + i] * q[i]
            top += 1
        elif operation in (STEP, STEP5):
            top -= 4
            x, x0, h0 = stack[top - 1], stack[top], stack[top + 1]
            stack[top - 1] = _step_between(operation, x, x0, h0, stack[top + 2], stack[top + 3])
        elif operation < NEGATE or operation in (MIN, MAX):
            top -= 1
            stack[top - 1] = of_two(operation, stack[top - 1], stack[top])
        else:
            stack[top - 1] = of_one(operation, stack[top - 1])
    return float(stack[0])
