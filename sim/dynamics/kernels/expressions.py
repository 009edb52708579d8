"""Programs of expressions at one state, run by a stack machine.

The instructions are those of `sim.functions.program`, grouped by their number of arguments. If a
value depends on how the state changes (an IF that switches at this state, AINT of a whole number),
the result is NaN, and NumPy, which uses the rate, evaluates the expression.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

import numpy as np

from sim.dynamics.kernels.compiling import inner
from sim.dynamics.kernels.records import Indices, MarkerWork, State
from sim.dynamics.kernels.vectors import column_of, cross, dot, row_of, subtract
from sim.functions.program import GROUPS, OPCODES
from sim.maths.arrays import Array

OF_ONE, OF_TWO, OF_MORE, READINGS = list(accumulate(map(len, GROUPS)))[:4]


def _numbers(names: str) -> Iterator[int]:
    return (OPCODES[name] for name in names.split())


NUMBER, TIME, COPY, HINGES, HINGE_RATE, CURVE = _numbers("NUMBER TIME COPY HINGES HINGE_RATE CURVE")
NEGATE, ABS, AINT, ANINT, SQRT, LOG, LOG10 = _numbers("NEGATE ABS AINT ANINT SQRT LOG LOG10")
ACOS, ASIN, ATAN, COS, SIN, TAN = _numbers("ACOS ASIN ATAN COS SIN TAN")
COSH, EXP, SINH, TANH = _numbers("COSH EXP SINH TANH")
ADD, TIMES, DIVIDE, POWER, ATAN2, MAX, MIN = _numbers("ADD TIMES DIVIDE POWER ATAN2 MAX MIN")
IF, IMPACT, STEP, STEP5 = _numbers("IF IMPACT STEP STEP5")
DM, VR, VM, WM, DX, AX, VX, WX = _numbers("DM VR VM WM DX AX VX WX")
INCANG, VARVAL, DIF, SFORCE = _numbers("INCANG VARVAL DIF SFORCE")
HALF_TURN = 1e-2  # rad; closer than this NumPy treats an angle as jumping


@inner
def _read_markers(code: Indices, line: int, work: MarkerWork) -> float:
    """Return a distance, displacement or velocity of markers i and j, along k's axis, from l."""
    P, V, W, axes = work.p, work.v, work.w, work.axes
    operation, i, j, k = code[line, 0], code[line, 1], code[line, 2], code[line, 3]
    d, v = subtract(row_of(P, i), row_of(P, j)), subtract(row_of(V, i), row_of(V, j))
    length = np.sqrt(dot(d, d))
    if operation == DM:
        return float(length)
    if operation == VR:
        return float(np.sqrt(dot(v, v)) if length == 0.0 else dot(d, v) / length)
    if DX <= operation < AX:
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
    """Evaluate a function of angles."""
    if operation == ATAN:
        return float(np.arctan(x))
    if operation == COS:
        return float(np.cos(x))
    return float(np.sin(x) if operation == SIN else np.tan(x))


@inner
def _exponential(operation: int, x: float) -> float:
    """Evaluate an exponential function."""
    if operation == EXP:
        return float(np.exp(x))
    if operation == COSH:
        return float(np.cosh(x))
    return float(np.sinh(x) if operation == SINH else np.tanh(x))


@inner
def _whole(operation: int, x: float) -> float:
    """Evaluate AINT or ANINT; NaN where it jumps."""
    floor = np.floor(x)
    part = x - floor if operation == AINT else x - floor - 0.5
    if part == 0.0 and not (operation == AINT and floor == 0.0):
        return np.nan
    return float(floor + 1.0 if (x < 0.0 if operation == AINT else part > 0.0) else floor)


@inner
def of_one(operation: int, x: float) -> float:
    """Evaluate a function of one value; NaN where undefined."""
    value = np.nan
    if operation == NEGATE:
        value = -x
    elif operation == ABS:
        value = abs(x)
    elif operation in (AINT, ANINT):
        value = _whole(operation, x)
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
    elif operation in (ACOS, ASIN) and abs(x) <= 1.0:
        value = np.arccos(x) if operation == ACOS else np.arcsin(x)
    return float(value)


@inner
def of_two(operation: int, x: float, y: float) -> float:
    """Evaluate a function of two values; NaN where undefined."""
    value = np.nan
    if operation == ADD:
        value = x + y
    elif operation == TIMES:
        value = x * y
    elif operation == DIVIDE:
        value = x / y if y != 0.0 else np.nan
    elif operation == POWER:
        if x > 0.0 or (x == 0.0 and y >= 0.0) or (x < 0.0 and y == np.floor(y)):
            value = x**y
    elif operation == ATAN2:
        if x != 0.0 or y > 0.0:
            value = np.arctan2(x, y)
    elif x <= y:
        value = x if operation == MIN else y
    elif x > y:
        value = y if operation == MIN else x
    return float(value)


@inner
def _step_between(operation: int, x: float, x0: float, h0: float, x1: float, h1: float) -> float:
    """Evaluate STEP or STEP5."""
    if not x1 > x0:
        return np.nan
    z = min(max((x - x0) / (x1 - x0), 0.0), 1.0)
    if operation == STEP:
        return h0 + (h1 - h0) * (z * z * (3.0 - 2.0 * z))
    return h0 + (h1 - h0) * (z * z * z * (10.0 + z * (6.0 * z - 15.0)))


@inner
def _stop(x: float, xd: float, x1: float, k: float, e: float, cmax: float, d: float) -> float:
    """Evaluate IMPACT."""
    p = x1 - x
    if p <= 0.0:
        return 0.0
    force = k * of_two(POWER, p, e) - cmax * xd * _step_between(STEP, p, 0.0, 0.0, d, 1.0)
    return of_two(MAX, force, 0.0)


