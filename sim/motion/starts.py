"""Start values of joints from user input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ScenarioError
from sim.maths.arguments import short_text
from sim.maths.arrays import Array, frozen
from sim.motion.row_drives import with_motors
from sim.robots.robot import Robot

Start = Mapping[str, float | Sequence[float]] | ArrayLike | None


def start(values: Start, robot: Robot, what: str) -> Array:
    """Return start values in the robot's joint order, shape (n,), zero if not given.

    Raises
    ------
    ScenarioError
        If a joint is unknown, the number of values is wrong, or a value is not finite.
    """
    names = robot.row_names
    motors = {motor for motor, _ in robot.motor_rows.values()}
    is_stated = np.array([row not in motors for row in range(len(names))])
    if isinstance(values, Mapping):
        values = _by_row(values, robot, what)
        unknown = [name for name in values if name not in names]
        if unknown:
            raise ScenarioError(
                f"{what} for joint {unknown[0]!r}: it is not in robot {robot.name!r}; "
                f"joints: {', '.join(names)}"
            )
        is_stated |= [name in values for name in names]
        values = [values.get(name, 0.0) for name in names]
    try:
        array = np.zeros(len(names)) if values is None else np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ScenarioError(
            f"{what} must be numbers, one per joint; got {short_text(values)}"
        ) from None
    if motors and array.shape == (len(names) - len(motors),):
        array, of_joints = np.zeros(len(names)), array
        array[is_stated] = of_joints
    elif values is not None and not isinstance(values, list):
        is_stated[:] = True
    if array.shape != (len(names),):
        raise ScenarioError(
            f"{what} needs {len(names)} values, one per joint of robot {robot.name!r} "
            f"({', '.join(names)}); got shape {array.shape}"
        )
    for name, value in zip(names, array, strict=True):
        if not np.isfinite(value):
            raise ScenarioError(f"{what} of joint {name!r} must be finite, got {value}")
    return frozen(with_motors(robot, array, is_stated))


def _by_row(
    values: Mapping[str, float | Sequence[float]], robot: Robot, what: str
) -> dict[str, Any]:
    """Return the values by row name; a ball may be given by name with all three."""
    by_row: dict[str, Any] = {}
    for name, value in values.items():
        if name not in robot.ball_names:
            by_row[name] = value
            continue
        if not isinstance(value, Sequence | np.ndarray) or np.shape(value) != (3,):
            raise ScenarioError(
                f"{what} of ball {name!r} needs three numbers, along x, y and z; got {value!r}"
            )
        rows = (row.name for row in robot.joint(name).coordinates)
        by_row |= zip(rows, value, strict=True)
    return by_row
