"""Welding of fixed links into the links that move them, if PyBullet does not support them all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from msgspec import Struct

from sim.engines.bullet.joint_count import MOST_JOINTS
from sim.maths.arrays import Array, frozen
from sim.robots.inertia import Inertia, Link
from sim.robots.joint import Joint
from sim.robots.mending import mend
from sim.robots.robot import Robot
from sim.robots.urdf_elements import add, add_origin, fill_inertial
from sim.robots.xml_text import text_of

Place = tuple[str, Array]  # a link in PyBullet, and the pose of another in its frame [m]


class Welded(Struct, frozen=True, eq=False):
    """A robot as loaded by PyBullet, and the positions of all original links in it.

    Parameters
    ----------
    robot : Robot
        All movable joints, in order; fixed ones only for links that must stay separate. The inertia
        of a link includes all links welded into it.
    places : mapping of str to (str, ndarray)
        For each removed link: the link it is welded into, and its pose T in that frame, shape (4,
        4) [m]. Empty without welding.
    """

    robot: Robot
    places: Mapping[str, Place]

    def place(self, link: str) -> Place:
        """Return the link of `robot` that contains a link, and its pose there."""
        return self.places.get(link, (link, _HERE))

    @property
    def composites(self) -> frozenset[str]:
        """Links that are not a single body: those welded, and those they are welded into.

        PyBullet's inertia under the name of such a link is not that link's own.
        """
        return frozenset(self.places) | {carrier for carrier, _ in self.places.values()}


_HERE = frozen(np.eye(4))


def fit_to_bullet(
    robot: Robot, keep_separate: Collection[str] = (), *, weld: bool | None = None
) -> Welded:
    """Return the robot unchanged if PyBullet supports all its joints, else with welded links.

    Parameters
    ----------
    robot : Robot
    keep_separate : collection of str
        Links that stay separate: payloads, whose mass changes.
    weld : bool, optional
        Whether to weld, regardless of the number of joints.
    """
    if weld is None:
        weld = len(robot.joints) > MOST_JOINTS
    return weld_fixed_links(robot, keep_separate) if weld else Welded(robot, {})


def weld_fixed_links(robot: Robot, keep_separate: Collection[str] = ()) -> Welded:
    """Return the robot with fixed links welded into their moving links, except `keep_separate`.

    A separate link is fixed to its moving link by a joint of its own, and carries no other link,
    since its own mass may change.
    """
    root = robot.links[0]
    on: dict[str, Place] = {}  # of every fixed link
    joints: list[Joint] = []
    parts: dict[str, list[Place]] = {root.name: [(root.name, _HERE)]}
    for joint in robot.joints:
        carrier, T_cl = on.get(joint.parent, (joint.parent, _HERE))
        hung = joint
        if carrier != joint.parent:
            hung = replace(joint, parent=carrier, T_pc=frozen(T_cl @ joint.T_pc))
        if not joint.is_movable:
            on[joint.child] = carrier, hung.T_pc
            if joint.child not in keep_separate:
                parts[carrier].append((joint.child, hung.T_pc))
                continue
        joints.append(hung)
        parts[joint.child] = [(joint.child, _HERE)]
    del parts[root.name][1:]  # the root's inertia affects no motion
    names = [root.name, *(joint.child for joint in joints)]
    links = tuple(Link(name, composite(robot, parts[name])) for name in names)
    tree = replace(robot, links=links, joints=tuple(joints))
    places = {name: place for name, place in on.items() if name not in keep_separate}
    return Welded(replace(tree, text=_text(robot, tree)), places)


def composite(robot: Robot, parts: Iterable[Place]) -> Inertia | None:
    """Return combined mass, mass centre and tensor of links in given poses; None for frames only.

    Uses the parallel axis theorem. A single link with mass at the identity pose is unchanged.
    """
    placed = [(robot.link(name).inertia, T) for name, T in parts]
    bodies = [(one, T) for one, T in placed if one is not None and one.mass > 0]
    if not bodies:
        return placed[0][0]
    if len(bodies) == 1 and bodies[0][1] is _HERE:
        return bodies[0][0]
    mass = sum(one.mass for one, _ in bodies)
    coms = [T[:3, :3] @ one.com + T[:3, 3] for one, T in bodies]
    com = sum((one.mass * c for (one, _), c in zip(bodies, coms, strict=True)), np.zeros(3)) / mass
    tensor = np.zeros((3, 3))
    for (one, T), c in zip(bodies, coms, strict=True):
        R, d = T[:3, :3], c - com
        tensor += R @ one.tensor @ R.T + one.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return Inertia(mass, com, (tensor + tensor.T) / 2)


def _text(robot: Robot, tree: Robot) -> str:
    """Return the robot's own text reduced to `tree`, with its composites and origins."""
    root = mend(robot.text, f"robot {robot.name!r}")
    links = {link.name: link for link in tree.links}
    joints = {joint.name: joint for joint in tree.joints}
    for link in root.findall("link"):
        name = link.get("name", "")
        if name not in links:
            root.remove(link)
        elif links[name].inertia is not robot.link(name).inertia:
            _set_inertial(link, links[name].inertia)
    old = {joint.name: joint for joint in robot.joints}
    for element in root.findall("joint"):
        name = element.get("name", "")
        if name not in joints:
            root.remove(element)
        elif joints[name] is not old[name]:
            _hang(element, joints[name])
    return text_of(root)


def _hang(element: Any, joint: Joint) -> None:
    """Set parent and origin in the element of a joint to those of the joint."""
    for origin in element.findall("origin"):
        element.remove(origin)
    add_origin(element, joint.T_pc[:3, 3], joint.T_pc[:3, :3])
    for parent in element.findall("parent"):
        parent.set("link", joint.parent)


def _set_inertial(link: Any, inertia: Inertia | None) -> None:
    for old in link.findall("inertial"):
        link.remove(old)
    if inertia is not None:
        fill_inertial(add(link, "inertial"), inertia.mass, inertia.com, inertia.tensor)
