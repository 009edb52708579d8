"""What a reader of a URDF finds wrong but can repair, gathered until the whole tree is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from sim.robots.document import Node
from sim.robots.joint import Joint
from sim.robots.repair import Repair, RepairKind

# Which torques depend on what was found: those of all joints between the root and the link, of
# those among them that turn, of the joint itself, or none.
Reach = Literal["all below", "rotary below", "itself", "none"]

WELDED = "the link is welded to the root and never moves"


@dataclass(frozen=True)
class Finding:
    """Something wrong in a URDF that has one sensible reading.

    Parameters
    ----------
    node : Node
        Where it stands.
    name : str
        The link, joint or file it is about.
    only_welded : bool
        It is a repair only of a link that never moves; of others it is an error.
    """

    kind: RepairKind
    node: Node
    name: str
    says: str
    taken: str
    why: str
    reach: Reach
    only_welded: bool = False


@dataclass
class Findings:
    """A notebook of what was found; a strict one takes nothing and raises."""

    strict: bool
    found: list[Finding] = field(default_factory=list)

    def note(self, finding: Finding) -> None:
        """Write a finding down.

        Raises
        ------
        ModelError
            What is wrong, where reading is strict.
        """
        if self.strict:
            raise finding.node.error(finding.says)
        self.found.append(finding)

    def repairs(self, joints: Iterable[Joint]) -> tuple[Repair, ...]:
        """What was done about all of it, now that the joints are known.

        Raises
        ------
        ModelError
            If something can be passed over only in a link that never moves, and the link does.
        """
        carrier = {joint.child: joint for joint in joints}
        by_name = {joint.name: joint for joint in carrier.values()}
        return tuple(_repair(one, carrier, by_name) for one in self.found)


def _repair(one: Finding, carrier: Mapping[str, Joint], by_name: Mapping[str, Joint]) -> Repair:
    below = [] if one.reach == "none" else _moving_below(one.name, carrier)
    if one.reach == "itself":
        below = [by_name[one.name]]
    elif one.reach != "none" and below and one.only_welded:
        raise one.node.error(one.says)
    elif one.reach == "rotary below":
        below = [joint for joint in below if not joint.is_prismatic]
    why = one.why
    if one.reach in ("all below", "rotary below") and not below:
        moves = _moving_below(one.name, carrier)
        why = "no joint below the link turns it" if moves else WELDED
    touched = dict.fromkeys(_leader(joint, by_name) for joint in below)
    return Repair(one.kind, one.node.subject, one.says, one.taken, tuple(touched), why)


def _moving_below(link: str, carrier: Mapping[str, Joint]) -> list[Joint]:
    """The joints that move a link, from the root on."""
    chain: list[Joint] = []
    while (joint := carrier.get(link)) is not None:
        chain.append(joint)
        link = joint.parent
    return [joint for joint in reversed(chain) if joint.is_movable]


def _leader(joint: Joint, by_name: Mapping[str, Joint]) -> str:
    while joint.mimic is not None:
        joint = by_name[joint.mimic.joint]
    return joint.name
