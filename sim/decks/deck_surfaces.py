"""SPLINEs with several curves over z: cubic along x, linear between the curves.

    y(x, z) = y_1(x) + Σ_k (y_(k+1)(x) - y_k(x)) min(max((z - z_k)/(z_(k+1) - z_k), 0), 1)

Beyond the first and the last z their curves are constant in z, which is an assumption.

Source: MSC Adams Solver, statement SPLINE, functions AKISPL and CUBSPL.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.decks import trees
from sim.decks.statements import Statement
from sim.errors import SimError
from sim.functions.spline import Spline, spline
from sim.functions.syntax import Call, Node
from sim.maths.arrays import Array


def is_surface(one: Statement) -> bool:
    """Whether a SPLINE has more than one row of Y."""
    x, y = one.numbers("X"), one.numbers("Y")
    return x is not None and y is not None and y.size > x.size


def rows_of(one: Statement) -> tuple[Array, Array, Array]:
    """Return x (n,), z (m,) and y (m, n) of a surface; raises if the rows do not match."""
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
    """Return the curve of one row, counted from 1."""
    x, _, y = rows_of(one)
    outside = "line" if "LINEAR_EXTRAPOLATE" in one.flags else "parabola"
    try:
        return spline(x, y[row - 1], extrapolate=outside)  # type: ignore[arg-type]
    except SimError as error:
        raise one.refusal(str(error)) from None


def curves_of(part: Node, splines: Mapping[int, Statement]) -> Node:
    """Replace a call of a surface by the sum over its curves; other calls are unchanged."""
    match part:
        case Call("AKISPL" | "CUBSPL" | "INTERP" as name, (x, z, of, *others)):
            id = trees.label_of(of)
            one = splines.get(int(id)) if trees.is_id(id) else None
            if name != "INTERP" and one is not None and is_surface(one):
                if any(trees.label_of(order) != "0" for order in others):
                    raise one.refusal(
                        f"{name} has no derivative of a SPLINE with several curves; set iord = 0"
                    )
                return _sum(name, x, z, one)
            return Call(name, (x, z, *trees.labels(id), *others), part.position)
    return part


def _sum(name: str, x: Node, z: Node, one: Statement) -> Node:
    """Return a call as the sum at the head of this file."""
    heads = rows_of(one)[1].tolist()
    rows = [f"surface_{one.id}_{row}" for row in range(1, len(heads) + 1)]
    curves = [Call(name, (x, *trees.labels("0", row)), 0) for row in rows]
    terms: list[Node] = [curves[0]]
    for k in range(len(heads) - 1):
        above = trees.add(z, trees.negate(trees.literal(heads[k])))
        share = Call("/", (above, trees.literal(heads[k + 1] - heads[k])), 0)
        clipped = Call("MIN", (Call("MAX", (share, trees.literal(0)), 0), trees.literal(1)), 0)
        terms.append(trees.multiply(trees.add(curves[k + 1], trees.negate(curves[k])), clipped))
    return trees.add(*terms)


def surface_row(name: str) -> tuple[int, int] | None:
    """Return surface and row of a curve's name; None for other names."""
    kind, *numbers = name.split("_")
    if kind != "surface" or len(numbers) != 2 or not all(map(trees.is_id, numbers)):
        return None
    return int(numbers[0]), int(numbers[1])
