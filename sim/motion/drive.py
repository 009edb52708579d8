"""Drives of a joint (an expression, a number, an array over times, a TimeFunction); its motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ExpressionError, ScenarioError
from sim.functions.expression import Expression, as_function
from sim.functions.integral import antiderivative
from sim.functions.lint import Level
from sim.functions.spline import JUMPS, Spline, spline
from sim.functions.spline_functions import Data
from sim.functions.time_function import TimeFunction
from sim.maths.arrays import Array
from sim.motion.state_torque import StateTorque
from sim.robots.names import Names

Drive = str | float | ArrayLike | TimeFunction


def functions(
    level: Level,
    drives: Mapping[str, Drive],
    times: ArrayLike | None,
    splines: Mapping[str, Data] | None,
    names: Names | None = None,
) -> dict[str, tuple[Level, TimeFunction | StateTorque]]:
    """Convert drives to functions of time, or torques of the state, with their levels.

    Parameters
    ----------
    level : {"displacement", "velocity", "acceleration", "torque"}
        Quantity that the drives prescribe.
    drives : mapping of str to expression, number, array or TimeFunction
    times : array_like or None
        Times of the arrays [s].
    splines : mapping or None
        Points of spline functions in the expressions, by name.
    names : Names or None
        Names for torques of the state.

    Raises
    ------
    ScenarioError
        If a drive has another type, an array has no times, or names are given for a motion; names
        the joint.
    ExpressionError
        If an expression cannot be read; names the joint and shows the place.
    """
    if names is not None and level != "torque":
        raise ScenarioError(
            f"names: a motion of level {level!r} may depend on TIME only; names are for torques"
        )
    return {
        name: (level, _function(name, drive, times, splines, names))
        for name, drive in drives.items()
    }


def _function(
    name: str,
    drive: Drive,
    times: ArrayLike | None,
    splines: Mapping[str, Data] | None,
    names: Names | None,
) -> TimeFunction | StateTorque:
    if names is not None and isinstance(drive, str) and not splines:
        expression = names.parse(f"Torque of joint {name!r}", drive)
        if expression.readings:
            return StateTorque(expression, names)
    try:
        if isinstance(drive, str | Real | TimeFunction):
            return as_function(drive, splines)
        return _through_points(drive, times)
    except ExpressionError as error:
        reason = f"Motion for joint {name!r}: {error.reason}"
        raise ExpressionError(reason, error.text, error.position) from None
    except ScenarioError as error:
        raise ScenarioError(f"Motion for joint {name!r}: {error}") from None


def _through_points(drive: ArrayLike, times: ArrayLike | None) -> TimeFunction:
    if callable(drive):
        raise ScenarioError(
            "a Python function gives neither its derivatives nor its jumps: type it as an "
            "expression, sample it into an array with times=, or give an object with value, "
            f"derivatives and breaks (docs/howto/drives_from_python.md); got {drive!r}"
        )
    if np.ndim(drive) == 0:
        raise ScenarioError(
            "a drive is an expression, a number, an array with times=, or an object with value, "
            f"derivatives and breaks (docs/howto/drives_from_python.md); got {drive!r}"
        )
    if times is None:
        raise ScenarioError(
            f"an array of shape {np.shape(drive)} needs its times [s]; pass them as `times=`"
        )
    return spline(times, drive)


def corners_of(level: Level, function: TimeFunction | StateTorque, duration: float) -> Array:
    """Return times at which the motion is not smooth; a torque needs two derivatives only."""
    if level == "torque" and isinstance(function, Spline) and function.kind not in JUMPS:
        return np.empty(0)
    return function.breaks(0.0, duration)


def stops_of(level: Level, function: TimeFunction | StateTorque, duration: float) -> Array:
    """Return times in a torque at which a solver restarts, in the middles of pulses too [s]."""
    if level != "torque" or not isinstance(function, Expression | StateTorque):
        return np.empty(0)
    return function.breaks(0.0, duration, has_middles=True)


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
