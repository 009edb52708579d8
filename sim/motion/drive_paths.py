"""Motion of one joint from its drive."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.errors import ScenarioError
from sim.functions.integral import antiderivative
from sim.functions.lint import Level
from sim.functions.spline import JUMPS, Spline
from sim.functions.time_function import TimeFunction
from sim.maths.arrays import Array
from sim.motion.state_torque import StateTorque


def corners_of(level: Level, function: TimeFunction | StateTorque, duration: float) -> Array:
    """Return times at which the motion is not smooth; a torque needs two derivatives only."""
    if level == "torque" and isinstance(function, Spline) and function.kind not in JUMPS:
        return np.empty(0)
    return function.breaks(0.0, duration)


def hold(q0: float) -> Callable[[Array], tuple[Array, Array, Array]]:
    """Return the motion of a joint at rest."""
    return lambda t: (np.full_like(t, q0), np.zeros_like(t), np.zeros_like(t))


def path_of(
    level: Level, function: TimeFunction, q0: float, qd0: float, duration: float, name: str
) -> Callable[[Array], tuple[Array, Array, Array]]:
    """Return position, velocity and acceleration of one joint, integrated from a rate if needed.

    For a joint with a torque only the start is returned.
    """
    try:
        rate = antiderivative(function, 0.0, duration)  # also checks that the drive is finite
    except ScenarioError as error:
        raise ScenarioError(f"Motion for joint {name!r}: {error}") from None
    if level == "torque":
        return hold(q0)
    if level == "displacement":
        return function.derivatives
    if level == "velocity":

        def from_velocity(t: Array) -> tuple[Array, Array, Array]:
            qd, qdd, _ = function.derivatives(t)
            return q0 + rate.value(t), qd, qdd

        return from_velocity
    position = antiderivative(rate, 0.0, duration)

    def from_acceleration(t: Array) -> tuple[Array, Array, Array]:
        return q0 + qd0 * t + position.value(t), qd0 + rate.value(t), function.value(t)

    return from_acceleration
