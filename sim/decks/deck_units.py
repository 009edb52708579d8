"""Units of an ADAMS deck: its units of force, mass, length and time in SI."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from sim.decks.statements import Statement

POUND_FORCE, POUND_MASS, INCH = 4.4482216152605, 0.45359237, 0.0254  # [N], [kg], [m]

UNITS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "FORCE": {
            "NEWTON": 1.0,
            "MILLINEWTON": 1e-3,
            "CENTINEWTON": 1e-2,
            "KILONEWTON": 1e3,
            "KNEWTON": 1e3,
            "MEGANEWTON": 1e6,
            "DYNE": 1e-5,
            "KILOGRAM_FORCE": 9.80665,
            "POUND_FORCE": POUND_FORCE,
            "OUNCE_FORCE": POUND_FORCE / 16,
            "KPOUND_FORCE": 1e3 * POUND_FORCE,
            "POUNDAL": POUND_MASS * 12 * INCH,
            "MICRONEWTON": 1e-6,
            "NANONEWTON": 1e-9,
        },
        "MASS": {
            "KILOGRAM": 1.0,
            "GRAM": 1e-3,
            "MILLIGRAM": 1e-6,
            "MICROGRAM": 1e-9,
            "NANOGRAM": 1e-12,
            "MEGAGRAM": 1e3,
            "TONNE": 1e3,
            "POUND_MASS": POUND_MASS,
            "OUNCE_MASS": POUND_MASS / 16,
            "KPOUND_MASS": 1e3 * POUND_MASS,
            "SLUG": POUND_FORCE / (12 * INCH),
            "SLINCH": POUND_FORCE / INCH,
            "US_TON": 2e3 * POUND_MASS,
        },
        "LENGTH": {
            "METER": 1.0,
            "MILLIMETER": 1e-3,
            "CENTIMETER": 1e-2,
            "KILOMETER": 1e3,
            "INCH": INCH,
            "FOOT": 12 * INCH,
            "YARD": 36 * INCH,
            "MILE": 63360 * INCH,
            "MILS": 1e-3 * INCH,
            "MICROINCH": 1e-6 * INCH,
            "MICROMETER": 1e-6,
            "NANOMETER": 1e-9,
            "ANGSTROM": 1e-10,
        },
        "TIME": {
            "SECOND": 1.0,
            "MILLISECOND": 1e-3,
            "MICROSECOND": 1e-6,
            "NANOSECOND": 1e-9,
            "MINUTE": 60.0,
            "HOUR": 3600.0,
            "DAY": 86400.0,
        },
    }
)

SYSTEMS: Mapping[str, tuple[str, str, str, str]] = MappingProxyType(
    {
        "MKS": ("NEWTON", "KILOGRAM", "METER", "SECOND"),
        "CGS": ("DYNE", "GRAM", "CENTIMETER", "SECOND"),
        "FPS": ("POUND_FORCE", "POUND_MASS", "FOOT", "SECOND"),
        "IPS": ("POUND_FORCE", "POUND_MASS", "INCH", "SECOND"),
        "NONE": ("NEWTON", "KILOGRAM", "METER", "SECOND"),
    }
)
"""Force, mass, length and time; a deck without dimensions is taken in SI."""

SHORT: Mapping[str, str] = MappingProxyType(
    dict(
        pair.split("=")
        for pair in "N=NEWTON KN=KNEWTON LBF=POUND_FORCE KGF=KILOGRAM_FORCE KG=KILOGRAM G=GRAM "
        "LBM=POUND_MASS M=METER MM=MILLIMETER CM=CENTIMETER KM=KILOMETER IN=INCH FT=FOOT "
        "S=SECOND SEC=SECOND SECONDS=SECOND MS=MILLISECOND MSEC=MILLISECOND "
        "MILLISECONDS=MILLISECOND".split()
    )
)
"""Other names of units."""

FEWEST = 3  # letters of an abbreviated unit
CONSISTENT = 1e-3  # relative difference allowed between the deck's factor and that of its units


class DeckUnits(Struct, frozen=True):
    """Units of a deck, in SI: [N], [kg], [m], [s]. Angles are in radians."""

    force: float = 1.0
    mass: float = 1.0
    length: float = 1.0
    time: float = 1.0

    @property
    def torque(self) -> float:
        """Unit of force times length [N·m]."""
        return self.force * self.length

    @property
    def speed(self) -> float:
        """Unit of speed [m/s]."""
        return self.length / self.time

    def of(self, unit: str) -> float:
        """Return the deck's unit of a quantity with this unit in SI; 1 for other units."""
        scales = {
            "m": self.length,
            "m/s": self.speed,
            "m/s²": self.speed / self.time,
            "rad/s": 1.0 / self.time,
            "rad/s²": self.time**-2,
            "N": self.force,
            "N·m": self.torque,
            "s": self.time,
        }
        return scales.get(unit, 1.0)


def read_units(statement: Statement, factor: float | None = None) -> DeckUnits:
    """Read the units of a UNITS statement; `factor` is UCF if another statement gives it.

    Force times UCF is mass times acceleration, all in the deck's units. Without named units the
    force unit follows from UCF with kilogram, metre and second.

    Raises
    ------
    DeckError
        If a unit is unknown or not that of the system, no unit, system or factor is given, or the
        factor contradicts the units.
    """
    system = statement.text("SYSTEM")
    if system is not None and system.upper() not in SYSTEMS:
        raise statement.refusal(f"SYSTEM = {system}: choose one of {', '.join(SYSTEMS)}")
    unit_names = {what: statement.text(what) or "" for what in UNITS if what in statement.values}
    if "UCF" in statement.values:
        factor = statement.number("UCF")
    names = {} if factor is None else {"FORCE": "NEWTON"}
    if system is not None or (factor is not None and not unit_names):
        names = dict(zip(UNITS, SYSTEMS[(system or "NONE").upper()], strict=True))
    unit_names = {what: _full_unit(what, name) for what, name in unit_names.items()}
    for what, name in unit_names.items():
        if system is not None and names[what] != name:
            raise statement.refusal(
                f"SYSTEM = {system} has {what} = {names[what]}, and {what} = {name} is given "
                "too; leave SYSTEM or the units out"
            )
    names |= unit_names
    for what in UNITS:
        if names.get(what) not in UNITS[what]:
            typed = f"{what} = {names[what]}" if what in names else f"{what} is missing"
            raise statement.refusal(f"{typed}: choose one of {', '.join(UNITS[what])}")
    units = DeckUnits(*(UNITS[what][names[what]] for what in UNITS))
    return units if factor is None else _by_factor(statement, units, factor, "FORCE" in unit_names)


def _full_unit(what: str, name: str) -> str:
    """Return the full name of a unit, which may be abbreviated if unambiguous."""
    name = name.upper()
    name = SHORT.get(name, name)
    near = [one for one in UNITS[what] if len(name) >= FEWEST and one.startswith(name)]
    return near[0] if name not in UNITS[what] and len(near) == 1 else name


def _by_factor(statement: Statement, units: DeckUnits, factor: float, is_named: bool) -> DeckUnits:
    """Return the units with the force unit that a factor implies."""
    force = factor * units.mass * units.length / units.time**2
    if factor <= 0:
        raise statement.refusal(f"UCF = {factor:g}: a factor of units is above 0")
    if is_named and abs(force - units.force) > CONSISTENT * units.force:
        raise statement.refusal(
            f"UCF = {factor:g} makes the force of mass, length and time {force:.6g} N, and FORCE "
            f"names one of {units.force:.6g} N; leave one of the two out"
        )
    return units if is_named else replace(units, force=force)
