"""Calls of splines in an expression, and the values of their arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from sim.functions.jet import Jet
from sim.functions.spline import Spline
from sim.functions.syntax import Call, Node, Read, Reading, evaluate
from sim.maths.arrays import Array, Mask


def spline_calls(
    node: Node, t: Array, read: Read, variables: Mapping[str, Node]
) -> Iterator[tuple[Spline, Node, Array]]:
    """Yield each spline of an expression with its arguments, NaN in branches that are not taken.

    Parameters
    ----------
    node : Node
    t : ndarray, shape (N,)
        [s]
    read : callable
        Values of functions of the state at these times.
    variables : mapping of str to Node
        Expressions that VARVAL reads, by name in capitals.

    Yields
    ------
    Spline, its argument, and the argument's values of shape (N,)
    """
    time, visited = Jet.time(t), set[str]()

    def visit(one: Node, mask: Mask | None) -> Iterator[tuple[Spline, Node, Array]]:
        if isinstance(one, Reading):
            label = one.labels[0] if one.name == "VARVAL" else ""
            if label and label not in visited:
                if mask is None:
                    visited.add(label)
                yield from visit(variables[label], mask)
            return
        if not isinstance(one, Call):
            return
        if one.name == "IF":
            yield from visit(one.arguments[0], mask)
            sign = np.sign(np.broadcast_to(evaluate(one.arguments[0], time, read).value, t.shape))
            for side, branch in zip((-1.0, 0.0, 1.0), one.arguments[1:], strict=True):
                here = sign == side
                yield from visit(branch, here if mask is None else mask & here)
            return
        if one.bound is not None and one.bound.curve is not None:
            x = np.broadcast_to(evaluate(one.arguments[0], time, read).value, t.shape)
            x = x if mask is None else np.where(mask, x, np.nan)
            yield one.bound.curve[0], one.arguments[0], x
        for argument in one.arguments:
            yield from visit(argument, mask)

    with np.errstate(all="ignore"):
        yield from visit(node, None)


def reads_spline(node: Node, variables: Mapping[str, Node]) -> bool:
    """True if an expression, or a variable that it reads, calls a spline."""
    ahead, visited = [node], set[str]()
    while ahead:
        one = ahead.pop()
        if isinstance(one, Reading) and one.name == "VARVAL" and one.labels[0] not in visited:
            visited.add(one.labels[0])
            ahead.append(variables[one.labels[0]])
        elif isinstance(one, Call):
            if one.bound is not None and one.bound.curve is not None:
                return True
            ahead += one.arguments
    return False
