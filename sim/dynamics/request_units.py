"""The unit of a string of the state, by the functions in it."""

from __future__ import annotations

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
    return {**units, "FM": "N", "TM": "N·m"}


UNITS = _by_name()


def unit_of(node: Node, names: Names) -> str:
    """SI unit of an expression whose terms are alike; 1 where products or functions make another.

    Numbers have the unit of what they are added to, and none where they multiply.
    """
    match node:
        case Time():
            return "s"
        case Reading():
            return _unit_of_reading(node, names)
        case Call(name=name, arguments=parts) if name in _SAME:
            found = {unit_of(part, names) for part in parts if constant(part) is None}
            return found.pop() if len(found) == 1 else NO_UNIT
        case Call(name="*", arguments=parts):
            rest = [part for part in parts if constant(part) is None]
            return unit_of(rest[0], names) if len(rest) == 1 else NO_UNIT
        case Call(name="/", arguments=(above, below)) if constant(below) is not None:
            return unit_of(above, names)
        case _:
            return NO_UNIT


def _unit_of_reading(reading: Reading, names: Names) -> str:
    if reading.name == "VARVAL":
        return unit_of(names.expressions[reading.labels[0]].tree, names)
    if reading.name == "DIF":
        return NO_UNIT
    if reading.name == "ORIENT":
        return "rad" if reading.numbers[0] <= 12 else NO_UNIT
    if reading.name in UNITS:
        return UNITS[reading.name]
    return "N" if reading.numbers[1] < 5 else "N·m"  # of one force or joint, by its component
