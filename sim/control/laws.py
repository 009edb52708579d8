"""Laws for sampled controllers: PD with gravity compensation, computed torque, cascades."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sim.control.known_robot import KnownRobot, has_motor
from sim.dynamics.control_loop import Sensed
from sim.dynamics.gravity import GRAVITY, Gravity
from sim.errors import ScenarioError
from sim.maths.arguments import checked
from sim.maths.arrays import Array, frozen
from sim.robots.robot import Robot


def per_joint(robot: Robot, what: str, value: ArrayLike, unit: str) -> Array:
    """Return one positive number per joint, (n,), from one for all or one per joint with a motor.

    Joints without a motor have 1.

    Raises
    ------
    ScenarioError
        If they are not positive and finite, or their number is wrong; names the joint.
    """
    moves = has_motor(robot)
    names = [name for name, has_one in zip(robot.row_names, moves, strict=True) if has_one]
    try:
        gains = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ScenarioError(f"{what} must be numbers in {unit}; got {value!r}") from None
    if gains.shape not in ((), (len(names),)):
        raise ScenarioError(
            f"{what} must be one number in {unit} or {len(names)}, one per joint of robot "
            f"{robot.name!r} ({', '.join(names)}); got shape {gains.shape}"
        )
    rows = np.ones(moves.size)
    rows[moves] = gains
    for name, x in zip(names, rows[moves].tolist(), strict=True):
        if not (isfinite(x) and x > 0):
            raise ScenarioError(f"{what} of joint {name!r} must be positive and finite, got {x}")
    return frozen(rows)


def known_at(robot: Robot, gravity: Gravity, q: ArrayLike | None) -> KnownRobot:
    """Return the controller's robot model at the pose of its gains (default: zero).

    Raises
    ------
    ScenarioError
        If the pose has a wrong number of joints.
    """
    n = len(robot.row_names)
    pose = np.zeros(n) if q is None else np.asarray(q, dtype=np.float64)
    if pose.shape != (n,) or not np.isfinite(pose).all():
        raise ScenarioError(
            f"The pose of a controller's gains needs {n} finite numbers, one per joint of robot "
            f"{robot.name!r}; got shape {pose.shape}"
        )
    return KnownRobot(robot, gravity, pose)


def require_rows(law: str, robot: Robot, q: Array) -> None:
    """Check that a law designed for a robot receives positions of as many joints.

    Raises
    ------
    ScenarioError
        If it does not; names both.
    """
    if q.size != len(robot.row_names):
        raise ScenarioError(
            f"{law} was created for robot {robot.name!r} with {len(robot.row_names)} joints "
            f"({', '.join(robot.row_names)}), but receives the positions of {q.size}; create it "
            "with the controlled robot"
        )


def require_robot(law: str, robot: object) -> None:
    """Check that a law is given a robot as its model.

    Raises
    ------
    ScenarioError
        If it is something else, or has elastic gears.
    """
    if not isinstance(robot, Robot):
        raise ScenarioError(
            f"{law} requires the robot model of the controller, a sim.Robot; got a "
            f"{type(robot).__name__}"
        )
    if robot.motor_rows:
        joint = robot.row_names[next(iter(robot.motor_rows))]
        raise ScenarioError(
            f"{law} assumes rigid gears, but joint {joint!r} of robot {robot.name!r} has an "
            "elastic one; pass the robot with drive trains without stiffness"
        )


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
