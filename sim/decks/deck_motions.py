"""Freedom of the tree driven by a MOTION: that of a JOINT, or along an axis of marker J.

Between markers the coordinate is DX, DY or DZ of I along J, or the rotation of I in J about one
axis of J. It equals that of a joint between the same parts, up to sign and a constant:

    m - m0 = sign (q - q0)

Source: MSC Adams Solver, statement MOTION.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from msgspec import Struct

from sim.decks.deck import Deck
from sim.decks.deck_joints import NEAR, Move
from sim.decks.spanning_tree import SpanningTree, TreeJoint, joints_driven
from sim.decks.statements import Statement
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose
from sim.maths.screws import log_rotation

TYPES: Mapping[str, Move] = MappingProxyType({"ROTATIONAL": "hinge", "TRANSLATIONAL": "slide"})
COMPONENTS = ("X", "Y", "Z", "B1", "B2", "B3")


class Driven(Struct, frozen=True, eq=False):
    """The joint driven by a MOTION: ``q = sign m + offset`` [rad or m]."""

    joint: TreeJoint
    sign: float = 1.0
    offset: float = 0.0


def driven_joint(one: Statement, deck: Deck, tree: SpanningTree) -> Driven:
    """Return the joint that a MOTION drives.

    Raises
    ------
    DeckError
        If it is not a freedom of a joint of the tree.
    """
    one.require_one_of("ROTATIONAL", "TRANSLATIONAL")
    one.require_one_of("JOINT", "I")
    id = one.reference("JOINT")
    if id is None:
        return _between_markers(one, deck, tree)
    if id not in tree.joints_of:
        raise one.refusal(f"JOINT = {id}: there is no JOINT/{id}")
    if id in (joint.id for joint in tree.closing):
        raise one.refusal(f"JOINT/{id} closes a loop of joints that are driven too")
    moves = [TYPES[flag] for flag in one.flags if flag in TYPES]
    joints = [joint for joint in tree.joints_of[id] if joint.move in (moves or TYPES.values())]
    if not joints:
        raise one.refusal(_other_freedom(one, id, deck, tree))
    if len(joints) > 1:
        several = "several degrees of freedom; give ROTATIONAL or TRANSLATIONAL"
        raise one.refusal(f"JOINT/{id} has {several}")
    return Driven(joints[0])


def _other_freedom(one: Statement, id: int, deck: Deck, tree: SpanningTree) -> str:
    """Why a MOTION drives no freedom of a joint, and what would."""
    (kind,) = next(joint.flags for joint in deck.of("JOINT") if joint.id == id)
    flag = next(iter(one.flags & TYPES.keys()), "")
    others = [name for name, move in TYPES.items() if move in {j.move for j in tree.joints_of[id]}]
    remedy = f"use {others[0]}" if others else "a MOTION drives a hinge or a slide"
    is_given = f"it is {flag}, but " if flag else ""
    return f"{is_given}JOINT/{id} is {kind}: {remedy}"


def _between_markers(one: Statement, deck: Deck, tree: SpanningTree) -> Driven:
    """Return the freedom between two markers on the parts of a joint."""
    component = _component(one)
    move: Move = "hinge" if component.startswith("B") else "slide"
    axis = COMPONENTS.index(component) % 3
    i, j = (deck.marker(one, key) for key in "IJ")
    if one.id in tree.carriages:
        return Driven(tree.carriages[one.id])
    if rows := tree.loose.get((i, j)):
        place = COMPONENTS.index(component)
        if place < len(rows) and rows[place].move == move:
            return Driven(rows[place])
    T_0i, T_0j = deck.T_0m(i), deck.T_0m(j)
    T_ji = inverse_pose(T_0j) @ T_0i
    along = T_0j[:3, axis]
    for joint in joints_driven(one, deck):
        for row in tree.joints_of[joint.id]:
            way = _axis_in_world(row, tree)
            if row.move != move or np.linalg.norm(np.cross(way, along)) > NEAR:
                continue
            typed = _turn(one, T_ji, axis) if move == "hinge" else float(T_ji[axis, 3])
            far_is_i = tree.joints_of[joint.id][-1].child == tree.link_of[deck.markers[i].part].name
            sign = float(np.sign(way @ along)) * (1.0 if far_is_i else -1.0)
            offset = float(row.start - sign * typed)
            return Driven(row, sign, 0.0 if abs(offset) < NEAR else offset)
    what = "turns about" if move == "hinge" else "slides along"
    raise one.refusal(
        f"no REVOLUTE, TRANSLATIONAL or CYLINDRICAL of the tree between the parts of I = {i} and "
        f"J = {j} {what} {'xyz'[axis]} of J; put a JOINT there that leaves this freedom. Of parts "
        "that several joints carry MOTIONs move it along X, Y and Z, and turn it by B1, B2 and B3"
    )


def _component(one: Statement) -> str:
    components = one.flags.intersection(COMPONENTS)
    if len(components) != 1 or not {"I", "J"} <= one.values.keys():
        raise one.refusal(f"it needs JOINT, or I, J and one of {', '.join(COMPONENTS)}")
    return next(iter(components))


def _axis_in_world(row: TreeJoint, tree: SpanningTree) -> Array:
    """Return the direction of motion of a joint's child, at the start."""
    T = next(link.T_0l for link in tree.links if link.name == row.child)
    return np.asarray(T[:3, :3] @ row.axis)


def _turn(one: Statement, T_ji: Array, axis: int) -> float:
    """Return the angle of I in J about an axis of J [rad]; raises if I is rotated about others."""
    turned = log_rotation(T_ji[:3, :3])
    stray = float(np.linalg.norm(np.delete(turned, axis)))
    if stray > NEAR:
        raise one.refusal(
            f"its markers are turned by {np.degrees(stray):.6g} degrees about other axes than "
            f"{'xyz'[axis]} of J, and one angle does not define their motion"
        )
    return float(turned[axis])
