"""Ranges of sliders for joints, and named poses."""

from __future__ import annotations

import numpy as np

from sim.kinematics.inverse.travel import joint_limits
from sim.maths.arrays import Array
from sim.robots.robot import Robot

TURN, SHIFT = 2 * np.pi, 1.0  # rad, m; ends of a slider for a joint without limits


def poses_of(robot: Robot) -> dict[str, Array]:
    """Return the named poses of a robot, including zero as far as its limits allow."""
    lower, upper = joint_limits(robot)
    named = {} if robot.card is None else dict(robot.card.poses)
    zero = {"zero": np.clip(np.zeros(len(robot.coordinates)), lower, upper)}
    return {name: np.asarray(q, dtype=np.float64) for name, q in {**named, **zero}.items()}


def slider_ends(robot: Robot) -> tuple[Array, Array]:
    """Return the sliders' ends [rad or m]: the limits, or the card's if the URDF has none."""
    lower, upper = joint_limits(robot)
    most = np.array([TURN if row.is_angle else SHIFT for row in robot.coordinates])
    low, high = -most, most
    if robot.card is not None and robot.card.range is not None:
        low, high = np.array(robot.card.range.lower), np.array(robot.card.range.upper)
    return np.where(np.isfinite(lower), lower, low), np.where(np.isfinite(upper), upper, high)
