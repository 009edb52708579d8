"""The tree of links that a deck is: its parts from the ground on, one joint a freedom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sim.decks.deck import Deck, Part, channel_names
from sim.decks.deck_joints import COUPLING, Move, Step, kind_of, steps_of
from sim.decks.statements import Statement
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose
from sim.robots import Mimic

SUFFIXES = "abc"  # of the joints that a joint of several freedoms becomes


@dataclass(frozen=True, eq=False)
class TreeLink:
    """A link; `part` is None for the massless one between two freedoms of a joint.

    `T_0l` is its pose in the world at the start [m].
    """

    name: str
    part: Part | None
    T_0l: Array


@dataclass(frozen=True, eq=False)
class TreeJoint:
    """A joint of the tree; `T_pc` is its frame in the parent, `start` its value [rad or m].

    `mimic` says which joint it follows, if it is coupled to one.
    """

    name: str
    move: Move | Literal["fixed"]
    parent: str
    child: str
    T_pc: Array
    axis: Array
    start: float
    mimic: Mimic | None = None


@dataclass(frozen=True, eq=False)
class SpanningTree:
    """Links and joints, the ground first, and where parts and joints of the deck are in it."""

    links: tuple[TreeLink, ...]
    joints: tuple[TreeJoint, ...]
    link_of: Mapping[int, TreeLink]
    joints_of: Mapping[int, tuple[TreeJoint, ...]]
    notes: tuple[str, ...] = ()


def spanning_tree(deck: Deck) -> SpanningTree:
    """Join the parts of a deck together.

    Raises
    ------
    DeckError
        If a joint cannot be had here or closes a loop, or a part is joined to nothing.
    """
    grown = _Growing(deck)
    kinds = [(joint, kind_of(joint)) for joint in deck.of("JOINT")]
    waiting = [joint for joint, kind in kinds if kind not in COUPLING]
    grown.joints_of.update((joint.id, ()) for joint, kind in kinds if kind in COUPLING)
    while waiting:
        ready = next((joint for joint in waiting if grown.touches(joint)), None)
        if ready is None:
            break
        grown.take(ready)
        waiting.remove(ready)
    for part in deck.parts.values():
        if part.statement.id not in grown.link_of:
            raise part.statement.refusal(
                "no joints lead from it to the ground; a part that moves freely needs a ball, "
                "which is not offered yet"
            )
    return SpanningTree(tuple(grown.links), tuple(grown.joints), grown.link_of, grown.joints_of)


class _Growing:
    """The tree so far."""

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        self.names = channel_names(part.statement for part in deck.parts.values())
        self.joint_names = channel_names(deck.of("JOINT"))
        ground = deck.ground
        root = TreeLink(self.names[ground.statement.id], ground, np.eye(4))
        self.links, self.joints = [root], list[TreeJoint]()
        self.link_of = {ground.statement.id: root}
        self.joints_of: dict[int, tuple[TreeJoint, ...]] = {}

    def touches(self, joint: Statement) -> bool:
        """True if a part of the joint is in the tree."""
        return any(part in self.link_of for part in self._parts(joint))

    def take(self, joint: Statement) -> None:
        """Put the far part of a joint into the tree."""
        part_i, part_j = self._parts(joint)
        if part_i in self.link_of and part_j in self.link_of:
            raise joint.refusal(
                f"it closes a loop: PART/{part_i} and PART/{part_j} are joined already by other "
                "joints; loops of a deck are not offered yet"
            )
        i, j = (self.deck.marker(joint, key) for key in "IJ")
        from_j = part_j in self.link_of
        near, far = (part_j, part_i) if from_j else (part_i, part_j)
        T_0i, T_0j = self.deck.T_0m(i), self.deck.T_0m(j)
        steps = steps_of(joint, inverse_pose(T_0j) @ T_0i, from_j)
        T = T_0j if from_j else T_0i
        self._grow(joint, self.link_of[near], T, steps, far)

    def _parts(self, joint: Statement) -> tuple[int, int]:
        i, j = (self.deck.markers[self.deck.marker(joint, key)].part for key in "IJ")
        return i, j

    def _grow(
        self, joint: Statement, link: TreeLink, T_0n: Array, steps: tuple[Step, ...], far: int
    ) -> None:
        """Links and joints of the steps from a link on, the first at T_0n."""
        name, made = self.joint_names[joint.id], list[TreeJoint]()
        fixed = Step("slide", np.array([0.0, 0, 1]), 0.0)
        for index, step in enumerate(steps or (fixed,)):
            last = index == max(len(steps) - 1, 0)
            own = name if len(steps) < 2 else f"{name}_{SUFFIXES[index]}"
            child = TreeLink(
                self.names[far] if last else f"{own}_sleeve",
                self.deck.parts[far] if last else None,
                T_0n @ step.T_start,
            )
            made.append(
                TreeJoint(
                    own,
                    step.move if steps else "fixed",
                    link.name,
                    child.name,
                    inverse_pose(link.T_0l) @ T_0n,
                    step.axis,
                    step.start,
                )
            )
            self.links.append(child)
            link, T_0n = child, child.T_0l
        self.joints += made
        self.link_of[far] = link
        self.joints_of[joint.id] = tuple(made)
