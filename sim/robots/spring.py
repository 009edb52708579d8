"""Spring and damper of a joint: ADAMS's torsional or translational spring-damper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.robots.joint import Joint, JointForce
from sim.robots.quantity import Checker
from sim.showing.one_line import changed_fields


@checked
@dataclass(frozen=True)
class JointSpring(JointForce):
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

    def __repr__(self) -> str:
        return changed_fields(self)

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
