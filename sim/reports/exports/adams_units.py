"""AdamsUnits: the units of the numbers in an ADAMS model that is written."""

from __future__ import annotations

from dataclasses import dataclass

from sim.functions.write_expression import number
from sim.reports.exports.units_shown import DEGREE
from sim.robots.coordinate import Coordinate
from sim.robots.joint import Joint


@dataclass(frozen=True)
class AdamsUnits:
    """The ADAMS model that reads the text: the units of its numbers.

    Parameters
    ----------
    degrees : bool
        Points of splines and starts of joints that turn are in degrees.
    millimetres : bool
        The unit of length is the millimetre, not the metre.
    """

    degrees: bool
    millimetres: bool

    @property
    def length(self) -> float:
        """How many of the model's unit of length are a metre."""
        return 1e3 if self.millimetres else 1.0

    def factor(self, row: Coordinate, level: str) -> tuple[str, float]:
        """Return the factor of a drive's value, as text and number."""
        is_length = row.is_angle == (level == "torque")  # N·mm in a model in millimetres
        return ("1000.0", 1e3) if self.millimetres and is_length else ("", 1.0)

    def position(self, row: Coordinate, value: float) -> str:
        """A position or a rate; no number has both an exponent and a D."""
        if not row.is_angle:
            return number(value * self.factor(row, "displacement")[1])
        return angle(value) if self.degrees else number(value)

    def points(self, row: Coordinate, level: str) -> tuple[str, float]:
        """Return the factor before a spline function, and the unit of its points in SI."""
        if self.degrees and row.is_angle and level != "torque":
            return "DTOR * ", DEGREE
        return "", self.factor(row, level)[1]


def angle(value: float) -> str:
    """An angle [rad] in degrees, ``90.0D``; in radians where an exponent would meet the D."""
    shown = number(value * DEGREE + 0.0)
    return number(value) if "E" in shown else f"{shown}D"


def is_sliding(joint: Joint) -> bool:
    """True of a joint whose coordinate is a length."""
    return not joint.coordinates[0].is_angle
