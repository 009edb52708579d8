"""Syntax tree of a function expression: numbers, TIME, readings of the state, and calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from msgspec import Struct, structs

from sim.functions.jet import Jet
from sim.functions.operation import Operation
from sim.functions.operations import FUNCTIONS, LAWS, OPERATORS

POINTS = "define a curve of many terms by the points of a spline or an array"


class Number(Struct, frozen=True):
    """A number or a named constant.

    Parameters
    ----------
    text : str
        As typed: ``72d``, ``1e-3``, ``PI``.
    value : float
        In radians if `text` has the suffix for degrees.
    position : int
        Position in the expression.
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


class Time(Struct, frozen=True):
    """The variable TIME [s]."""

    position: int


class Call(Struct, frozen=True):
    """A function or an operator with arguments; `bound` to data if it reads a spline."""

    name: str
    arguments: tuple[Node, ...]
    position: int
    bound: Operation | None = None

    @property
    def function(self) -> Operation:
        """The operation it is bound to, or its row in the table."""
        if self.bound is not None:
            return self.bound
        return FUNCTIONS.get(self.name) or OPERATORS.get(self.name) or LAWS[self.name]


class Reading(Struct, frozen=True):
    """A function of the state, such as ``DM(tip, wall)``.

    Parameters
    ----------
    name : str
        In capitals.
    labels : tuple of str
        Markers, variable or force that it reads, in capitals.
    numbers : tuple of float
        Its other arguments.
    position : int
        Position in the expression.
    """

    name: str
    labels: tuple[str, ...]
    numbers: tuple[float, ...]
    position: int


Node = Number | Time | Reading | Call

Read = Callable[[Reading], Jet]
"""What gives the value and rate of a reading at the states of an evaluation."""


def _read_nothing(reading: Reading) -> Jet:
    raise ValueError(f"{reading.name} is read where no state is given")


def evaluate(node: Node, time: Jet, read: Read = _read_nothing) -> Jet:
    """Return the jet of an expression at the times of the jet `time`, with states from `read`."""
    match node:
        case Number():
            return Jet.constant(node.value)
        case Time():
            return time
        case Reading():
            return read(node)
        case Call(name="+", arguments=(first, *rest)):
            # Term by term: all of a long sum at once would take gigabytes.
            total = evaluate(first, time, read)
            for term in rest:
                total = total + evaluate(term, time, read)
            return total
        case Call():
            return node.function.formula(*(evaluate(a, time, read) for a in node.arguments))


def walk(node: Node) -> Iterator[Node]:
    """Yield the node and all below it, in the order of the text."""
    yield node
    if isinstance(node, Call):
        for argument in node.arguments:
            yield from walk(argument)


def constant(node: Node) -> float | None:
    """Return the value of an expression without TIME and state; else None."""
    if any(isinstance(part, Time | Reading) for part in walk(node)):
        return None
    with np.errstate(all="ignore"):  # undefined values are NaN, as in `Expression`
        return float(evaluate(node, Jet.time(0.0)).value)


def rewrite(node: Node, change: Callable[[Node], Node]) -> Node:
    """Return the tree with `change` applied to each part, arguments before their function."""
    if isinstance(node, Call):
        parts = tuple(rewrite(part, change) for part in node.arguments)
        node = structs.replace(node, arguments=parts)
    return change(node)


def delay(node: Node, age: Node) -> Node:
    """Return the expression with TIME replaced by `age`."""
    return rewrite(node, lambda part: age if isinstance(part, Time) else part)
