"""Every general check of a recording, and the verdict in its description."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Literal

import numpy as np
from msgspec import UNSET

from sim.checks.against_reference import against_reference
from sim.checks.agreement import agreement, energies, numbers, units
from sim.checks.by_law import forces_by_law
from sim.checks.clearance import FLOOR, clearance
from sim.checks.consistency import consistency
from sim.checks.convergence import convergence
from sim.checks.energy_balance import balance_limit, balance_of, energy_balance_checks
from sim.checks.expected_channels import expected_channels
from sim.checks.formulations import formulations
from sim.checks.independent_results import independent_results
from sim.checks.judgement import Judgement
from sim.checks.jumps import jumps
from sim.checks.measured import measured_joints, measured_motion
from sim.checks.motion_rates import motion_rates
from sim.checks.motors import coupled_motors, motors
from sim.checks.own_description import own_description
from sim.checks.own_motion import own_motion
from sim.checks.peaks import peak_of, peak_times
from sim.checks.ratings import drive_ratings, ratings
from sim.checks.reaction_agreement import cut_open, reactions
from sim.checks.run_view import RunView
from sim.checks.sizing import sizing_of
from sim.checks.tool_agreement import forward_kinematics
from sim.checks.typed_drives import typed_drives
from sim.maths.arguments import checked
from sim.maths.pieces import is_one_piece, release_memory
from sim.recording.held_tables import analytic_of, recorded_of
from sim.recording.recording import Recording
from sim.recording.schema.channels import group_of, scale_of
from sim.recording.schema.control_facts import ControllerFacts
from sim.recording.schema.facts import ClaimFacts
from sim.recording.schema.verdicts import Check, ClaimResult
from sim.recording.schema.watched_facts import WatchedFacts


def control_and_its_law(view: RunView) -> Iterator[Judgement]:
    """Run the checks of a sampled controller; they are imported only for runs with one."""
    if isinstance(view.run.controller, ControllerFacts):
        from sim.checks.control import control
        from sim.checks.control_law import control_law

        yield from control(view)
        yield from control_law(view)


def watched_errors(view: RunView) -> Iterator[Judgement]:
    """Check ``causes``: the number of errors named by `sim.watch` in a loop; none in other runs."""
    facts = view.run.watched
    if isinstance(facts, WatchedFacts):
        yield view.judge_count("causes", f"tau.{view.row_names[0]}", len(facts.errors))


def conditions(view: RunView) -> Iterator[Judgement]:
    """Run the checks of events; they are imported only for runs with conditional events."""
    if view.run.conditions:
        from sim.checks.event_times import event_times

        yield from event_times(view)


def requests(view: RunView) -> Iterator[Judgement]:
    """Run the checks of requests; they are imported only for runs with requests."""
    if view.run.requests:
        from sim.checks.by_law import requests_by_law

        yield from requests_by_law(view)


def contacts(view: RunView) -> Iterator[Judgement]:
    """Run the checks of contacts; they are imported only for runs with contacts."""
    if view.run.contacts:
        from sim.checks.contacts import contact_depths, contact_impulses

        yield from contact_depths(view)
        yield from contact_impulses(view)


# Add the function of a new check here.
CHECKS: tuple[Callable[[RunView], Iterator[Judgement]], ...] = (
    numbers,
    units,
    jumps,
    expected_channels,
    consistency,
    typed_drives,
    own_description,
    forces_by_law,
    contacts,
    requests,
    conditions,
    motors,
    coupled_motors,
    control_and_its_law,
    independent_results,
    agreement,
    forward_kinematics,
    motion_rates,
    own_motion,
    energies,
    energy_balance_checks,
    formulations,
    reactions,
    cut_open,
    convergence,
    ratings,
    drive_ratings,
    clearance,
    against_reference,
    measured_motion,
)

# For a loop recorded by `sim.watch`: it has no energies and no tool of its own, and its motion
# consists of discrete steps, as the model's then does.
CHECKS_OF_WATCHED: tuple[Callable[[RunView], Iterator[Judgement]], ...] = (
    numbers,
    units,
    expected_channels,
    consistency,
    own_description,
    agreement,
    forward_kinematics,
    formulations,
    cut_open,
    ratings,
    watched_errors,
)


def verdict(checks: Iterable[Check]) -> Literal["pass", "fail"]:
    """Return the verdict on a run: ``pass`` if all checks are ok, else ``fail``."""
    return "pass" if all(check.ok for check in checks) else "fail"


@checked
def check(recording: Recording) -> tuple[Check, ...]:
    """Run all general checks of a recording, from its tables and description only.

    All values are numbers in the unit of their channel. Recorded against analytic: position,
    velocity, acceleration, torque, power, energies, tool and reactions. Recorded table alone: work
    against energy, convergence, and the joints' ratings. Analytic model: second formulations of
    torques and reactions, tool pose by its own joints, and consistency of positions, velocities and
    accelerations, of which the first two must not jump.

    Raises
    ------
    RecordingError
        If a channel that a check needs is missing.
    """
    return tuple(judgement.check for judgement in judgements(recording))


def judge(recording: Recording) -> tuple[Judgement, ...]:
    """Return the judgements of `check`, each with the curve whose largest value it reports.

    Raises
    ------
    RecordingError
        If a channel that a check needs is missing.
    """
    return tuple(judgements(recording))


def without_curves(recording: Recording) -> tuple[Judgement, ...]:
    """Return the judgements of `judge` without their curves, see `Judgement.without_curve`.

    Raises
    ------
    RecordingError
        If a channel that a check needs is missing.
    """
    t = recording.t
    return tuple(judgement.without_curve(t) for judgement in judgements(recording))


def judgements(recording: Recording) -> Iterator[Judgement]:
    """Yield the judgements of `judge` one by one: curves of a long run exceed the memory.

    Raises
    ------
    RecordingError
        If a channel that a check needs is missing.
    """
    return judgements_of(RunView(recording))


def judgements_of(view: RunView) -> Iterator[Judgement]:
    """Yield the judgements of `judgements`; the view keeps scales for further uses."""
    parts = CHECKS_OF_WATCHED if view.run.method == "watched" else CHECKS
    for part in parts:
        yield from part(view)
        if not is_one_piece(view.t.size):
            release_memory()


def judge_recording(recording: Recording) -> Recording:
    """Return the recording with checks, verdict, claims, peaks, sizing and energies described."""
    return judge_recording_in_detail(recording)[0]


def judge_recording_in_detail(recording: Recording) -> tuple[Recording, tuple[Judgement, ...]]:
    """Return the recording of `judge_recording`, and its judgements as in `without_curves`."""
    view = RunView(recording)
    judged, held = [], dict[str, float]()
    for judgement in judgements_of(view):  # one at a time: their curves are long
        judged.append(judgement.without_curve(view.t))
        held |= judgement.held
    checks = tuple(judgement.check for judgement in judged)
    audit = (
        ()
        if view.run.method == "watched"  # its energies balance to first order of the step only
        else tuple(balance_of(view, analytic=analytic) for analytic in (False, True))
    )
    balance = float(audit[0].limit or 0.0) if audit else balance_limit(view).total
    described = recording.with_description(
        verdict=verdict(checks),
        checks=checks,
        limits=_by_size(view, held, balance) | held,
        claim_results=judge_claims(recording),
        peaks=_peaks(view),
        sizing=sizing_of(view),
        audit=audit,
        measured=measured_joints(view) or UNSET,
    )
    return described, tuple(judged)


def _by_size(view: RunView, held: Mapping[str, float], balance: float) -> dict[str, float]:
    """Return bounds of channels without a check of their own: works, and laws in joints.

    The bound of a work is that of the energy balance [J].
    """
    limits, bounds = view.limits, dict[str, float]()
    for channel in map(str, analytic_of(view.recording).columns):
        if channel in held or not group_of(channel).is_compared:
            continue
        if scale_of(channel) == "energy":
            bounds[channel] = balance
            continue
        bounds[channel] = limits.torque * view.peak(channel) + limits.bend_torque * view.curvature(
            channel
        )
    return bounds


def _peaks(view: RunView) -> dict[str, float | None]:
    """Return the largest magnitude of each channel with a peak, including between samples."""
    return {
        channel: peak_of(view, channel)[1]
        for channel in recorded_of(view.recording).columns
        if group_of(channel).has_peak
    }


def judge_claims(recording: Recording) -> tuple[ClaimResult, ...]:
    """Judge every claim of the scenario on every channel that it names."""
    view = RunView(recording)
    return tuple(
        result
        for claim in view.run.claims
        for channel in recorded_of(recording).columns
        if fnmatchcase(channel, claim.channel)
        for result in _results(view, claim, channel)
    )


def _results(view: RunView, claim: ClaimFacts, channel: str) -> Iterator[ClaimResult]:
    """Yield the results of a claim; none if a required rating or number is missing."""
    labels, unit = (claim.text, claim.source, channel), view.unit(channel)
    values, t = view.recorded_values(channel), view.t
    if claim.statistic in ("peak_within_rating", "peak_below"):
        limit = claim.value if claim.statistic == "peak_below" else _rating(view, channel)
        if limit is not None:
            at, peak = peak_of(view, channel)
            yield ClaimResult(*labels, peak, limit, None, unit, peak <= limit, at)
        return
    if claim.statistic == "never_below" and claim.value is not None:
        where, at, least = smallest(view, channel)
        ok = least >= claim.value
        labels = (claim.text, claim.source, where)
        yield ClaimResult(*labels, least, claim.value, None, unit, ok, at, is_least=True)
        return
    expected, within = claim.value, claim.within
    if expected is None or within is None:
        return
    if claim.statistic == "measured_slope":
        slope = next((j.slope for j in measured_joints(view) if f"tau.{j.joint}" == channel), None)
        if slope is not None:
            yield ClaimResult(
                *labels, slope, expected, within, "1", abs(slope - expected) <= within
            )
        return
    if claim.statistic == "time_of_peak":
        times = peak_times(t, values)
        value, unit = float(times[np.argmin(np.abs(times - expected))]), "s"
    elif claim.time is None:
        return
    else:
        value = float(values[np.argmin(np.abs(t - claim.time))])
    ok = abs(value - expected) <= within
    yield ClaimResult(*labels, value, expected, within, unit, ok)


def smallest(view: RunView, channel: str) -> tuple[str, float, float]:
    """Return the channel with a channel's smallest value, its time, and the value.

    Distances between links are known between samples too, and belong to one pair.
    """
    values, facts = view.recorded_values(channel), view.run.settings.clearance
    k = int(np.argmin(values))
    if facts is not None and channel == "clearance.links":
        pair = next(pair for pair in facts.pairs if pair.first != FLOOR)
        return f"clearance.{pair.first}-{pair.second}", pair.at, pair.distance
    return channel, float(view.t[k]), float(values[k])


def _rating(view: RunView, channel: str) -> float | None:
    """Return the rated effort of the joint of a torque; None for other channels."""
    efforts = {f"tau.{row.name}": row.limits.effort for row in view.tree_coordinates}
    rated = efforts.get(channel, math.inf)
    return None if math.isinf(rated) else rated
