"""Joints of a robot exchanged for others of the same name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sim.errors import ModelError
from sim.robots.model import Joint, Robot


def movable(robot: Robot, name: str, wanted: str) -> Joint:
    """Joint by name, for something that only a joint that moves can have.

    Raises
    ------
    ModelError
        If there is none, or it is fixed; the message names what was `wanted`.
    """
    joint = robot.joint(name)
    if not joint.is_movable:
        names = ", ".join(joint.name for joint in robot.tree_joints)
        raise ModelError(
            f"Joint {name!r} of robot {robot.name!r} is fixed and has no {wanted}; "
            f"joints that move: {names or 'none'}"
        )
    return joint


def with_joints(robot: Robot, joints: Iterable[Joint]) -> Robot:
    """A new robot with these joints in place of those of the same names."""
    new = {joint.name: joint for joint in joints}
    return replace(robot, joints=tuple(new.get(joint.name, joint) for joint in robot.joints))
