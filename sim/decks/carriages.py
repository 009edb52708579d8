"""MOTIONs that drive no joint but move what several carry, as the tool of an arm.

A MOTION along X, Y or Z of marker J moves a carriage without mass along this axis of J, and a loop
keeps I in the plane across it that the carriage has:

    e · (p_I - p_J) = m(t)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sim.decks.deck import Deck, channel_names
from sim.decks.deck_urdf import without_rounding
from sim.decks.spanning_tree import SpanningTree, TreeJoint, TreeLink, joints_driven
from sim.decks.statements import Statement
from sim.maths.rotations import inverse_pose, pose
from sim.robots.loop import Loop

if TYPE_CHECKING:
    from sim.decks.deck_functions import DeckFunctions


def with_carriages(deck: Deck, tree: SpanningTree) -> SpanningTree:
    """The tree with a carriage for each MOTION that moves what several joints carry."""
    names = channel_names(deck.of("MOTION"))
    taken = {joint.name.upper() for joint in tree.joints}
    links, joints = list(tree.links), list(tree.joints)
    carriages: dict[int, TreeJoint] = {}
    for one in deck.of("MOTION"):
        axis = _axis_of(one, deck, tree)
        if axis is None:
            continue
        i, j = (deck.marker(one, key) for key in "IJ")
        T_0j, base = deck.T_0m(j), tree.link_of[deck.markers[j].part]
        e, start = np.eye(3)[axis], float((inverse_pose(T_0j) @ deck.T_0m(i))[axis, 3])
        name = names[one.id] if names[one.id].upper() not in taken else f"MOTION_{one.id}"
        link = TreeLink(f"{name}_carriage", None, T_0j @ pose(None, start * e))
        T_pc = inverse_pose(base.T_0l) @ T_0j
        carriages[one.id] = TreeJoint(name, "slide", base.name, link.name, T_pc, e, start)
        links.append(link)
        joints.append(carriages[one.id])
    return replace(tree, links=tuple(links), joints=tuple(joints), carriages=carriages)


def _axis_of(one: Statement, deck: Deck, tree: SpanningTree) -> int | None:
    """0, 1 or 2 of X, Y or Z of a MOTION that no joint can have; None of any other."""
    flags = one.flags.intersection("XYZ")
    if "JOINT" in one.values or len(flags) != 1 or not {"I", "J"} <= one.values.keys():
        return None
    i, j = (deck.marker(one, key) for key in "IJ")
    parts = deck.markers[i].part, deck.markers[j].part
    if (i, j) in tree.loose or joints_driven(one, deck) or parts[0] == parts[1]:
        return None
    return "XYZ".index(next(iter(flags)))


def planes_of_carriages(functions: DeckFunctions) -> Iterator[tuple[Statement, Loop]]:
    """The loops that keep markers on carriages."""
    deck, tree = functions.deck, functions.tree
    for one in deck.of("MOTION"):
        if one.id not in tree.carriages:
            continue
        joint, i = tree.carriages[one.id], deck.marker(one, "I")
        link = tree.link_of[deck.markers[i].part]
        point = (inverse_pose(link.T_0l) @ deck.T_0m(i))[:3, 3]
        ends = joint.child, np.zeros(3), link.name, without_rounding(point)
        yield one, Loop(f"{joint.name}_plane", *ends, kind="inplane", axis_a=joint.axis)
