"""How many joints PyBullet takes."""

from __future__ import annotations

from sim.errors import ModelError
from sim.robots.robot import Robot

MOST_JOINTS = 127  # of one body, fixed ones among them; it reads no more, and does not say so


def require_few_joints(robot: Robot) -> None:
    """Check what PyBullet would not say.

    Raises
    ------
    ModelError
        If the robot has more joints than it takes.
    """
    count = len(robot.joints)
    if count <= MOST_JOINTS:
        return
    fixed = count - len(robot.tree_joints)
    raise ModelError(
        f"Robot {robot.name!r} has {count} joints, {fixed} of them fixed; PyBullet takes "
        f"{MOST_JOINTS}, fixed ones among them: give what is joined rigidly one link, with the "
        "mass of all its parts, and leave out frames that nothing asks for"
    )
