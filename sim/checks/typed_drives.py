"""The model's motion against the drives as typed, from the description."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import UNSET

from sim.checks.judgement import Judgement
from sim.checks.robot_by_description import known_elements, motor_ratios, robot_by_description
from sim.checks.run_view import RunView
from sim.functions.expression import Expression, StateExpression
from sim.kinematics.forward import Kinematics
from sim.maths.arrays import Array
from sim.maths.pieces import by_pieces
from sim.motion.typed_drive import CANCELLED_CURVE, CHANNELS, SAME_CURVE, parse_typed_function
from sim.recording.schema.element_facts import NamesFacts, value_of
from sim.recording.schema.facts import DriveFacts
from sim.robots.names import Names
from sim.robots.payload import motor_of, spin_joint

MOTION = ("q", "qd", "qdd")
AS_TYPED = "drive function"
REFERENCES = {"displacement": "reference", "velocity": "reference_qd"}


def typed_drives(view: RunView) -> Iterator[Judgement]:
    """Check position, velocity, acceleration or torque of each joint against its drive expression.

    All samples are compared. A joint without a drive stays at its start, and a free one has a motor
    torque or none. If the tool is moved, its target is compared with the typed path, up to the
    reference frame. Both sides are exact, so the limit is rounding; the recorded table is compared
    with this one. Drives without an expression are not judged, see `unknown_drives`.
    """
    typed = {drive.joint: drive for drive in view.run.drives}
    settings, own_rows = view.run.settings, set(view.row_names)
    path = [drive for name, drive in typed.items() if name not in own_rows]
    if view.run.controller is not UNSET:
        yield from _references(view, typed)
        return
    for joint in view.row_names:
        if joint in typed or motor_of(joint) in typed:
            if joint in typed:
                yield from _of_drive(view, typed[joint])
        elif joint in settings.free:
            if spin_joint(joint) not in own_rows:  # else its motor has a row
                yield _judge_torque(view, "free joint", motor_of(joint), np.zeros_like(view.t))
        elif joint not in settings.passive and not path:
            start = np.full_like(view.t, view.analytic(f"q.{joint}")[0])
            for group, values in zip(MOTION, (start, 0 * start, 0 * start), strict=True):
                yield _judge_channel(view, "held joint", f"{group}.{joint}", values)
    if path and view.has("target.x"):
        yield from _of_path(view, path)


def _references(view: RunView, typed: Mapping[str, DriveFacts]) -> Iterator[Judgement]:
    """Check references of a controller against the typed drives; torques are the controller's."""
    for joint in view.row_names:
        if joint not in typed:
            if motor_of(joint) in typed:
                continue  # judged by the joint's own reference
            if view.has(f"target.{'x'}") or not np.any(view.analytic(f"command.{joint}")):
                continue  # the tool is moved, or nothing drives the joint
            start = np.full_like(view.t, view.analytic(f"reference.{joint}")[0])
            yield _judge_channel(view, "held joint", f"reference.{joint}", start)
            continue
        function = parse_typed_function(typed[joint].function)
        if function is None or (level := typed[joint].level) not in REFERENCES:
            continue
        values = _rows(view, [function], 1)[0]
        yield _judge_channel(view, AS_TYPED, f"{REFERENCES[level]}.{joint}", values)


def unknown_drives(view: RunView) -> list[str]:
    """Return the names of drives that the description does not contain."""
    own_rows = set(view.row_names)
    is_judged = {drive.joint: _is_known(drive) for drive in view.run.drives}
    if not is_judged.keys() <= own_rows and not view.has("target.x"):
        is_judged = dict.fromkeys(is_judged, False)
    return [name for name, known in is_judged.items() if not known]


def _is_known(drive: DriveFacts) -> bool:
    return drive.names is not UNSET or parse_typed_function(drive.function) is not None


def _of_state(view: RunView, drive: DriveFacts, facts: NamesFacts) -> Judgement:
    """Check a torque given as an expression of the state, at the model's motion."""
    from sim.motion.state_torque import StateTorque

    law = StateTorque(*_parse(drive, facts))
    others = known_elements(view, robot_by_description(view)).state_rows

    def rows(part: slice) -> Array:
        q, qd = view.analytic_rows("q", "qd", at=part)
        z = {name.upper(): view.analytic(f"dif.{name}")[part] for name in facts.states}
        states = {name: view.analytic(f"state.{row}")[part] for name, row in others.items()}
        return law.at(view.t[part], Kinematics(view.robot, q, qd, states), z)[None]

    values = by_pieces(view.t.size, rows)[0]
    return _judge_torque(view, AS_TYPED, drive.joint, values)


