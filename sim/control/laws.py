"""Laws for sampled controllers: PD with gravity compensation, computed torque, cascades."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

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


class _State(NamedTuple):
    """Filtered velocities and integrals of their errors, (n,) each; None at first."""

    qd: Array
    integral: Array


@checked
@dataclass(frozen=True, eq=False)
class Cascade:
    """Cascade: P control of the position around PI control of the filtered velocity, per joint.

    With the velocity v after a first-order filter ``T_f v' + v = qd``::

        e = qd_ref + K_v (q_ref - q) - v
        tau = m (K_p e + K_p / T_i ∫ e dt)

    m is the diagonal of the mass matrix at `pose`. Filter and integral are discretised by the
    backward Euler rule. The law contains neither gravity nor coupling: its integral compensates
    them.

    Parameters
    ----------
    robot : Robot
        Robot model of the controller.
    position_gain : float or array_like of shape (n,)
        K_v [1/s].
    velocity_gain : float or array_like of shape (n,)
        K_p [1/s], the bandwidth of the inner loop.
    integral_time : float or array_like of shape (n,)
        T_i [s].
    filter_time : float or array_like of shape (n,)
        T_f [s]. Without a filter encoder steps reach the torque.
    pose : array_like of shape (n,), optional
        Pose at which m is evaluated [rad or m] (default: zero).

    Raises
    ------
    ScenarioError
        If a gain is not positive, or shapes do not match.

    References
    ----------
    Leonhard 2001, Control of Electrical Drives, section 15.2 (cascade of position and speed).
    """

    robot: Robot
    position_gain: ArrayLike
    velocity_gain: ArrayLike
    integral_time: ArrayLike
    filter_time: ArrayLike = 2e-3
    pose: ArrayLike | None = None
    gravity: Gravity = GRAVITY

    def __post_init__(self) -> None:
        require_robot(type(self).__name__, self.robot)
        _ = self._gains

    @cached_property
    def _gains(self) -> tuple[Array, Array, Array, Array]:
        kv = per_joint(self.robot, "position_gain", self.position_gain, "1/s")
        kp = per_joint(self.robot, "velocity_gain", self.velocity_gain, "1/s")
        ti = per_joint(self.robot, "integral_time", self.integral_time, "s")
        tf = per_joint(self.robot, "filter_time", self.filter_time, "s")
        m = known_at(self.robot, self.gravity, self.pose).inertia
        return kv, m * kp, m * kp / ti, tf

    def __call__(self, sensed: Sensed, state: Any) -> tuple[Array, _State]:
        """Return torques (n,) [N·m or N], and the filtered velocities with the integrals."""
        require_rows(type(self).__name__, self.robot, sensed.q)
        kv, kp, ki, tf = self._gains
        T = sensed.sample_time
        before = _State(sensed.qd, np.zeros_like(sensed.qd)) if state is None else state
        v = before.qd + T / (T + tf) * (sensed.qd - before.qd)
        e = sensed.qd_ref + kv * (sensed.q_ref - sensed.q) - v
        integral = before.integral + T * e
        return kp * e + ki * integral, _State(v, integral)
