"""Axes of a controller's law on a robot with elastic gears: one position and motor per joint.

Such a joint has two rows of q, its own and its motor's, with a sensor at each. The law receives one
of them, in the joint's units, and commands N tau_m, as for a rigid gear: a law designed for the
rigid robot drives the elastic one.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.kinematics.closure import close_motion
from sim.maths.arrays import Array, Mask
from sim.robots.robot import Robot

Motion = tuple[Array, Array, Array]
Side = Literal["motor", "link"]


class ControlAxes(Struct, frozen=True, eq=False):
    """The n' joints of a control law, by rows of q.

    Parameters
    ----------
    names : tuple of str
    sensed, driven : ndarray of int, shape (n',)
        Rows of the sensors that the law receives, and of the motors.
    sensed_ratios, ratios : ndarray, shape (n',)
        Ratios of the speeds of these rows to the speed of the joint.
    rows : int
        Number n of rows of q.
    """

    names: tuple[str, ...]
    sensed: NDArray[np.intp]
    driven: NDArray[np.intp]
    sensed_ratios: Array
    ratios: Array
    rows: int

    @classmethod
    def of(cls, robot: Robot, side: Side = "motor") -> ControlAxes:
        """Return the axes of a robot whose elastic joints are sensed at one side."""
        n, motors = len(robot.row_names), robot.motor_rows
        spins = {row for row, _ in motors.values()}
        joints = [row for row in range(n) if row not in spins]
        driven, ratios = zip(*(motors.get(row, (row, 1.0)) for row in joints), strict=True)
        at_motor = side == "motor"
        return cls(
            tuple(robot.row_names[row] for row in joints),
            np.array(driven if at_motor else joints, dtype=np.intp),
            np.array(driven, dtype=np.intp),
            np.array(ratios) if at_motor else np.ones(len(joints)),
            np.array(ratios),
            n,
        )

    def as_sensed(self, q: Array) -> Array:
        """Return q or qd (n,) as the law receives them, (n',)."""
        return q[self.sensed] / self.sensed_ratios

    def as_wanted(self, q: Array) -> Array:
        """Return a reference (n,) as the law receives it, (n',); motor rows are divided by N."""
        return q[self.driven] / self.ratios

    def at_motors(self, command: Array) -> Array:
        """Return a law's torques (n',) at the motors' rows (n,), divided by N [N·m or N]."""
        rows = np.zeros(self.rows)
        rows[self.driven] = command / self.ratios
        return rows

    def has_no_motor(self, idle: Mask) -> Mask:
        """Return the law's joints without a drive (n',), from the rows without a motor (n,)."""
        return idle[self.driven]


def wanted_motion(robot: Robot, t: Array, rows: Motion) -> Motion:
    """Return references (n, N) completed by the joints without a motor of their own.

    Joints with elastic gears move by 1/N of their motors, and passive ones as their loops require.

    Parameters
    ----------
    t : ndarray, shape (N,)
        Time since the start [s].
    rows : tuple of ndarray, shape (n, N)
        Prescribed positions, velocities and accelerations.
    """
    if robot.motor_rows:
        rows = (rows[0].copy(), rows[1].copy(), rows[2].copy())
        for each in rows:
            for joint, (motor, ratio) in robot.motor_rows.items():
                each[joint] = each[motor] / ratio
    return close_motion(robot, t, *rows) if robot.loops else rows


def has_encoder(robot: Robot) -> Mask:
    """Return the mask of the rows of q sensed with steps and noise, (n,): all except balls."""
    return np.array([row.joint not in robot.ball_names for row in robot.coordinates])


def both_sides(robot: Robot, values: Array) -> Array:
    """Return sensed positions or rates (n',) as rows (n,) of a robot with untwisted gears."""
    axes = ControlAxes.of(robot, "link")
    rows = np.empty(axes.rows)
    rows[axes.driven] = values * axes.ratios
    rows[axes.sensed] = values
    return rows
