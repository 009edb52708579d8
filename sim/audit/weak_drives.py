"""Drives of an arm that cannot hold it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.audit.finding import Finding
from sim.dynamics.lagrange import gravity
from sim.maths.arrays import Array
from sim.robots.joint_limits import TINY
from sim.robots.robot import Robot


def weak_drives(robot: Robot, q: Array) -> Iterator[Finding]:
    """Yield a warning for each joint that cannot hold the arm in most of the poses q, (n, N).

    An effort limit below the largest gravity torque may be intended: not every pose is used. One
    that is below it in more than half of them is a slip, or not a limit of this arm.
    """
    needed, single = np.abs(gravity(robot, q)), _single_chain(robot)
    for row, torque in zip(robot.coordinates, needed, strict=True):
        rated, unit = row.limits.effort, row.units.effort
        if row.name not in single or not TINY <= rated < np.median(torque):
            continue
        text = (
            f"effort {rated:g} {unit} is less than the gravity torque in "
            f"{np.mean(torque > rated):.0%} of {q.shape[1]} poses, up to {torque.max():.4g} {unit}"
        )
        remedy = "check the effort limit and the masses carried by the joint"
        yield Finding("warning", "weak-drive", row.name, None, text, remedy)


def _single_chain(robot: Robot) -> set[str]:
    """Return joints of a fixed arm up to the first body that carries several moving joints.

    Legs and wheels are not an arm: the root in the file does not stay in place. A joint without
    mass on its body has no motor: prismatic joints without bodies let an object float.
    """
    roots = {joint.parent for joint in robot.joints} - {joint.child for joint in robot.joints}
    heavy = {link.name for link in robot.links if link.inertia is not None and link.inertia.mass}
    welded, single, last = set(roots), set[str](), ""
    while True:
        grown = {j.child for j in robot.joints if j.kind == "fixed" and j.parent in welded}
        if not grown <= welded:
            welded |= grown
            continue
        if last and welded & heavy:
            single.add(last)
        moving = [j for j in robot.joints if j.kind != "fixed" and j.parent in welded]
        if len(moving) != 1:
            return single
        last, welded = moving[0].name, {moving[0].child}
