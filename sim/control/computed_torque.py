"""Computed torque, a law of sampled controllers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import ArrayLike

from sim.control.gains import per_joint, require_robot, require_rows
from sim.control.known_robot import KnownRobot
from sim.dynamics.control_loop import Sensed
from sim.dynamics.gravity import GRAVITY, Gravity
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.robots.robot import Robot


@checked
@dataclass(frozen=True, eq=False)
class ComputedTorque:
    """``tau = M(q) (qdd_ref + w² (q_ref - q) + 2 d w (qd_ref - qd)) + C(q, qd) qd + g(q)``.

    Where the controller knows the robot exactly, each joint's error follows
    ``e'' + 2 d w e' + w² e = 0``, but for the hold between samples.

    Parameters
    ----------
    robot : Robot
        What the controller knows.
    frequency, damping : float or array_like of shape (n,)
        w [rad/s] and d, of the error.
    gravity : tuple of float
        That the controller expects, in the world [m/s²].

    Raises
    ------
    ScenarioError
        If a gain is not positive, or the shapes do not fit.

    References
    ----------
    Siciliano, Sciavicco, Villani and Oriolo 2009, Robotics, equations (8.57) to (8.59).
    """

    robot: Robot
    frequency: ArrayLike
    damping: ArrayLike = 1.0
    gravity: Gravity = GRAVITY

    def __post_init__(self) -> None:
        require_robot(type(self).__name__, self.robot)
        _ = self._gains

    @cached_property
    def _gains(self) -> tuple[Array, Array]:
        w = per_joint(self.robot, "frequency", self.frequency, "rad/s")
        return w * w, 2 * per_joint(self.robot, "damping", self.damping, "1") * w

    def __call__(self, sensed: Sensed, state: Any) -> tuple[Array, Any]:
        """Torques (n,) [N·m or N], and as the state what is known of the robot from its start."""
        require_rows(type(self).__name__, self.robot, sensed.q)
        kp, kd = self._gains
        known = KnownRobot(self.robot, self.gravity, sensed.q) if state is None else state
        wanted = sensed.qdd_ref + kp * (sensed.q_ref - sensed.q) + kd * (sensed.qd_ref - sensed.qd)
        return known.torques(sensed.q, sensed.qd, wanted), known
