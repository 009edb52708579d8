"""Repairable defects of a URDF, collected until the whole tree is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from msgspec import Struct

from sim.robots.document import Node
from sim.robots.joint import Joint
from sim.robots.repair import Repair, RepairKind

# Joints whose torques depend on a defect: all joints between the root and the link, the rotary
# ones among them, these and all joints beyond, the joint itself, or none.
Reach = Literal["all below", "rotary below", "all along", "itself", "none"]

WELDED = "the link is welded to the root and never moves"


class Defect(Struct, frozen=True):
    """A fault in a URDF that has one sensible interpretation.

    Parameters
    ----------
    node : Node
        The element with the fault.
    name : str
        The link, joint or file concerned.
    refused_if : str
        It is an error if a joint moves, or turns, the link.
    """

    kind: RepairKind
    node: Node
    name: str
    says: str
    reading: str
    why: str
    reach: Reach
    refused_if: Literal["", "moved", "turned"] = ""


@dataclass
class Defects:
    """Collection of defects; in strict mode the first one raises."""

    strict: bool
    defects: list[Defect] = field(default_factory=list)

    def note(
        self,
        kind: RepairKind,
        node: Node,
        name: str,
        says: str,
        reading: str,
        why: str,
        reach: Reach = "none",
        refused_if: Literal["", "moved", "turned"] = "",
    ) -> None:
        """Record a `Defect` with these fields.

        Raises
        ------
        ModelError
            With the description of the defect, in strict mode.
        """
        if self.strict:
            raise node.error(says)
        self.defects.append(Defect(kind, node, name, says, reading, why, reach, refused_if))

    def repairs(self, joints: Iterable[Joint]) -> tuple[Repair, ...]:
        """Return the repairs of all defects, once the joints are known.

        Raises
        ------
        ModelError
            If a defect can be ignored only in a link that no joint moves, or turns, and a joint
            does.
        """
        carrier = {joint.child: joint for joint in joints}
        by_name = {joint.name: joint for joint in carrier.values()}
        return tuple(_repair(one, carrier, by_name) for one in self.defects)


def _repair(one: Defect, carrier: Mapping[str, Joint], by_name: Mapping[str, Joint]) -> Repair:
    below = _affected_joints(one, carrier, by_name)
    if one.refused_if:
        moving = _moving_below(one.name, carrier)
        if one.refused_if == "turned":
            moving = [joint for joint in moving if not joint.is_prismatic]
        if moving:
            last = moving[-1].name
            raise one.node.error(f"{one.says}; joint {last!r} moves it, and its torque needs this")
    why = one.why
    if one.reach in ("all below", "rotary below") and not below:
        moves = _moving_below(one.name, carrier)
        why = "no joint below the link turns it" if moves else WELDED
    touched = dict.fromkeys(name for joint in below for name in _leaders(joint, by_name))
    return Repair(one.kind, one.node.subject, one.says, one.reading, tuple(touched), why)


def _affected_joints(
    one: Defect, carrier: Mapping[str, Joint], by_name: Mapping[str, Joint]
) -> list[Joint]:
    """Return the movable joints whose torques depend on a defect."""
    if one.reach == "none":
        return []
    if one.reach in ("itself", "all along") and one.name not in by_name:
        return []  # an element of a joint inside a link, which is not read
    if one.reach == "itself":
        return [by_name[one.name]] if by_name[one.name].is_movable else []
    if one.reach == "all along":
        link = by_name[one.name].child
        beyond = [joint for joint in carrier.values() if joint.is_movable]
        beyond = [j for j in beyond if _hangs_on(j.parent, link, carrier)]
        return [*_moving_below(link, carrier), *beyond]
    below = _moving_below(one.name, carrier)
    return [j for j in below if one.reach == "all below" or not j.is_prismatic]


def _hangs_on(link: str, carrying: str, carrier: Mapping[str, Joint]) -> bool:
    while link != carrying and link in carrier:
        link = carrier[link].parent
    return link == carrying


def _moving_below(link: str, carrier: Mapping[str, Joint]) -> list[Joint]:
    """Return the joints that move a link, starting at the root."""
    chain: list[Joint] = []
    while (joint := carrier.get(link)) is not None:
        chain.append(joint)
        link = joint.parent
    return [joint for joint in reversed(chain) if joint.is_movable]


def _leaders(joint: Joint, by_name: Mapping[str, Joint]) -> Iterator[str]:
    """Yield the independent joints that drive a joint."""
    if joint.mimic is None:
        yield joint.name
        return
    for one in joint.mimic.each:
        yield from _leaders(by_name[one.joint], by_name)
