"""Ratings: largest torques and powers of drives, and largest speeds of joints."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sim.errors import ScenarioError
from sim.maths.arrays import Array, frozen
from sim.robots.motor_curve import MotorCurve
from sim.robots.robot import Robot
from sim.showing.one_line import one_line

JointRatings = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Ratings:
    """Largest torque and power of each drive, largest speed of each joint; infinite if unrated.

    Parameters
    ----------
    torque, power : ndarray, shape (n,)
        Of the independent joints [N·m or N], [W].
    speed : ndarray, shape (n_tree,)
        Of all movable joints [rad/s or m/s].
    level, slope : ndarray, shape (n,)
        Line of decreasing motor torque, at the joint: ``level - slope |qd|``; the level is infinite
        without one.
    """

    torque: Array
    speed: Array
    power: Array
    level: Array
    slope: Array

    def __repr__(self) -> str:
        parts = (self.torque, self.speed, self.power, self.level)
        counts = (int(np.isfinite(x).sum()) for x in parts)
        names = ("torques", "speeds", "powers", "torque-speed lines")
        return one_line("Ratings:", *map("{} {}".format, counts, names))

    def line(self, qd: Array) -> Array:
        """Return the largest torques by the lines at joint speeds (n, N), (n, N); never below 0."""
        most = self.level[:, None] - self.slope[:, None] * np.abs(qd)
        return np.asarray(np.maximum(most, 0.0))

    @classmethod
    def of(
        cls,
        robot: Robot,
        torque: JointRatings | None = None,
        speed: JointRatings | None = None,
        power: JointRatings | None = None,
    ) -> Ratings:
        """Return ratings of the URDF and of motor curves, replaced by given ones by joint.

        A URDF has no power ratings. For a motor with a curve, its peak torque, power and line
        count, at the joint.

        Parameters
        ----------
        torque, speed, power : mapping of str to float, optional
            [N·m or N], [rad/s or m/s], [W]

        Raises
        ------
        ScenarioError
            If a joint is unknown or follows another, a rating is not positive, or nothing is rated
            at all.
        """
        curves = _motor_curves(robot)
        efforts = [
            min(row.limits.effort or math.inf, N * curve.torque)
            for row, (N, curve) in zip(robot.coordinates, curves, strict=True)
        ]
        tree = [row.limits.velocity for row in robot.tree_coordinates]
        names = robot.row_names
        ratings = cls(
            _override(efforts, names, torque, "torque", robot),
            _override(tree, robot.tree_row_names, speed, "speed", robot),
            _override([curve.power for _, curve in curves], names, power, "power", robot),
            frozen([N * curve.level for N, curve in curves]),
            frozen([N**2 * curve.slope for N, curve in curves]),
        )
        if not any(np.isfinite(x).any() for x in (ratings.torque, ratings.speed, ratings.power)):
            raise ScenarioError(
                f"Robot {robot.name!r} has no ratings: no joint has effort or velocity in its "
                "URDF's <limit>; write them there, or give torque, speed or power by joint"
            )
        return ratings

    def missing(self, robot: Robot) -> tuple[str, ...]:
        """Return ratings that are missing and unchecked, such as ``elbow torque``; not power."""
        rows = (
            (robot.row_names, self.torque, "torque"),
            (robot.tree_row_names, self.speed, "speed"),
        )
        return tuple(
            f"{name} {what}"
            for names, values, what in rows
            for name, value in zip(names, values.tolist(), strict=True)
            if math.isinf(value)
        )


def _motor_curves(robot: Robot) -> list[tuple[float, MotorCurve]]:
    """Return the magnitude of the gear ratio and the motor curve of each driven joint.

    Raises
    ------
    ScenarioError
        If a gear loses a share of its torque or is elastic: the motor's torque is then not a
        polynomial in the speed.
    """
    pairs = []
    for row, name in enumerate(robot.row_names):
        train = robot.drives.get(row)
        curve = None if train is None else train.motor_curve
        if train is None or curve is None:
            pairs.append((1.0, MotorCurve()))
            continue
        if min(train.efficiencies) < 1.0 or train.has_rotor_body:
            why = "is elastic or its rotor a body" if train.has_rotor_body else "loses torque"
            raise ScenarioError(
                f"The motor of joint {name!r} has a torque-speed curve, and its gear {why}: no "
                "closed form exists; use `sim sweep` or `sim optimise` over speeds"
            )
        pairs.append((abs(train.ratio), curve))
    return pairs


def _override(
    usual: list[float], names: tuple[str, ...], stated: JointRatings | None, what: str, robot: Robot
) -> Array:
    """Return ratings of the URDF, where 0 means none, replaced by the given ones."""
    values = [x if x > 0 else math.inf for x in usual]
    for name, value in (stated or {}).items():
        if name not in names:
            raise ScenarioError(
                f"{what} of {name!r}: robot {robot.name!r} has no such driven joint; driven: "
                f"{', '.join(names)}"
            )
        if not (isinstance(value, int | float) and value > 0):
            raise ScenarioError(f"{what} of {name!r} must be a number above 0, got {value!r}")
        values[names.index(name)] = float(value)
    return frozen(values)
