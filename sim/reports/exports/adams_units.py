"""AdamsUnits: units of the numbers in an exported ADAMS model."""

from __future__ import annotations

from dataclasses import dataclass

from sim.functions.write_expression import number
from sim.reports.exports.units_shown import DEGREE
from sim.robots.coordinate import Coordinate
from sim.robots.joint import Joint


@dataclass(frozen=True)
class AdamsUnits:
    """Units of the numbers in the ADAMS model that reads the text.

    Parameters
    ----------
    degrees : bool
        Points of splines and initial positions of revolute joints are in degrees.
    millimetres : bool
        The unit of length is the millimetre, not the metre.
    """

    degrees: bool
    millimetres: bool

    @property
    def length(self) -> float:
        """Model's units of length per metre."""
        return 1e3 if self.millimetres else 1.0

    def factor(self, row: Coordinate, level: str) -> tuple[str, float]:
        """Return the factor of a drive's value, as text and number."""
        is_length = row.is_angle == (level == "torque")  # N·mm in a model in millimetres
        return ("1000.0", 1e3) if self.millimetres and is_length else ("", 1.0)

    def position(self, row: Coordinate, value: float) -> str:
        """Return a position or a rate as text; no number has both an exponent and a D."""
        if not row.is_angle:
            return number(value * self.factor(row, "displacement")[1])
        return angle(value) if self.degrees else number(value)

    def points(self, row: Coordinate, level: str) -> tuple[str, float]:
        """Return the factor before a spline function, and the unit of its points in SI."""
        if self.degrees and row.is_angle and level != "torque":
            return "DTOR * ", DEGREE
        return "", self.factor(row, level)[1]


def angle(value: float) -> str:
    """Return an angle [rad] in degrees, ``90.0D``; in radians if the number has an exponent."""
    shown = number(value * DEGREE + 0.0)
    return number(value) if "E" in shown else f"{shown}D"


def is_sliding(joint: Joint) -> bool:
    """Whether the coordinate of a joint is a length."""
    return not joint.coordinates[0].is_angle
