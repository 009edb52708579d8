"""Finite values and units, and recorded against analytic motion, torques, powers and energies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sim.checks.allowed_error import AllowedError
from sim.checks.corner_motion import CornerMotion
from sim.checks.judgement import Judgement
from sim.checks.limits import AT_REST, CANCELLED
from sim.checks.near_singular_loops import acceleration_through_loops, rounding_near_singular
from sim.checks.run_view import Follows, RunView
from sim.checks.state_differences import StateDifferences
from sim.checks.tool_agreement import tool_agreement
from sim.dynamics.states import States
from sim.maths.arrays import Array
from sim.recording.held_tables import analytic_of, recorded_of
from sim.recording.recorded_robot import joint_law
from sim.recording.schema.channels import joint_forces, units_of
from sim.recording.schema.corners import distance
from sim.recording.schema.element_facts import NamesFacts, class_of
from sim.recording.schema.facts import JointFacts


def numbers(view: RunView) -> Iterator[Judgement]:
    """Count the non-finite values of both tables, and locate the first."""
    bad_channels: list[tuple[int, str]] = []  # first non-finite sample of each channel
    channels, count = list(map(str, recorded_of(view.recording).columns)), 0.0
    for name in channels:
        if any(np.isnan(view.largest(name, analytic=side)[1]) for side in (False, True)):
            bad = np.isnan([rows(name) for rows in (view.recorded_values, view.analytic)])
            bad_channels.append((int(np.argmax(bad.any(axis=0))), name))
            count += float(np.sum(bad))
    k, channel = min(bad_channels, key=lambda one: one[0], default=(0, channels[0]))
    yield Judgement.of_number("finite numbers", channel, count, 0.0, "1", float(view.t[k]))


def agreement(view: RunView) -> Iterator[Judgement]:
    """Check motion, torques, powers, force elements in joints, states of motor laws, and tool."""
    propagation = StateDifferences(view).of
    yield from _motion(view, propagation)
    yield from _torques(view, propagation)
    yield from _powers(view, propagation)
    yield from _force_elements(view)
    yield from _states_of_laws(view)
    if view.has("tool.x"):
        yield from tool_agreement(view, propagation)


def units(view: RunView) -> Iterator[Judgement]:
    """Count the channels whose unit differs from the table of channels, and name the first.

    See `sim.recording.schema.channels`: readers assume these units.
    """
    channels, listed_units = list(map(str, recorded_of(view.recording).columns)), view.run.units
    right = units_of(channels, view.tree_coordinates) | view.run.units_of_requests
    wrong = [name for name in channels if listed_units.get(name) != right[name]]
    yield view.judge_count("units", (wrong or channels)[0], len(wrong))


def energies(view: RunView) -> Iterator[Judgement]:
    """Check the kinetic energy of each link, the total potential energy and the stored energy.

    The error of a link is relative to its own peak, like the torque of a joint, since a light link
    is negligible in the total; its allowed relative error is twice that of its speed. Fraction of
    the limit, measured on the shipped scenarios: 7e-5 (`stepped`), 4e-6 (`ideal`), 7e-5
    (`adaptive`).
    """
    limits, propagation = view.limits, StateDifferences(view).of
    relative = limits.energy + 2 * view.faster
    links = [c for c in map(str, recorded_of(view.recording).columns) if c.startswith("ke.")]
    peaks = {channel: view.peak(channel) for channel in links}
    highest = max(peaks.values(), default=0.0)
    rounded = rounding_near_singular(view)
    for channel, peak in peaks.items():
        limit = AllowedError.of(method=relative * peak, floor=limits.floor * max(highest, AT_REST))
        follows = None if rounded is None else rounded.of_energy(view.analytic(channel))
        yield view.judge_agreement("kinetic energy", channel, limit, follows, propagation)
    # links above and below the origin cancel each other
    terms = {"method": limits.energy * view.energy_moved, "rounding": CANCELLED * view.moments}
    limit = AllowedError.of(**terms)
    yield view.judge_agreement("potential energy", "pe", limit, propagation=propagation)
    if view.has("stored"):
        stored = limits.energy * view.peak("stored")
        yield view.judge_agreement(
            "stored energy", "stored", AllowedError.of(**terms, stored=stored)
        )


def _motion(view: RunView, propagation: Follows) -> Iterator[Judgement]:
    limits, names = view.limits, view.tree_row_names
    follows, rounded = acceleration_through_loops(view), rounding_near_singular(view)
    following = dict.fromkeys(names, (None, None, follows))
    if rounded is not None and follows is not None:
        following = {name: (q, qd, qdd + follows) for name, (q, qd, qdd) in rounded.rows.items()}
    place = AllowedError.of(method=limits.position)
    for name in names:
        yield view.judge_agreement("position", f"q.{name}", place, following[name][0])
    for name in names:
        limit = view.allowed_velocity(name)
        yield view.judge_agreement("velocity", f"qd.{name}", limit, following[name][1], propagation)
    for name in names:
        limit = view.allowed_acceleration(name)
        yield view.judge_agreement(
            "acceleration", f"qdd.{name}", limit, following[name][2], propagation
        )


def _torques(view: RunView, propagation: Follows) -> Iterator[Judgement]:
    corners = CornerMotion(view)
    for name in view.row_names:
        limit, noted = view.allowed_torque(name), view.noted_torque(name)
        follows, reason = _corner_differences(view, corners, name), "corner"
        if noted:
            follows, reason = np.full(view.t.size, noted), "watched"
        yield view.judge_agreement("torque", f"tau.{name}", limit, follows, propagation, reason)


def _corner_differences(view: RunView, corners: CornerMotion, name: str) -> Array | None:
    """Return the torque differences at corners that follow from others, (N,); None without any."""
    by_motion = corners.torque(name)
    if by_motion is not None and not view.run.settings.free:
        return by_motion  # with the friction of the model, in which the tables agree
    parts = _friction_at_corners(view, name), by_motion
    known = [part for part in parts if part is not None]
    return np.max(known, axis=0) if known else None


def _friction_at_corners(view: RunView, name: str) -> Array | None:
    """Return the torque differences at corners due to friction that jumps there, (N,) [N·m or N].

    Friction is that of the model, unlike the rest of a torque, which comes from differences over
    the corner: where a joint reverses or its load changes, both may jump in opposite directions.
    """
    if not view.corner.any():
        return None
    tau, of_model = view.recorded_values(f"tau.{name}"), view.analytic(f"tau.{name}")
    friction = view.analytic(f"friction.{name}")
    total = distance(tau, of_model, view.corner)
    useful = distance(tau - friction, of_model - friction, view.corner)
    return np.where(view.corner, np.maximum(total - useful, 0.0), 0.0)


def _powers(view: RunView, propagation: Follows) -> Iterator[Judgement]:
    """Check powers against |tau| dqd + |qd| dtau + dtau dqd, with the allowed errors of tau and qd.

    Hence a torque error within its limit does not fail here. Fraction of the limit, measured on the
    shipped scenarios: 4e-2 (`stepped`, at a corner), 4e-3 (`ideal`), 2e-6 (`adaptive`).
    """
    for name in view.row_names:
        most, fastest = (view.peak(f"{of}.{name}") for of in ("tau", "qd"))
        dtau, dqd = view.allowed_torque(name).total, view.velocity_limit(name)
        limit = AllowedError.of(of_speed=most * dqd, of_torque=fastest * dtau, of_both=dtau * dqd)
        noted = view.noted_torque(name)
        # at corners torque and speed are checked against bands
        tau, qd = (view.recorded_values(f"{of}.{name}")[view.corner] for of in ("tau", "qd"))
        follows, reason = view.following(f"power.{name}", tau * qd, view.corner), "corner"
        if noted:
            follows, reason = noted * np.abs(view.analytic(f"qd.{name}")), "watched"
        yield view.judge_agreement("power", f"power.{name}", limit, follows, propagation, reason)


def _steepest_slopes(
    row: str, kind: str, weights: Array, joints: Sequence[JointFacts]
) -> tuple[float, float]:
    """Return slopes of elements of a kind to errors of a row: its joints', or its motor's gear."""
    total = np.zeros(2)
    for weight, joint in zip(weights, joints, strict=True):
        if kind not in joint.forces:
            continue
        law, share = joint_law(kind, joint.forces[kind]), float(weight)
        if law.against is not None:  # both joints may have errors
            share = 2.0 * (abs(law.against[1]) if law.against[0] == row else share)
        total += share * np.array(law.steepest)
    return float(total[0]), float(total[1])


def _states_of_laws(view: RunView) -> Iterator[Judgement]:
    """Check states of motors and controllers, with the relative tolerance of torques."""
    laws = [one.names.states for one in view.run.drives if isinstance(one.names, NamesFacts)]
    laws += [one.names.states for one in view.run.forces if class_of(one) is States]
    for channel in dict.fromkeys(f"dif.{name}" for states in laws for name in states):
        limit = AllowedError.of(method=view.limits.torque * view.peak(channel), rounding=CANCELLED)
        yield view.judge_agreement("state of a law", channel, limit)


def _force_elements(view: RunView) -> Iterator[Judgement]:
    """Check the forces of springs and stops on the engine's motion against those on the model's.

    The limit is the effect of motion errors through stiffness and damping, plus that of torques.
    """
    limits, robot = view.limits, view.run.robot
    shares = zip(view.row_names, np.square(robot.coupling).T, strict=True)
    for joint, weights in shares:
        for channel in joint_forces(analytic_of(view.recording).columns, joint):
            kind = channel.partition(".")[0]
            stiffness, damping = _steepest_slopes(joint, kind, weights, robot.tree_row_joints)
            peak = view.peak(channel)
            limit = AllowedError.of(
                method=limits.torque * peak,
                discretisation=limits.bend_torque * view.curvature(channel),
                motion=stiffness * limits.position
                + damping * view.velocity_limit(joint)
                + CANCELLED * peak,
            )
            yield view.judge_agreement("force element", channel, limit)
