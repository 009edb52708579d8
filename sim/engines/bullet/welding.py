"""Fixed links welded into the links that move them, where PyBullet would not take them all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sim.engines.bullet.joint_count import MOST_JOINTS
from sim.maths.arrays import Array, frozen
from sim.maths.rotations import rpy_from_rotation
from sim.robots.inertia import Inertia, Link
from sim.robots.joint import Joint
from sim.robots.mending import mend
from sim.robots.robot import Robot

Place = tuple[str, Array]  # a link that PyBullet has, and the pose of another in its frame [m]


@dataclass(frozen=True, eq=False)
class Welded:
    """A robot as PyBullet gets it, and where the links of the whole robot are in it.

    Parameters
    ----------
    robot : Robot
        All joints that move, by their names and in their order; fixed ones only where a link had
        to stay separate. The inertia of a link is that of all that is welded into it.
    places : mapping of str to (str, ndarray)
        For each link that is not there any more: the link it is welded into, and its pose T in the
        frame of that, shape (4, 4) [m]. Empty where nothing is welded.
    """

    robot: Robot
    places: Mapping[str, Place]

    def place(self, link: str) -> Place:
        """Link of `robot` that carries a link, and its pose there; itself if it is one of them."""
        return self.places.get(link, (link, _HERE))

    @property
    def composites(self) -> frozenset[str]:
        """The links that are not of one body alone: those welded, and those they are welded into.

        What PyBullet holds under the name of such a link is not that link's own inertia.
        """
        return frozenset(self.places) | {carrier for carrier, _ in self.places.values()}


_HERE = frozen(np.eye(4))


def fit_to_bullet(
    robot: Robot, keep_separate: Collection[str] = (), *, weld: bool | None = None
) -> Welded:
    """The robot as it is if PyBullet takes all of its joints; else with its fixed links welded.

    Parameters
    ----------
    robot : Robot
    keep_separate : collection of str
        Links that stay links of their own: payloads, whose mass comes and goes.
    weld : bool, optional
        Whether to weld, whatever the number of joints.
    """
    if weld is None:
        weld = len(robot.joints) > MOST_JOINTS
    return weld_fixed_links(robot, keep_separate) if weld else Welded(robot, {})


def weld_fixed_links(robot: Robot, keep_separate: Collection[str] = ()) -> Welded:
    """The robot with its fixed links welded into what moves them, but for `keep_separate`.

    A link that stays separate hangs on the link that moves it by a fixed joint of its own, and what
    is fixed to it does not hang on it: its own mass may come and go.
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
    del parts[root.name][1:]  # what the root weighs moves nothing
    names = [root.name, *(joint.child for joint in joints)]
    links = tuple(Link(name, composite(robot, parts[name])) for name in names)
    tree = replace(robot, links=links, joints=tuple(joints))
    places = {name: place for name, place in on.items() if name not in keep_separate}
    return Welded(replace(tree, text=_text(robot, tree)), places)


def composite(robot: Robot, parts: Iterable[Place]) -> Inertia | None:
    """Mass, mass centre and tensor of links in given poses, together; None of frames alone.

    By the parallel axis theorem. One link with mass in the pose of the whole stays as it is.
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
    """The robot's own text without what `tree` has not, and with its composites and origins."""
    from lxml import etree

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
    text: str = etree.tostring(root, encoding="unicode")
    return text


def _hang(element: Any, joint: Joint) -> None:
    """Give the element of a joint the parent and the origin that the joint has."""
    from lxml import etree

    for origin in element.findall("origin"):
        element.remove(origin)
    rpy = rpy_from_rotation(joint.T_pc[:3, :3])
    etree.SubElement(element, "origin", xyz=_numbers(joint.T_pc[:3, 3]), rpy=_numbers(rpy))
    for parent in element.findall("parent"):
        parent.set("link", joint.parent)


def _set_inertial(link: Any, inertia: Inertia | None) -> None:
    from lxml import etree

    for old in link.findall("inertial"):
        link.remove(old)
    if inertia is None:
        return
    inertial = etree.SubElement(link, "inertial")
    etree.SubElement(inertial, "origin", xyz=_numbers(inertia.com), rpy="0 0 0")
    etree.SubElement(inertial, "mass", value=repr(float(inertia.mass)))
    upper = zip(
        ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), inertia.tensor[np.triu_indices(3)], strict=True
    )
    etree.SubElement(inertial, "inertia", {key: repr(float(value)) for key, value in upper})


def _numbers(values: Array) -> str:
    return " ".join(repr(float(value)) for value in values)
