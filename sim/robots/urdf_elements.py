"""Elements of a URDF text written from another format."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from sim.maths.arrays import Array
from sim.maths.rotations import rpy_from_rotation

MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def number_text(values: Iterable[float]) -> str:
    """Return numbers separated by blanks, each with all its digits."""
    return " ".join(repr(float(x)) for x in values)


def add_joint(
    root: Element, name: str, kind: str, parent: str, child: str, xyz: Array, R: Array
) -> Element:
    """Add a joint without axis and limits."""
    element = SubElement(root, "joint", name=name, type=kind)
    SubElement(element, "parent", link=parent)
    SubElement(element, "child", link=child)
    add_origin(element, xyz, R)
    return element


def add_origin(element: Element, xyz: Array, R: Array) -> None:
    """Add the ``<origin>`` of an element."""
    rpy = number_text(rpy_from_rotation(R))
    SubElement(element, "origin", xyz=number_text(xyz), rpy=rpy)


def add_losses(element: Element, damping: float, friction: float) -> None:
    """Add the ``<dynamics>`` of a joint, unless both values are zero."""
    if damping or friction:
        SubElement(element, "dynamics", damping=repr(damping), friction=repr(friction))


def add_inertial(link: Element, mass: float, com: Array, tensor: Array) -> None:
    """Add the ``<inertial>`` of a link, along its axes; none without mass."""
    if not mass > 0.0:
        return
    inertial = SubElement(link, "inertial")
    add_origin(inertial, com, np.eye(3))
    SubElement(inertial, "mass", value=repr(float(mass)))
    sides = (0.5 * (tensor + tensor.T))[np.triu_indices(3)]
    moments = {key: repr(float(x)) for key, x in zip(MOMENTS, sides, strict=True)}
    SubElement(inertial, "inertia", moments)
