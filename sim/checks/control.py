"""Checks of a run with a sampled controller: sensors, limits, solver error and stability.

The law itself is not in a description. Its commands are judged by their effect: engine and model
each ran a copy of it, and must have received equal commands.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sim.checks.allowed_error import AllowedError
from sim.checks.judgement import Judgement
from sim.checks.limits import EPS
from sim.checks.motion_rates import FEWEST, ROUNDINGS, SOLVED_FOR, beyond_trapezoid
from sim.checks.motor_channels import motor_channel
from sim.checks.robot_by_description import motor_ratios
from sim.checks.run_view import RunView
from sim.dynamics.control_loop import sense_positions
from sim.dynamics.lagrange import energies
from sim.maths.arrays import Mask
from sim.recording.schema.control_facts import ENCODER_STEPS, ControllerFacts, SolverErrorFacts
from sim.recording.schema.verdicts import Check

# Allowed difference between one step per sample and two half steps [rad, m, rad/s or m/s]: an order
# of magnitude below that between engine and model, which both have this error.
INSIDE = 1e-10

# Bound of the error's kinetic energy in a stable loop: that of the reference, or the work of the
# robot's weight over this distance [m].
DROP = 0.01

Numbers = NDArray[np.intp]

ROUNDING = 64 * EPS  # relative to a command, a position or a difference of two


def control(view: RunView) -> Iterator[Judgement]:
    """Check reference, tracking, sensors, commands, motor limits, solver error and stability."""
    facts = view.run.controller
    if not isinstance(facts, ControllerFacts):
        return
    for joint in view.row_names:
        yield _tracking(view, joint)
        if view.t.size >= FEWEST and f"q.{joint}" not in view.rotations:
            yield _reference(view, joint)
    yield from _check_sensing(view, facts)
    for joint in view.row_names:
        yield _command(view, joint)
        yield _motor(view, facts, joint)
        yield _check_saturation(view, facts, joint)
    yield _check_inside(view, facts)
    yield _stability(view, facts)
    if facts.encoder_bits is not None:
        yield from _encoders(view, facts.encoder_bits)


def _tracking(view: RunView, joint: str) -> Judgement:
    """Check the tracking error against position minus reference."""
    q, reference = view.analytic(f"q.{joint}"), view.analytic(f"reference.{joint}")
    error = np.abs(view.analytic(f"tracking.{joint}") - (q - reference))
    limit = ROUNDING * (1.0 + float(np.max(np.abs([q, reference]))))
    return view.judge_errors("tracking", f"tracking.{joint}", error, limit)


def _reference(view: RunView, joint: str) -> Judgement:
    """Check reference positions against the integral of the velocity, as in `motion_rates`."""
    channel = f"reference.{joint}"
    values = view.analytic(channel)
    beyond = beyond_trapezoid(view.t, values, view.analytic(f"reference_qd.{joint}"))
    limit = SOLVED_FOR + ROUNDINGS * float(np.max(np.abs(values)))
    error = np.concatenate([[0.0], beyond])
    return view.judge_errors("reference position from velocity", channel, error, limit)


def _check_sensing(view: RunView, facts: ControllerFacts) -> Iterator[Judgement]:
    """Check sensed values against positions with the seed's noise and the encoder's resolution.

    Velocities are differences of sensed positions, or joint velocities for exact sensors. Values
    are judged at each instant of the controller, and held until the next one. Within rounding of an
    encoder edge either step is allowed. Readings of ball joints are exact.
    """
    row, k, is_known = instants(view, facts)
    q, qd = view.analytic_rows("q", "qd")
    sampled, first, which = np.unique(row, return_index=True, return_inverse=True)
    turns = np.array([one.is_angle for one in view.run.robot.coordinates])
    is_read = np.array([f"q.{joint}" not in view.rotations for joint in view.row_names])
    quantum, noise = np.zeros(turns.size), np.where(is_read, facts.noise, 0.0)
    if facts.encoder_bits is not None:
        quantum[turns & is_read] = 2 * np.pi / 2.0**facts.encoder_bits
    readings = np.stack(
        [
            sense_positions(q[:, at], int(number), quantum, noise, facts.seed)
            for at, number in zip(sampled, k[first], strict=True)
        ],
        axis=1,
    )
    rates = qd[:, sampled]
    if quantum.any() or noise.any():
        steps = np.concatenate([qd[:, :1], np.diff(readings, axis=1) / facts.sample_time], axis=1)
        rates = np.where(is_read[:, None], steps, rates)
    is_sparse = facts.sample_time >= view.dt * (1 - 1e-6)  # every instant is at a sample
    for joint, values, speeds, step, true in zip(
        view.row_names, readings[:, which], rates[:, which], quantum, q[:, row], strict=True
    ):
        channel = f"sensed.{joint}"
        sensed = view.analytic(channel)
        limit = ROUNDING * (1.0 + float(np.max(np.abs(values))))
        error = np.abs(sensed - values)
        near = np.abs(sensed - true) <= 0.5 * step + limit if not facts.noise else error <= limit
        is_beside = near & (error <= step * (1 + 1e-6) + limit)
        if step:
            is_beside &= np.abs(sensed - step * np.rint(sensed / step)) <= limit
        error = np.where(is_beside | ~is_known, 0.0, error)
        yield view.judge_errors("sensed position", channel, error, limit)
        if is_sparse:
            channel = f"sensed_qd.{joint}"
            error = np.where(is_known, np.abs(view.analytic(channel) - speeds), 0.0)
            limit = ROUNDING + (2 * step + 2 * limit) / facts.sample_time * bool(step)
            limit += 2 * ROUNDING * (1.0 + float(np.max(np.abs(values)))) / facts.sample_time
            yield view.judge_errors("sensed velocity", channel, error, limit)


def instants(view: RunView, facts: ControllerFacts) -> tuple[Numbers, Numbers, Mask]:
    """Return the last controller instant at each sample: row, number, and whether it is sampled."""
    T, t = facts.sample_time, view.t
    last = np.ceil((t[-1] - 1e-6 * min(T, view.dt)) / T) - 1  # an instant at the end has no effect
    k = np.minimum(np.floor(t / T + 1e-6), last).astype(np.intp)
    row = np.minimum(np.rint(k * T / view.dt).astype(np.intp), t.size - 1)
    return row, k, np.abs(t[row] - k * T) <= 1e-6 * view.dt


def _command(view: RunView, joint: str) -> Judgement:
    """Check the commands of both copies of the law."""
    channel = f"command.{joint}"
    peak = view.peak(channel)
    limit = AllowedError.of(torque=view.torque_limit(joint), command=view.limits.torque * peak)
    return view.judge_agreement("command", channel, limit)


def _motor(view: RunView, facts: ControllerFacts, joint: str) -> Judgement:
    """Check the motor torque against the command, clipped at the motor's limit."""
    most = facts.limits.get(joint, np.inf)
    expected = np.clip(view.analytic(f"command.{joint}"), -most, most)
    motor = motor_channel(view, "motor_tau", joint)
    ratio = 1.0 if motor is None else motor_ratios(view).get(joint, 1.0)
    channel, expected = motor or f"tau.{joint}", expected / ratio
    error = np.abs(view.analytic(channel) - expected)
    scale = view.peaks("tau", view.row_names)[1] / abs(ratio)
    limit = 1e-9 * (scale + float(np.max(np.abs(expected))))
    return view.judge_errors("commanded motor torque", channel, error, limit)


