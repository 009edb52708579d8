"""Drives by row of q: the drive of a joint with an elastic gear moves its motor.

Given at the joint, a motion f moves the motor by N f, and a torque f is f / N at the motor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from msgspec import Struct

from sim.errors import ScenarioError
from sim.functions.lint import Level
from sim.functions.time_function import TimeFunction
from sim.maths.arrays import Array, Mask
from sim.motion.state_torque import StateTorque
from sim.robots.robot import Robot

Motion = Callable[[Array], tuple[Array, Array, Array]]


class RowDrive(Struct, frozen=True):
    """A drive of one row of q.

    Parameters
    ----------
    level : {"displacement", "velocity", "acceleration", "torque"}
    function : TimeFunction or StateTorque
    ratio : float
        N for a motor whose drive is given at its joint; 1 for any other row.
    """

    level: Level
    function: TimeFunction | StateTorque
    ratio: float = 1.0

    def at_row(self, motion: Motion) -> Motion:
        """Return the motion of the row from the given one."""
        if self.ratio == 1.0:
            return motion

        def scale(t: Array) -> tuple[Array, Array, Array]:
            q, qd, qdd = motion(t)
            return self.ratio * q, self.ratio * qd, self.ratio * qdd

        return scale


def row_drives(
    drives: Mapping[str, tuple[Level, TimeFunction | StateTorque]], robot: Robot
) -> dict[int, RowDrive]:
    """Return the drives by row.

    Raises
    ------
    ScenarioError
        If a joint with an elastic gear and its motor both have one.
    """
    by_row: dict[int, RowDrive] = {}
    for row, one in enumerate(robot.coordinates):
        if one.joint not in drives:
            continue
        motor_row, ratio = robot.motor_rows.get(row, (row, 1.0))
        motor = robot.row_names[motor_row]
        if motor_row != row and motor in drives:
            raise ScenarioError(
                f"Joint {one.joint!r} and its motor {motor!r} both have a drive; drive one of them"
            )
        by_row[motor_row] = RowDrive(*drives[one.joint], ratio)
    return by_row


def free_rows(robot: Robot, loose: set[str], drives: Mapping[int, RowDrive]) -> Mask:
    """Return the mask of rows whose motion is not prescribed, shape (n,).

    These are the joints in `loose`, motors with a torque, and joints with an elastic gear,
    including their motors if the joints are loose.
    """
    free = np.array([row.joint in loose for row in robot.coordinates], dtype=bool)
    for row, drive in drives.items():
        free[row] |= drive.level == "torque"
    for row, (motor, _) in robot.motor_rows.items():
        free[motor] |= free[row]
        free[row] = True
    return free


def with_motors(robot: Robot, q: Array, is_stated: Mask) -> Array:
    """Return start values in which motors without one are at N times their joints, untwisted."""
    q = q.copy()
    for row, (motor, ratio) in robot.motor_rows.items():
        if not is_stated[motor]:
            q[motor] = ratio * q[row]
    return q
