"""Errors found in a watched loop."""

from __future__ import annotations

from collections.abc import Iterator

from sim.checks.judgement import Judgement, share
from sim.checks.run_view import RunView
from sim.recording.schema.verdicts import Check
from sim.recording.schema.watched_facts import WatchedFacts


def watched_errors(view: RunView) -> Iterator[Judgement]:
    """Check ``causes``: the number of errors named by `sim.watch` in a loop; none in other runs."""
    facts = view.run.watched
    if not isinstance(facts, WatchedFacts):
        return
    count = float(len(facts.errors))
    channel, at = f"tau.{view.row_names[0]}", float(view.t[0])
    use = share(count, 0.0)
    yield Judgement(Check("causes", channel, count, 0.0, "1", at, count == 0, use, channel))
