"""Elements of a URDF read without errors: malformed values are None."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.maths.rotations import pose
from sim.robots.document import LARGEST_NUMBER, Node
from sim.robots.inertia import origin_pose

if TYPE_CHECKING:
    from lxml.etree import _Element


def numbers(element: _Element | None, key: str) -> tuple[float, ...] | None:
    """Return the numbers of an attribute; None if it is missing or not all are numbers."""
    if element is None or key not in element.attrib:
        return None
    try:
        values = tuple(float(word) for word in str(element.get(key)).split())
    except ValueError:
        return None
    sound = all(abs(value) <= LARGEST_NUMBER for value in values)  # excludes NaN
    return values if values and sound else None


def number(element: _Element | None, key: str) -> float | None:
    """Return the one number of an attribute; None if it is missing or something else."""
    values = numbers(element, key)
    return values[0] if values is not None and len(values) == 1 else None


def pose_of(element: _Element) -> Array:
    """Return the pose in the ``<origin>`` of an element, shape (4, 4); identity if malformed."""
    try:
        return origin_pose(Node(element, "", ""))
    except ModelError:
        return pose()


def elements(root: _Element) -> Iterator[_Element]:
    """Yield all elements in document order, without comments."""
    return (element for element in root.iter() if isinstance(element.tag, str))


def owner(element: _Element) -> str:
    """Return the name of the link or joint to which an element belongs, else ``robot``."""
    for one in (element, *element.iterancestors()):
        if one.tag in ("link", "joint") and one.get("name"):
            return str(one.get("name"))
    return "robot"


def line_of(element: _Element) -> int | None:
    """Return the line of an element."""
    line = element.sourceline
    return line if isinstance(line, int) else None
