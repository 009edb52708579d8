"""SI units of angles and lengths, of their rates, and of the corresponding efforts."""

from __future__ import annotations

from typing import Literal, NamedTuple

Quantity = Literal["position", "velocity", "acceleration", "effort", "inertia"]


class Units(NamedTuple):
    """Units by quantity, in the order of derivatives, then efforts."""

    position: str
    velocity: str
    acceleration: str
    effort: str
    inertia: str

    def of(self, quantity: Quantity) -> str:
        """Return the unit of a quantity by its name."""
        return str(getattr(self, quantity))


ANGULAR = Units("rad", "rad/s", "rad/s²", "N·m", "kg·m²")
LINEAR = Units("m", "m/s", "m/s²", "N", "kg")
