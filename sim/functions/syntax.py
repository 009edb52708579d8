"""The syntax tree of a function expression: numbers, TIME, and calls of functions and operators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from sim.functions.functions import FUNCTIONS, OPERATORS, Function
from sim.functions.jet import Jet

POINTS = "give a curve of many terms as the points of a spline or an array"


@dataclass(frozen=True, slots=True)
class Number:
    """A number or a named constant.

    Parameters
    ----------
    text : str
        As typed: ``72d``, ``1e-3``, ``PI``.
    value : float
        In radians where `text` has the suffix for degrees.
    position : int
        Where it starts in the expression.
    """

    text: str
    value: float
    position: int

    @property
    def in_degrees(self) -> bool:
        """True for a literal with the suffix ``d``."""
        return self.text[0] in ".0123456789" and self.text[-1] in "dD"

    @property
    def is_literal(self) -> bool:
        """True for a number, False for a named constant."""
        return self.text[0] in ".0123456789"


@dataclass(frozen=True, slots=True)
class Time:
    """The variable TIME [s]."""

    position: int


@dataclass(frozen=True, slots=True)
class Call:
    """A function or an operator of some arguments; `bound` to data if it reads a spline."""

    name: str
    arguments: tuple[Node, ...]
    position: int
    bound: Function | None = None

    @property
    def function(self) -> Function:
        """What it is bound to, or its entry in the table."""
        if self.bound is not None:
            return self.bound
        return FUNCTIONS[self.name] if self.name in FUNCTIONS else OPERATORS[self.name]


Node = Number | Time | Call


def evaluate(node: Node, time: Jet) -> Jet:
    """The jet of an expression at the times of the jet `time`."""
    match node:
        case Number():
            return Jet.constant(node.value)
        case Time():
            return time
        case Call(name="+", arguments=(first, *rest)):
            # One term after the other: all of a long sum at once would take gigabytes.
            total = evaluate(first, time)
            for term in rest:
                total = total + evaluate(term, time)
            return total
        case Call():
            return node.function.formula(*(evaluate(a, time) for a in node.arguments))


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, in the order of the text."""
    yield node
    if isinstance(node, Call):
        for argument in node.arguments:
            yield from walk(argument)


def constant(node: Node) -> float | None:
    """The value of an expression without TIME; None if TIME is in it."""
    if any(isinstance(part, Time) for part in walk(node)):
        return None
    with np.errstate(all="ignore"):  # what is undefined is NaN, as in `Expression`
        return float(evaluate(node, Jet.time(0.0)).value)


def delay(node: Node, age: Node) -> Node:
    """The expression with `age` in place of TIME."""
    match node:
        case Number():
            return node
        case Time():
            return age
        case Call():
            return replace(node, arguments=tuple(delay(a, age) for a in node.arguments))
