"""Drives of a joint: an expression, a number, an array over times, or a TimeFunction."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ExpressionError, ScenarioError
from sim.functions.expression import as_function
from sim.functions.lint import Level
from sim.functions.spline import spline
from sim.functions.spline_functions import Data
from sim.functions.time_function import TimeFunction
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
