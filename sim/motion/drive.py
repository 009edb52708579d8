"""What may drive a joint: an expression, a number, an array over times, or a TimeFunction."""

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

Drive = str | float | ArrayLike | TimeFunction


def functions(
    level: Level,
    drives: Mapping[str, Drive],
    times: ArrayLike | None,
    splines: Mapping[str, Data] | None,
) -> dict[str, tuple[Level, TimeFunction]]:
    """Each drive as a function of time, with its level.

    Parameters
    ----------
    level : {"displacement", "velocity", "acceleration", "torque"}
        What the drives give.
    drives : mapping of str to expression, number, array or TimeFunction
    times : array_like or None
        Times of the arrays [s].
    splines : mapping or None
        Points that spline functions in the expressions read, by name.

    Raises
    ------
    ScenarioError
        If a drive is none of these or an array has no times; names the joint.
    ExpressionError
        If an expression cannot be read; names the joint and shows the place.
    """
    return {name: (level, _function(name, drive, times, splines)) for name, drive in drives.items()}


def _function(
    name: str, drive: Drive, times: ArrayLike | None, splines: Mapping[str, Data] | None
) -> TimeFunction:
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
            "a Python function tells neither its derivatives nor where it jumps: type it as an "
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
