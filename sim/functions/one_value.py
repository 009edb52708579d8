"""The value of an expression at one time and state, without its derivatives.

What a solver asks of a law at each stage of a step: `sim.functions.syntax.evaluate` gives jets of
arrays, which take twenty times as long for one number. Both give the same number; calls
whose `Operation` has no `value` are evaluated there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from operator import add
from typing import Protocol

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
    if node.bound is None and (value := node.function.value) is not None:
        return _value_of(value, *map(value_at_one_state, parts))
    return lambda t, read: evaluate(node, Jet.time(t), read).value.item()


def _value_of(value: Callable[..., float | Array], *parts: Value) -> Value:
    if len(parts) == 1:
        (x,) = parts
        return lambda t, read: float(value(x(t, read)))
    if len(parts) == 2:
        a, b = parts
        return lambda t, read: float(value(a(t, read), b(t, read)))
    return lambda t, read: float(value(*(one(t, read) for one in parts)))


def _switch(node: Call) -> Value:
    """IF; where it switches right now, what comes after decides, which a jet knows."""
    watched, *cases = (value_at_one_state(part) for part in node.arguments)

    def value(t: float, read: ReadOne) -> float:
        side = watched(t, read)
        if side == 0.0:
            return evaluate(node, Jet.time(t), read).value.item()
        return math.nan if math.isnan(side) else cases[0 if side < 0 else 2](t, read)

    return value
