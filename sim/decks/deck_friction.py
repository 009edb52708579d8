"""FRICTION of a deck's joints that follows the law of `sim.robots.joint_friction`.

A pin of a UNIVERSAL or HOOKE joint is a revolute joint. In a CYLINDRICAL joint friction opposes the
surface velocity, composed of sliding and rotation: it has one freedom if loops lock the other,
otherwise it is a sleeve of `sim.robots.friction_surface`, like a SPHERICAL is a ball there.

    slides  L = |F_across| + |M_across| / X_s       turns  L = R_p (|F_across| + |M_across| / X_s)
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from sim.decks.deck_functions import DeckFunctions
from sim.decks.deck_joints import CROSSES
from sim.decks.spanning_tree import TreeJoint
from sim.decks.statements import Statement
from sim.errors import DeckError, ModelError
from sim.robots.joint_friction import INPUTS, SLIDING, JointFriction

YOKES = frozenset({"I_YOKE", "J_YOKE"})
EFFECTS = (frozenset[str](), frozenset({"ALL"}), frozenset({"STICTION", "SLIDING"}))
SLIDING_ONLY = frozenset({"SLIDING"})
EFFECTS_OR_YOKES = ("ALL", "SLIDING", "STICTION", *sorted(YOKES))
INPUTS_OR_YOKES = ("ALL", "NONE", *(name.upper() for name in INPUTS), *sorted(YOKES))
CHOICES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "OVERLAP_DELTA": (("CONSTANT",), ("INCREASE", "DECREASE")),
    "FORMULATION": (("ORIGINAL", "STICK-SLIP"), ("LUGRE",)),
    "INACTIVE_DURING": (("STATIC",), ()),
}
"""Words of an argument, those that are supported and others."""
KINDS = ("REVOLUTE", "TRANSLATIONAL", "CYLINDRICAL", "SPHERICAL", "UNIVERSAL", "HOOKE")


def deck_friction(functions: DeckFunctions, still: Collection[str]) -> dict[str, JointFriction]:
    """Return friction laws by tree joint; `still` are the joints locked by loops.

    Raises
    ------
    DeckError
        If the joint or the kind of a friction is not supported.
    """
    laws: dict[str, JointFriction] = {}
    for one in functions.deck.of("FRICTION"):
        joint, turning = _joint(one, functions, still)
        if joint.name in laws:
            raise one.refusal("its joint has a FRICTION already")
        _require_law(one)
        try:
            laws[joint.name] = _law(one, joint, turning, functions)
        except ModelError as error:
            raise DeckError(f"{one.label}: {error}") from None
    return laws


def friction_notes(functions: DeckFunctions, laws: Mapping[str, JointFriction]) -> tuple[str, ...]:
    """Return notes on differences of the friction laws from ADAMS's."""
    smooth = [
        f"FRICTION of {joint.name}: a ball, or a sleeve that slides and turns, does not stick: "
        "below STICTION_TRANSITION_VELOCITY friction goes through zero, and under a load it creeps"
        for joint in functions.tree.joints
        if (law := laws.get(joint.name)) and (law.turns_with or joint.move == "ball")
    ]
    creeping = [
        one.label
        for one in functions.deck.of("FRICTION")
        if "MAX_STICTION_DEFORMATION" in one.values
    ]
    sliding = [
        f"{one.label}: EFFECT = SLIDING: at rest MU_DYNAMIC holds the joint too"
        for one in functions.deck.of("FRICTION")
        if _effect(one) == SLIDING_ONLY
    ]
    sliding += smooth
    if not creeping:
        return tuple(sliding)
    text = f"{', '.join(creeping)}: a joint that sticks does not creep here as it does in ADAMS"
    return (text, *sliding)


def _joint(
    one: Statement, functions: DeckFunctions, still: Collection[str]
) -> tuple[TreeJoint, TreeJoint | None]:
    """Return the freedom with friction and, for a sliding sleeve, the one of its rotation."""
    id = one.reference("JOINT")
    if id is None:
        raise one.refusal("it names no JOINT")
    joints = functions.deck.by_id("JOINT")
    if id not in joints:
        raise one.refusal(f"JOINT = {id}: there is no JOINT/{id}")
    (kind,), rows = joints[id].flags, functions.tree.joints_of[id]
    if kind not in KINDS:
        raise one.refusal(
            f"JOINT/{id} is {kind}; friction is supported in {', '.join(KINDS)} joints"
        )
    if not rows:
        raise one.refusal(f"JOINT/{id} closes a loop and is not a coordinate")
    turning: TreeJoint | None = None
    if kind in CROSSES:
        row = _pin(one, functions, joints[id])
    elif kind == "CYLINDRICAL":
        moving = [row for row in rows if row.name not in still]
        row = (moving or rows)[-1]
        if len(moving) > 1:
            row, turning = sorted(moving, key=lambda one: one.move == "hinge")
            _require_one_force(one)
    else:
        row = rows[0]
    for freedom in filter(None, (row, turning)):
        if freedom.mimic is not None:
            raise one.refusal(f"JOINT/{id} is coupled to {freedom.mimic.leaders} and follows it")
    return row, turning


