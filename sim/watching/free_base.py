"""A robot whose base is free: three slides along the axes of the world and a ball, or planar."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics import newton_euler
from sim.dynamics.gravity import Gravity
from sim.maths.arrays import Array, Mask
from sim.robots.chains import FLOATING, write_chain
from sim.robots.document import Node
from sim.robots.joint import Joint
from sim.robots.robot import Robot
from sim.robots.urdf import reread
from sim.robots.xml_text import parse, text_of

if TYPE_CHECKING:
    from lxml.etree import _Element

LIGHT = 1e-2  # of a robot's mass: what a file gives frames between the joints of a planar base


def on_free_base(robot: Robot, name: str, at: ArrayLike = (0.0, 0.0, 0.0)) -> Robot:
    """Return the robot with a free joint between the world and its root link.

    Parameters
    ----------
    robot : Robot
    name : str
        Name of the joint, whose rows are ``<name>.slide_x`` to ``<name>.ball.z``.
    at : array_like, shape (3,)
        Point of the root link to which the joint is attached, in its frame [m].
    """
    from lxml import etree

    source = f"robot {robot.name!r} on a free base"
    root = parse(robot.text, source)
    base, world, carried = robot.links[0].name, "world", f"{name}.centre"
    while any(link.name == world for link in robot.links):
        world += "_"
    root.insert(0, etree.Element("link", name=world))
    etree.SubElement(root, "link", name=carried)
    free = _joint(root, name, "floating", world, carried)
    _joint(root, f"{name}.base", "fixed", carried, base, -np.asarray(at))
    write_chain(Node(free, source, f"joint {name!r}"))
    text = text_of(root)
    return replace(reread(robot, text, source), T_0b=np.eye(4))


def _joint(
    root: _Element, name: str, kind: str, parent: str, child: str, xyz: ArrayLike = (0.0, 0.0, 0.0)
) -> _Element:
    from lxml import etree

    joint = etree.SubElement(root, "joint", name=name, type=kind)
    joint.sourceline = root.sourceline
    etree.SubElement(joint, "parent", link=parent)
    etree.SubElement(joint, "child", link=child)
    etree.SubElement(joint, "origin", xyz=" ".join(repr(float(x)) for x in np.asarray(xyz)))
    return joint


def free_rows(robot: Robot) -> Mask:
    """Return a mask of the rows of a free base, shape (n,)."""
    names = {joint.name for joint in robot.joints}
    return np.array([_is_of_a_free_joint(joint.name, names) for joint in robot.tree_row_joints])


def _is_of_a_free_joint(name: str, names: set[str]) -> bool:
    base, _, motion = name.rpartition(".")
    return motion in FLOATING and all(f"{base}.{other}" in names for other in FLOATING)


def carried_rows(robot: Robot) -> Mask:
    """Mask of the rows of a free or planar base, shape (n,).

    A planar base is a first body on several joints, a slide among them, with next to no mass
    between: a walker in a plane. Whether motors move it is not known here.
    """
    free = free_rows(robot)
    return free if free.any() else _planar_rows(robot)


def _planar_rows(robot: Robot) -> Mask:
    masses = {link.name: link.inertia.mass if link.inertia else 0.0 for link in robot.links}
    light = LIGHT * sum(mass for name, mass in masses.items() if name != robot.links[0].name)
    link, chain = robot.links[0].name, list[Joint]()
    while len(below := [joint for joint in robot.joints if joint.parent == link]) == 1:
        chain += below
        link = below[0].child
        if masses[link] > light:
            break
    moving = [joint for joint in robot.tree_joints if joint in chain]
    is_planar = len(moving) > 1 and any(
        not row.is_angle for joint in moving for row in joint.coordinates
    )
    return np.array([is_planar and joint in moving for joint in robot.tree_row_joints])


def loads_of(robot: Robot, q: Array, model: Array, gravity: Gravity) -> Array:
    """Return the peaks of torques `model` (n, N) and of their terms, weight and the rest, (n,).

    The terms cancel where no motor acts: on a free base, and in an arm that falls. The forces on a
    base count as the largest of them, and so do its moments.
    """
    zero = np.zeros_like(q)
    weight = newton_euler.inverse_dynamics(robot, q, zero, zero, gravity)
    sizes = np.abs([model, weight, model - weight]).max(axis=(0, 2))
    rows = robot.tree_coordinates
    bases = [(row.joint.rpartition(".")[0], row.kind) for row in rows]
    for row in np.flatnonzero(carried := carried_rows(robot)):
        same = carried & np.array([base == bases[row] for base in bases])
        sizes[same] = sizes[same].max()
    return np.asarray(sizes)
