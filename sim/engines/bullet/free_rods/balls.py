"""Division of a robot with closed loops into rods and the ball joints at their ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from sim.errors import ModelError
from sim.kinematics.loop_equations import idle_joints
from sim.maths.arrays import Array
from sim.robots.inertia import Link
from sim.robots.joint import Joint
from sim.robots.loading import read_urdf
from sim.robots.mending import mend
from sim.robots.robot import Robot
from sim.robots.xml_text import text_of

BESIDE_AXIS = 1e-9  # [m] a rod with its mass centre further off its axis would swing about it
LEAST_MOMENT = 1e-6  # of the largest principal moment of inertia of a rod


@dataclass(frozen=True, eq=False)
class RodBall:
    """A ball joint between a rod and another link.

    Parameters
    ----------
    rod, link : str
    point_rod, point_link : ndarray, shape (3,)
        Centre of the ball in the frame of each [m].
    """

    rod: str
    link: str
    point_rod: Array
    point_link: Array


def ball_joints(robot: Robot) -> tuple[RodBall, ...]:
    """Return the balls at both ends of every rod: first its pin in the tree, then that of its loop.

    The rod of a loop is the one of its two links that carries no other and has an undriven hinge.

    Raises
    ------
    ModelError
        If a loop has no such link, or a rod's mass centre is not on the line between its balls.
    """
    balls: list[RodBall] = []
    for loop in robot.loops:
        if loop.kind != "point":
            raise ModelError(
                f"Loop {loop.name!r} of robot {robot.name!r} is a {loop.kind}; rods that are taken "
                "out are held by balls, at points"
            )
        ends = [(loop.link_a, loop.point_a), (loop.link_b, loop.point_b)]
        carriers = [_carrier_of_rod(robot, link) for link, _ in ends]
        if carriers[0] is None:
            ends.reverse()
            carriers.reverse()
        carrier, ((rod, point), (link, point_link)) = carriers[0], ends
        if carrier is None:
            raise ModelError(
                f"Loop {loop.name!r} of robot {robot.name!r} has no rod that can be taken out: "
                f"neither {loop.link_a!r} nor {loop.link_b!r} carries no other link and hangs on a "
                "hinge without a drive"
            )
        if rod not in (ball.rod for ball in balls):
            balls.append(RodBall(rod, carrier.parent, np.zeros(3), carrier.T_pc[:3, 3]))
        balls.append(RodBall(rod, link, point, point_link))
        _require_on_axis(robot, rod, point)
    return tuple(balls)


def without_links(robot: Robot, names: Iterable[str]) -> Robot:
    """Return the robot without some leaf links; all joints become independent."""
    root = mend(robot.text, f"robot {robot.name!r}")
    taken = set(names)
    for link in root.findall("link"):
        if link.get("name") in taken:
            root.remove(link)
    for joint in root.findall("joint"):
        for mimic in joint.findall("mimic"):
            joint.remove(mimic)
        if any(child.get("link") in taken for child in joint.findall("child")):
            root.remove(joint)
    text = text_of(root)
    rest = read_urdf(text, folder=robot.folder, source=f"robot {robot.name!r} without its rods")
    return replace(rest, T_0b=robot.T_0b)


def rod_alone(robot: Robot, name: str) -> Robot:
    """Return one rod of a robot as a robot of its own.

    The engine requires inertia about every axis. The rotation of a rod about its own line has no
    effect, so a thin rod gets `LEAST_MOMENT` of its largest moment there.
    """
    root = mend(robot.text, f"robot {robot.name!r}")
    for element in [*root]:
        if element.tag != "link" or element.get("name") != name:
            root.remove(element)
    alone = read_urdf(text_of(root), folder=robot.folder, source=name)
    inertia = alone.links[0].inertia
    if inertia is None or not inertia.tensor.any():
        raise ModelError(
            f"Rod {name!r} of robot {robot.name!r} has no inertia; a body of its own needs one"
        )
    moments, axes = np.linalg.eigh(inertia.tensor)
    moments = np.maximum(moments, LEAST_MOMENT * moments[-1])
    inertia = replace(inertia, tensor=axes @ np.diag(moments) @ axes.T)
    return replace(alone, links=(Link(name, inertia),))


def _carrier_of_rod(robot: Robot, link: str) -> Joint | None:
    """Return the hinge of a link if the link is a rod, else None."""
    if any(joint.parent == link for joint in robot.joints):
        return None
    for joint, is_idle in zip(robot.tree_joints, idle_joints(robot), strict=True):
        if joint.child == link and is_idle and not joint.is_prismatic:
            return joint
    return None


def _require_on_axis(robot: Robot, rod: str, point: Array) -> None:
    inertia = robot.link(rod).inertia
    com = np.zeros(3) if inertia is None else inertia.com
    length = float(np.sqrt(point @ point))
    distance = float(np.linalg.norm(np.cross(com, point))) / length if length else np.inf
    if not distance <= BESIDE_AXIS:
        raise ModelError(
            f"Rod {rod!r} of robot {robot.name!r} has its mass centre {distance:.6g} m off the "
            "line between its pins; held by two balls it would swing about that line"
        )
