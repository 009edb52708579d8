"""A loop that was watched: how many named causes make it wrong."""

from __future__ import annotations

from collections.abc import Iterator

from sim.checks.judgement import Judgement, share
from sim.checks.run_view import RunView
from sim.recording.schema.verdicts import Check
from sim.recording.schema.watched_facts import WatchedFacts


def watched(view: RunView) -> Iterator[Judgement]:
    """``causes``: number of errors in a loop that `sim.watch` named; none of any other run."""
    facts = view.run.watched
    if not isinstance(facts, WatchedFacts):
        return
    count = float(len(facts.errors))
    channel, at = f"tau.{view.row_names[0]}", float(view.t[0])
    used = share(count, 0.0)
    yield Judgement(Check("causes", channel, count, 0.0, "1", at, count == 0, used, channel))
