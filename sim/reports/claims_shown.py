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


def why_not_judged(run: Run, text: str) -> str:
    """Why a claim has no result: a run without clearance says nothing of distances; or empty."""
    of_distances = any(c.text == text and c.channel.startswith("clearance.") for c in run.claims)
    if not of_distances or run.settings.clearance is not None:
        return ""
    return "the run was made without --clearance (pip install 'sim[clearance]')"


def is_shown(results: Sequence[ClaimResult]) -> bool:
    """Whether a claim is shown on every channel that it is about, and there is one."""
    return bool(results) and all(result.ok for result in results)
