"""Unit of an expression of the state, derived from its functions."""

from __future__ import annotations

from collections.abc import Mapping

from sim.functions.operations import CONSTANTS, OPERATIONS
from sim.functions.syntax import Call, Node, Reading, Time, constant
from sim.robots.names import Names

NO_UNIT, RTOD = "1", CONSTANTS["RTOD"]


def unit_of(node: Node, names: Names) -> str:
    """Return the SI unit of an expression with like terms; 1 if products or functions change it.

    Numbers take the unit of the terms to which they are added, and none as factors. RTOD times an
    angle is its number of degrees, which has no SI unit.
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
        case Call(name="*", arguments=parts):
            rest = [part for part in parts if constant(part) is None]
            unit = _unit_of(rest[0], known) if len(rest) == 1 else NO_UNIT
            in_degrees = any(abs(constant(part) or 0.0) == RTOD for part in parts)
            return NO_UNIT if in_degrees and unit.startswith("rad") else unit
        case Call(name="/", arguments=(_, below)) if constant(below) is None:
            return NO_UNIT
        case Call(function=function, arguments=parts):
            alike = (part for k, part in enumerate(parts) if function.is_height(k))
            units = {_unit_of(part, known) for part in alike if constant(part) is None}
            return units.pop() if len(units) == 1 else NO_UNIT
        case _:
            return NO_UNIT


def _unit_of_reading(reading: Reading, known: Mapping[str, str]) -> str:
    if reading.name == "VARVAL":
        return known[reading.labels[0]]
    return OPERATIONS[reading.name].unit_of(reading.numbers) or NO_UNIT
