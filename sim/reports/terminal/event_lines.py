"""Events of a run, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.reports.event_texts import event_texts
from sim.reports.terminal.sentences import label_sentence

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sim.recording.schema.description import Run

MOST = 3  # that are listed, besides how many more there are


def event_lines(run: Run) -> list[RenderableType]:
    """The first events that happened, a line each, and how many more there are."""
    texts = [f"{when}: {what}" for when, what in event_texts(run)]
    rows: list[RenderableType] = [label_sentence("event", text, rows=2) for text in texts[:MOST]]
    if len(texts) > MOST:
        rows.append(label_sentence("event", f"and {len(texts) - MOST} more, in run.json"))
    return rows
