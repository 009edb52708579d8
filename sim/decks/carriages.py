"""MOTIONs that drive no joint but move what several carry, as the tool of an arm.

A MOTION along X, Y or Z of marker J moves a carriage without mass along this axis of J, and a loop
keeps I in the plane across it that the carriage has:

    e · (p_I - p_J) = m(t)

Three MOTIONs B1, B2 and B3 of the same markers turn one about x, y and z of J, one after the other,
and a loop keeps the axes of I parallel to its own. B1 alone turns one about x of J, and z of I is
kept square to its y; B3 alone turns one on the part of I back about z of I, and x of J is kept
square to its y: of R = Rx Ry Rz that is the first, or the last, whatever the others are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sim.decks.deck import Deck, channel_names
from sim.decks.deck_joints import Step
from sim.decks.deck_urdf import without_rounding
from sim.decks.spanning_tree import TURNS, SpanningTree, TreeJoint, TreeLink, joints_driven
from sim.decks.statements import Statement
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose, rpy_from_rotation
from sim.robots.loop import Loop

if TYPE_CHECKING:
    from sim.decks.deck_functions import DeckFunctions


COMPONENTS = ("X", "Y", "Z", *TURNS)


def with_carriages(deck: Deck, tree: SpanningTree) -> SpanningTree:
    """The tree with a carriage for each MOTION that moves what several joints carry."""
    names = channel_names(deck.of("MOTION"))
    taken = {joint.name.upper() for joint in tree.joints}
    links, joints = list(tree.links), list(tree.joints)
    carriages: dict[int, TreeJoint] = {}
    for key, steps in _steps(deck, tree):
        own = deck.marker(steps[0][0], key)
        base, T_0n = tree.link_of[deck.markers[own].part], deck.T_0m(own)
        for one, step in steps:
            name = names[one.id] if names[one.id].upper() not in taken else f"MOTION_{one.id}"
            is_turned = step.move == "hinge"
            link = TreeLink(f"{name}_carriage", None, T_0n @ step.T_start, is_turned=is_turned)
            T_pc, ends = inverse_pose(base.T_0l) @ T_0n, (base.name, link.name)
            carriages[one.id] = TreeJoint(name, step.move, *ends, T_pc, step.axis, step.start)
            links.append(link)
            joints.append(carriages[one.id])
            base, T_0n = link, link.T_0l
    return replace(tree, links=tuple(links), joints=tuple(joints), carriages=carriages)


def _steps(deck: Deck, tree: SpanningTree) -> Iterator[tuple[str, list[tuple[Statement, Step]]]]:
    """The steps of each carriage from J or I on, with the MOTIONs that drive them."""
    turns: dict[tuple[int, int], dict[str, Statement]] = {}
    for one in deck.of("MOTION"):
        flags = one.flags.intersection(COMPONENTS)
        if "JOINT" in one.values or len(flags) != 1 or not {"I", "J"} <= one.values.keys():
            continue
        i, j = (deck.marker(one, key) for key in "IJ")
        parts, (flag,) = (deck.markers[i].part, deck.markers[j].part), flags
        if (i, j) in tree.loose or joints_driven(one, deck) or parts[0] == parts[1]:
            continue
        T_ji, axis = inverse_pose(deck.T_0m(j)) @ deck.T_0m(i), COMPONENTS.index(flag) % 3
        if flag in "XYZ":
            yield "J", [(one, Step("slide", np.eye(3)[axis], float(T_ji[axis, 3])))]
            continue
        turns.setdefault((i, j), {})[flag] = one
        if len(turns[i, j]) == len(TURNS):
            rows = zip(TURNS, np.eye(3), _turns(T_ji), strict=True)
            yield "J", [(turns[i, j][key], Step("hinge", e, angle)) for key, e, angle in rows]
    for (i, j), alone in turns.items():
        first, _, last = _turns(inverse_pose(deck.T_0m(j)) @ deck.T_0m(i))
        if alone.keys() == {"B1"}:
            yield "J", [(alone["B1"], Step("hinge", np.eye(3)[0], first))]
        elif alone.keys() == {"B3"}:
            yield "I", [(alone["B3"], Step("hinge", -np.eye(3)[2], last))]


def _turns(T_ji: Array) -> tuple[float, float, float]:
    """Angles about x, y and z of which a rotation is Rx Ry Rz [rad]."""
    first, second, last = (-np.array(rpy_from_rotation(T_ji[:3, :3].T))).tolist()
    return first, second, last


def _alone(one: Statement, tree: SpanningTree) -> str:
    """B1 or B3 of a MOTION that turns by it alone; empty of any other."""
    ends = [end for joint in tree.carriages.values() for end in (joint.parent, joint.child)]
    is_alone = ends.count(tree.carriages[one.id].child) == 1
    is_alone &= not any(tree.carriages[one.id].parent == x.child for x in tree.carriages.values())
    return next(iter(one.flags & {*TURNS}), "") if is_alone else ""


def planes_of_carriages(functions: DeckFunctions) -> Iterator[tuple[Statement, Loop]]:
    """The loops that keep markers on carriages."""
    deck, tree = functions.deck, functions.tree
    for one in deck.of("MOTION"):
        if one.id not in tree.carriages:
            continue
        joint, turned = tree.carriages[one.id], _alone(one, tree)
        i = deck.marker(one, "J" if turned == "B3" else "I")
        link = tree.link_of[deck.markers[i].part]
        T_li = inverse_pose(link.T_0l) @ deck.T_0m(i)
        ends = joint.child, np.zeros(3), link.name, without_rounding(T_li[:3, 3])
        if turned:
            own = without_rounding(T_li[:3, 2 if turned == "B1" else 0])
            axes = {"axis_a": np.eye(3)[1], "axis_b": own}
            yield one, Loop(f"{joint.name}_turned", *ends, kind="perpendicular", **axes)
        elif joint.move == "slide":
            yield one, Loop(f"{joint.name}_plane", *ends, kind="inplane", axis_a=joint.axis)
        elif TURNS[-1] in one.flags:
            across, _, along = without_rounding(T_li[:3, :3]).T
            yield (
                one,
                Loop(
                    f"{joint.name}_turned",
                    *ends,
                    kind="orientation",
                    axis_a=np.eye(3)[2],
                    axis_b=along,
                    across_a=np.eye(3)[0],
                    across_b=across,
                ),
            )
