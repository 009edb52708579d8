"""Unit of an expression of the state, derived from its functions."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from sim.functions.operations import OPERATIONS
from sim.functions.syntax import Call, Node, Reading, Time, constant
from sim.robots.names import Names

NO_UNIT = "1"


def unit_of(node: Node, names: Names) -> str:
    """Return the SI unit of an expression with like terms; 1 if products or functions change it.

    Numbers take the unit of the terms to which they are added, and none as factors. An angle keeps
    its unit if multiplied or divided by a whole number; another factor, such as RTOD or 30/PI, may
    convert it to degrees or turns, which have no SI unit.
    """
    known: dict[str, str] = {}
    for label in names.variables_read(node):
        known[label] = _unit_of(names.expressions[label].tree, known)
    return _unit_of(node, known)


def _unit_of(node: Node, known: Mapping[str, str]) -> str:
    """Return `unit_of` with known units of the variables that the expression reads."""
    match node:
        case Time():
            return "s"
        case Reading():
            return _unit_of_reading(node, known)
        case Call(name="*" | "/"):
            factor, rest = _split_factor(node)
            unit = NO_UNIT if rest is node else _unit_of(rest, known)
            size = max(abs(factor), 1.0 / abs(factor)) if factor else 0.0
            converts = not math.isclose(size, np.round(size), rel_tol=1e-12)
            return NO_UNIT if converts and unit.startswith("rad") else unit
        case Call(function=function, arguments=parts):
            alike = (part for k, part in enumerate(parts) if function.is_height(k))
            units = {_unit_of(part, known) for part in alike if constant(part) is None}
            return units.pop() if len(units) == 1 else NO_UNIT
        case _:
            return NO_UNIT


def _split_factor(node: Node) -> tuple[float, Node]:
    """Return the product of an expression's constant factors, and what they multiply."""
    by, rest = 1.0, list[Node]()
    match node:
        case Call(name="*", arguments=parts):
            rest = [part for part in parts if constant(part) is None]
            by = math.prod(constant(part) or 1 for part in parts)
        case Call(name="/", arguments=(above, below)) if constant(below) is not None:
            by, rest = 1.0 / (constant(below) or math.nan), [above]
    if len(rest) != 1:
        return 1.0, node
    factor, inner = _split_factor(rest[0])
    return by * factor, inner


def _unit_of_reading(reading: Reading, known: Mapping[str, str]) -> str:
    if reading.name == "VARVAL":
        return known[reading.labels[0]]
    return OPERATIONS[reading.name].unit_of(reading.numbers) or NO_UNIT
