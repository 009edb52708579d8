"""ADAMS function expressions, of time (``STEP(time, 0, 0, 1, 40d)``) and of the state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ExpressionError, ScenarioError
from sim.functions.breaks import break_times
from sim.functions.jet import Jet, chain, sign_after
from sim.functions.operation import Operation
from sim.functions.parser import parse
from sim.functions.spline import Spline
from sim.functions.spline_functions import ID, Data, through_points, typed_arguments
from sim.functions.state_functions import Scope
from sim.functions.syntax import Call, Node, Read, Reading, delay, evaluate, walk
from sim.functions.time_function import TimeFunction
from sim.functions.write_expression import write_expression
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.showing.one_line import one_line


@dataclass(frozen=True)
class Expression:
    """A function expression of TIME [s], a `TimeFunction`; created by `expression`.

    At a break the value and the derivatives are those from the right, t → t⁺: the second derivative
    of a STEP is +6Δh/Δt² at its start and 0 at its end. So an ``IF(e1: e2, e3, e4)`` has the value
    of e3 only where e1 stays zero, not where it passes zero. Where the expression is undefined
    (SQRT(-1), LOG(0), 1/0) value and derivatives are NaN.

    Parameters
    ----------
    text : str
        As typed.
    tree : Node
        Its parsed form.

    Attributes
    ----------
    fits : dict
        Series already integrated by `antiderivative`, by the ends of the run [s].
    """

    text: str
    tree: Node = field(repr=False, compare=False)
    _found: dict[tuple[float, float, bool], Array] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    fits: dict[tuple[float, float], tuple[Array, Array]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return one_line("Expression", self.text)

    def __call__(self, t: ArrayLike) -> Array:
        """Evaluate at times `t` [s], of t's shape; the same as `value`."""
        return self.value(t)

    def value(self, t: ArrayLike) -> Array:
        """Evaluate at times `t` [s], of t's shape."""
        return self.derivatives(t)[0]

    def derivatives(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Return the function and its exact first two derivatives at `t` [s], each of t's shape."""
        time = Jet.time(t)
        with np.errstate(all="ignore"):
            jet = evaluate(self.tree, time)
        f, f1, f2 = (
            np.array(part) if part.shape == time.value.shape else np.full(time.value.shape, part)
            for part in (jet.value, jet.first, jet.second)
        )
        undefined = np.isnan(f)
        f1[undefined] = f2[undefined] = np.nan
        return f, f1, f2

    @property
    def splines(self) -> dict[str, Spline]:
        """Splines in the expression, by name."""
        splines: dict[str, Spline] = {}
        for node in walk(self.tree):
            if isinstance(node, Call) and node.bound is not None and node.bound.curve is not None:
                name = typed_arguments(self.text, node.position)[ID[node.name]]
                splines[name], _ = node.bound.curve
        return splines

    def breaks(self, t0: float, t1: float, has_middles: bool = False) -> Array:
        """Return sorted times in [t0, t1] where f or one of its first derivatives may jump [s].

        Switches of branches that are not taken are included, and on request the middles of narrow
        pulses; see `break_times`.

        Raises
        ------
        ScenarioError
            If the function switches more often than a motion can.
        """
        key = t0, t1, has_middles
        if key not in self._found:  # reused by drive, integral and description
            self._found[key] = break_times(self.tree, t0, t1, has_middles=has_middles)
        return self._found[key].copy()


@checked
def expression(
    text: str, splines: Mapping[str, Data] | None = None, variable: str = "TIME"
) -> Expression:
    """Parse an ADAMS function expression of time.

    The language: numbers (``90d`` is 90 degrees in radians), TIME PI RTOD DTOR MODE, ``+ - * / **``
    and parentheses, and the functions of `sim.functions.operations.FUNCTIONS`; names in any case,
    ``&`` at the end of a line that continues, ``!`` before a comment. Angles are in radians.

    Parameters
    ----------
    text : str
    splines : mapping of str to Spline or to three Splines, optional
        Points for AKISPL, CUBSPL, INTERP and CURVE, by the name or number used in `text`. The
        function determines the interpolation, not the kind of the `Spline`.
    variable : str
        Name of the variable (default: TIME).

    Raises
    ------
    ExpressionError
        If the text is not an expression of TIME alone; the message shows the place.
    """
    if not splines:
        return _cached_expression(text, variable)
    return Expression(text, parse(text, splines, variable=variable))


@lru_cache(maxsize=256)
def _cached_expression(text: str, variable: str) -> Expression:
    """Return the expression of a text; cached with its breaks and integrals."""
    return Expression(text, parse(text, variable=variable))


def as_function(
    component: str | float | TimeFunction, splines: Mapping[str, Data] | None = None
) -> TimeFunction:
    """Return an expression, a number or a function of time as a function of time.

    Raises
    ------
    ScenarioError
        If a number is not finite, or the component is none of these.
    ExpressionError
        If an expression cannot be read.
    """
    if isinstance(component, TimeFunction):
        return component
    if isinstance(component, str):
        return expression(component, splines)
    if isinstance(component, bool):
        raise ScenarioError(
            f"{component} is not a number; write {int(component)} if that is intended"
        )
    if not isinstance(component, Real):
        raise ScenarioError(
            f"{component!r} is not an expression, a number, or an object with value, derivatives "
            "and breaks (docs/howto/drives_from_python.md)"
        )
    if not np.isfinite(float(component)):
        raise ScenarioError(f"{float(component)} is not a finite number")
    return expression(repr(float(component)))


def call_of(function: TimeFunction, argument: Node) -> Node:
    """Return a function of time as part of an expression, with `argument` in place of TIME."""
    if isinstance(function, Expression):
        return delay(function.tree, argument)
    if isinstance(function, Spline):
        return Call("SPLINE", (argument,), 0, through_points("SPLINE(x)", function))
    name = type(function).__name__
    law = Operation(f"{name}(x)", lambda x: chain(x, *function.derivatives(x.value)))
    return Call(name, (argument,), 0, law)


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
            raise ScenarioError(
                f"{component!r} is neither an expression nor a number; sample a Python function "
                "into a spline (docs/howto/forces_between_points.md)"
            )
        if not np.isfinite(float(component)):
            raise ScenarioError(f"{float(component)} is not a finite number")
        component = repr(float(component))
    return StateExpression(component, parse(component, splines, scope))
