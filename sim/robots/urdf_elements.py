"""Elements of a URDF text, in a tree of ElementTree or lxml."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from sim.maths.arrays import Array
from sim.maths.rotations import rpy_from_rotation

Element = Any  # of either library

MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def number_text(values: Iterable[float]) -> str:
    """Return numbers separated by blanks, each with all its digits."""
    return " ".join(repr(float(x)) for x in values)


def add(parent: Element, tag: str, **attributes: str) -> Element:
    """Add an element to the end of another."""
    element = parent.makeelement(tag, attributes)
    parent.append(element)
    return element


def add_joint(
    root: Element, name: str, kind: str, parent: str, child: str, xyz: Array, R: Array
) -> Element:
    """Add a joint without axis and limits."""
    element = add(root, "joint", name=name, type=kind)
    add(element, "parent", link=parent)
    add(element, "child", link=child)
    add_origin(element, xyz, R)
    return element


def add_fixed_joint(
    root: Element, names: set[str], parent: str, child: str, xyz: Array, R: Array
) -> None:
    """Add a fixed joint with a name after its child that is not in `names`, and is then."""
    name = f"{child}_fixed"
    while name in names:
        name += "_"
    names.add(name)
    add_joint(root, name, "fixed", parent, child, xyz, R)


def add_origin(element: Element, xyz: Array, R: Array) -> None:
    """Add the ``<origin>`` of an element."""
    rpy = number_text(rpy_from_rotation(R))
    add(element, "origin", xyz=number_text(xyz), rpy=rpy)


def add_losses(element: Element, damping: float, friction: float) -> None:
    """Add the ``<dynamics>`` of a joint, unless both values are zero."""
    if damping or friction:
        add(element, "dynamics", damping=repr(damping), friction=repr(friction))


def add_inertial(link: Element, mass: float, com: Array, tensor: Array) -> None:
    """Add the ``<inertial>`` of a link, along its axes; none without mass."""
    if not mass > 0.0:
        return
    inertial, symmetric = add(link, "inertial"), 0.5 * (tensor + tensor.T)
    fill_inertial(inertial, mass, com, symmetric, number_text(np.zeros(3)))


def fill_inertial(
    inertial: Element, mass: float, com: Array, tensor: Array, rpy: str = "0 0 0"
) -> None:
    """Fill an empty ``<inertial>``, whose tensor is along axes with these angles."""
    add(inertial, "origin", xyz=number_text(com), rpy=rpy)
    add(inertial, "mass", value=repr(float(mass)))
    moments = zip(MOMENTS, tensor[np.triu_indices(3)], strict=True)
    add(inertial, "inertia", **{key: repr(float(moment)) for key, moment in moments})