@inner
def _of_more(operation: int, stack: Array, top: int) -> int:
    """Replace the last values by a function of them; return the stack's new height."""
    if operation == IF:
        top -= 3
        side = stack[top - 1]
        if side < 0.0:
            stack[top - 1] = stack[top]
        else:  # at the switch itself the side depends on the next state
            stack[top - 1] = stack[top + 2] if side > 0.0 else np.nan
    elif operation == IMPACT:
        top -= 6
        x, xd, x1, k = stack[top - 1], stack[top], stack[top + 1], stack[top + 2]
        stack[top - 1] = _stop(x, xd, x1, k, stack[top + 3], stack[top + 4], stack[top + 5])
    else:
        top -= 4
        x, x0, h0 = stack[top - 1], stack[top], stack[top + 1]
        stack[top - 1] = _step_between(operation, x, x0, h0, stack[top + 2], stack[top + 3])
    return top


@inner
def _included_angle(P: Array, i: int, j: int, k: int) -> float:
    """Return INCANG: the angle at j between the lines to i and to k."""
    at = row_of(P, j)
    d, e = subtract(row_of(P, i), at), subtract(row_of(P, k), at)
    normal = cross(d, e)
    return of_two(ATAN2, np.sqrt(dot(normal, normal)), dot(d, e))


@inner
def _force_component(work: MarkerWork, f: int, side: int, component: int, marker: int) -> float:
    """Return SFORCE: size of a force or torque on i (0) or j (1), or its component on an axis."""
    acting, at = work.acting, 9 * side + (0 if component < 5 else 3)
    if side == 1 and not work.markers.forces[f, 3]:
        return 0.0
    x, axis = (acting[f, at], acting[f, at + 1], acting[f, at + 2]), (component - 1) % 4
    return np.sqrt(dot(x, x)) if axis == 0 else dot(x, column_of(work.axes, marker, axis - 1))


@inner
def _read(code: Indices, line: int, work: MarkerWork, state: State) -> float:
    """Evaluate a function of the state."""
    operation, a, b, c = code[line, 0], code[line, 1], code[line, 2], code[line, 3]
    if operation == VARVAL:
        value = work.values[a]
    elif operation == DIF:
        value = state.own_states[a]
    elif operation == SFORCE:
        value = _force_component(work, a, b, c, code[line, 4])
    elif operation == INCANG:
        value = _included_angle(work.p, a, b, c)
    elif AX <= operation < VX:
        value = _with_turns(_project_angle(operation - AX, work.axes, a, b), c, state.own_states)
    else:
        value = _read_markers(code, line, work)
    return float(value)


@inner
def _project_angle(axis: int, axes: Array, i: int, j: int) -> float:
    """Return AX, AY or AZ of frame i in frame j, in (-π, π]."""
    if axis == 2:
        x = column_of(axes, i, 0)
        return float(np.arctan2(dot(x, column_of(axes, j, 1)), dot(x, column_of(axes, j, 0))))
    z = column_of(axes, i, 2)
    aside = -dot(z, column_of(axes, j, 1)) if axis == 0 else dot(z, column_of(axes, j, 0))
    return float(np.arctan2(aside, dot(z, column_of(axes, j, 2))))


@inner
def _with_turns(angle: float, which: int, counted: Array) -> float:
    """Return an angle with the turns of a state; NaN near half a turn if none counts them."""
    if which > 0:
        return float(angle + 2.0 * np.pi * np.rint((counted[which - 1] - angle) / (2.0 * np.pi)))
    return angle if abs(angle) <= np.pi - HALF_TURN else np.nan


@inner
def projected_rate(axis: int, axes: Array, W: Array, i: int, j: int) -> float:
    """Return the rate of AX, AY or AZ of frame i in frame j."""
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
    """Return a spline at x; `numbers` has points, extrapolation, knots, cubics, and the ends."""
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
def turned_by(hinges: Array, which: int, first: float, q: Array) -> float:
    """Return an angle of hinges from a first value on, or its rate."""
    for i in range(q.size):
        first += hinges[which, 1 + i] * q[i]
    return first


@inner
def evaluate(work: MarkerWork, which: int, state: State) -> float:
    """Return the value of an expression at a state."""
    markers, stack, top = work.markers, work.stack, 0
    code, constants, hinges = markers.code, markers.constants, markers.hinges
    for row in range(markers.programs[which, 0], markers.programs[which, 1]):
        operation, a = code[row, 0], code[row, 1]
        if operation >= READINGS:
            stack[top] = _read(code, row, work, state)
            top += 1
        elif operation >= OF_MORE:
            top = _of_more(operation, stack, top)
        elif operation >= OF_TWO:
            top -= 1
            stack[top - 1] = of_two(operation, stack[top - 1], stack[top])
        elif operation >= OF_ONE:
            stack[top - 1] = of_one(operation, stack[top - 1])
        elif operation == CURVE:
            stack[top - 1] = _on_curve(constants, a, stack[top - 1])
        else:
            if operation == NUMBER:
                stack[top] = constants[a]
            elif operation == TIME:
                stack[top] = min(state.t, constants[0])
            elif operation == COPY:
                stack[top] = stack[top - 1]
            elif operation == HINGES:
                stack[top] = turned_by(hinges, a, hinges[a, 0], state.q)
            else:
                stack[top] = turned_by(hinges, a, 0.0, state.qd)
            top += 1
    return float(stack[0])
