"""URDF text with which PyBullet shows a robot: joints and shapes, without dynamics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sim.maths.arrays import Array
from sim.maths.rotations import rpy_from_rotation
from sim.robots.joint import Joint
from sim.robots.robot import Robot
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
    elements = [etree.SubElement(root, "link", name=f"link_{k}") for k in range(len(robot.links))]
    for element in elements:
        inertial = etree.SubElement(element, "inertial")
        etree.SubElement(inertial, "mass", value="1")
        moments = dict.fromkeys(("ixx", "iyy", "izz"), "1") | dict.fromkeys(
            ("ixy", "ixz", "iyz"), "0"
        )
        etree.SubElement(inertial, "inertia", moments)
    for k, shape in enumerate(shapes):
        _add_shape(elements[place[shape.link]], shape, k)
    for k, joint in enumerate(robot.joints):
        _add_joint(root, joint, k, place)
    etree.indent(root)  # PyBullet breaks lines longer than 8191 characters
    text: str = etree.tostring(root, encoding="unicode")
    return text


def _add_shape(link: Any, shape: Visual, k: int) -> None:
    from lxml import etree

    visual = etree.SubElement(link, "visual")
    _add_origin(visual, shape.T_lv)
    geometry = etree.SubElement(visual, "geometry")
    if shape.shape == "mesh":
        if shape.path is None:
            raise ValueError(f"a mesh of link {shape.link!r} has no path")
        etree.SubElement(
            geometry, "mesh", filename=str(shape.path.resolve()), scale=_numbers(shape.scale)
        )
    elif shape.shape == "box":
        etree.SubElement(geometry, "box", size=_numbers(shape.size))
    elif shape.shape in ("cylinder", "capsule"):
        radius, length = shape.size
        etree.SubElement(geometry, shape.shape, radius=repr(radius), length=repr(length))
    else:
        etree.SubElement(geometry, "sphere", radius=repr(shape.size[0]))
    material = etree.SubElement(visual, "material", name=f"material_{k}")
    etree.SubElement(material, "color", rgba=_numbers(shape.rgba or WHITE))


def _add_joint(root: Any, joint: Joint, k: int, place: dict[str, int]) -> None:
    from lxml import etree

    kind = joint.kind if joint.kind in ("fixed", "prismatic", "spherical") else "continuous"
    element = etree.SubElement(root, "joint", name=f"joint_{k}", type=kind)
    _add_origin(element, joint.T_pc)
    etree.SubElement(element, "parent", link=f"link_{place[joint.parent]}")
    etree.SubElement(element, "child", link=f"link_{place[joint.child]}")
    etree.SubElement(element, "axis", xyz=_numbers(joint.axis))
    if kind == "prismatic":
        etree.SubElement(
            element, "limit", lower=f"-{UNLIMITED}", upper=UNLIMITED, effort="1", velocity="1"
        )


def _add_origin(parent: Any, T: Array) -> None:
    from lxml import etree

    rpy = rpy_from_rotation(T[:3, :3])
    etree.SubElement(parent, "origin", xyz=_numbers(T[:3, 3]), rpy=_numbers(rpy))


def _numbers(values: Array | Sequence[float]) -> str:
    return " ".join(repr(float(value)) for value in np.asarray(values, dtype=np.float64))
