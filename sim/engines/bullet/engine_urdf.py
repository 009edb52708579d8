"""The URDF text as PyBullet needs it; nothing about the physics is changed."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.maths.arrays import Array
from sim.maths.rotations import rpy_from_rotation
from sim.robots.document import parse
from sim.robots.inertia import Inertia
from sim.robots.robot import Robot

# PyBullet gives a link without an inertial 1 kg; a pure frame gets this instead [kg]. Its weight
# is the error of the joint torques: 1e-9 kg would already show in the eleventh digit.
FRAME_MASS = 1e-15


def engine_urdf(robot: Robot) -> str:
    """The robot's own URDF with four defaults of PyBullet made harmless.

    A link without mass gets `FRAME_MASS`, a rounded axis becomes a unit vector (PyBullet scales
    the motion by its length), shapes are left out, and ``<mimic>`` too: the joints that follow are
    driven like all others, by the coupling of the robot.
    """
    root = parse(robot.text, f"robot {robot.name!r}")
    for link in root.findall("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
        inertia = robot.link(link.get("name", "")).inertia
        if inertia is None or inertia.mass == 0:
            frame = Inertia(FRAME_MASS, np.zeros(3), np.zeros((3, 3)))
            _replace(link, "inertial", _principal_inertial(frame))
    for element in root.findall("joint"):
        for mimic in element.findall("mimic"):
            element.remove(mimic)
        axis = element.find("axis")
        if axis is not None:
            # From the text's own numbers, not from the model's: so a slip of either reader shows.
            vector = np.array(axis.get("xyz", "").split(), dtype=np.float64)
            length = np.linalg.norm(vector)
            if length > 0 and element.get("type") != "fixed":
                axis.set("xyz", _numbers(vector / length))
            else:  # a fixed joint with a zero axis, as some exporters write it
                element.remove(axis)
    return _text(root)


def principal_urdf(robot: Robot) -> str:
    """The same with every inertia given along its principal axes.

    PyBullet turns a full tensor into its principal axes with an error of 1e-8 of the tensor; a
    tensor that is diagonal already stays as it is.
    """
    from lxml import etree

    root = etree.fromstring(engine_urdf(robot).encode())
    for link in root.findall("link"):
        inertia = robot.link(link.get("name", "")).inertia
        if inertia is not None and inertia.mass > 0:
            _replace(link, "inertial", _principal_inertial(inertia))
    return _text(root)


def _principal_inertial(inertia: Inertia) -> Any:
    from lxml import etree

    off_diagonal = inertia.tensor - np.diag(np.diag(inertia.tensor))
    if off_diagonal.any():
        moments, axes = np.linalg.eigh(inertia.tensor)
        axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])  # right-handed
        # rounding may make the moment of a rod or of a point mass a hair negative
        moments = np.maximum(moments, 0.0)
    else:
        moments, axes = np.diag(inertia.tensor), np.eye(3)
    element = etree.Element("inertial")
    rpy = rpy_from_rotation(axes)
    etree.SubElement(element, "origin", xyz=_numbers(inertia.com), rpy=_numbers(rpy))
    etree.SubElement(element, "mass", value=repr(inertia.mass))
    diagonal = {
        name: repr(float(x)) for name, x in zip(("ixx", "iyy", "izz"), moments, strict=True)
    }
    etree.SubElement(element, "inertia", dict.fromkeys(("ixy", "ixz", "iyz"), "0") | diagonal)
    return element


def _replace(parent: Any, tag: str, element: Any) -> None:
    for old in parent.findall(tag):
        parent.remove(old)
    parent.append(element)


def _numbers(values: Array) -> str:
    return " ".join(repr(float(value)) for value in values)


def _text(root: Any) -> str:
    from lxml import etree

    etree.indent(root)  # PyBullet breaks lines longer than 8191 characters
    text: str = etree.tostring(root, encoding="unicode")
    return text
