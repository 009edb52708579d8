"""URDF text with which PyBullet shows a robot: joints and shapes, without dynamics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sim.robots.joint import Joint
from sim.robots.robot import Robot
from sim.robots.urdf_elements import add, add_joint, add_origin, fill_inertial, number_text
from sim.robots.xml_text import text_of
from sim.shapes.visuals import Visual

# Without a material PyBullet assigns a different colour to each link, even over a texture.
WHITE = (1.0, 1.0, 1.0, 1.0)

UNLIMITED = "1e9"  # range of a slide without stops; the displayed positions are those of the run


def shown_urdf(robot: Robot, shapes: Sequence[Visual]) -> str:
    """Return a URDF with the joints of `robot` and the `shapes` on its links.

    Links and joints are named by index, ``link_0`` and ``joint_0`` on: no name can corrupt the
    file. Meshes are referenced by absolute path.
    """
    from lxml import etree

    place = {link.name: k for k, link in enumerate(robot.links)}
    root = etree.Element("robot", name="shown")
    elements = [add(root, "link", name=f"link_{k}") for k in range(len(robot.links))]
    for element in elements:
        fill_inertial(add(element, "inertial"), 1.0, np.zeros(3), np.eye(3))
    for k, shape in enumerate(shapes):
        _add_shape(elements[place[shape.link]], shape, k)
    for k, joint in enumerate(robot.joints):
        _add_joint(root, joint, k, place)
    etree.indent(root)  # PyBullet breaks lines longer than 8191 characters
    return text_of(root)


def _add_shape(link: Any, shape: Visual, k: int) -> None:
    visual = add(link, "visual")
    add_origin(visual, shape.T_lv[:3, 3], shape.T_lv[:3, :3])
    geometry = add(visual, "geometry")
    if shape.shape == "mesh":
        if shape.path is None:
            raise ValueError(f"a mesh of link {shape.link!r} has no path")
        add(geometry, "mesh", filename=str(shape.path.resolve()), scale=number_text(shape.scale))
    elif shape.shape == "box":
        add(geometry, "box", size=number_text(shape.size))
    elif shape.shape in ("cylinder", "capsule"):
        radius, length = shape.size
        add(geometry, shape.shape, radius=repr(radius), length=repr(length))
    else:
        add(geometry, "sphere", radius=repr(shape.size[0]))
    material = add(visual, "material", name=f"material_{k}")
    add(material, "color", rgba=number_text(shape.rgba or WHITE))


def _add_joint(root: Any, joint: Joint, k: int, place: dict[str, int]) -> None:
    kind = joint.kind if joint.kind in ("fixed", "prismatic", "spherical") else "continuous"
    parent, child = f"link_{place[joint.parent]}", f"link_{place[joint.child]}"
    xyz, R = joint.T_pc[:3, 3], joint.T_pc[:3, :3]
    element = add_joint(root, f"joint_{k}", kind, parent, child, xyz, R)
    add(element, "axis", xyz=number_text(joint.axis))
    if kind == "prismatic":
        add(element, "limit", lower=f"-{UNLIMITED}", upper=UNLIMITED, effort="1", velocity="1")
