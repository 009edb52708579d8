"""MOTIONs that drive no joint but a marker carried by several joints, such as the tool of an arm.

A MOTION along X, Y or Z of marker J moves a massless carriage along this axis of J, and a loop
keeps I in the plane of the carriage perpendicular to the axis:

    e · (p_I - p_J) = m(t)

MOTIONs B1, B2 and B3 of the same markers rotate a carriage successively about x, y and z of J, up
to the last of them; undriven rotations before it are free. A loop constrains I according to the
last factor of R = Rx Ry Rz: after B3 the axes of I are parallel to the carriage, after B2 z of I
is, after B1 z of I is perpendicular to the y of the carriage. B3 alone rotates a carriage on the
part of I back about z of I, and x of J is kept perpendicular to its y.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

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
    """Return the tree with a carriage for each MOTION of a marker carried by several joints."""
    names = channel_names(deck.of("MOTION"))
    used_names = {joint.name.upper() for joint in tree.joints}
    links, joints = list(tree.links), list(tree.joints)
    carriages: dict[int, TreeJoint] = {}
    for key, steps in _steps(deck, tree):
        marker = deck.marker(steps[0][0], key)
        base, T_0n = tree.link_of[deck.markers[marker].part], deck.T_0m(marker)
        for one, step, free in steps:
            name = names[one.id] if names[one.id].upper() not in used_names else f"MOTION_{one.id}"
            name = f"{name}_{free}" if free else name
            is_turned = step.move == "hinge"
            link = TreeLink(f"{name}_carriage", None, T_0n @ step.T_start, is_turned=is_turned)
            T_pc, ends = inverse_pose(base.T_0l) @ T_0n, (base.name, link.name)
            links.append(link)
            joints.append(TreeJoint(name, step.move, *ends, T_pc, step.axis, step.start))
            if not free:
                carriages[one.id] = joints[-1]
            base, T_0n = link, link.T_0l
    return replace(tree, links=tuple(links), joints=tuple(joints), carriages=carriages)


def _steps(
    deck: Deck, tree: SpanningTree
) -> Iterator[tuple[str, list[tuple[Statement, Step, str]]]]:
    """Yield the steps of each carriage, starting at J or I, with the MOTIONs that drive them.

    A free rotation has the next MOTION, and the flag of the rotation.
    """
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
            yield "J", [(one, Step("slide", np.eye(3)[axis], float(T_ji[axis, 3])), "")]
        else:
            turns.setdefault((i, j), {})[flag] = one
    for (i, j), driven in turns.items():
        angles = _turns(inverse_pose(deck.T_0m(j)) @ deck.T_0m(i))
        if driven.keys() == {"B3"}:
            yield "I", [(driven["B3"], Step("hinge", -np.eye(3)[2], angles[2]), "")]
            continue
        steps = list[tuple[Statement, Step, str]]()
        for k, flag in enumerate(TURNS[: 1 + max(map(TURNS.index, driven))]):
            motion = driven.get(flag) or next(driven[x] for x in TURNS[k:] if x in driven)
            free = "" if flag in driven else flag
            steps.append((motion, Step("hinge", np.eye(3)[k], angles[k]), free))
        yield "J", steps


def _turns(T_ji: Array) -> tuple[float, float, float]:
    """Return the angles about x, y and z [rad] of a rotation Rx Ry Rz."""
    first, second, last = (-np.array(rpy_from_rotation(T_ji[:3, :3].T))).tolist()
    return first, second, last


def planes_of_carriages(functions: DeckFunctions) -> Iterator[tuple[Statement, Loop]]:
    """Yield the loops that keep markers on carriages."""
    deck, tree = functions.deck, functions.tree
    parents, parts = {x.parent for x in tree.joints}, {x.name for x in tree.link_of.values()}
    for one in deck.of("MOTION"):
        joint = tree.carriages.get(one.id)
        if joint is None or joint.child in parents:  # a further rotation follows
            continue
        is_back = "B3" in one.flags and joint.parent in parts
        i = deck.marker(one, "J" if is_back else "I")
        link = tree.link_of[deck.markers[i].part]
        T_li = inverse_pose(link.T_0l) @ deck.T_0m(i)
        ends = joint.child, np.zeros(3), link.name, without_rounding(T_li[:3, 3])
        x, y, z = np.eye(3)
        of_x, _, of_z = without_rounding(T_li[:3, :3]).T
        name = f"{joint.name}_turned"
        if joint.move == "slide":
            yield one, Loop(f"{joint.name}_plane", *ends, kind="inplane", axis_a=joint.axis)
        elif is_back:
            yield one, Loop(name, *ends, kind="perpendicular", axis_a=y, axis_b=of_x)
        elif "B1" in one.flags:
            yield one, Loop(name, *ends, kind="perpendicular", axis_a=y, axis_b=of_z)
        elif "B2" in one.flags:
            yield one, Loop(name, *ends, kind="parallel", axis_a=z, axis_b=of_z)
        else:
            axes = {"axis_a": z, "axis_b": of_z, "across_a": x, "across_b": of_x}
            yield one, Loop(name, *ends, kind="orientation", **axes)