def _require_one_force(one: Statement) -> None:
    """Check that a sleeve that slides and rotates has all friction as one surface force."""
    for key in ("FRICTION_TORQUE_PRELOAD", "MAX_FRICTION_TORQUE"):
        if one.number(key) != 0.0:
            raise one.refusal(
                f"{key}: its CYLINDRICAL slides and turns, and friction is one force at the "
                f"surface; give {key.replace('TORQUE', 'FORCE')}"
            )


def _pin(one: Statement, functions: DeckFunctions, joint: Statement) -> TreeJoint:
    """Return the hinge of a cross that is the pin of a yoke."""
    listed = {*one.words("INPUTS", INPUTS_OR_YOKES), *one.words("EFFECT", EFFECTS_OR_YOKES)}
    yokes = (one.flags | listed) & YOKES
    if len(yokes) != 1:
        raise one.refusal(
            f"JOINT/{joint.id} has two pins: give I_YOKE or J_YOKE; a second FRICTION has the other"
        )
    deck, tree = functions.deck, functions.tree
    near, far = tree.joints_of[joint.id]
    pin_part = deck.markers[deck.marker(joint, next(iter(yokes))[0])].part
    return near if near.parent == tree.link_of[pin_part].name else far


def _require_law(one: Statement) -> None:
    """Refuse features that the friction law does not have."""
    if (effect := _effect(one)) not in (*EFFECTS, SLIDING_ONLY):
        raise one.refusal(
            f"EFFECT = {':'.join(sorted(effect))}: only ALL and SLIDING are supported"
        )
    for key, (words, others) in CHOICES.items():
        if (word := one.word(key, (*words, *others))) in others:
            raise one.refusal(f"{key} = {word}: only {words[0]} is supported")
    width = one.number("TRANSITION_VELOCITY_COEFFICIENT", SLIDING)
    if width != SLIDING:
        raise one.refusal(
            f"TRANSITION_VELOCITY_COEFFICIENT = {width:g}: only {SLIDING} is supported"
        )
    for key in ("MU_STATIC", "MU_DYNAMIC"):
        if key not in one.values:
            raise one.refusal(f"it has no {key}")


def _law(
    one: Statement, joint: TreeJoint, turning: TreeJoint | None, functions: DeckFunctions
) -> JointFriction:
    """Return the law in SI units; omitted values are ADAMS's defaults, in the deck's units."""
    units, turns = functions.deck.units, joint.move in ("hinge", "ball")
    id = one.reference("JOINT")
    is_sleeve = id is not None and "CYLINDRICAL" in functions.deck.by_id("JOINT")[id].flags
    inputs = _inputs(one)
    bending, along = "INITIAL_OVERLAP", "REACTION_ARM"
    radius = "BALL_RADIUS" if joint.move == "ball" else "PIN_RADIUS"
    if joint.move == "ball":
        inputs = tuple(name for name in inputs if name in ("preload", "reaction_force"))
    if is_sleeve:
        inputs = tuple(name for name in inputs if name != "torsional_moment")
    elif turns:
        bending, along = "BENDING_REACTION_ARM", "FRICTION_ARM"

    def length(key: str) -> float:
        return units.length * one.number(key, 1.0)

    kind, unit = ("TORQUE", units.torque) if turns else ("FORCE", units.force)
    mu = "MU_DYNAMIC" if _effect(one) == SLIDING_ONLY else "MU_STATIC"
    return JointFriction(
        one.number(mu),
        one.number("MU_DYNAMIC"),
        stiction_velocity=units.speed * one.number("STICTION_TRANSITION_VELOCITY", 0.1),
        pin_radius=length(radius),
        friction_arm=0.0 if is_sleeve and turns else length(along),
        bending_arm=length(bending),
        preload=unit * one.number(f"FRICTION_{kind}_PRELOAD"),
        max_torque=unit * one.number(f"MAX_FRICTION_{kind}", math.inf),
        inputs=inputs,
        turns_with="" if turning is None else turning.name,
    )


def _effect(one: Statement) -> frozenset[str]:
    return frozenset(one.words("EFFECT", EFFECTS_OR_YOKES)) - YOKES


def _inputs(one: Statement) -> tuple[str, ...]:
    """Return the inputs of a friction law: all, none, or a list with colons or commas."""
    words = {*one.words("INPUTS", INPUTS_OR_YOKES), *one.flags} - YOKES
    return INPUTS if words <= {"ALL"} else tuple(one for one in INPUTS if one.upper() in words)
