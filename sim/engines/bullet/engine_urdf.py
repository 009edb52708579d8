"""URDF text adapted to PyBullet, with unchanged physics."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.maths.arrays import Array
from sim.maths.rotations import rpy_from_rotation
from sim.robots.chains import PART_OF
from sim.robots.inertia import Inertia
from sim.robots.mending import mend
from sim.robots.robot import Robot
from sim.robots.urdf import PLUS_MIMIC
from sim.robots.urdf_elements import add, fill_inertial, number_text
from sim.robots.xml_text import parse, text_of

# PyBullet gives a link without an inertial 1 kg; a pure frame gets this instead [kg]. Its weight
# causes an error of the joint torques: 1e-9 kg would be visible in the eleventh digit.
FRAME_MASS = 1e-15

# Inertia of a frame moved by a joint of its own [kg·m²]: PyBullet divides by it.
FRAME_MOMENT = 1e-15

FLAT = 1e-6  # of a moment: far above PyBullet's error in the principal axes


def engine_urdf(robot: Robot) -> str:
    """Return the robot's URDF, repaired, and without four harmful defaults of PyBullet.

    A link without mass gets `FRAME_MASS`, an axis becomes a unit vector (PyBullet scales the motion
    by its length), and shapes and ``<mimic>`` are omitted: following joints are driven like all
    others, by the coupling of the robot.
    """
    root = mend(robot.text, f"robot {robot.name!r}")
    root.set("name", robot.name)
    repaired = {repair.part for repair in robot.repairs}
    for link in root.findall("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
        inertia = robot.link(link.get("name", "")).inertia
        if inertia is None or inertia.mass == 0:
            moment = FRAME_MOMENT if link.get("name") in robot.lone_frames else 0.0
            frame = Inertia(FRAME_MASS, np.zeros(3), moment * np.eye(3))
            _replace(link, "inertial", _principal_inertial(frame))
        elif f"link {link.get('name')!r}" in repaired or _is_flat(inertia):
            _replace(link, "inertial", _principal_inertial(inertia))
    for element in root.findall("joint"):
        for mimic in [*element.findall("mimic"), *element.findall(PLUS_MIMIC)]:
            element.remove(mimic)
        if f"joint {element.get('name')!r}" in repaired or PART_OF in element.attrib:
            _repair_limit(element, robot)
        axis = element.find("axis")
        if axis is not None:
            # From the numbers of the text, not of the model, to reveal errors of either reader.
            vector = np.array(axis.get("xyz", "").split(), dtype=np.float64)
            length = np.linalg.norm(vector)
            if length > 0 and element.get("type") != "fixed":
                axis.set("xyz", number_text(vector / length))
            else:  # a fixed joint with a zero axis, as written by some exporters
                element.remove(axis)
    return _text(root)


def principal_urdf(robot: Robot) -> str:
    """Return the URDF of the robot with all inertias along their principal axes.

    PyBullet converts a full tensor to its principal axes with an error of 1e-8 of the tensor; a
    diagonal tensor is unchanged.
    """
    root = parse(engine_urdf(robot), f"robot {robot.name!r}")
    for link in root.findall("link"):
        inertia = robot.link(link.get("name", "")).inertia
        if inertia is not None and inertia.mass > 0:
            _replace(link, "inertial", _principal_inertial(inertia))
    return _text(root)


def flat_moments(robot: Robot) -> dict[str, tuple[float, float, float]]:
    """Return principal moments [kg·m²] of flat links and of impossible tensors, by name.

    On loading, PyBullet sets a tensor that violates the triangle inequality by a rounding to zero.
    Both texts have these along their principal axes, where the moments can be set later.
    """
    by_name = {}
    for link in robot.links[1:]:
        if link.inertia is not None and _is_flat(link.inertia):
            x, y, z = _principal(link.inertia)[0].tolist()
            by_name[link.name] = (x, y, z)
    return by_name


def _is_flat(inertia: Inertia) -> bool:
    """Whether one moment is at least the sum of the two others."""
    smallest, middle, largest = np.sort(_principal(inertia)[0])
    return bool(largest > 0 and largest > (1 - FLAT) * (smallest + middle))


def _principal(inertia: Inertia) -> tuple[Array, Array]:
    """Return principal moments [kg·m²], and their axes as the columns of a rotation."""
    off_diagonal = inertia.tensor - np.diag(np.diag(inertia.tensor))
    if not off_diagonal.any():
        return np.diag(inertia.tensor), np.eye(3)
    moments, axes = np.linalg.eigh(inertia.tensor)
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])  # right-handed
    # rounding may make a moment of a rod or point mass slightly negative; larger values are in the
    # file
    hair = moments > -FLAT * np.abs(moments).max()
    return np.where(hair, np.maximum(moments, 0.0), moments), axes


def _principal_inertial(inertia: Inertia) -> Any:
    from lxml import etree

    moments, axes = _principal(inertia)
    element, rpy = etree.Element("inertial"), number_text(rpy_from_rotation(axes))
    fill_inertial(element, inertia.mass, inertia.com, np.diag(moments), rpy)
    return element


def _repair_limit(element: Any, robot: Robot) -> None:
    """Set both ends of a joint's range and remove negative ratings.

    PyBullet ignores swapped ends, and uses a rating of 0.
    """
    limits, limit = robot.joint(element.get("name", "")).limits, element.find("limit")
    if element.get("type") in ("revolute", "prismatic"):
        if limit is None:
            limit = add(element, "limit")
        ends = (0.0, -1.0) if np.isinf(limits.lower) else (limits.lower, limits.upper)
        for key, value in zip(("lower", "upper"), ends, strict=True):
            limit.set(key, repr(float(value)))
    for key in ("effort", "velocity"):
        if limit is not None and np.isinf(getattr(limits, key)):
            limit.set(key, "0")


def _replace(parent: Any, tag: str, element: Any) -> None:
    for old in parent.findall(tag):
        parent.remove(old)
    parent.append(element)


def _text(root: Any) -> str:
    from lxml import etree

    etree.indent(root)  # PyBullet breaks lines longer than 8191 characters
    return text_of(root)
