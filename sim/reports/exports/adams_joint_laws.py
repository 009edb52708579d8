"""Forces in the joints of a run as functions of an ADAMS model: motors, springs, friction."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from sim.errors import RecordingError
from sim.functions.write_expression import number
from sim.reports.exports.adams_elements import AdamsElements
from sim.reports.exports.adams_functions import parenthesise, times
from sim.reports.exports.adams_statements import function, named_statement
from sim.reports.exports.adams_units import is_sliding
from sim.robots.joint import Joint
from sim.robots.joint_friction import INPUTS, SLIDING, JointFriction
from sim.robots.spring import JointSpring, Stop


def joint_terms(joint: Joint, q: str, qd: str, *, is_free: bool) -> Iterator[str]:
    """Yield the forces in a joint other than its drive, as texts of its position and velocity [SI].

    Raises
    ------
    RecordingError
        If ADAMS cannot represent one of them; the message names joint and reason.
    """
    for law in joint.forces:
        if isinstance(law, JointSpring):
            yield from _spring(law, q, qd)
        elif isinstance(law, Stop):
            yield _stop(law, joint, q, qd)
        else:
            raise RecordingError(
                f"Joint {joint.name!r} has {law.title}, a law that ADAMS functions cannot express"
            )
    if joint.damping:
        yield f"-{number(joint.damping)} * {qd}"
    if is_free:
        return  # its friction is a FRICTION statement, which sticks and slips
    if joint.friction:
        yield f"-{number(joint.friction)} * IF({qd}: -1, 0, 1)"
    if joint.friction_law is not None and not joint.has_load_friction:
        yield from _friction_without_load(joint, joint.friction_law, qd)


def _spring(law: JointSpring, q: str, qd: str) -> Iterator[str]:
    if law.preload:
        yield number(law.preload)
    if law.stiffness:
        aside = f" - {parenthesise(law.free_position)}" if law.free_position else ""
        yield f"-{number(law.stiffness)} * ({q}{aside})"
    if law.damping:
        yield f"-{number(law.damping)} * {qd}"


def _stop(law: Stop, joint: Joint, q: str, qd: str) -> str:
    """Return BISTOP, or IMPACT where there is only one stop."""
    lower, upper = law.ends(joint.limits)
    coefficients = ", ".join(map(number, (law.stiffness, law.exponent, law.damping, law.depth)))
    if math.isinf(upper):
        return f"IMPACT({q}, {qd}, {number(lower)}, {coefficients})"
    if math.isinf(lower):
        return f"-IMPACT(-({q}), -({qd}), {number(-upper)}, {coefficients})"
    return f"BISTOP({q}, {qd}, {number(lower)}, {number(upper)}, {coefficients})"


def _friction_without_load(joint: Joint, law: JointFriction, qd: str) -> Iterator[str]:
    """Yield ``-D STEP(v, -v_s, -1, v_s, 1)`` at the speed v of the surfaces."""
    dry = min(law.preload, law.max_torque) if "preload" in law.inputs else 0.0
    if dry:
        v = qd if is_sliding(joint) else f"{number(law.pin_radius)} * {qd}"
        v_s = number(law.stiction_velocity)
        yield f"-{number(dry)} * STEP({v}, -{v_s}, -1, {v_s}, 1)"


def friction_statement(
    number_of: int, joint: Joint, length: float, *, is_free: bool
) -> Iterator[str]:
    """Yield the FRICTION of a joint that is free or has load-dependent friction; else nothing.

    Raises
    ------
    RecordingError
        If a free joint has Coulomb friction beside a law with a maximum torque, or rubs as one
        sleeve with another joint.
    """
    if (law := joint.friction_law) is not None and law.turns_with:
        raise RecordingError(
            f"Joint {joint.name!r} rubs as one sleeve with joint {law.turns_with!r}, and the model "
            "has two joints of them; a FRICTION of ADAMS is of one"
        )
    if is_free and joint.friction:
        law = _with_preload(joint)
    if law is None or not (is_free or joint.has_load_friction):
        return
    force = length if not is_sliding(joint) else 1.0
    kind = "FORCE" if is_sliding(joint) else "TORQUE"
    numbers = {
        "MU_STATIC": law.mu_static,
        "MU_DYNAMIC": law.mu_dynamic,
        "STICTION_TRANSITION_VELOCITY": length * law.stiction_velocity,
        "TRANSITION_VELOCITY_COEFFICIENT": SLIDING,
        f"FRICTION_{kind}_PRELOAD": force * law.preload,
    }
    if joint.is_ball:
        numbers["BALL_RADIUS"] = length * law.pin_radius
    elif is_sliding(joint):
        numbers["REACTION_ARM"] = length * law.friction_arm
        numbers["INITIAL_OVERLAP"] = length * law.bending_arm
    else:
        numbers["PIN_RADIUS"] = length * law.pin_radius
        numbers["FRICTION_ARM"] = length * law.friction_arm
        numbers["BENDING_REACTION_ARM"] = length * law.bending_arm
    if math.isfinite(law.max_torque):
        numbers[f"MAX_FRICTION_{kind}"] = force * law.max_torque
    allowed = ("preload", "reaction_force") if joint.is_ball else INPUTS
    inputs = [name for name in law.inputs if name in allowed]
    counted = ":".join(name.upper() for name in inputs) or "NONE"
    yield from named_statement(
        f"friction_{joint.name}",
        f"FRICTION/{number_of}",
        f"JOINT = {number_of}",
        *(f"{key} = {number(value)}" for key, value in numbers.items()),
        f"INPUTS = {'ALL' if set(inputs) == set(allowed) else counted}",
    )


def _with_preload(joint: Joint) -> JointFriction:
    """Return the friction law of a joint, with its constant friction as load-free preload."""
    law = joint.friction_law or JointFriction(0.0, 0.0, inputs=())
    if math.isfinite(law.max_torque):
        raise RecordingError(
            f"Joint {joint.name!r} is free and has a constant friction and a law limited to "
            f"{law.max_torque:g}; a FRICTION of ADAMS can have only one of them"
        )
    preload = law.preload if "preload" in law.inputs else 0.0
    counted = (name for name in INPUTS if name == "preload" or name in law.inputs)
    return replace(law, preload=preload + joint.friction, inputs=tuple(counted))


def ball_damping(model: AdamsElements, k: int, joint: Joint) -> Iterator[str]:
    """Yield ``-d ω`` of a ball, as a VTORQUE along its child's axes; nothing without damping."""
    if not joint.damping:
        return
    i, j, floating = 100 * k + 1, 100 * k + 2, model.floating(joint.parent)
    factor = number(-joint.damping * model.length)
    components = [function(f"{factor} * W{axis}({i}, {j}, {i})", f"T{axis}") for axis in "XYZ"]
    yield from named_statement(
        f"in_{joint.name}",
        f"VTORQUE/{model.number_of('VTORQUE')}",
        f"I = {i}",
        f"JFLOAT = {floating}",
        f"RM = {i}",
        "\\\n, ".join(components),
    )


def add_joint_effort(
    model: AdamsElements, name: str, id: int, joint: Joint, markers: tuple[int, int], text: str
) -> None:
    """Write the effort along the motion of a joint [N·m or N]: about or along z of its J marker.

    Parameters
    ----------
    id : int
        Of its SFORCE, or of its VFORCE where the joint is prismatic: an SFORCE between two
        coincident markers has no direction.
    markers : tuple of int
        I and J of the joint.
    """
    i, j = markers
    if is_sliding(joint):
        floating = model.floating(joint.parent)
        components = ("FX = 0.0", "FY = 0.0", function(text, "FZ"))
        model.lines += named_statement(
            name,
            f"VFORCE/{id}",
            f"I = {i}",
            f"JFLOAT = {floating}",
            f"RM = {j}",
            "\\\n, ".join(components),
        )
        return
    body = function(times(text, model.length))
    model.lines += named_statement(name, f"SFORCE/{id}", "ROTATION", f"I = {i}", f"J = {j}", body)
