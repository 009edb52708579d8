"""PD control with gravity compensation, as a law for sampled controllers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sim.control.gains import known_at, per_joint, require_robot, require_rows
from sim.control.known_robot import KnownRobot
from sim.dynamics.control_loop import Sensed
from sim.dynamics.gravity import GRAVITY, Gravity
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.robots.robot import Robot


@checked
@dataclass(frozen=True, eq=False)
class PDGravity:
    """``tau = m (w² (q_ref - q) + 2 d w (qd_ref - qd)) + g(q)``.

    m is the diagonal of the mass matrix at `pose`, including links moved through loops. If a joint
    moves alone and near that pose, its loop has the natural frequency w and the damping ratio d.

    Parameters
    ----------
    robot : Robot
        Robot model of the controller; the simulated robot may have payloads and friction in
        addition.
    frequency : float or array_like of shape (n,)
        w [rad/s].
    damping : float or array_like of shape (n,)
        d; 1 is critical damping.
    pose : array_like of shape (n,), optional
        Pose at which m is evaluated [rad or m] (default: zero).
    gravity : tuple of float
        Gravity assumed by the controller, in the world [m/s²].

    Raises
    ------
    ScenarioError
        If a gain is not positive, or shapes do not match.

    References
    ----------
    Siciliano, Sciavicco, Villani and Oriolo 2009, Robotics, equation (8.51).
    """

    robot: Robot
    frequency: ArrayLike
    damping: ArrayLike = 1.0
    pose: ArrayLike | None = None
    gravity: Gravity = GRAVITY

    def __post_init__(self) -> None:
        require_robot(type(self).__name__, self.robot)
        _ = self._gains

    @cached_property
    def _gains(self) -> tuple[Array, Array]:
        w = per_joint(self.robot, "frequency", self.frequency, "rad/s")
        d = per_joint(self.robot, "damping", self.damping, "1")
        m = self._known_robot.inertia
        return m * w * w, 2 * m * d * w

    @cached_property
    def _known_robot(self) -> KnownRobot:
        return known_at(self.robot, self.gravity, self.pose)

    def __call__(self, sensed: Sensed, state: Any) -> tuple[Array, Any]:
        """Return torques (n,) [N·m or N]; the law has no state."""
        require_rows(type(self).__name__, self.robot, sensed.q)
        kp, kd = self._gains
        q, qd = sensed.q, sensed.qd
        g = self._known_robot.torques(q, np.zeros_like(q))
        return kp * (sensed.q_ref - q) + kd * (sensed.qd_ref - qd) + g, state
