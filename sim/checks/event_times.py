"""When conditions became true in the engine's motion, against the model's."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sim.checks.judgement import Judgement, finite, share
from sim.checks.run_view import RunView
from sim.recording.schema.event_facts import OccurrenceFacts
from sim.recording.schema.horizon import horizon
from sim.recording.schema.verdicts import Check

ROUNDING = 1e-12  # [s] in the root of a solution


def event_times(view: RunView) -> Iterator[Judgement]:
    """The times of each event, by engine and model.

    A motion that is off by as much as it may be makes a condition true sooner or later by what
    that changes of it over how fast it changes. An event that happens in one of them alone is
    never well.
    """
    until = horizon(view.run)
    for number, event in enumerate(view.run.conditions or (), 1):
        channel, plot = f"event.{number}", f"q.{view.row_names[0]}"
        for one in event.occurrences:
            at = one.recorded or 0.0 if one.t is None else one.t
            if until is not None and at > until:  # from where the two are no longer one motion
                continue
            limit = _limit(view, one)
            error = math.nan
            if one.t is not None and one.recorded is not None:
                error = abs(one.recorded - one.t)
            used, ok = share(error, limit), error <= limit
            check = Check("event time", channel, finite(error), limit, "s", at, ok, used, plot)
            yield Judgement(check, note=event.condition)


def _limit(view: RunView, one: OccurrenceFacts) -> float:
    """How far apart the times of one event may be [s]."""
    off = view.limits.position * one.by_position + view.limits.velocity * one.by_velocity
    whole = view.run.settings.duration
    return min(ROUNDING + (off / abs(one.rate) if one.rate else whole), whole)
