"""How many claims of a run are shown: one count for terminal and page."""

from __future__ import annotations

from collections.abc import Sequence

from sim.recording.schema.description import Run
from sim.recording.schema.verdicts import ClaimResult


def claims_by_text(run: Run) -> dict[tuple[str, str], list[ClaimResult]]:
    """The results of each claim, by its text and source."""
    by_text: dict[tuple[str, str], list[ClaimResult]] = {(c.text, c.source): [] for c in run.claims}
    for result in run.claim_results:
        by_text.setdefault((result.text, result.source), []).append(result)
    return by_text


def is_shown(results: Sequence[ClaimResult]) -> bool:
    """Whether a claim is shown on every channel that it is about, and there is one."""
    return bool(results) and all(result.ok for result in results)
