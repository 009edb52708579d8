"""Contact of a robot with the ground: a sphere on a link above a plane."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics.force_element import (
    ElementState,
    ForceElement,
    Slopes,
    slopes_by_differences,
)
from sim.dynamics.wrench import AppliedWrench
from sim.errors import ModelError
from sim.functions.impact import impact
from sim.kinematics.forward import frame_of
from sim.maths.arrays import frozen
from sim.maths.rotations import cross
from sim.recording.schema.element_facts import ContactFacts
from sim.robots.quantity import Checker
from sim.robots.robot import Robot
from sim.showing.one_line import changed_fields


@dataclass(frozen=True, eq=False)
class GroundContact(ForceElement):
    """A sphere, or a point, on a link above the plane z = height of the world.

    The plane pushes it up by the law `sim.functions.impact.impact` and does not rub.

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

    def __repr__(self) -> str:
        return changed_fields(self)

    def require_usable(self, robot: Robot, duration: float) -> None:
        """Check that the frame exists; see `ForceElement`."""
        frame_of(robot, self.frame)

    @property
    def is_sudden(self) -> bool:
        """True: it acts where the sphere touches."""
        return True

    def title(self, robot: Robot) -> str:
        """Text for a message."""
        return "it may touch the ground"

    def wrenches(self, at: ElementState) -> tuple[AppliedWrench, ...]:
        """The push of the plane, upwards at the centre of the sphere.

        The force at the lowest point of a sphere passes through its centre, so that its moment is
        the same there.
        """
        frame = at.kinematics.frame(self.frame)
        centre = np.asarray(self.at)
        arm = np.einsum("abN,b->aN", frame.R, centre)
        gap = frame.p[2] + arm[2] - self.radius - self.height
        rate = frame.v[2] + cross(frame.w, arm)[2]
        law = (self.stiffness, self.exponent, self.damping, self.depth)
        force = np.zeros_like(frame.p)
        force[2] = impact(gap, rate, 0.0, *law)
        return (AppliedWrench(self.frame, centre, force, np.zeros_like(force)),)

    def describe(self) -> ContactFacts:
        """The contact with all its numbers."""
        x, y, z = np.asarray(self.at).tolist()
        return ContactFacts(**{**vars(self), "at": (x, y, z)})

    def slopes(self, at: ElementState) -> Slopes:
        """Slopes of what it is worth at the joints."""
        return slopes_by_differences(self, at)
