"""Computed torque control, as a law for sampled controllers."""

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

    If the controller's model is exact, each joint's error satisfies ``e'' + 2 d w e' + w² e = 0``,
    except for the hold between samples.

    Parameters
    ----------
    robot : Robot
        Robot model of the controller.
    frequency, damping : float or array_like of shape (n,)
        w [rad/s] and d of the error dynamics.
    gravity : tuple of float
        Gravity assumed by the controller, in the world [m/s²].

    Raises
    ------
    ScenarioError
        If a gain is not positive, or shapes do not match.

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
        """Return torques (n,) [N·m or N]; the state is the model, assembled at the start."""
        require_rows(type(self).__name__, self.robot, sensed.q)
        kp, kd = self._gains
        known = KnownRobot(self.robot, self.gravity, sensed.q) if state is None else state
        qdd = sensed.qdd_ref + kp * (sensed.q_ref - sensed.q) + kd * (sensed.qd_ref - sensed.qd)
        return known.torques(sensed.q, sensed.qd, qdd), known
