"""Gains of a law from the closed-loop frequency, and the robot model of a controller."""

from __future__ import annotations

from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from sim.control.known_robot import KnownRobot, has_motor
from sim.dynamics.gravity import Gravity
from sim.errors import ScenarioError
from sim.maths.arrays import Array, frozen
from sim.robots.robot import Robot


def per_joint(robot: Robot, what: str, value: ArrayLike, unit: str) -> Array:
    """Return one positive number per joint, (n,), from one for all or one per joint with a motor.

    Joints without a motor have 1.

    Raises
    ------
    ScenarioError
        If they are not positive and finite, or their number is wrong; names the joint.
    """
    moves = has_motor(robot)
    names = [name for name, has_one in zip(robot.row_names, moves, strict=True) if has_one]
    try:
        gains = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ScenarioError(f"{what} must be numbers in {unit}; got {value!r}") from None
    if gains.shape not in ((), (len(names),)):
        raise ScenarioError(
            f"{what} must be one number in {unit} or {len(names)}, one a joint of robot "
            f"{robot.name!r} ({', '.join(names)}); got shape {gains.shape}"
        )
    rows = np.ones(moves.size)
    rows[moves] = gains
    for name, x in zip(names, rows[moves].tolist(), strict=True):
        if not (isfinite(x) and x > 0):
            raise ScenarioError(f"{what} of joint {name!r} must be positive and finite, got {x}")
    return frozen(rows)


def known_at(robot: Robot, gravity: Gravity, q: ArrayLike | None) -> KnownRobot:
    """Return the controller's robot model at the pose of its gains (default: zero).

    Raises
    ------
    ScenarioError
        If the pose has a wrong number of joints.
    """
    n = len(robot.row_names)
    pose = np.zeros(n) if q is None else np.asarray(q, dtype=np.float64)
    if pose.shape != (n,) or not np.isfinite(pose).all():
        raise ScenarioError(
            f"The pose of a controller's gains needs {n} finite numbers, one a joint of robot "
            f"{robot.name!r}; got shape {pose.shape}"
        )
    return KnownRobot(robot, gravity, pose)


def require_rows(law: str, robot: Robot, q: Array) -> None:
    """Check that a law designed for a robot receives positions of as many joints.

    Raises
    ------
    ScenarioError
        If it does not; names both.
    """
    if q.size != len(robot.row_names):
        raise ScenarioError(
            f"{law} knows robot {robot.name!r} with {len(robot.row_names)} joints "
            f"({', '.join(robot.row_names)}), and receives the positions of {q.size}: give it the "
            "robot that it is to control"
        )


def require_robot(law: str, robot: object) -> None:
    """Check that a law is given a robot as its model.

    Raises
    ------
    ScenarioError
        If it is something else, or has elastic gears.
    """
    if not isinstance(robot, Robot):
        raise ScenarioError(
            f"{law} needs the robot that the controller knows, a sim.Robot; got a "
            f"{type(robot).__name__}"
        )
    if robot.motor_rows:
        joint = robot.row_names[next(iter(robot.motor_rows))]
        raise ScenarioError(
            f"{law} knows rigid gears, and joint {joint!r} of robot {robot.name!r} has an elastic "
            "one: give it the robot with drive trains without stiffness"
        )
