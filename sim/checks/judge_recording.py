"""judge_recording: a recording with all judgements in its description."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

import numpy as np
from msgspec import UNSET

from sim.checks.clearance import FLOOR
from sim.checks.energy_balance import balance_limit, balance_of
from sim.checks.judgement import Judgement
from sim.checks.measured import measured_joints
from sim.checks.peaks import peak_of, peak_times
from sim.checks.run_view import RunView
from sim.checks.sizing import sizing_of
from sim.checks.verdict import judgements_of, verdict
from sim.recording.held_tables import analytic_of, recorded_of
from sim.recording.recording import Recording
from sim.recording.schema.channels import group_of, scale_of
from sim.recording.schema.facts import ClaimFacts
from sim.recording.schema.verdicts import ClaimResult


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
