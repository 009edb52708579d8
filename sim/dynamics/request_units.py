"""The unit of a string of the state, by the functions in it."""

from __future__ import annotations

from collections.abc import Mapping

from sim.functions.syntax import Call, Node, Reading, Time, constant
from sim.robots.names import Names

NO_UNIT = "1"
_SAME = frozenset({"-", "+", "ABS", "MAX", "MIN", "DIM", "SIGN"})  # of alike arguments


def _by_name() -> dict[str, str]:
    units = {"DM": "m", "VM": "m/s", "VR": "m/s", "WM": "rad/s", "ACCM": "m/s²", "WDTM": "rad/s²"}
    stems = {"D": "m", "A": "rad", "V": "m/s", "W": "rad/s", "ACC": "m/s²", "WDT": "rad/s²"}
    stems |= {"F": "N", "T": "N·m"}
    units |= {f"{stem}{axis}": unit for stem, unit in stems.items() for axis in "XYZ"}
    units |= dict.fromkeys("PSI THETA PHI YAW PITCH ROLL".split(), "rad")
    return {**units, "INCANG": "rad", "FM": "N", "TM": "N·m"}


UNITS = _by_name()


def unit_of(node: Node, names: Names) -> str:
    """SI unit of an expression whose terms are alike; 1 where products or functions make another.

    Numbers have the unit of what they are added to, and none where they multiply.
    """
    known: dict[str, str] = {}
    for label in names.variables_read(node):
        known[label] = _unit_of(names.expressions[label].tree, known)
    return _unit_of(node, known)


def _unit_of(node: Node, known: Mapping[str, str]) -> str:
    """The same, by the units of the variables that it reads."""
    match node:
        case Time():
            return "s"
        case Reading():
            return _unit_of_reading(node, known)
        case Call(name=name, arguments=parts) if name in _SAME:
            found = {_unit_of(part, known) for part in parts if constant(part) is None}
            return found.pop() if len(found) == 1 else NO_UNIT
        case Call(name="*", arguments=parts):
            rest = [part for part in parts if constant(part) is None]
            return _unit_of(rest[0], known) if len(rest) == 1 else NO_UNIT
        case Call(name="/", arguments=(above, below)) if constant(below) is not None:
            return _unit_of(above, known)
        case _:
            return NO_UNIT


def _unit_of_reading(reading: Reading, known: Mapping[str, str]) -> str:
    if reading.name == "VARVAL":
        return known[reading.labels[0]]
    if reading.name == "DIF":
        return NO_UNIT
    if reading.name == "ORIENT":
        return "rad" if reading.numbers[0] <= 12 else NO_UNIT
    if reading.name in UNITS:
        return UNITS[reading.name]
    return "N" if reading.numbers[1] < 5 else "N·m"  # of one force or joint, by its component
