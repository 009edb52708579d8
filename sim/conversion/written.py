"""Written text of a robot, its names, and its omissions."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from msgspec import structs

from sim.errors import ModelError
from sim.robots.document import Node
from sim.robots.drive_train import DriveTrain
from sim.robots.joint import Joint
from sim.robots.mending import mend
from sim.robots.robot import Robot
from sim.robots.spring import JointSpring
from sim.shapes.visuals import Visual, named_colours, placed_shape, rgba_of


@dataclass(frozen=True, eq=False)
class Written:
    """A text in some format.

    Parameters
    ----------
    text : str
    places : mapping of str to (str, int)
        Joint of the text and index of its motion, by the joint of the robot; joints with the same
        name and one motion are not listed.
    absorbed : mapping of str to (str, float)
        Joints that are not joints of the text: the joint that carries them along, and the ratio.
    cut : tuple of str
        Joints of the text that close loops.
    omissions : tuple of str
        Parts of the robot that the text lacks.
    """

    text: str
    places: Mapping[str, tuple[str, int]] = field(default_factory=lambda: MappingProxyType({}))
    absorbed: Mapping[str, tuple[str, float]] = field(default_factory=lambda: MappingProxyType({}))
    cut: tuple[str, ...] = ()
    omissions: tuple[str, ...] = ()


def spring_of(joint: Joint) -> JointSpring | None:
    """Return the linear spring in a joint; its preload shifts the free position."""
    spring = joint.force(JointSpring.channel)
    if not isinstance(spring, JointSpring) or not spring.stiffness:
        return None
    shift = spring.free_position + spring.preload / spring.stiffness
    return replace(spring, free_position=shift, preload=0.0)


def rotor_of(joint: Joint) -> DriveTrain | None:
    """Return the drive train of a joint if its rotor is an inertia in the joint."""
    drive = joint.drive
    if drive is None or drive.is_elastic or drive.gyroscopic or not drive.rotor_inertia:
        return None
    return drive


def unsaid_laws(robot: Robot, *, springs: bool, rotors: bool, speeds: bool) -> Iterator[str]:
    """Yield laws in joints that a format does not have.

    Parameters
    ----------
    robot : Robot
    springs, rotors, speeds : bool
        Whether the format has springs, rotors, and limits of the speed.
    """
    for joint in robot.tree_joints:
        name = f"joint {joint.name!r}"
        spring, drive = spring_of(joint), rotor_of(joint)
        for force in joint.forces:
            if not (springs and spring is not None and force.channel == JointSpring.channel):
                yield f"{name}: its {force.title}"
        if drive is not None and not rotors:
            yield f"{name}: its rotor, {drive.reflected_inertia:g} kg·m² at the joint"
        if joint.drive is not None and joint.drive != _plain(joint.drive):
            yield f"{name}: losses, ratings and elasticity of its drive train"
        if joint.friction_law is not None:
            yield f"{name}: its law of friction"
        if joint.mimic is not None and joint.mimic.others:
            yield f"{name}: it follows several joints"
    if not speeds and any(joint.limits.velocity < float("inf") for joint in robot.tree_joints):
        yield "limits of the joints' speeds"


def _plain(drive: DriveTrain) -> DriveTrain:
    return DriveTrain(drive.ratio, rotor_inertia=drive.rotor_inertia)


def shapes_of(robot: Robot, omissions: list[str]) -> dict[str, list[tuple[str, Visual]]]:
    """Return shapes of each link with role ``visual`` or ``collision``; others are omissions."""
    source = f"robot {robot.name!r}"
    root = Node(mend(robot.text, source), source, source)
    colours, shapes = named_colours(root), dict[str, list[tuple[str, Visual]]]()
    for link in root.children("link"):
        name = link.name()
        for role in ("visual", "collision"):
            for node in link.children(role):
                try:
                    one = placed_shape(
                        structs.replace(node, subject=f"link {name!r}"), robot.folder
                    )
                except ModelError as error:
                    reason = str(error).splitlines()[0].removesuffix("; tried:")
                    omissions.append(f"link {name!r}: a shape: {reason}")
                    continue
                shapes.setdefault(name, []).append(
                    (role, replace(one, rgba=rgba_of(node.only("material"), colours)))
                )
    return shapes


def carriers(robot: Robot) -> dict[str, Joint]:
    """Return the joint that carries each link except the root."""
    return {joint.child: joint for joint in robot.joints}


def relative(path: Path, out: Path) -> str:
    """Return a path as written in a file `out`."""
    return os.path.relpath(path.resolve(), out.resolve().parent)
