"""Tool frame of a robot: the frame of a link, or one at an offset from a link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.robots.xml_text import parse, text_of

if TYPE_CHECKING:
    from sim.robots.inertia import Link
    from sim.robots.joint import Joint

USUAL_NAMES = ("tool0", "flange", "ee_link")
"""Names of the tool frame in public robot files, in the order in which they are preferred."""


def end_links(links: Sequence[Link], joints: Sequence[Joint]) -> tuple[str, ...]:
    """Return the names of moving links that carry no other link; all leaves of a rigid tree."""
    moves: set[str] = set()
    for joint in joints:  # parents precede their children
        if joint.is_movable or joint.parent in moves:
            moves.add(joint.child)
    parents = {joint.parent for joint in joints}
    leaves = [link.name for link in links if link.name not in parents]
    return tuple(name for name in leaves if name in moves or not moves)


def choose_tool(links: Sequence[Link], joints: Sequence[Joint]) -> tuple[str | None, str]:
    """Return the link of the tool frame, and a note if it was chosen by its name.

    A single end link is the tool; among several it is the first of `USUAL_NAMES`. A leaf that no
    joint moves is not a tool: ROS-Industrial welds a second frame, ``base``, to the root.
    """
    ends = end_links(links, joints)
    if len(ends) == 1:
        return ends[0], ""
    chosen = next((name for name in USUAL_NAMES if name in ends), None)
    others = ", ".join(name for name in ends if name != chosen)
    note = f"tool frame {chosen!r} chosen by its name; other end links: {others}"
    return (None, "") if chosen is None else (chosen, note)


def missing_tool(robot: str, links: Sequence[Link], joints: Sequence[Joint], option: str) -> str:
    """Return the message on a robot without a tool frame, with the candidates for one."""
    choice = f"its links are {', '.join(link.name for link in links)}"
    if len(ends := end_links(links, joints)) > 1:
        usual = ", ".join(USUAL_NAMES)
        choice = f"its end links are {', '.join(ends)}, none of them named {usual}"
    return (
        f"Robot {robot!r} has no tool frame: {choice}; name one: {option} LINK of a command, "
        "load_robot(..., tool=LINK) or frame=LINK in Python"
    )


def offset_numbers(tcp: ArrayLike) -> tuple[Array, Array]:
    """Return position [m] and roll, pitch, yaw [rad] of an offset of three or six numbers.

    Raises
    ------
    ModelError
        If there are not three or six numbers, or one is not finite.
    """
    try:
        numbers = np.array(tcp, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array(np.nan)
    if numbers.shape not in ((3,), (6,)) or not np.isfinite(numbers).all():
        raise ModelError(
            "The offset of a tool (tcp) must be three finite numbers x y z [m], or six with roll, "
            f"pitch, yaw [rad]; got {tcp!r}"
        )
    return numbers[:3], numbers[3:] if numbers.size == 6 else np.zeros(3)


def with_frame(text: str, source: str, parent: str, name: str, xyz: Array, rpy: Array) -> str:
    """Return the URDF text with a further massless link `name`, fixed to `parent` at an offset."""
    from lxml import etree

    root = parse(text, source)
    root[-1].tail = "\n\n  "
    etree.SubElement(root, "link", name=name).tail = "\n\n  "
    joint = etree.SubElement(root, "joint", name=f"{name}_joint", type="fixed")
    place = {"xyz": xyz, "rpy": rpy}
    numbers = {key: " ".join(map(repr, x.tolist())) for key, x in place.items()}
    etree.SubElement(joint, "origin", numbers)
    etree.SubElement(joint, "parent", link=parent)
    etree.SubElement(joint, "child", link=name)
    etree.indent(joint, level=1)
    joint.tail = "\n\n"
    return text_of(root.getroottree())
