"""Largest number of joints that PyBullet accepts."""

from __future__ import annotations

from sim.errors import ModelError
from sim.robots.robot import Robot

MOST_JOINTS = 127  # of one body, including fixed ones; further ones are ignored without an error


def require_few_joints(robot: Robot) -> None:
    """Check the number of joints of a robot to be loaded, which PyBullet does not report.

    Raises
    ------
    ModelError
        If the robot has more joints than PyBullet supports.
    """
    count = len(robot.joints)
    if count <= MOST_JOINTS:
        return
    fixed = [joint.child for joint in robot.joints if not joint.is_movable]
    remedy = "leave out joints that the run does not move"
    if fixed:
        remedy += ", or pick up fewer payloads in one run"
    raise ModelError(
        f"Robot {robot.name!r} has {count - len(fixed)} joints that move and {len(fixed)} links "
        "that cannot be welded to what moves them, because their mass comes and goes or they are "
        f"the tool frame: {', '.join(map(repr, fixed)) or 'none'}; PyBullet takes {MOST_JOINTS} "
        f"joints: {remedy}"
    )
