"""SPLINEs of several curves over z: cubic along x, straight between the curves.

    y(x, z) = y_1(x) + Σ_k (y_(k+1)(x) - y_k(x)) min(max((z - z_k)/(z_(k+1) - z_k), 0), 1)

Beyond the first and the last z their curves stand, which is assumed.

Source: MSC Adams Solver, statement SPLINE, functions AKISPL and CUBSPL.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from sim.decks.statements import Statement
from sim.errors import SimError
from sim.functions.spline import Spline, spline
from sim.maths.arrays import Array

NAMED = re.compile(r"\bsurface_(\d++)_(\d++)\b")
_OF_CURVES = re.compile(r"\b(AKISPL|CUBSPL)\s*+\(", re.IGNORECASE)


def is_surface(one: Statement) -> bool:
    """True of a SPLINE with more than one row of Y."""
    x, y = one.numbers("X"), one.numbers("Y")
    return x is not None and y is not None and y.size > x.size


def rows_of(one: Statement) -> tuple[Array, Array, Array]:
    """x (n,), z (m,) and y (m, n) of a surface; raises where the rows do not fit."""
    x, y = one.numbers("X"), one.numbers("Y")
    assert x is not None
    assert y is not None
    if y.size % (x.size + 1):
        raise one.refusal(
            f"X has {x.size} numbers and Y {y.size}: a row of Y is z and a number for each of X"
        )
    rows = y.reshape(-1, x.size + 1)
    if np.any(np.diff(rows[:, 0]) <= 0):
        raise one.refusal("the z at the head of each Y must increase from row to row")
    return x, rows[:, 0], rows[:, 1:]


def curve_of(one: Statement, row: int) -> Spline:
    """The curve of one row, from 1 on."""
    x, _, y = rows_of(one)
    outside = "line" if "LINEAR_EXTRAPOLATE" in one.flags else "parabola"
    try:
        return spline(x, y[row - 1], extrapolate=outside)  # type: ignore[arg-type]
    except SimError as error:
        raise one.refusal(str(error)) from None


def without_surfaces(text: str, splines: Mapping[int, Statement]) -> str:
    """A function whose calls of surfaces are sums over their curves."""
    match = _OF_CURVES.search(text)
    while match is not None:
        arguments, end = _arguments(text, match.end())
        own = [without_surfaces(argument.strip(), splines) for argument in arguments]
        one = splines.get(int(own[2])) if len(own) > 2 and own[2].isdigit() else None
        call = f"{match[1]}({', '.join(own)})"
        if one is not None and is_surface(one):
            call = _sum(match[1], own[0], own[1], one)
        text = f"{text[: match.start()]}{call}{text[end:]}"
        match = _OF_CURVES.search(text, match.start() + len(call))
    return text


def _sum(name: str, x: str, z: str, one: Statement) -> str:
    """A call as the sum at the head of this file."""
    heads = rows_of(one)[1].tolist()
    calls = [f"{name}({x}, 0, surface_{one.id}_{row})" for row in range(1, len(heads) + 1)]
    terms = [calls[0]]
    for k in range(len(heads) - 1):
        share = f"(({z}) - ({heads[k]!r}))/{heads[k + 1] - heads[k]!r}"
        terms.append(f"({calls[k + 1]} - {calls[k]})*MIN(MAX({share}, 0), 1)")
    return f"({' + '.join(terms)})"


def _arguments(text: str, begin: int) -> tuple[list[str], int]:
    """The arguments from behind an opening bracket on, and where the text goes on."""
    found, depth = [""], 0
    for place in range(begin, len(text)):
        sign = text[place]
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return found, place + 1
        if sign == "," and not depth:
            found.append("")
        else:
            found[-1] += sign
    return found, len(text)
