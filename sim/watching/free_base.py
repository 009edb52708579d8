"""Robots with a free base: three prismatic joints along the world axes, and a ball."""

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
from sim.robots.robot import Robot
from sim.robots.urdf import reread
from sim.robots.xml_text import parse

if TYPE_CHECKING:
    from lxml.etree import _Element


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
    text = etree.tostring(root, encoding="unicode")
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


def loads_of(robot: Robot, q: Array, model: Array, gravity: Gravity) -> Array:
    """Return the size of the terms of torques `model` (n, N), which cancel on a free base, (n,).

    The three forces on a base count as the largest of them, and so do its three moments.
    """
    zero = np.zeros_like(q)
    weight = newton_euler.inverse_dynamics(robot, q, zero, zero, gravity)
    sizes = np.maximum(np.abs(weight), np.abs(model - weight)).max(axis=1)
    for first in np.flatnonzero(free_rows(robot))[::3]:
        sizes[first : first + 3] = sizes[first : first + 3].max()
    return np.asarray(sizes)
