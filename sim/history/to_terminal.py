"""A history for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sim.history.entry import HistoryEntry
from sim.history.jumps import Jump, jumps_in
from sim.reports.terminal.sentences import label_sentence
from sim.reports.terminal.tables import FittedTable
from sim.showing.shares import share_text

if TYPE_CHECKING:
    from rich.console import RenderableType

MOST_RUNS, MOST_JUMPS = 10, 5  # in a terminal: the newest runs, jumps of each


def history_table(entries: Sequence[HistoryEntry]) -> list[RenderableType]:
    """Return a row per run, and a line per acceptance and jump, the newest ones."""
    headings = ("made", "commit", "engine", "verdict", "closest to limit", "CPU")
    left = ("commit", "engine", "verdict")
    rows = FittedTable(headings, ("CPU", "engine"), left=left, prose=("closest to limit",))
    for entry in entries:
        rows.add_row(
            date_text(entry.when),
            entry.commit_text,
            entry.kind or "–",
            entry.verdict or "–",
            nearest_text(entry) or "–",
            "–" if entry.cpu is None else f"{entry.cpu:.2f} s",
            style="red" if entry.verdict == "fail" else None,
        )
    runs = jumps_by_run(jumps_in(entries))
    parts: list[RenderableType] = [rows]
    for entry in [entry for entry in entries if entry.accepted][-MOST_RUNS:]:
        text = f"run of {date_text(entry.when)} by {entry.who}: {entry.reason}"
        parts.append(label_sentence("accepted", text))
    for jumps in runs[-MOST_RUNS:]:
        style = "red" if any(jump.is_worse for jump in jumps) else ""
        parts.append(label_sentence("jump", sentence_of(jumps, MOST_JUMPS), style))
    if len(runs) > MOST_RUNS:
        text = f"{len(runs) - MOST_RUNS} earlier runs are flagged: --page shows all"
        parts.append(label_sentence("", text, "dim"))
    if not runs and sum(bool(entry.numbers) for entry in entries) > 1:
        parts.append(label_sentence("jumps", "none", "dim"))
    return parts


def jumps_by_run(jumps: Sequence[Jump]) -> list[list[Jump]]:
    """Return the jumps of each run, the worse ones first."""
    by_run: dict[int, list[Jump]] = {}
    for jump in jumps:
        by_run.setdefault(id(jump.entry), []).append(jump)
    return [sorted(some, key=lambda jump: not jump.is_worse) for some in by_run.values()]


def nearest_text(entry: HistoryEntry) -> str:
    """Return the check with the largest used share, and the share; empty without checks."""
    nearest = entry.nearest
    if nearest is None or nearest.used is None:
        return ""
    share = share_text(nearest.used).replace(" ", "\u00a0")  # no break between number and unit
    return f"{nearest.label} {share}"


def sentence_of(jumps: Sequence[Jump], most: int | None = None) -> str:
    """Return other changes of a run and its jumps, `most` of them, with the commit."""
    entry, changes = jumps[0].entry, jumps[0].changes
    where = f"at {entry.commit_text}" if entry.commit else f"on {date_text(entry.when)}"
    with_what = f" with {', '.join(changes)}" if changes else ""
    named = jumps if most is None else jumps[:most]
    more = f"; and {len(jumps) - len(named)} more" if len(jumps) > len(named) else ""
    return f"{where}{with_what}: {'; '.join(jump.what for jump in named)}{more}"


def overview_table(histories: Mapping[str, Sequence[HistoryEntry]]) -> list[RenderableType]:
    """Return a row per scenario."""
    headings = ("scenario", "runs", "accepted", "newest", "verdict", "jumps")
    rows = FittedTable(headings, ("accepted", "jumps"), left=("newest", "verdict"))
    for name, entries in histories.items():
        newest = entries[-1]
        rows.add_row(
            name,
            str(sum(bool(entry.numbers) for entry in entries)),
            str(sum(bool(entry.accepted) for entry in entries)),
            f"{date_text(newest.when)} {newest.commit_text}",
            newest.verdict or "–",
            str(len(jumps_in(entries))),
            style="red" if newest.verdict == "fail" else None,
        )
    return [rows]


def date_text(when: str) -> str:
    """Format a time in ISO 8601 as ``2026-11-24 03:51``."""
    return when[:16].replace("T", " ")


def document(scenario: str, entries: Sequence[HistoryEntry]) -> dict[str, Any]:
    """Return a history as JSON."""
    return {
        "scenario": scenario,
        "entries": [asdict(entry) for entry in entries],
        "jumps": [
            {
                "commit": jump.entry.commit,
                "made": jump.entry.when,
                "what": jump.what,
                "worse": jump.is_worse,
                "changes": list(jump.changes),
            }
            for jump in jumps_in(entries)
        ],
    }
