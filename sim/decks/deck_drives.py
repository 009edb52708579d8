"""Motions of a deck as drives of joints, and initial positions of joints.

A MOTION drives a freedom of the tree: that of a JOINT, or along an axis of marker J. Between
markers the coordinate is DX, DY or DZ of I along J, or the rotation of I in J about one axis of J.
It equals that of a joint between the same parts, up to sign and a constant:

    m - m0 = sign (q - q0)

Source: MSC Adams Solver, statement MOTION.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from msgspec import Struct

from sim.decks import trees
from sim.decks.deck import Deck
from sim.decks.deck_functions import DeckFunctions
from sim.decks.deck_joints import NEAR, Move, kind_of
from sim.decks.deck_units import DeckUnits
from sim.decks.deck_variables import without_variables
from sim.decks.spanning_tree import ON_ONE_AXIS, SpanningTree, TreeJoint, joints_driven
from sim.decks.statements import Statement
from sim.decks.typed_checks import require_time_only
from sim.errors import DeckError, SimError
from sim.functions.expression import expression
from sim.functions.lint import Level
from sim.functions.spline import Spline
from sim.functions.syntax import Node
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose
from sim.maths.screws import log_rotation
from sim.motion.joint_motion import JointMotion

TYPES: Mapping[str, Move] = MappingProxyType({"ROTATIONAL": "hinge", "TRANSLATIONAL": "slide"})
COMPONENTS = ("X", "Y", "Z", "B1", "B2", "B3")

LEVELS: Mapping[str, Level] = {
    "DISPLACEMENT": "displacement",
    "VELOCITY": "velocity",
    "ACCELERATION": "acceleration",
}
IGNORED: Mapping[Level, tuple[str, ...]] = {
    "displacement": ("ICDISP", "ICVEL"),
    "velocity": ("ICVEL",),
    "acceleration": (),
}
"""Starts that a MOTION of a level determines itself."""
AS_TYPED = 1e-6  # [rad or m] deviation of a start from the typed part without a note


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
    if (kind := kind_of(deck.by_id("JOINT")[id])) not in ON_ONE_AXIS:
        hint = "; add a CYLINDRICAL between its parts and drive it" if kind == "SCREW" else ""
        kinds = ", ".join(ON_ONE_AXIS)
        raise one.refusal(f"JOINT/{id} is {kind}; a MOTION drives one of {kinds}{hint}")
    if id in (joint.id for joint in tree.closing):
        raise one.refusal(f"JOINT/{id} closes a loop of joints that are driven too")
    moves = [TYPES[flag] for flag in one.flags if flag in TYPES]
    joints = [joint for joint in tree.joints_of[id] if joint.move in (moves or TYPES.values())]
    if not joints:
        flag, other = sorted(TYPES, key=lambda flag: flag not in one.flags)
        raise one.refusal(f"it is {flag}, but JOINT/{id} is {kind}: use {other}")
    if len(joints) > 1:
        several = "several degrees of freedom; give ROTATIONAL or TRANSLATIONAL"
        raise one.refusal(f"JOINT/{id} has {several}")
    return Driven(joints[0])


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


class DeckDrives(Struct, frozen=True, eq=False):
    """Drives by level and joint in SI units, starts of the joints, and undriven joints."""

    drives: Mapping[Level, Mapping[str, str]]
    splines: Mapping[str, Spline]
    q0: Mapping[str, float]
    qd0: Mapping[str, float]
    free: tuple[str, ...]
    notes: tuple[str, ...]
    joints: Mapping[int, str]  # joint driven by each MOTION, by id

    def motion(self) -> JointMotion:
        """Return the drives as a motion."""
        motion = JointMotion.acceleration(
            self.drives["acceleration"], self.q0, self.qd0, splines=self.splines, free=self.free
        )
        motion |= JointMotion.displacement(self.drives["displacement"], splines=self.splines)
        return motion | JointMotion.velocity(self.drives["velocity"], splines=self.splines)


def deck_drives(functions: DeckFunctions) -> DeckDrives:
    """Return the drives and starts of a deck.

    Raises
    ------
    DeckError
        If a motion is not supported; names line and statement.
    """
    deck, tree = functions.deck, functions.tree
    joints = [joint for joint in tree.joints if joint.move != "fixed" and joint.mimic is None]
    q0 = {joint.name: joint.start for joint in joints}
    qd0: dict[str, float] = {}
    for statement in deck.of("JOINT"):
        _start_by_joint(statement, functions, q0, qd0)
    drives: dict[Level, dict[str, str]] = {level: {} for level in LEVELS.values()}
    splines: dict[str, Spline] = {}
    by: dict[str, Statement] = {}
    notes: list[str] = []
    for motion in deck.of("MOTION"):
        driven = driven_joint(motion, deck, tree)
        joint = driven.joint
        if joint.mimic is not None:
            raise motion.refusal(
                f"its joint is coupled to {joint.mimic.leaders} and follows, and another MOTION "
                "drives what it follows"
            )
        if joint.name in by:
            raise motion.refusal(f"{by[joint.name].label} drives its joint already")
        by[joint.name] = motion
        level = _level(motion)
        one = _unit(joint, deck.units)
        rate = one / deck.units.time
        scales = {"displacement": one, "velocity": rate, "acceleration": rate / deck.units.time}
        function = _in_joint(functions.function(motion, scale=scales[level]), driven, level)
        splines.update(functions.splines_read(function))
        function = without_variables(function, functions)
        require_time_only(function, motion)
        text = trees.write(function)
        drives[level][joint.name] = text
        ignored = [key for key in IGNORED[level] if key in motion.values]
        if level != "acceleration" and qd0.pop(joint.name, None) is not None:
            ignored.append(f"the start speed of joint {joint.name}")
        if ignored:
            notes.append(
                f"{motion.label}: {' and '.join(ignored)} ignored: its FUNCTION gives the {level}"
            )
        if "ICDISP" in motion.values:
            q0[joint.name] = driven.sign * one * motion.number("ICDISP") + driven.offset
        if level == "acceleration" and "ICVEL" in motion.values:
            qd0[joint.name] = driven.sign * rate * motion.number("ICVEL")
        start = _checked_start(motion, text, splines)
        if level == "displacement":
            q0[joint.name] = start
    for joint in joints:
        if abs(q0[joint.name] - joint.start) > AS_TYPED:
            unit = "m" if joint.move == "slide" else "rad"
            notes.append(
                f"joint {joint.name} starts at {q0[joint.name]:.6g} {unit}, by its motion or its "
                f"start; the parts are placed at {joint.start:.6g} {unit}"
            )
    free = tuple(joint.name for joint in joints if joint.name not in by)
    start_q = {name: value for name, value in q0.items() if value}
    driven_by = {motion.id: name for name, motion in by.items()}
    return DeckDrives(drives, splines, start_q, qd0, free, tuple(notes), driven_by)


def _checked_start(one: Statement, text: str, splines: Mapping[str, Spline]) -> float:
    """Return the value of a drive at t = 0; raises if it cannot be parsed or is not finite."""
    try:
        start = float(expression(text, splines).value(0.0))
    except SimError as error:
        raise DeckError(f"{one.label}: {error}") from None
    if not np.isfinite(start):
        raise one.refusal(f"its FUNCTION is not finite at TIME = 0: {text}")
    return start


def _in_joint(node: Node, driven: Driven, level: Level) -> Node:
    """Return the function of a motion as a function of the joint coordinate."""
    signed = node if driven.sign > 0 else trees.negate(node)
    has_offset = level == "displacement" and driven.offset
    return trees.add(signed, trees.literal(driven.offset)) if has_offset else signed


def _level(one: Statement) -> Level:
    one.require_one_of(*LEVELS)
    return LEVELS[next(iter(one.flags & set(LEVELS)), "DISPLACEMENT")]


def require_masses(deck: Deck, tree: SpanningTree) -> None:
    """Check that freely moving parts have mass or carry a part with mass; raises DeckError."""
    carried = {joint.child: joint for joint in tree.joints}
    moving = {link.name for link in tree.links if link.part is not None and link.part.mass > 0}
    for joint in reversed(tree.joints):
        if joint.child in moving:
            moving.add(joint.parent)
    driven = {driven_joint(one, deck, tree).joint.name for one in deck.of("MOTION")}
    for id, link in tree.link_of.items():
        one = deck.parts[id]
        if link.name in moving or one.is_ground:
            continue
        joint = carried[link.name]
        if joint.move != "fixed" and joint.name not in driven:
            mass = one.statement.text("MASS")
            typed = "no MASS" if mass is None else f"MASS = {mass}"
            raise one.statement.refusal(
                f"{typed}: a part that moves freely needs a MASS above 0, with CM and IP"
            )


def _start_by_joint(
    statement: Statement, functions: DeckFunctions, q0: dict[str, float], qd0: dict[str, float]
) -> None:
    """Store the initial displacement and velocity given by ICTRAN, ICROT and IC."""
    units = functions.deck.units
    statement.require_one_of("IC", "ICTRAN")
    statement.require_one_of("IC", "ICROT")
    for key, move in (("ICTRAN", "slide"), ("ICROT", "hinge"), ("IC", "")):
        numbers = statement.numbers(key)
        if numbers is None:
            continue
        of_joint = functions.tree.joints_of[statement.id]
        single = [joint for joint in of_joint if joint.move != "ball"]
        joints = [joint for joint in single if joint.move == (move or joint.move)]
        if len(joints) != 1 or len(numbers) > 2:
            raise statement.refusal(
                f"{key}: it requires displacement and velocity of a joint with one such freedom"
            )
        if (mimic := joints[0].mimic) is not None:
            raise statement.refusal(
                f"{key}: the joint is coupled to {mimic.leaders}, which sets its start"
            )
        one = _unit(joints[0], units)
        q0[joints[0].name] = float(numbers[0]) * one
        if len(numbers) > 1:
            qd0[joints[0].name] = float(numbers[1]) * one / units.time


def _unit(joint: TreeJoint, units: DeckUnits) -> float:
    """Return the deck's unit of a joint's displacement [m or rad]."""
    return units.length if joint.move == "slide" else 1.0
