"""StateExpression: an expression of time and state, such as ``-800*(DM(tip, wall) - 0.4)``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real

import numpy as np

from sim.errors import ExpressionError, ScenarioError
from sim.functions.breaks import break_times
from sim.functions.jet import Jet, sign_after
from sim.functions.parser import parse
from sim.functions.spline_functions import Data
from sim.functions.state_functions import Scope
from sim.functions.syntax import Call, Node, Read, Reading, evaluate, walk
from sim.functions.write_expression import write_expression
from sim.maths.arrays import Array


@dataclass(frozen=True)
class StateExpression:
    """A function expression of TIME [s] and of functions of the state.

    Parameters
    ----------
    text : str
        As typed.
    tree : Node
        Its parsed form.
    """

    text: str
    tree: Node = field(repr=False, compare=False)

    def value(self, t: Array, read: Read) -> Array:
        """Evaluate at N times [s] and the states given by `read`, shape (N,)."""
        with np.errstate(all="ignore"):
            values = evaluate(self.tree, Jet.time(t), read).value
        return np.array(values) if values.shape == t.shape else np.full(t.shape, values)

    def breaks(self, duration: float) -> Array:
        """Return times in the run where the function may jump because of time alone [s]."""
        return break_times(self.tree, 0.0, duration)

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """Functions of the state in it, in the order of the text."""
        return tuple(part for part in walk(self.tree) if isinstance(part, Reading))

    @cached_property
    def switches_with_state(self) -> bool:
        """True if some part of it is not smooth at some value of the state."""
        calls = (part for part in walk(self.tree) if isinstance(part, Call))
        with np.errstate(all="ignore"):
            return any(_watches_state(call) for call in calls)


def _watches_state(call: Call) -> bool:
    """Whether the switching values of a call are undefined if the state is."""
    function = call.function
    watch = function.zeros or function.steps
    if watch is None and function.points is None:
        return False
    arguments = [evaluate(part, Jet.time(0.0), _refuse_reading) for part in call.arguments]
    watched = arguments if watch is None else watch(*arguments)
    return any(bool(np.isnan(jet.value).any()) for jet in watched)


def sides_of(call: Call, time: Jet, read: Read) -> Iterator[Array]:
    """Yield numbers (N,) that identify the side of each switch of a call at N states.

    Parameters
    ----------
    time : Jet
        Constant time.
    """
    function = call.function
    watch = function.zeros or function.steps
    if watch is None and function.points is None:
        return
    arguments = [evaluate(part, time, read) for part in call.arguments]
    if function.points is not None:
        x = arguments[0].value
        yield np.asarray(np.searchsorted(function.points, x, side="right"), dtype=np.float64)
        yield np.asarray(np.searchsorted(function.points, x, side="left"), dtype=np.float64)
    elif watch is not None:
        side = sign_after if function.zeros else function.whole
        for watched in watch(*arguments):
            yield np.nan_to_num(side(Jet.constant(watched.value)), nan=0.5)


def undefined_term(node: Node, time: Jet, read: Read) -> str:
    """Return the innermost part that is not finite at some of N states; empty if all are finite."""
    parts = node.arguments if isinstance(node, Call) else ()
    inner = next(filter(None, (undefined_term(part, time, read) for part in parts)), "")
    with np.errstate(all="ignore"):
        if inner or np.isfinite(evaluate(node, time, read).value).all():
            return inner
    try:
        return write_expression(node)
    except ExpressionError:  # the points of a spline are not in the tree
        return node.name if isinstance(node, Call) else ""


def _refuse_reading(_: Reading) -> Jet:
    return Jet.constant(np.nan)


def state_expression(
    component: str | float, scope: Scope, splines: Mapping[str, Data] | None = None
) -> StateExpression:
    """Return the function of time and state for an expression or a number.

    Parameters
    ----------
    component : str or float
    scope : Scope
        Names available to functions of the state.
    splines : mapping, optional
        Points of spline functions, by name.

    Raises
    ------
    ScenarioError
        If it is neither, or not finite.
    ExpressionError
        If it cannot be read; the message shows the place.
    """
    if not isinstance(component, str):
        if isinstance(component, bool) or not isinstance(component, Real):
            raise ScenarioError(f"{component!r} is neither an expression nor a number")
        if not np.isfinite(float(component)):
            raise ScenarioError(f"{float(component)} is not a finite number")
        component = repr(float(component))
    return StateExpression(component, parse(component, splines, scope))
