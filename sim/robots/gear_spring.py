"""Spring of an elastic gear, between a motor and its joint.

Motor and joint are two joints on one link, theta and q; with the twist ``d = theta / N - q`` the
spring exerts f on the joint and -f / N on the motor, with f of `sim.robots.twist_law`.

References
----------
Spong 1987, Modeling and control of elastic joint robots, section 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sim.maths.arrays import Array
from sim.robots.joint import Joint, JointForce
from sim.robots.twist_law import TwistLaw
from sim.showing.one_line import ChangesShown


@dataclass(frozen=True, repr=False)
class GearSpring(ChangesShown, TwistLaw, JointForce):
    """A `TwistLaw` in a joint, relative to the joint of its motor.

    Parameters
    ----------
    motor : str
        Joint whose position is the motor angle.
    ratio : float
        N, motor speed over joint speed, signed.
    """

    channel: ClassVar[str] = "gear_spring"
    title: ClassVar[str] = "an elastic gear"

    motor: str = ""
    ratio: float = 1.0

    @property
    def is_linear(self) -> bool:
        """True for a single slope without backlash."""
        return self.is_straight

    @property
    def against(self) -> tuple[str, float]:
        """Motor joint, and joint displacement per radian of it; see `JointForce`."""
        return self.motor, 1.0 / self.ratio

    def for_joint(self, robot: str, joint: Joint) -> GearSpring:
        """Return the spring unchanged; see `JointForce`."""
        return self

    def effort(self, joint: Joint, q: Array, qd: Array) -> Array:
        """Return f, (N,), at position and velocity relative to the motor's, -d and -dd."""
        return self.torque(-q, -qd)

    def slopes(self, joint: Joint, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return -∂f/∂d and -∂f/∂dd; see `JointForce`."""
        of_twist, of_rate = self.gradients(-q, -qd)
        return -of_twist, -of_rate

    def corners(self, joint: Joint) -> tuple[float, ...]:
        """Return the deflections at which the slope changes; see `JointForce`."""
        begins = [0.5 * self.backlash + begin for _, begin in self._pieces]
        rounded = [0.5 * self.backlash + sign * self.rounding for sign in (-1, 1)]
        sizes = [] if self.is_straight else [*begins, *(rounded if self.backlash else ())]
        return tuple(sorted({sign * size for size in sizes if size for sign in (-1.0, 1.0)}))

    @property
    def steepest(self) -> tuple[float, float]:
        """Largest slope, and c."""
        every = (self.stiffness, self.stiffness_2 or 0.0, self.stiffness_3 or 0.0)
        return max(every), self.damping

    def stored_energy(self, q: Array) -> Array | None:
        """Return the elastic energy, shape (N,) [J]; see `JointForce`."""
        return self.energy(-q)
