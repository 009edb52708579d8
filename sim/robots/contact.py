"""Contact of a robot with the ground: a sphere on a link above a plane."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ModelError
from sim.robots.quantity import Checker
from sim.spatial import frozen


@dataclass(frozen=True, eq=False)
class GroundContact:
    """A sphere, or a point, on a link above the plane z = height of the world.

    The plane pushes it up by the law `sim.dynamics.contact.impact` and does not rub.

    Parameters
    ----------
    frame : str
        The link that carries it.
    stiffness : float
        k of the force k p^e at the penetration p [N/m^e].
    radius : float
        Of the sphere; zero for a point [m].
    at : array_like, shape (3,)
        Centre in `frame` [m].
    exponent : float
        e, at least 1; 1.5 is that of an elastic sphere on a plane (Hertz).
    damping : float
        Damping at full depth [N·s/m].
    depth : float
        Penetration at which the damping is full [m].
    height : float
        Of the plane in the world [m].

    Raises
    ------
    ModelError
        If a number is not finite or out of its range.
    """

    frame: str
    _: KW_ONLY
    stiffness: float
    radius: float = 0.0
    at: ArrayLike = (0.0, 0.0, 0.0)
    exponent: float = 1.5
    damping: float = 0.0
    depth: float = 1e-4
    height: float = 0.0

    def __post_init__(self) -> None:
        check = Checker(f"Ground contact of {self.frame!r}")
        values = {
            "stiffness": check.positive("stiffness", self.stiffness, "N/m^e"),
            "radius": check.not_negative("radius", self.radius, "m"),
            "exponent": check.at_least_one("exponent", self.exponent, ""),
            "damping": check.not_negative("damping", self.damping, "N·s/m"),
            "depth": check.positive("depth", self.depth, "m"),
            "height": check.finite("height", self.height, "m"),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        try:
            at = frozen(self.at, (3,))
        except (TypeError, ValueError):
            at = None
        if at is None or not np.isfinite(at).all():
            raise ModelError(
                f"Ground contact of {self.frame!r}: at {self.at!r} m must be three finite numbers"
            )
        object.__setattr__(self, "at", at)
