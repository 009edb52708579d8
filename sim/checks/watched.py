"""Errors found in a watched loop."""

from __future__ import annotations

from collections.abc import Iterator

from sim.checks.judgement import Judgement
from sim.checks.run_view import RunView
from sim.recording.schema.watched_facts import WatchedFacts


def watched_errors(view: RunView) -> Iterator[Judgement]:
    """Check ``causes``: the number of errors named by `sim.watch` in a loop; none in other runs."""
    facts = view.run.watched
    if isinstance(facts, WatchedFacts):
        yield view.judge_count("causes", f"tau.{view.row_names[0]}", len(facts.errors))
