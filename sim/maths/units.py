"""SI units of angles and lengths, of their rates, and of what acts along them."""

from __future__ import annotations

from typing import Literal, NamedTuple

Quantity = Literal["position", "velocity", "acceleration", "effort", "inertia"]


class Units(NamedTuple):
    """Units by quantity; those of derivatives and of efforts follow each other."""

    position: str
    velocity: str
    acceleration: str
    effort: str
    inertia: str

    def of(self, quantity: Quantity) -> str:
        """The unit of a quantity by its name."""
        return str(getattr(self, quantity))


ANGULAR = Units("rad", "rad/s", "rad/s²", "N·m", "kg·m²")
LINEAR = Units("m", "m/s", "m/s²", "N", "kg")
