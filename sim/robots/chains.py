"""Joint types with several motions, written as equivalent chains of joints.

universal    two hinges: ``.turn_a`` about ``<axis>``, then ``.turn_b`` about ``<axis2>``
cylindrical  ``.slide`` along the axis, then ``.turn`` about it
planar       ``.slide_a`` and ``.slide_b`` across the normal, then ``.turn`` about it
floating     ``.slide_x``, ``.slide_y`` and ``.slide_z``, then the ball ``.ball``

The frames between them have no mass, so the chain is exactly equivalent to the joint. Its origin is
that of the first motion; all slides are along axes fixed in the parent.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from sim.maths.arrays import Array
from sim.robots.document import LARGEST_NUMBER, Node
from sim.robots.loose_ends import floating_bases

if TYPE_CHECKING:
    from lxml.etree import _Element

CHAINED = ("universal", "cylindrical", "planar", "floating")

FLOATING = ("slide_x", "slide_y", "slide_z", "ball")
"""What the names of the motions of a floating joint end with."""

PART_OF = "part_of"
"""Attribute of a joint that leads to a frame inside a chain, where no mass is wanted."""

LEAST_AXIS = 1e-6  # a shorter axis is rounding noise and has no direction
SQUARE = 1e-4  # cosine between two axes: rounding of printed digits
_X, _Y, _Z = np.eye(3)


class _ChainMotion(Struct, frozen=True):
    """One joint of a chain: suffix of its name, type, and axis in the joint's frame."""

    suffix: str
    kind: str
    axis: Array


def write_chains(robot: Node) -> None:
    """Write every joint with several motions as a chain, except floating bases.

    Raises
    ------
    ModelError
        If an axis has no direction, or the joint has an element of one of its motions.
    """
    bases = list(floating_bases(robot))
    chains: dict[str, list[str]] = {}
    for element in list(robot.element.iterchildren("joint")):
        name = element.get("name", "")
        if element.get("type") not in CHAINED or element in bases or not name.strip():
            continue
        motions = _motions(Node(element, robot.source, f"joint {name!r}"))
        chains[name] = [f"{name}.{motion.suffix}" for motion in motions]
        _require_plain(Node(element, robot.source, f"joint {name!r}"), chains[name])
        _write_chain(element, motions)
    for mimic in robot.element.iterfind("joint/mimic") if chains else ():
        if (leader := mimic.get("joint", "")) in chains:
            follower = mimic.getparent()
            subject = "" if follower is None else f"joint {follower.get('name', '')!r}"
            raise Node(mimic, robot.source, subject).error(
                f"it mimics joint {leader!r}, which has several motions; name one of them: "
                f"{', '.join(chains[leader])}"
            )


def write_chain(joint: Node) -> None:
    """Write one joint with several motions as a chain, including a floating base."""
    _write_chain(joint.element, _motions(joint))


def _motions(joint: Node) -> tuple[_ChainMotion, ...]:
    """Motions of a joint, starting at the parent."""
    kind = joint.element.get("type")
    if kind == "universal":
        first, second = _crossing_axes(joint)
        return _ChainMotion("turn_a", "continuous", first), _ChainMotion(
            "turn_b", "continuous", second
        )
    if kind == "floating":
        slides = zip("xyz", (_X, _Y, _Z), strict=True)
        return *(_ChainMotion(f"slide_{c}", "prismatic", e) for c, e in slides), _ball()
    axis = _direction(joint, "axis", _X)
    turn = _ChainMotion("turn", "continuous", axis)
    if kind == "cylindrical":
        return _ChainMotion("slide", "prismatic", axis), turn
    a, b = _across(axis)
    return _ChainMotion("slide_a", "prismatic", a), _ChainMotion("slide_b", "prismatic", b), turn


def _ball() -> _ChainMotion:
    return _ChainMotion("ball", "spherical", _X)


def _across(normal: Array) -> tuple[Array, Array]:
    """In-plane directions a, b, right-handed with the normal: x, y for z; y, z for x; z, x for y.

    a is the projection onto the plane of the frame axis that follows the one closest to the normal.
    """
    follows = np.eye(3)[(int(np.argmax(np.abs(normal))) + 1) % 3]
    a = follows - (follows @ normal) * normal
    a = a / np.linalg.norm(a)
    return a, np.cross(normal, a)


def _crossing_axes(joint: Node) -> tuple[Array, Array]:
    """Axes of a universal joint, x and y where the file has none."""
    if (joint.only("axis") is None) != (joint.only("axis2") is None):
        raise joint.error(
            "it is universal and has only one of two axes; give <axis>, fixed in the parent, "
            "and <axis2>, fixed in the child, or neither for x and y"
        )
    first, second = _direction(joint, "axis", _X), _direction(joint, "axis2", _Y)
    if abs(first @ second) > SQUARE:
        angle = np.degrees(np.arccos(np.clip(first @ second, -1, 1)))
        raise joint.error(
            f"its axes are at {angle:.4g} degrees; those of a universal joint are perpendicular. "
            "Write two continuous joints with a link without <inertial> between them"
        )
    return first, second


def _direction(joint: Node, tag: str, default: Array) -> Array:
    if (axis := joint.only(tag)) is None:
        return default
    vector = axis.vector("xyz")
    length = float(np.linalg.norm(vector))
    if not length > LEAST_AXIS:
        raise axis.error(f"its {tag} is zero; an axis has length 1")
    return vector / length


def _require_plain(joint: Node, names: list[str]) -> None:
    """Check that a joint has no range, damping or mimic, as each would concern one motion only."""
    for tag in ("limit", "dynamics", "mimic"):
        for node in joint.children(tag):
            numbers = (node.number(str(key), 0.0) for key in node.element.attrib)
            if tag == "mimic" or any(number != 0 for number in numbers):
                raise node.error(
                    f"it is {joint.element.get('type')}, and its <{tag}> does not select one of "
                    f"{', '.join(names)}; leave it out, or write these joints with a link without "
                    "<inertial> between each two"
                )


def _write_chain(joint: _Element, motions: tuple[_ChainMotion, ...]) -> None:
    """Replace a joint by the chain and its frames."""
    from lxml import etree

    robot, name, last = joint.getparent(), joint.get("name", ""), motions[-1]
    assert robot is not None
    place = robot.index(joint)
    parents = [deepcopy(each) for each in joint.iterchildren("origin", "parent")]
    chain: list[_Element] = []
    for motion in motions:
        inner = f"{name}.{motion.suffix}"
        part = etree.Element("joint", name=inner, type=motion.kind)
        part.extend(parents)
        if motion is last:
            part.extend([deepcopy(each) for each in joint.iterchildren("child")])
        else:
            part.set(PART_OF, name)
            etree.SubElement(part, "child", link=inner)
            parents = [etree.Element("parent", link=inner)]
            chain.append(etree.Element("link", name=inner))
        if motion.kind != "spherical":
            numbers = " ".join(repr(float(x)) for x in motion.axis)
            etree.SubElement(part, "axis", xyz=numbers)
        if motion.kind == "prismatic":
            ends = {"lower": f"-{LARGEST_NUMBER:g}", "upper": f"{LARGEST_NUMBER:g}"}
            etree.SubElement(part, "limit", ends | {"effort": "0", "velocity": "0"})
        chain.append(part)
    for element in chain:
        for each in element.iter():
            each.sourceline = joint.sourceline
    robot[place : place + 1] = chain
