"""The arm of a robot: its moving bodies in series, up to the branch of a gripper."""

from __future__ import annotations

from sim.errors import ModelError
from sim.kinematics.tree import Tree, tree_of
from sim.robots.robot import Robot


def arm_rows(robot: Robot) -> tuple[str, ...]:
    """Return the names of the joint rows from the root to the first branch, without fingers."""
    names = {robot.tree_joints[body].name for body in _chain(tree_of(robot))}
    return tuple(row.name for row in robot.coordinates if row.joint in names)


def last_arm_link(robot: Robot) -> str:
    """Return the link that carries the gripper, or else the link moved by the arm's last joint.

    Raises
    ------
    ModelError
        If the root link branches: there is no single arm.
    """
    if not (chain := _chain(tree_of(robot))):
        raise ModelError(
            f"Robot {robot.name!r} has no tool frame, and its root link carries several arms; name "
            "the link that carries the payload with --tool LINK"
        )
    beyond = {
        joint.parent
        for joint, parent in zip(robot.tree_joints, tree_of(robot).parent, strict=True)
        if parent == chain[-1]
    }
    return beyond.pop() if len(beyond) == 1 else robot.tree_joints[chain[-1]].child


def _chain(tree: Tree) -> list[int]:
    chain: list[int] = []
    while True:
        last = chain[-1] if chain else -1
        beyond = [body for body, parent in enumerate(tree.parent) if parent == last]
        if len(beyond) != 1:
            return chain
        chain += beyond
