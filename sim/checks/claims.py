"""Claims that a source makes about a run, judged; one that fails does not fail the run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fnmatch import fnmatchcase

import numpy as np

from sim.checks.peaks import largest, peak_times
from sim.checks.run_view import RunView
from sim.recording.held_tables import recorded_of
from sim.recording.recording import Recording
from sim.recording.schema.facts import ClaimFacts
from sim.recording.schema.verdicts import ClaimResult


def judge_claims(recording: Recording) -> tuple[ClaimResult, ...]:
    """Every claim of the scenario on every channel it names."""
    view = RunView(recording)
    return tuple(
        result
        for claim in view.run.claims
        for channel in recorded_of(recording).columns
        if fnmatchcase(channel, claim.channel)
        for result in _results(view, claim, channel)
    )


def _results(view: RunView, claim: ClaimFacts, channel: str) -> Iterator[ClaimResult]:
    """One result, or none where a rating or a number that the claim needs is not there."""
    labels, unit = (claim.text, claim.source, channel), view.unit(channel)
    values, t = view.recorded_values(channel), view.t
    if claim.statistic in ("peak_within_rating", "peak_below"):
        limit = claim.value if claim.statistic == "peak_below" else _rating(view, channel)
        if limit is not None:
            at, peak = largest(view, channel)
            yield ClaimResult(*labels, peak, limit, None, unit, peak <= limit, at)
        return
    expected, within = claim.value, claim.within
    if expected is None or within is None:
        return
    if claim.statistic == "time_of_peak":
        times = peak_times(t, values)
        found, unit = float(times[np.argmin(np.abs(times - expected))]), "s"
    elif claim.time is None:
        return
    else:
        found = float(values[np.argmin(np.abs(t - claim.time))])
    ok = abs(found - expected) <= within
    yield ClaimResult(*labels, found, expected, within, unit, ok)


def _rating(view: RunView, channel: str) -> float | None:
    """Rated effort of the joint of a torque; None of any other channel."""
    efforts = {f"tau.{row.name}": row.limits.effort for row in view.tree_coordinates}
    rated = efforts.get(channel, math.inf)
    return None if math.isinf(rated) else rated
