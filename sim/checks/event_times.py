"""Times at which conditions became true in the engine's motion, against the model's."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sim.checks.judgement import Judgement, finite_or_none, share
from sim.checks.run_view import RunView
from sim.recording.schema.event_facts import OccurrenceFacts
from sim.recording.schema.horizon import horizon
from sim.recording.schema.verdicts import Check

ROUNDING = 1e-12  # [s] of a root of the solution


def event_times(view: RunView) -> Iterator[Judgement]:
    """Check the times of each event in engine and model.

    An allowed error of the motion shifts the time of a condition by the change of its value over
    its rate. An event that occurs in only one of the two always fails.
    """
    until = horizon(view.run)
    for number, event in enumerate(view.run.conditions or (), 1):
        channel, plot = f"event.{number}", f"q.{view.row_names[0]}"
        for one in event.occurrences:
            at = one.recorded or 0.0 if one.t is None else one.t
            if until is not None and at > until:  # the motions are no longer comparable
                continue
            limit = _limit(view, one)
            error = math.nan
            if one.t is not None and one.recorded is not None:
                error = abs(one.recorded - one.t)
            use, ok = share(error, limit), error <= limit
            check = Check(
                "event time", channel, finite_or_none(error), limit, "s", at, ok, use, plot
            )
            yield Judgement(check, note=event.condition)


def _limit(view: RunView, one: OccurrenceFacts) -> float:
    """Return the allowed difference between the times of one event [s]."""
    off = view.limits.position * one.by_position + view.limits.velocity * one.by_velocity
    whole = view.run.settings.duration
    return min(ROUNDING + (off / abs(one.rate) if one.rate else whole), whole)
