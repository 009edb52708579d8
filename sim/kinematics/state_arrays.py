"""Layouts of states: a single one, many with time last, or a table with time along its rows."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from sim.errors import ModelError
from sim.maths.arguments import MISTAKES, require_usable
from sim.maths.arrays import Array
from sim.robots.robot import Robot

F = TypeVar("F", bound=Callable[..., Array])


def of_states(*names: str) -> Callable[[F], F]:
    """Let a function of states (n, N) take other shapes; the result's time axis is that of q.

    =========================  ==========================================
    q                          result
    =========================  ==========================================
    (n,): one state            without a time axis
    (n, N)                     time last, as everywhere in this package
    (N, n), N not n            time first
    DataFrame, N rows          time first; columns in the order of joints
    =========================  ==========================================

    Parameters
    ----------
    *names : str
        Parameters of the function that are states, in order after the robot; all of a call have the
        same shape.

    Raises
    ------
    SimError
        By the decorated function: if an argument has a wrong type or a state another shape, or one
        that differs from the first.
    """

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def wrapper(*arguments: Any, **options: Any) -> Array:
            try:
                return with_time_last(*arguments, **options)
            except MISTAKES:  # arguments are checked only here: these are called at each state
                require_usable(function, *arguments, **options)
                raise

        def with_time_last(robot: Robot, *arguments: Any, **options: Any) -> Array:
            n = len(robot.coordinates)
            states: dict[str, Any] = dict(zip(names, arguments, strict=False))
            states |= {name: options[name] for name in names if name in options}
            if len(states) < len(names):
                return function(robot, *arguments, **options)  # Python reports what is missing
            if all(type(a) is np.ndarray and a.ndim == 2 and len(a) == n for a in states.values()):
                return function(robot, *arguments, **options)  # the usual case, at no cost
            shapes = {name: np.shape(value) for name, value in states.items()}
            first = next(iter(states))
            axis = _time_axis(n, first, shapes[first], is_table=hasattr(states[first], "columns"))
            for name, shape in shapes.items():
                if shape != shapes[first]:
                    raise ModelError(
                        f"{name} and {first} must have one shape; got {shape} and {shapes[first]}"
                    )
            laid = {name: _with_time_last(value, axis) for name, value in states.items()}
            rest = arguments[len(names) :]
            chosen = {name: value for name, value in options.items() if name not in laid}
            result = function(robot, *laid.values(), *rest, **chosen)
            return result[..., 0] if axis is None else np.moveaxis(result, -1, axis)

        return cast("F", wrapper)

    return decorate


def _time_axis(n: int, name: str, shape: tuple[int, ...], *, is_table: bool) -> int | None:
    """Return the index of the time axis of a state; None without one."""
    if shape == (n,) and not is_table:
        return None
    if len(shape) == 2 and shape[0] == n and not is_table:
        return -1
    if len(shape) == 2 and shape[1] == n:
        return 0
    raise ModelError(
        f"{name} must have shape ({n},) for one state, ({n}, N) with time last, or (N, {n}) with "
        f"time down the rows; got {shape}"
    )


def _with_time_last(value: Any, axis: int | None) -> Array:
    array = np.asarray(value, dtype=np.float64)
    return array[:, None] if axis is None else np.ascontiguousarray(np.moveaxis(array, axis, -1))
