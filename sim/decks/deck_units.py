"""Units of an ADAMS deck: what one of its force, mass, length and time is in SI."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

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
        },
        "MASS": {
            "KILOGRAM": 1.0,
            "GRAM": 1e-3,
            "MILLIGRAM": 1e-6,
            "MEGAGRAM": 1e3,
            "TONNE": 1e3,
            "POUND_MASS": POUND_MASS,
            "OUNCE_MASS": POUND_MASS / 16,
            "KPOUND_MASS": 1e3 * POUND_MASS,
            "SLUG": POUND_FORCE / (12 * INCH),
            "SLINCH": POUND_FORCE / INCH,
        },
        "LENGTH": {
            "METER": 1.0,
            "MILLIMETER": 1e-3,
            "CENTIMETER": 1e-2,
            "KILOMETER": 1e3,
            "INCH": INCH,
            "FOOT": 12 * INCH,
        },
        "TIME": {"SECOND": 1.0, "MILLISECOND": 1e-3, "MINUTE": 60.0, "HOUR": 3600.0},
    }
)

SYSTEMS: Mapping[str, tuple[str, str, str, str]] = MappingProxyType(
    {
        "MKS": ("NEWTON", "KILOGRAM", "METER", "SECOND"),
        "CGS": ("DYNE", "GRAM", "CENTIMETER", "SECOND"),
        "FPS": ("POUND_FORCE", "SLUG", "FOOT", "SECOND"),
        "IPS": ("POUND_FORCE", "SLINCH", "INCH", "SECOND"),
    }
)


@dataclass(frozen=True)
class DeckUnits:
    """One of the deck's unit, in SI: [N], [kg], [m], [s]. Angles are in radians."""

    force: float = 1.0
    mass: float = 1.0
    length: float = 1.0
    time: float = 1.0

    @property
    def torque(self) -> float:
        """Of force times length [N·m]."""
        return self.force * self.length

    @property
    def speed(self) -> float:
        """[m/s]."""
        return self.length / self.time


def read_units(statement: Statement) -> DeckUnits:
    """What a UNITS statement says.

    Raises
    ------
    DeckError
        If a unit is unknown, or there is neither a unit nor a system.
    """
    if "UCF" in statement.values:
        raise statement.refusal("UCF, a factor of the user's own, is not offered; name the units")
    names = dict.fromkeys(UNITS, "")
    system = statement.text("SYSTEM")
    if system is not None:
        if system.upper() not in SYSTEMS:
            raise statement.refusal(f"SYSTEM = {system}: choose one of {', '.join(SYSTEMS)}")
        names = dict(zip(UNITS, SYSTEMS[system.upper()], strict=True))
    names.update(
        (what, statement.values[what][0].upper()) for what in UNITS if what in statement.values
    )
    for what, name in names.items():
        if name not in UNITS[what]:
            given = f"{what} = {name}" if name else f"{what} is missing"
            raise statement.refusal(f"{given}: choose one of {', '.join(UNITS[what])}")
    return DeckUnits(*(UNITS[what][name] for what, name in names.items()))