def _check_saturation(view: RunView, facts: ControllerFacts, joint: str) -> Judgement:
    """Check the recorded saturation of a command against its excess over the limit."""
    channel, most = f"saturated.{joint}", facts.limits.get(joint, np.inf)
    command = np.abs(view.analytic(f"command.{joint}"))
    error = np.abs(view.analytic(channel) - (command > most))
    return view.judge_errors("command saturation", channel, error, 0.0)


def _check_inside(view: RunView, facts: ControllerFacts) -> Judgement:
    """Check the larger of both solver errors within the controller's samples."""
    name, channel = "solver error within a sample", f"q.{view.row_names[0]}"
    sides = [one for one in (facts.recorded, facts.analytic) if isinstance(one, SolverErrorFacts)]
    if len(sides) < 2 or any(not (one.steps or one.controlled) for one in sides):
        at = float(view.t[0])
        check = Check(name, channel, None, INSIDE, "rad", at, False, None, channel)
        return Judgement(check, note="the run has no stored solver error for both sides")
    worst = max(sides, key=lambda one: one.error)
    note = (
        f"{worst.steps} steps were repeated in two halves, and {worst.controlled} by the "
        "error-controlled solver"
    )
    return Judgement.of_number(name, channel, worst.error, INSIDE, "rad", worst.at, note=note)


def _stability(view: RunView, facts: ControllerFacts) -> Judgement:
    """Check the kinetic energy of the velocity error against the largest of the reference.

    Joints moved by neither motors nor loops are excluded, as the control loop does not affect them.
    """
    names, robot, gravity = view.row_names, view.robot, view.run.settings.gravity
    q, qd_ref, qd = view.analytic_rows("q", "reference_qd", "qd")
    swing = set(facts.idle) - set(view.run.settings.passive)
    astray = np.where([[name in swing] for name in names], 0.0, qd - qd_ref)
    error = np.sum(energies(robot, q, astray, gravity)[1], axis=0)
    reference = np.sum(energies(robot, q, qd_ref, gravity)[1], axis=0)
    weight = sum(view.run.robot.masses.values()) * float(np.linalg.norm(gravity))
    limit = max(float(np.max(reference)), DROP * weight)
    return view.judge_errors("control loop stability", "ke", error, limit, plot="ke")


def _encoders(view: RunView, bits: int) -> Iterator[Judgement]:
    """Check the encoder steps of engine against model, and their positions.

    Neither may differ by more than a step. A difference of one step is due to rounding at an edge;
    from the first one on, at which the check is reported, the two receive different commands.
    """
    step = 2 * np.pi / 2.0**bits
    for row in view.run.robot.coordinates:
        if not row.is_angle or f"q.{row.name}" in view.rotations:
            continue
        for name, channel in (
            (ENCODER_STEPS, f"sensed.{row.name}"),
            ("position within a step of the encoder", f"q.{row.name}"),
        ):
            error = np.abs(view.recorded_values(channel) - view.analytic(channel))
            if name == ENCODER_STEPS:
                error = step * np.rint(error / step)
            yield view.judge_errors(name, channel, error, step)
