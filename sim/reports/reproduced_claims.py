"""Claims of a run and their outcome, counted alike for terminal and page."""

from __future__ import annotations

from collections.abc import Sequence

from sim import shipped
from sim.recording.schema.description import Run
from sim.recording.schema.verdicts import ClaimResult


def claims_by_text(run: Run) -> dict[tuple[str, str], list[ClaimResult]]:
    """Return the results of each claim, by its text and source."""
    by_text: dict[tuple[str, str], list[ClaimResult]] = {(c.text, c.source): [] for c in run.claims}
    for result in run.claim_results:
        by_text.setdefault((result.text, result.source), []).append(result)
    return by_text


def claims_title(run: Run) -> str:
    """Return the title of the claims: those of shipped scenarios are published results."""
    return "published results" if run.scenario in shipped.scenario_names() else "claims"


def why_not_evaluated(run: Run, text: str) -> str:
    """Return why a claim has no result (distances require a run with clearance), or ""."""
    of_distances = any(c.text == text and c.channel.startswith("clearance.") for c in run.claims)
    if not of_distances or run.settings.clearance is not None:
        return ""
    return "the run was made without --clearance (pip install 'sim[clearance]')"


def is_reproduced(results: Sequence[ClaimResult]) -> bool:
    """Whether a claim passes on each of its channels, and has at least one."""
    return bool(results) and all(result.ok for result in results)


def share_reproduced(results: Sequence[ClaimResult]) -> str:
    """Return the number of channels on which a claim passes, such as ``3 of 6 links``."""
    groups = {result.channel.partition(".")[0] for result in results}
    what = {"ke": " links", "q": " joints", "qd": " joints", "tau": " joints", "power": " joints"}
    unit = what.get(groups.pop(), "") if len(groups) == 1 else ""
    return f"{sum(result.ok for result in results)} of {len(results)}{unit}"


def summary_of_claims(run: Run) -> str:
    """Return how many claims are reproduced, partly reproduced, not reproduced, not evaluated."""
    claims = claims_by_text(run)
    whole = sum(map(is_reproduced, claims.values()))
    part = [r for r in claims.values() if any(x.ok for x in r) and not is_reproduced(r)]
    none = sum(bool(r) and not any(x.ok for x in r) for r in claims.values())
    missing = sum(not r for r in claims.values())
    words = [f"{whole} of {len(claims)} reproduced"]
    if part:
        shares = "; ".join(map(share_reproduced, part[:2])) + (" …" if len(part) > 2 else "")
        words.append(f"{len(part)} partly ({shares})")
    if none:
        words.append(f"{none} not reproduced")
    if missing:
        words.append(f"{missing} not evaluated")
    return ", ".join(words)