def _parse(drive: DriveFacts, facts: NamesFacts) -> tuple[StateExpression, Names]:
    names = value_of(facts)
    return names.parse(f"Torque of joint {drive.joint!r}", drive.function), names


def _of_drive(view: RunView, drive: DriveFacts) -> Iterator[Judgement]:
    """Check a drive and its derivatives, each against its channel."""
    if isinstance(drive.names, NamesFacts):
        yield _of_state(view, drive, drive.names)
        return
    function = parse_typed_function(drive.function)
    if function is None or drive.level not in CHANNELS:
        return
    first = CHANNELS[drive.level]
    groups = MOTION[MOTION.index(first) :] if first in MOTION else (first,)
    rows = _rows(view, [function], len(groups))
    joint, ratio = drive.joint, 1.0
    if spin_joint(drive.joint) in view.row_names:  # in an elastic gear the motor is driven
        joint, ratio = spin_joint(drive.joint), motor_ratios(view)[drive.joint]
    is_on = np.searchsorted(drive.switched or (), view.t, side="right") % 2 == 0
    if not is_on.all():
        idle = np.where(is_on, view.analytic(f"tau.{drive.joint}"), 0.0)
        yield _judge_torque(view, "free joint", drive.joint, idle)
        curves = [view.analytic(f"{group}.{joint}") for group in groups]
        rows = np.where(is_on, rows, curves)
    for group, values in zip(groups, rows, strict=True):
        if group == "tau":
            yield _judge_torque(view, AS_TYPED, drive.joint, values)
        else:
            yield _judge_channel(view, AS_TYPED, f"{group}.{joint}", ratio * values)


def _of_path(view: RunView, drives: Sequence[DriveFacts]) -> Iterator[Judgement]:
    """Check the target of the tool against the typed path, after a best-fit rigid motion.

    The reference frame of the path is not in the description; the fit is that of Kabsch 1976.
    """
    places = {
        drive.joint.rpartition(".")[2]: parse_typed_function(drive.function) for drive in drives
    }
    functions = [function for c in "xyz" if (function := places.get(c)) is not None]
    if len(functions) < 3:
        return
    typed = _rows(view, functions, 1)
    target = np.stack([view.analytic(f"target.{c}") for c in "xyz"])
    a, b = (curve - curve.mean(axis=1, keepdims=True) for curve in (typed, target))
    if not np.isfinite([a, b]).all():
        return  # which fails in another check
    U, _, Vt = np.linalg.svd(b @ a.T)
    R = U @ np.diag([1.0, 1.0, np.linalg.det(U @ Vt)]) @ Vt
    error = np.sqrt(np.sum((R @ a - b) ** 2, axis=0))
    limit = SAME_CURVE * float(np.max(np.abs([a, b]))) + CANCELLED_CURVE
    yield view.judge_errors(AS_TYPED, "target.x", error, limit)


def _rows(view: RunView, functions: Sequence[Expression], count: int) -> Array:
    """Return the first `count` values and derivatives of the functions, one row each."""

    def rows(part: slice) -> Array:
        t = view.t[part]
        return np.stack([row for one in functions for row in one.derivatives(t)[:count]])

    return by_pieces(view.t.size, rows)


def _judge_torque(view: RunView, name: str, joint: str, values: Array) -> Judgement:
    """Check the torque of a joint's motor; with a drive train it is typed as N tau_m."""
    ratio = motor_ratios(view).get(joint)
    if ratio is None:
        return _judge_channel(view, name, f"tau.{joint}", values)
    return _judge_channel(view, name, f"motor_tau.{joint}", values / ratio)


def _judge_channel(view: RunView, name: str, channel: str, values: Array) -> Judgement:
    """Check a channel of the model against its expected values."""
    error = np.abs(view.analytic(channel) - values)
    limit = SAME_CURVE * float(np.max(np.abs(values))) + CANCELLED_CURVE
    if channel.startswith(("tau.", "motor_tau.")):
        ratio = abs(motor_ratios(view).get(channel.partition(".")[2], 1.0))
        highest = view.peaks("tau", view.row_names)[1]
        limit += SAME_CURVE * highest / (ratio if channel.startswith("motor") else 1.0)
    return view.judge_errors(name, channel, error, limit)
