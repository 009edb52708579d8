"""Units by the names that programs and people use: factor to SI, and dimension."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sim.errors import ForeignError

Powers = tuple[int, int, int, int, int]

INCH, POUND, GRAVITY = 0.0254, 0.45359237, 9.80665  # exact by definition: m, kg, m/s²


@dataclass(frozen=True)
class ParsedUnit:
    """A unit of measurement.

    Parameters
    ----------
    factor : float
        Number of SI units.
    dimension : tuple of int
        Powers of length, mass, time, angle and electric current. An angle has its own dimension:
        degrees are not part of a torque.
    """

    factor: float
    dimension: Powers = (0, 0, 0, 0, 0)

    def times(self, other: ParsedUnit, power: int) -> ParsedUnit:
        """Return the product with a power of another unit."""
        powers = zip(self.dimension, other.dimension, strict=True)
        length, mass, time, angle, current = (mine + power * theirs for mine, theirs in powers)
        return ParsedUnit(self.factor * other.factor**power, (length, mass, time, angle, current))


_LENGTH, _MASS, _TIME, _ANGLE = (1, 0, 0, 0, 0), (0, 1, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 1, 0)
_FORCE, _WORK, _POWER = (1, 1, -2, 0, 0), (2, 1, -2, 0, 0), (2, 1, -3, 0, 0)
_POUND_FORCE = POUND * GRAVITY


def _rows() -> Iterator[tuple[str, float, Powers]]:
    """Yield all names of a unit, its factor, its dimension. A bare pound is a force."""
    yield "1 - none no_units dimensionless", 1.0, (0, 0, 0, 0, 0)
    yield "m meter meters metre metres", 1.0, _LENGTH
    yield "mm millimeter millimeters millimetre millimetres", 1e-3, _LENGTH
    yield "cm centimeter centimeters centimetre centimetres", 1e-2, _LENGTH
    yield "km kilometer kilometers kilometre kilometres", 1e3, _LENGTH
    yield "um µm micrometer micrometre", 1e-6, _LENGTH
    yield "in inch inches", INCH, _LENGTH
    yield "ft foot feet", 12 * INCH, _LENGTH
    yield "kg kilogram kilograms", 1.0, _MASS
    yield "g gram grams", 1e-3, _MASS
    yield "lbm pound_mass", POUND, _MASS
    yield "slug", _POUND_FORCE / (12 * INCH), _MASS
    yield "s sec secs second seconds", 1.0, _TIME
    yield "ms msec millisecond milliseconds", 1e-3, _TIME
    yield "us µs microsecond microseconds", 1e-6, _TIME
    yield "ns nsec nanosecond nanoseconds", 1e-9, _TIME
    yield "min minute minutes", 60.0, _TIME
    yield "h hour hours", 3600.0, _TIME
    yield "rad radian radians", 1.0, _ANGLE
    yield "mrad", 1e-3, _ANGLE
    yield "deg degree degrees °", math.pi / 180, _ANGLE
    yield "rev turn revolution revolutions", math.tau, _ANGLE
    yield "rpm", math.tau / 60, (0, 0, -1, 1, 0)
    yield "N newton newtons", 1.0, _FORCE
    yield "kN knewton kilonewton kilonewtons", 1e3, _FORCE
    yield "mN mnewton millinewton", 1e-3, _FORCE
    yield "dyne", 1e-5, _FORCE
    yield "kgf kp kg_force kilogram_force kilopond", GRAVITY, _FORCE
    yield "lb lbs lbf pound pounds pound_force", _POUND_FORCE, _FORCE
    yield "Nm", 1.0, _WORK
    yield "Nmm", 1e-3, _WORK
    yield "Ncm", 1e-2, _WORK
    yield "mNm", 1e-3, _WORK
    yield "kNm", 1e3, _WORK
    yield "J joule joules", 1.0, _WORK
    yield "mJ millijoule", 1e-3, _WORK
    yield "kJ kilojoule kilojoules", 1e3, _WORK
    yield "W watt watts", 1.0, _POWER
    yield "mW milliwatt", 1e-3, _POWER
    yield "kW kilowatt kilowatts", 1e3, _POWER
    yield "A amp amps ampere amperes", 1.0, (0, 0, 0, 0, 1)
    yield "mA milliampere", 1e-3, (0, 0, 0, 0, 1)


NAMES: dict[str, ParsedUnit] = {
    name: ParsedUnit(factor, dimension)
    for names, factor, dimension in _rows()
    for name in names.split()
}
# Case matters where two names differ by it (mN is not MN); otherwise "MM" and "DEG" are accepted.
_FOLDED = {name.casefold(): unit for name, unit in reversed(NAMES.items())}

_SIGNS = {"**": "^", "²": "^2", "³": "^3", "·": "*", "⋅": "*", "×": "*", "•": "*", "μ": "µ"}
# A hyphen between letters multiplies, as in newton-mm; elsewhere it is the sign of a power.
_PRODUCT = re.compile(r"\*|\s+|(?<=[a-zµ°])-(?=[a-z])", re.IGNORECASE)
_FACTOR = re.compile(r"([a-zµ°_]+|1)\^?([+-]?[0-9])?", re.IGNORECASE)


SMALL_TIMES = {1e3: "ms", 1e6: "us", 1e9: "ns"}
"""Units of time, by how many are a second."""


@lru_cache(maxsize=1000)
def unit_named(text: str) -> ParsedUnit:
    """Return the unit of a name such as ``mm``, ``N*mm``, ``deg/s`` or ``inch/sec**2``.

    Raises
    ------
    ForeignError
        If a part of the name is unknown.
    """
    words = text.strip().strip("[]()").strip()
    for sign, plain in _SIGNS.items():
        words = words.replace(sign, plain)
    if (one := _one(words)) is not None:
        return one
    unit = ParsedUnit(1.0)
    for k, part in enumerate(words.split("/")):
        for j, factor in enumerate(_PRODUCT.split(part.strip())):
            # as in typed formulas, a slash divides by the next factor only
            unit = unit.times(_power(factor, text), -1 if k and not j else 1)
    return unit


def _power(factor: str, text: str) -> ParsedUnit:
    match = _FACTOR.fullmatch(factor)
    base = _one(match[1]) if match else None
    if match is None or base is None:
        raise ForeignError(
            f"unit {text!r} is unknown; examples of known units: mm, inch, deg, rad/s, rpm, N, "
            "lbf, N*m, N*mm, lbf*in, J, W, ms, and their products and quotients"
        )
    return ParsedUnit(1.0).times(base, int(match[2] or 1))


def _one(name: str) -> ParsedUnit | None:
    return NAMES.get(name) or _FOLDED.get(name.casefold())


def is_unit(text: str) -> bool:
    """Whether a text is the name of a unit."""
    try:
        unit_named(text)
    except ForeignError:
        return False
    return True


def factor_between(theirs: str, ours: str, what: str) -> float:
    """Return the factor from one of their units to ours.

    Parameters
    ----------
    theirs, ours : str
        Names of units.
    what : str
        Measured quantity, for the message.

    Raises
    ------
    ForeignError
        If their dimensions differ, or a name is unknown.
    """
    try:
        their_unit = unit_named(theirs)
    except ForeignError as error:
        raise ForeignError(f"{what}: {error}; state it with --unit COLUMN=UNIT") from None
    our_unit = unit_named(ours)
    if their_unit.dimension != our_unit.dimension:
        raise ForeignError(
            f"{what}: unit {theirs!r} is not of the same quantity as {ours!r}; state another "
            "with --unit COLUMN=UNIT"
        )
    factor = their_unit.factor / our_unit.factor
    if not 0 < factor < math.inf:
        raise ForeignError(f"{what}: unit {theirs!r} has no size that a number can hold")
    return factor
