"""AKISPL, CUBSPL, INTERP and CURVE: functions of the language that read data points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sim.functions.jet import Jet, chain, heading
from sim.functions.operation import Operation
from sim.functions.spline import Kind, Spline

Data = Spline | Sequence[Spline]
"""Points y(x), or the three components x y z of a curve over its parameter."""

SIGNATURES = {
    "AKISPL": "AKISPL(x, z, id[, iord])",
    "CUBSPL": "CUBSPL(x, z, id[, iord])",
    "INTERP": "INTERP(x, method, id[, iord])",
    "CURVE": "CURVE(alpha, iord, comp, id)",
}
ID = {"AKISPL": 2, "CUBSPL": 2, "INTERP": 2, "CURVE": 3}
"""Which argument names the data."""

METHODS: Mapping[int, Kind] = {0: "hold", 1: "linear", 3: "cubic", 4: "notaknot"}
"""Interpolation methods of INTERP; 0 and 4 are none of ADAMS."""


def bind_data(name: str, data: Data, numbers: Sequence[float]) -> Operation:
    """Return the function of one variable for a call with its data and constants.

    Parameters
    ----------
    name : str
        One of `SIGNATURES`.
    data : Spline or three Splines
    numbers : sequence of float
        All arguments except the first and the name of the data, in order.

    Raises
    ------
    ValueError
        If the function does not accept the numbers; the message lists those that it accepts.
    """
    if name == "CURVE":
        order, component = numbers
        if isinstance(data, Spline) or len(data) != 3:
            raise ValueError("CURVE reads a curve: three splines, for x, y and z")
        if component not in (1, 2, 3):
            raise ValueError(f"comp is 1, 2 or 3 for x, y or z; here it is {component:g}")
        points = data[int(component) - 1]
    else:
        second, order = (*numbers, 0.0)[:2]
        if not isinstance(data, Spline):
            raise ValueError(f"{name} reads one spline, not a curve")
        points = data.through(_kind(name, second))
    if order not in (0, 1, 2):
        raise ValueError(f"iord is 0, 1 or 2; here it is {order:g}")

    return through_points(SIGNATURES[name], points, int(order))


def through_points(signature: str, points: Spline, order: int = 0) -> Operation:
    """Return a spline, or one of its derivatives, as a function of one variable."""
    smooth = 0 if points.kind == "linear" else 1  # higher derivatives may jump at the points

    def formula(x: Jet) -> Jet:
        before = np.nextafter(x.value, -np.inf)  # where x falls
        falls = (heading(x) < 0) & np.isin(x.value, points.knots)
        places = (np.where(falls & (order + k > smooth), before, x.value) for k in range(3))
        return chain(x, *(points.derivative(at, order + k) for k, at in enumerate(places)))

    return Operation(signature, formula, points=points.knots, curve=(points, order))


def _kind(name: str, second: float) -> Kind:
    if name == "INTERP":
        if second not in METHODS:
            raise ValueError(
                "method is 1 (linear), 3 (natural cubic), 0 (hold) or 4 (cubic, not-a-knot); "
                f"here it is {second:g}"
            )
        return METHODS[int(second)]
    if second != 0:
        raise ValueError(f"z is 0, a curve and not a surface; here it is {second:g}")
    return "akima" if name == "AKISPL" else "cubic"


def typed_arguments(text: str, position: int) -> list[str]:
    """Return the arguments of the call that begins at a position of a text, as typed."""
    begin = text.index("(", position) + 1
    arguments, depth = [""], 0
    for sign in text[begin:]:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            break
        if sign == "," and not depth:
            arguments.append("")
        else:
            arguments[-1] += sign
    return [one.strip() for one in arguments]
