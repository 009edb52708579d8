"""Quantities of a page in SI, which the reader can switch to degrees or millimetres."""

from __future__ import annotations

import math

from msgspec import Struct

from sim.robots.coordinate import DEGREE

DEGREES = {"rad": "°", "rad/s": "°/s", "rad/s²": "°/s²"}
LENGTHS = frozenset({"m", "m/s", "m/s²", "N·m"})  # in millimetres on request: data.js


def number(value: float | None, digits: int = 4) -> str:
    """Return a number as text, with a true minus sign and without padding of its exponent."""
    if value is None:
        return "–"
    if not math.isfinite(value):
        return "no number" if math.isnan(value) else "∞"
    whole = len(str(int(abs(value)))) if abs(value) < 1e5 else 0
    text = f"{value + 0.0:.{max(digits, whole)}g}"
    mantissa, e, exponent = text.partition("e")
    return (mantissa + (f"e{int(exponent)}" if e else "")).replace("-", "−")


class ShownQuantity(Struct, frozen=True):
    """A value with its unit.

    Parameters
    ----------
    value : float or None
        In SI; None if not finite.
    unit : str
        The SI unit, ``1`` for a share.
    digits : int
        Significant digits.
    prefix : str
        Text before the number, such as ``≥``.
    """

    value: float | None
    unit: str
    digits: int = 4
    prefix: str = ""

    @property
    def is_switched(self) -> bool:
        """Whether the reader can switch the unit."""
        return self.value is not None and (self.unit in DEGREES or self.unit in LENGTHS)

    def number(self, degrees: bool = False) -> str:
        """Return the text of the number, in degrees on request."""
        if (value := self.value) is not None and degrees and self.unit in DEGREES:
            value /= DEGREE
        return self.prefix + number(value, self.digits)

    def unit_text(self, degrees: bool = False) -> str:
        """Return the text of the unit, in degrees on request; empty for a share."""
        if self.unit == "1":
            return ""
        return DEGREES.get(self.unit, self.unit) if degrees else self.unit

    def text(self, degrees: bool = False) -> str:
        """Return number and unit."""
        return f"{self.number(degrees)} {self.unit_text(degrees)}".rstrip()
