"""Spring and damper of a joint, ADAMS's spring-damper, and its end stops, BISTOP at its limits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sim.errors import ModelError
from sim.functions.impact import bistop, bistop_slopes
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.robots.coordinate import Limits
from sim.robots.joint import Joint, JointForce
from sim.robots.quantity import Checker
from sim.showing.one_line import ChangesShown


@checked
@dataclass(frozen=True, repr=False)
class JointSpring(ChangesShown, JointForce):
    """A linear spring and damper, ``-k (q - q_0) - c qd + preload`` along the joint's motion.

    For a revolute joint, lengths are angles.

    Parameters
    ----------
    stiffness : float
        k [N·m/rad or N/m].
    damping : float
        c [N·m·s/rad or N·s/m].
    free_position : float
        q_0, where the spring force is zero [rad or m].
    preload : float
        Torque or force at the free position, positive along the motion [N·m or N].

    Raises
    ------
    ModelError
        If a number is not finite, or stiffness or damping is negative.

    References
    ----------
    MSC Adams Solver, statement SPRINGDAMPER.
    """

    channel: ClassVar[str] = "spring"
    title: ClassVar[str] = "springs"
    stiffness: float
    damping: float = 0.0
    free_position: float = 0.0
    preload: float = 0.0

    def __post_init__(self) -> None:
        check = Checker("Joint spring")
        check.set_fields(self, check.not_negative, "N·m/rad or N/m", "stiffness")
        check.set_fields(self, check.not_negative, "N·m·s/rad or N·s/m", "damping")
        check.set_fields(self, check.finite, "rad or m", "free_position")
        check.set_fields(self, check.finite, "N·m or N", "preload")

    @property
    def is_linear(self) -> bool:
        """True."""
        return True

    def for_joint(self, robot: str, joint: Joint) -> JointSpring:
        """Return the spring unchanged, as it suits every movable joint; see `JointForce`."""
        return self

    def effort(self, joint: Joint, q: Array, qd: Array) -> Array:
        """Return -k (q - q_0) - c qd + preload, shape (N,) [N·m or N]; see `JointForce`."""
        return self.preload - self.stiffness * (q - self.free_position) - self.damping * qd

    def slopes(self, joint: Joint, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return -k and -c; see `JointForce`."""
        return np.full_like(q, -self.stiffness), np.full_like(q, -self.damping)

    @property
    def steepest(self) -> tuple[float, float]:
        """Return k and c."""
        return self.stiffness, self.damping

    def stored_energy(self, q: Array) -> Array | None:
        """½ k (q - q_0)² - preload (q - q_0); None for a pure damper."""
        if not (self.stiffness or self.preload):
            return None
        x = q - self.free_position
        return 0.5 * self.stiffness * x * x - self.preload * x


def held_torques(offsets: Mapping[str, float]) -> dict[str, JointSpring]:
    """Return stiffness-free springs that oppose drive offsets [N·m or N], by joint."""
    return {
        name: JointSpring(stiffness=0.0, preload=-offset)
        for name, offset in offsets.items()
        if offset
    }


@checked
@dataclass(frozen=True, repr=False)
class Stop(ChangesShown, JointForce):
    """End stops of a joint by the law `sim.functions.impact.bistop`.

    For a revolute joint, lengths are angles.

    Parameters
    ----------
    stiffness : float
        k in the force k p^e at the penetration p [N·m/rad^e or N/m^e].
    exponent : float
        e, at least 1: below, the stop would be infinitely stiff at first contact.
    damping : float
        Damping at full depth [N·m·s/rad or N·s/m].
    depth : float
        Penetration at which the damping is full [rad or m].
    lower, upper : float, optional
        Positions of the stops [rad or m] (default: limits of the joint).

    Raises
    ------
    ModelError
        If a number is not finite or out of range, or lower is not below upper.
    """

    channel: ClassVar[str] = "stop"
    title: ClassVar[str] = "end stops"
    is_sudden: ClassVar[bool] = True

    stiffness: float
    exponent: float = 1.5
    damping: float = 0.0
    depth: float = 1e-3
    lower: float | None = None
    upper: float | None = None

    def __post_init__(self) -> None:
        check = Checker("Stop")
        check.set_fields(self, check.positive, "N·m/rad^e or N/m^e", "stiffness")
        check.set_fields(self, check.at_least_one, "", "exponent")
        check.set_fields(self, check.not_negative, "N·m·s/rad or N·s/m", "damping")
        check.set_fields(self, check.positive, "rad or m", "depth")
        check.set_fields(self, check.finite, "rad or m", "lower", "upper")
        if self.lower is not None and self.upper is not None:
            _require_order("Stop", self.lower, self.upper, "rad or m")

    def ends(self, limits: Limits) -> tuple[float, float]:
        """Return the stop positions of a joint with these limits [rad or m]; infinite if none."""
        return (
            limits.lower if self.lower is None else self.lower,
            limits.upper if self.upper is None else self.upper,
        )

    def for_joint(self, robot: str, joint: Joint) -> Stop:
        """Return the stop, if the joint has a limit; see `JointForce`."""
        lower, upper = self.ends(joint.limits)
        if math.isinf(lower) and math.isinf(upper):
            raise ModelError(
                f"Joint {joint.name!r} of robot {robot!r} has no limits to stop at; "
                "give the stop a lower or an upper one"
            )
        (row,) = joint.coordinates
        _require_order(f"Stop of joint {joint.name!r}", lower, upper, row.units.position)
        return self

    def effort(self, joint: Joint, q: Array, qd: Array) -> Array:
        """Return BISTOP between the two ends, shape (N,) [N·m or N]; see `JointForce`."""
        lower, upper = self.ends(joint.limits)
        return bistop(q, qd, lower, upper, *self._law)

    def slopes(self, joint: Joint, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return the slopes of BISTOP; see `JointForce`."""
        lower, upper = self.ends(joint.limits)
        return bistop_slopes(q, qd, lower, upper, *self._law)

    def corners(self, joint: Joint) -> tuple[float, float]:
        """Return the positions of both ends; see `JointForce`."""
        return self.ends(joint.limits)

    @property
    def steepest(self) -> tuple[float, float]:
        """Return k e, for a unit penetration, and the damping at full depth."""
        return self.stiffness * self.exponent, self.damping

    @property
    def _law(self) -> tuple[float, float, float, float]:
        return self.stiffness, self.exponent, self.damping, self.depth


def _require_order(part: str, lower: float, upper: float, unit: str) -> None:
    if lower >= upper:
        raise ModelError(f"{part}: lower {lower:g} must be below upper {upper:g} {unit}")
