"""The value of an expression at one time and state, without its derivatives.

What a solver asks of a law at each stage of a step: `sim.functions.syntax.evaluate` gives jets of
arrays, which take twenty times as long for one number. Both give the same number; calls that are
not in the tables here are evaluated there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, reduce
from operator import add, mul, neg
from typing import Protocol

import numpy as np

from sim.functions.impact import bistop, impact
from sim.functions.jet import Jet
from sim.functions.syntax import Call, Node, Reading, Time, evaluate
from sim.maths.arrays import Array


class ReadOne(Protocol):
    """What gives readings of one state."""

    def __call__(self, reading: Reading) -> Jet:
        """Value and rate."""
        ...

    def number(self, reading: Reading) -> float:
        """The value alone."""
        ...


Value = Callable[[float, ReadOne], float]
"""Time [s] and what reads the state -> the value."""


def value_at_one_state(node: Node) -> Value:
    """The function that gives the value of an expression at one time and state."""
    if isinstance(node, Call):
        return _value_of_call(node)
    if isinstance(node, Reading):
        return lambda t, read: read.number(node)
    if isinstance(node, Time):
        return lambda t, read: t
    return lambda t, read: node.value


def _value_of_call(node: Call) -> Value:
    name, parts = node.name, node.arguments
    if name == "+":
        terms = [value_at_one_state(part) for part in parts]
        return lambda t, read: reduce(add, (term(t, read) for term in terms))
    if name == "IF":
        return _switch(node)
    if name in OF_MANY:
        formula, given = OF_MANY[name], [value_at_one_state(part) for part in parts]
        return lambda t, read: float(formula(*(one(t, read) for one in given)))
    if name in OF_TWO:
        law, (a, b) = OF_TWO[name], map(value_at_one_state, parts)
        return lambda t, read: law(a(t, read), b(t, read))
    if name in OF_ONE:
        function, inner = OF_ONE[name], value_at_one_state(parts[0])
        return lambda t, read: float(function(inner(t, read)))
    return lambda t, read: evaluate(node, Jet.time(t), read).value.item()


def _switch(node: Call) -> Value:
    """IF; where it switches right now, what comes after decides, which a jet knows."""
    watched, *cases = (value_at_one_state(part) for part in node.arguments)

    def value(t: float, read: ReadOne) -> float:
        side = watched(t, read)
        if side == 0.0:
            return evaluate(node, Jet.time(t), read).value.item()
        return math.nan if math.isnan(side) else cases[0 if side < 0 else 2](t, read)

    return value


def _divide(a: float, b: float) -> float:
    return a / b if b != 0.0 else math.nan


def _lower(a: float, b: float) -> float:
    return a if a <= b else b if a > b else math.nan


def _higher(a: float, b: float) -> float:
    return a if a >= b else b if a < b else math.nan


def _power(a: float, b: float) -> float:
    if (a < 0.0 and b != math.floor(b)) or (a == 0.0 and b < 0.0):
        return math.nan
    return float(np.power(a, b))


def _between(
    shape: Callable[[float], float], x: float, x0: float, h0: float, x1: float, h1: float
) -> float:
    """From h0 at x0 to h1 at x1; NaN unless x1 > x0."""
    if not x1 > x0 or math.isnan(x):
        return math.nan
    return h0 + (h1 - h0) * shape(min(max((x - x0) / (x1 - x0), 0.0), 1.0))


RAMPS: dict[str, Callable[[float], float]] = {
    "STEP": lambda z: z * z * (3.0 - 2.0 * z),
    "STEP5": lambda z: z * z * z * (10.0 + z * (6.0 * z - 15.0)),
}
OF_MANY: dict[str, Callable[..., float | Array]] = {
    **{name: partial(_between, shape) for name, shape in RAMPS.items()},
    "IMPACT": impact,
    "BISTOP": bistop,
}
OF_TWO: dict[str, Callable[[float, float], float]] = {
    "*": mul,
    "/": _divide,
    "**": _power,
    "MIN": _lower,
    "MAX": _higher,
}
OF_ONE: dict[str, Callable[[float], float]] = {
    "-": neg,
    "ABS": abs,
    "SIN": np.sin,
    "COS": np.cos,
    "EXP": np.exp,
    "TANH": np.tanh,
}
