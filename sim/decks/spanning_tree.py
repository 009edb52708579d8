"""Tree of links of a deck: its parts from the ground on, with one joint per freedom.

A part that no joint carries has three slides along the world's axes and a ball at its mass centre.
A POINT_MASS has only the slides, and joints on it close loops. If MOTIONs move a part by a marker I
on it, the slides are along the axes of J and lead to I, and if one drives a rotation, three hinges
about x, y and z replace the ball: ADAMS's B1, B2 and B3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sim.decks.deck import Deck, Part, channel_names
from sim.decks.deck_joints import COUPLING, NEAR, Move, Step, freedoms_of, kind_of, steps_of
from sim.decks.statements import Statement
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose, pose, rpy_from_rotation
from sim.robots import Mimic

SUFFIXES = "abc"  # of the joints of a joint with several freedoms
ON_ONE_AXIS = ("REVOLUTE", "TRANSLATIONAL", "CYLINDRICAL")
STARTS = ("ICTRAN", "ICROT", "IC")
TURNS = ("B1", "B2", "B3")
SLIDES = "xyz"  # of a part that no joint carries, besides its ball


class TreeLink(Struct, frozen=True, eq=False):
    """A link; `part` is None between two freedoms, where its mass is negligible.

    `T_0l` is its pose in the world at the start [m]. `is_bare` is a link of a loose part without
    any mass; one that `is_turned` by MOTIONs has no load.
    """

    name: str
    part: Part | None
    T_0l: Array
    is_bare: bool = False
    is_turned: bool = False


class TreeJoint(Struct, frozen=True, eq=False):
    """A joint of the tree; `T_pc` is its frame in the parent, `start` its value [rad or m].

    `mimic` has the joint that it follows, if it is coupled.
    """

    name: str
    move: Move | Literal["fixed"]
    parent: str
    child: str
    T_pc: Array
    axis: Array
    start: float
    mimic: Mimic | None = None


class SpanningTree(Struct, frozen=True, eq=False):
    """Links and joints, the ground first, and the positions of the deck's parts and joints in it.

    `loose` are joints of parts that MOTIONs move by their markers I and J, keyed by these.
    `closing` are joints outside the tree, as others connect their parts already, and `threads` the
    SCREWs whose rotation and slide are tied by a loop. `carriages` are driven by MOTIONs, keyed by
    id, that drive no joint. `toothed` are joints on which GEARs and RACKPINs act, by name. With
    `is_apart` all joints close loops, typed anywhere.
    """

    links: tuple[TreeLink, ...]
    joints: tuple[TreeJoint, ...]
    link_of: Mapping[int, TreeLink]
    joints_of: Mapping[int, tuple[TreeJoint, ...]]
    closing: tuple[Statement, ...] = ()
    threads: frozenset[int] = frozenset()
    loose: Mapping[tuple[int, int], tuple[TreeJoint, ...]] = msgspec.field(default_factory=dict)
    carriages: Mapping[int, TreeJoint] = msgspec.field(default_factory=dict)
    notes: tuple[str, ...] = ()
    is_apart: bool = False
    toothed: frozenset[str] = frozenset()

    @property
    def near(self) -> float:
        """Allowed gap between the typed markers of a joint [m], [rad]."""
        return np.inf if self.is_apart else NEAR

    def joints_between(self, link: str, other: str) -> set[str]:
        """Return the joints of the tree on the path between two links."""
        carried = {joint.child: joint for joint in self.joints}

        def to_the_ground(at: str) -> set[str]:
            joint = carried.get(at)
            return set() if joint is None else {joint.name} | to_the_ground(joint.parent)

        return to_the_ground(link) ^ to_the_ground(other)

    def joints_on_path(self, joint: Statement, deck: Deck) -> set[str]:
        """Return the joints of the tree on the path between the parts of a joint."""
        ends = (self.link_of[deck.markers[deck.marker(joint, key)].part].name for key in "IJ")
        return self.joints_between(*ends)

    def is_idle(self, joint: Statement, deck: Deck) -> bool:
        """Whether a joint outside the tree is between parts that FIXED joints connect."""
        between = self.joints_on_path(joint, deck)
        moves = {one.name: one.move for one in self.joints}
        return joint in self.closing and all(moves[name] == "fixed" for name in between)

    def is_toothed(self, joint: Statement, deck: Deck) -> bool:
        """Whether teeth load a joint, or another one between its two parts."""
        path = self.joints_on_path(joint, deck)
        is_single = any(path == {row.name for row in rows} for rows in self.joints_of.values())
        return is_single and not path.isdisjoint(self.toothed)


def spanning_tree(deck: Deck, threads: frozenset[int] = frozenset()) -> SpanningTree:
    """Connect the parts of a deck to a tree.

    The slide of a SCREW follows its hinge, except for `threads`, given by id.

    Raises
    ------
    DeckError
        If a joint is unsupported.
    """
    grown = _Growing(deck, threads)
    kinds = [(joint, kind_of(joint)) for joint in deck.of("JOINT")]
    holding = [joint for joint, kind in kinds if kind not in COUPLING]
    closing = _closing_joints(deck, holding)
    waiting = [joint for joint in holding if joint not in closing]
    grown.joints_of.update((joint.id, ()) for joint, kind in kinds if kind in COUPLING)
    grown.joints_of.update((joint.id, ()) for joint in closing)
    while True:
        ready = next((joint for joint in waiting if grown.touches(joint)), None)
        loose = next((id for id in deck.parts if id not in grown.link_of), None)
        if ready is not None:
            grown.take(ready)
            waiting.remove(ready)
        elif loose is not None:
            grown.set_loose(loose)
        else:
            break
    links, joints = tuple(grown.links), tuple(grown.joints)
    of_tree = (links, joints, grown.link_of, grown.joints_of, closing, threads)
    return SpanningTree(*of_tree, grown.loose)


def single_parts(deck: Deck) -> SpanningTree:
    """Return the parts of a deck as separate free bodies: all joints close loops."""
    grown = _Growing(deck, frozenset())
    for id, part in deck.parts.items():
        if not part.is_ground:
            grown.set_free(id)
    closing = tuple(joint for joint in deck.of("JOINT") if kind_of(joint) not in COUPLING)
    nothing = {joint.id: () for joint in deck.of("JOINT")}
    links, joints = tuple(grown.links), tuple(grown.joints)
    return SpanningTree(links, joints, grown.link_of, nothing, closing, is_apart=True)


def _closing_joints(deck: Deck, joints: list[Statement]) -> tuple[Statement, ...]:
    """Return the joints that close loops; referenced ones, then the stiffest, form the tree.

    A joint that is driven, coupled, or has friction or a start must be a coordinate.
    """
    named = {one.reference("JOINT") for one in deck.of("FRICTION")}
    named |= {joint.id for one in deck.of("MOTION") for joint in joints_driven(one, deck)}
    for one in deck.of("COUPLER", "GEAR"):
        ids = one.numbers("JOINTS")
        named |= set() if ids is None else {int(id) for id in ids}
    named |= {one.id for one in joints if any(key in one.values for key in STARTS)}

    def place(joint: Statement) -> tuple[bool, bool, int]:
        kind = kind_of(joint)
        return joint.id not in named, kind != "SCREW", freedoms_of(kind)

    root = {id: id for id in deck.parts}
    closing = set[int]()
    for joint in sorted(joints, key=place):
        parts = _parts_of(joint, deck)
        if parts[0] == parts[1]:
            raise joint.refusal("its markers I and J are on one part")
        i, j = (root[part] for part in parts)
        if i == j or any(deck.parts[part].is_point for part in parts):
            closing.add(joint.id)
            continue
        root = {id: i if at == j else at for id, at in root.items()}
    return tuple(joint for joint in joints if joint.id in closing)


def joints_driven(motion: Statement, deck: Deck) -> list[Statement]:
    """Return joints that a MOTION may drive: its own, or those between the parts of its markers."""
    id = motion.reference("JOINT")
    if id is not None or not {"I", "J"} <= motion.values.keys():
        return [joint for joint in deck.of("JOINT") if joint.id == id]
    ends = _parts_of(motion, deck)
    joints = [joint for joint in deck.of("JOINT") if kind_of(joint) in ON_ONE_AXIS]
    return [joint for joint in joints if {*_parts_of(joint, deck)} == {*ends}]


def _parts_of(one: Statement, deck: Deck) -> tuple[int, int]:
    """Return the parts of the markers I and J of a statement."""
    i, j = (deck.markers[deck.marker(one, key)].part for key in "IJ")
    return i, j


class _Growing:
    """The tree under construction."""

    def __init__(self, deck: Deck, threads: frozenset[int]) -> None:
        self.deck, self.threads = deck, threads
        self.names = channel_names(part.statement for part in deck.parts.values())
        self.joint_names = channel_names(deck.of("JOINT"))
        ground = deck.ground
        root = TreeLink(self.names[ground.statement.id], ground, np.eye(4))
        self.links, self.joints = [root], list[TreeJoint]()
        self.link_of = {ground.statement.id: root}
        self.joints_of: dict[int, tuple[TreeJoint, ...]] = {}
        self.loose: dict[tuple[int, int], tuple[TreeJoint, ...]] = {}

    def touches(self, joint: Statement) -> bool:
        """Whether a part of the joint is in the tree."""
        return any(part in self.link_of for part in _parts_of(joint, self.deck))

    def take(self, joint: Statement) -> None:
        """Add the far part of a joint to the tree."""
        part_i, part_j = _parts_of(joint, self.deck)
        i, j = (self.deck.marker(joint, key) for key in "IJ")
        from_j = part_j in self.link_of
        near, far = (part_j, part_i) if from_j else (part_i, part_j)
        T_0i, T_0j = self.deck.T_0m(i), self.deck.T_0m(j)
        steps = steps_of(joint, inverse_pose(T_0j) @ T_0i, from_j, self.deck.units.length)
        if joint.id in self.threads:
            steps = tuple(replace(step, follows=None) for step in steps)
        T = T_0j if from_j else T_0i
        name = self.joint_names[joint.id]
        names = [name] if len(steps) < 2 else [f"{name}_{suffix}" for suffix in SUFFIXES]
        self.joints_of[joint.id] = self._grow(names, self.link_of[near], T, steps, far)

    def set_loose(self, id: int) -> None:
        """Add a part that no joint carries to the tree."""
        if ends := self._moved_by(id):
            self._set_moved(id, *ends)
        else:
            self.set_free(id)

    def set_free(self, id: int) -> None:
        """Add a part with all freedoms in the world to the tree."""
        part = self.deck.parts[id]
        com = part.T_0p[:3, :3] @ part.com + part.T_0p[:3, 3]
        steps = [Step("slide", axis, 0.0) for axis in np.eye(3)]
        suffixes = [*SLIDES]
        if not part.is_point:
            steps.append(Step("ball", np.eye(3)[2], 0.0))
            suffixes.append("ball")
        names = self._names(id, suffixes)
        root = self.link_of[self.deck.ground.statement.id]
        self._grow(names, root, pose(None, com), tuple(steps), id)

    def _names(self, id: int, suffixes: Sequence[str]) -> list[str]:
        """Return the names of the joints of a part that no joint carries."""
        part, name = self.deck.parts[id], self.names[id]
        names = [f"{name}_{suffix}" for suffix in suffixes]
        others = {joint.name.upper() for joint in self.joints}
        others |= {name.upper() for name in self.joint_names.values()}
        if others & {name.upper() for name in names}:
            names = [f"{part.statement.keyword}_{id}_{suffix}" for suffix in suffixes]
        return names

    def _moved_by(self, id: int) -> tuple[int, int] | None:
        """Return I and J of the first MOTION of a part, by I on it, relative to the tree."""
        for one in self.deck.of("MOTION"):
            if {"I", "J"} <= one.values.keys():
                i, j = (self.deck.marker(one, key) for key in "IJ")
                if self.deck.markers[i].part == id and self.deck.markers[j].part in self.link_of:
                    return i, j
        return None

    def _set_moved(self, id: int, i: int, j: int) -> None:
        """Add a part to the tree by slides along the axes of J, and its rotations."""
        T_0j = self.deck.T_0m(j)
        T_ji = inverse_pose(T_0j) @ self.deck.T_0m(i)
        motions = self.deck.of("MOTION")
        of_markers = (s for s in motions if (s.reference("I"), s.reference("J")) == (i, j))
        turns = any(one.flags & {*TURNS} for one in of_markers)
        ways = zip(np.eye(3), T_ji[:3, 3].tolist(), strict=True)
        steps = [Step("slide", axis, x) for axis, x in ways]
        suffixes: tuple[str, ...] = (*SLIDES, "ball")
        if self.deck.parts[id].is_point:
            suffixes = (*SLIDES,)
        elif turns:
            angles = -np.array(rpy_from_rotation(T_ji[:3, :3].T))  # R = Rx Ry Rz
            pairs = zip(np.eye(3), angles.tolist(), strict=True)
            steps += [Step("hinge", axis, angle) for axis, angle in pairs]
            suffixes = (*SLIDES, *(flag.lower() for flag in TURNS))
        else:
            steps.append(Step("ball", np.eye(3)[2], 0.0))
        link = self.link_of[self.deck.markers[j].part]
        names = self._names(id, suffixes)
        self.loose[i, j] = self._grow(names, link, T_0j, tuple(steps), id)

    def _grow(
        self, names: list[str], link: TreeLink, T_0n: Array, steps: tuple[Step, ...], far: int
    ) -> tuple[TreeJoint, ...]:
        """Add links and joints of the steps from a link, the first at T_0n, to the far part."""
        joints = list[TreeJoint]()
        fixed = Step("slide", np.array([0.0, 0, 1]), 0.0)
        for index, step in enumerate(steps or (fixed,)):
            last = index == max(len(steps) - 1, 0)
            name = names[index]
            child = TreeLink(
                self.names[far] if last else f"{name}_sleeve",
                self.deck.parts[far] if last else None,
                T_0n @ step.T_start,
                is_bare=steps[-1].move == "ball" and not last if steps else False,
            )
            joints.append(
                TreeJoint(
                    name,
                    step.move if steps else "fixed",
                    link.name,
                    child.name,
                    inverse_pose(link.T_0l) @ T_0n,
                    step.axis,
                    step.start,
                    _mimic(step, steps, names),
                )
            )
            self.links.append(child)
            link, T_0n = child, child.T_0l
        self.joints += joints
        self.link_of[far] = link
        return tuple(joints)


def _mimic(step: Step, steps: tuple[Step, ...], names: list[str]) -> Mimic | None:
    """Return how a step follows another of its joint, relative to their typed positions."""
    if step.follows is None:
        return None
    offset = step.start - step.ratio * steps[step.follows].start
    return Mimic(names[step.follows], float(step.ratio), float(offset))
