"""FRICTION of a deck as friction of joints that follows their load."""

from __future__ import annotations

import math
from collections.abc import Mapping

from sim.decks.deck import Deck
from sim.decks.deck_joints import kind_of
from sim.decks.spanning_tree import SpanningTree, TreeJoint
from sim.decks.statements import Statement
from sim.errors import DeckError, SimError
from sim.robots.joint_friction import INPUTS, SLIDING, JointFriction

KINDS = ("REVOLUTE", "TRANSLATIONAL")  # of joints that can rub here
DEFAULT = 1.0  # of each arm, in the deck's unit of length, as in ADAMS
VELOCITY = 0.1  # STICTION_TRANSITION_VELOCITY, in the deck's units, as in ADAMS


def deck_friction(deck: Deck, tree: SpanningTree) -> Mapping[str, JointFriction]:
    """The law of each joint that rubs, by the name of the joint, in SI units.

    Raises
    ------
    DeckError
        If one cannot be had here; names line and statement.
    """
    laws: dict[str, JointFriction] = {}
    for one in deck.of("FRICTION"):
        joint = _joint(one, deck, tree)
        if joint.name in laws:
            raise one.refusal(f"joint {joint.name} rubs already by another FRICTION")
        try:
            laws[joint.name] = _law(one, deck, joint)
        except DeckError:
            raise
        except SimError as error:
            raise DeckError(f"{one.label}: {error}") from None
    return laws


def _joint(one: Statement, deck: Deck, tree: SpanningTree) -> TreeJoint:
    id = one.reference("JOINT")
    if id is None or id not in tree.joints_of:
        raise one.refusal("it names no JOINT" if id is None else f"there is no JOINT/{id}")
    kind = kind_of(next(joint for joint in deck.of("JOINT") if joint.id == id))
    if kind not in KINDS:
        raise one.refusal(f"JOINT/{id} is {kind}; friction is offered in {' and '.join(KINDS)}")
    (joint,) = tree.joints_of[id]
    return joint


def _law(one: Statement, deck: Deck, joint: TreeJoint) -> JointFriction:
    for key, offered in (("FORMULATION", "ORIGINAL"), ("EFFECT", "ALL")):
        given = (one.text(key) or offered).upper()
        if given != offered:
            raise one.refusal(f"{key} = {given}: only {offered} is offered")
    width = one.number("TRANSITION_VELOCITY_COEFFICIENT", SLIDING)
    if width != SLIDING:
        raise one.refusal(f"TRANSITION_VELOCITY_COEFFICIENT = {width:g}: only {SLIDING} is offered")
    for key in ("MU_STATIC", "MU_DYNAMIC"):
        if key not in one.values:
            raise one.refusal(f"it has no {key}")
    units, slides = deck.units, joint.move == "slide"
    effort, kind = (units.force, "FORCE") if slides else (units.torque, "TORQUE")
    friction_arm, bending_arm = (
        ("REACTION_ARM", "INITIAL_OVERLAP") if slides else ("FRICTION_ARM", "BENDING_REACTION_ARM")
    )
    return JointFriction(
        one.number("MU_STATIC"),
        one.number("MU_DYNAMIC"),
        units.speed * one.number("STICTION_TRANSITION_VELOCITY", VELOCITY),
        units.length * one.number("PIN_RADIUS", DEFAULT),
        units.length * one.number(friction_arm, DEFAULT),
        units.length * one.number(bending_arm, DEFAULT),
        effort * one.number(f"FRICTION_{kind}_PRELOAD"),
        effort * one.number(f"MAX_FRICTION_{kind}", math.inf),
        _inputs(one),
    )


def _inputs(one: Statement) -> tuple[str, ...]:
    """What the law counts: all, none, or a list with colons or commas between."""
    given = one.text("INPUTS")
    words = {word.strip(" ()").upper() for word in (given or "ALL").split(":")} | one.flags
    if words == {"ALL"}:
        return INPUTS
    known = {name.upper(): name for name in INPUTS}
    if unknown := words - {*known, "NONE"}:
        raise one.refusal(f"INPUTS: {min(unknown)} is unknown; there are {', '.join(known)}")
    return tuple(name for key, name in known.items() if key in words)
