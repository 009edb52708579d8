"""Values in an SDF file: texts of elements, numbers, poses and directions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.maths.rotations import pose, rotation_from_rpy, rotations_of
from sim.robots.document import LARGEST_NUMBER, LONGEST_NAME, NUMBER, Node
from sim.robots.inertia import FARTHEST

if TYPE_CHECKING:
    from lxml.etree import _Element

DRAKE = "drake:"  # prefix of Drake's extensions of the format
ENDLESS = {"inf": math.inf, "+inf": math.inf, "-inf": -math.inf}
UNIT = 1e-4  # rounding of printed digits in the length of a quaternion


def tag_of(element: _Element) -> str:
    """Return the tag of an element; Drake's have the prefix ``drake:``, declared or not."""
    tag = element.tag
    if not isinstance(tag, str):  # a comment
        return ""
    if tag.startswith("{"):
        uri, _, local = tag[1:].partition("}")
        return f"{DRAKE}{local}" if "drake" in uri else local
    return tag


def child(node: Node, tag: str) -> Node | None:
    """Return the child with a tag; None if there is none.

    Raises
    ------
    ModelError
        If there are several.
    """
    nodes = [one for one in node.element if tag_of(one) == tag]
    if len(nodes) > 1:
        raise node.error(f"has {len(nodes)} <{tag}> elements; at most one is allowed")
    return Node(nodes[0], node.source, node.subject) if nodes else None


def text_of(node: Node, tag: str, default: str = "") -> str:
    """Return the text of a child, without surrounding blanks."""
    one = child(node, tag)
    return default if one is None else (one.element.text or "").strip()


def is_true(node: Node, tag: str) -> bool:
    """Whether a child has the value true; False if it is missing."""
    return text_of(node, tag).lower() in ("true", "1")


def number(node: Node, tag: str, default: float) -> float:
    """Return the number in a child.

    Raises
    ------
    ModelError
        If it is not a number.
    """
    one = child(node, tag)
    return default if one is None else _number(one, (one.element.text or "").strip())


def endless_number(node: Node, tag: str, default: float) -> float:
    """Return the number in a child; infinite from 1e16 on, the format's default."""
    value = ENDLESS.get(text_of(node, tag).lower())
    value = number(node, tag, default) if value is None else value
    return math.copysign(math.inf, value) if abs(value) >= 1e16 else value


def attribute_number(node: Node, key: str, default: float) -> float:
    """Return the number in an attribute.

    Raises
    ------
    ModelError
        If it is not a number.
    """
    text = node.element.get(key)
    return default if text is None else _number(node, text.strip())


def vector(node: Node, count: int = 3) -> Array:
    """Return the numbers of an element, shape (count,).

    Raises
    ------
    ModelError
        If there are not `count` numbers.
    """
    words = (node.element.text or "").split()
    if len(words) != count:
        raise node.error(f"<{node.element.tag}> has {len(words)} number(s), it needs {count}")
    return np.array([_number(node, word) for word in words])


def pose_of(node: Node | None) -> Array:
    """Return the pose in a ``<pose>``, shape (4, 4); the identity if None."""
    if node is None or not (node.element.text or "").strip():
        return pose()
    if node.element.get("rotation_format", "euler_rpy") == "quat_xyzw":
        numbers = vector(node, 7)
        length = float(np.linalg.norm(numbers[3:]))
        if not abs(length - 1.0) <= UNIT:
            raise node.error(f"its quaternion has length {length:.6g}; it needs 1")
        R = rotations_of(numbers[3:, None] / length)[..., 0]
    else:
        numbers = vector(node, 6)
        degrees = node.element.get("degrees", "").lower() in ("true", "1")
        R = rotation_from_rpy(np.radians(numbers[3:]) if degrees else numbers[3:])
    if np.abs(numbers[:3]).max() > FARTHEST:
        far = f"{np.abs(numbers[:3]).max():g} m away; at most {FARTHEST:g} m are allowed"
        raise node.error(f"its pose is {far}, in metres")
    return pose(R, numbers[:3])


def relative_to(node: Node | None) -> str:
    """Return the reference frame of a pose; in old files the attribute ``frame``."""
    if node is None:
        return ""
    return node.element.get("relative_to") or node.element.get("frame") or ""


def direction(node: Node) -> Array:
    """Return the unit vector in an element, shape (3,).

    Raises
    ------
    ModelError
        If it is zero.
    """
    axis = vector(node)
    length = float(np.linalg.norm(axis))
    if not length > 1e-6:
        raise node.error(f"its axis {axis.tolist()} is zero; an axis has length 1")
    return axis / length


def name_of(element: _Element, source: str) -> str:
    """Return the name of a model, link, joint or frame.

    Raises
    ------
    ModelError
        If it is missing or too long.
    """
    name = element.get("name", "").strip()
    node = Node(element, source, f"<{tag_of(element)}>")
    if not name:
        raise node.error("needs the attribute 'name'")
    if len(name) > LONGEST_NAME:
        raise node.error(
            f"the name {name[:20]!r}... has {len(name)} characters; "
            f"at most {LONGEST_NAME} are allowed"
        )
    return name


def _number(node: Node, word: str) -> float:
    if not NUMBER.fullmatch(word) or abs(float(word)) > LARGEST_NUMBER:
        raise node.error(
            f"<{node.element.tag}> has {word[:60]!r}, which is not a number such as -1.5 or 2e-3 "
            f"within ±{LARGEST_NUMBER:g}"
        )
    return float(word)


def refusal(source: str, message: str) -> ModelError:
    """Return an error about a whole file."""
    return ModelError(f"{source}: {message}")
