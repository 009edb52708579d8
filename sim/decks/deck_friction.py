"""The FRICTION of a deck's joints, where it is the law of `sim.robots.joint_friction`."""

from __future__ import annotations

import math

from sim.decks.deck_functions import DeckFunctions
from sim.decks.spanning_tree import TreeJoint
from sim.decks.statements import Statement
from sim.errors import DeckError, ModelError
from sim.robots.joint_friction import INPUTS, SLIDING, JointFriction

KINDS = {"REVOLUTE": "hinge", "TRANSLATIONAL": "slide"}


def deck_friction(functions: DeckFunctions) -> dict[str, JointFriction]:
    """Laws of friction by joint of the tree.

    Raises
    ------
    DeckError
        If one is of a joint or of a kind that cannot be had here.
    """
    found: dict[str, JointFriction] = {}
    for one in functions.deck.of("FRICTION"):
        joint = _joint(one, functions)
        if joint.name in found:
            raise one.refusal("its joint has a FRICTION already")
        _require_law(one)
        try:
            found[joint.name] = _law(one, joint, functions)
        except ModelError as error:
            raise DeckError(f"{one.label}: {error}") from None
    return found


def friction_notes(functions: DeckFunctions) -> tuple[str, ...]:
    """What of the laws is not as in ADAMS."""
    creeping = [
        one.label
        for one in functions.deck.of("FRICTION")
        if "MAX_STICTION_DEFORMATION" in one.values
    ]
    if not creeping:
        return ()
    return (f"{', '.join(creeping)}: a joint that sticks does not creep here as it does in ADAMS",)


def _joint(one: Statement, functions: DeckFunctions) -> TreeJoint:
    id = one.reference("JOINT")
    if id is None:
        raise one.refusal("it names no JOINT")
    if id not in functions.joints:
        raise one.refusal(f"JOINT = {id}: there is no JOINT/{id}")
    (kind,), rows = functions.joints[id].flags, functions.tree.joints_of[id]
    if kind not in KINDS:
        raise one.refusal(
            f"JOINT/{id} is {kind}; friction is offered of {' and '.join(KINDS)} joints"
        )
    if not rows:
        raise one.refusal(f"JOINT/{id} closes a loop and is no coordinate")
    if rows[0].mimic is not None:
        raise one.refusal(f"JOINT/{id} is coupled to {rows[0].mimic.joint} and follows it")
    return rows[0]


def _require_law(one: Statement) -> None:
    """Refuse what the law here does not have."""
    allowed = {
        "EFFECT": ("ALL",),
        "OVERLAP_DELTA": ("CONSTANT",),
        "FORMULATION": ("ORIGINAL", "STICK-SLIP"),
        "INACTIVE": ("STATIC",),
    }
    for key, words in allowed.items():
        given = (one.text(key) or words[0]).upper()
        if given not in words:
            raise one.refusal(f"{key} = {given}: only {words[0]} is offered")
    width = one.number("TRANSITION_VELOCITY_COEFFICIENT", SLIDING)
    if width != SLIDING:
        raise one.refusal(f"TRANSITION_VELOCITY_COEFFICIENT = {width:g}: only {SLIDING} is offered")
    for key in ("MU_STATIC", "MU_DYNAMIC"):
        if key not in one.values:
            raise one.refusal(f"it has no {key}")


def _law(one: Statement, joint: TreeJoint, functions: DeckFunctions) -> JointFriction:
    """In SI units; what the deck leaves out is ADAMS's default, in the deck's units."""
    units, turns = functions.deck.units, joint.move == "hinge"

    def length(key: str) -> float:
        return units.length * one.number(key, 1.0)

    kind, unit = ("TORQUE", units.torque) if turns else ("FORCE", units.force)
    return JointFriction(
        one.number("MU_STATIC"),
        one.number("MU_DYNAMIC"),
        stiction_velocity=units.speed * one.number("STICTION_TRANSITION_VELOCITY", 0.1),
        pin_radius=length("PIN_RADIUS"),
        friction_arm=length("FRICTION_ARM" if turns else "REACTION_ARM"),
        bending_arm=length("BENDING_REACTION_ARM" if turns else "INITIAL_OVERLAP"),
        preload=unit * one.number(f"FRICTION_{kind}_PRELOAD"),
        max_torque=unit * one.number(f"MAX_FRICTION_{kind}", math.inf),
        inputs=_inputs(one),
    )


def _inputs(one: Statement) -> tuple[str, ...]:
    """What the law counts: all, none, or a list with colons or commas between."""
    given = one.text("INPUTS") or "ALL"
    words = {word.strip(" ()").lower() for word in given.split(":")}
    words |= {flag.lower() for flag in one.flags}
    if words == {"all"}:
        return INPUTS
    if unknown := words - {*INPUTS, "none"}:
        raise one.refusal(
            f"INPUTS = {min(unknown)}: it takes ALL, NONE or {':'.join(INPUTS).upper()}"
        )
    return tuple(name for name in INPUTS if name in words)
