"""Drives that cannot hold the robot's own weight."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.audit.finding import Finding
from sim.dynamics.lagrange import gravity
from sim.maths.arrays import Array
from sim.robots.joint_limits import TINY
from sim.robots.robot import Robot


def weak_drives(robot: Robot, q: Array) -> Iterator[Finding]:
    """A warning for each joint that cannot hold the arm in most of the poses q, shape (n, N).

    An effort limit below the largest torque of gravity may be meant: not every pose is used. One
    that is below it in more than half of them is a slip, or no limit of this arm.
    """
    needed = np.abs(gravity(robot, q))
    for row, torque in zip(robot.coordinates, needed, strict=True):
        rated, unit = row.limits.effort, row.units.effort
        if not TINY <= rated < np.median(torque):
            continue
        text = (
            f"effort {rated:g} {unit} is less than gravity alone asks for in "
            f"{np.mean(torque > rated):.0%} of {q.shape[1]} poses, up to {torque.max():.4g} {unit}"
        )
        remedy = "look at the effort limit, and at the masses behind the joint"
        yield Finding("warning", "weak-drive", row.name, None, text, remedy)
