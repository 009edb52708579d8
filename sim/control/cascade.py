"""Cascade control of industrial drives, as a law for sampled controllers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sim.control.gains import known_at, per_joint, require_robot, require_rows
from sim.dynamics.control_loop import Sensed
from sim.dynamics.gravity import GRAVITY, Gravity
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.robots.robot import Robot


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
