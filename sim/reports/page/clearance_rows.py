"""Rows of a page on the smallest distances between links, as text with times to jump to."""

from __future__ import annotations

from msgspec import Struct

from sim.recording.schema.clearance_facts import ClearanceFacts, PairFacts
from sim.recording.schema.description import Run


class PairRow(Struct, frozen=True):
    """Smallest distance between two links [mm]; `at` and `touch` are times [s]."""

    links: str
    channel: str
    distance: str
    at: float
    known: str
    touch: float | None
    second: str
    ok: bool

    @classmethod
    def of(cls, pair: PairFacts, facts: ClearanceFacts) -> PairRow:
        """Return the row of a pair."""
        channel = f"clearance.{pair.first}-{pair.second}"
        again = pair.second_answer
        overlap = " (depth, not checked)" if pair.distance <= 0 else ""
        return cls(
            f"{pair.first} – {pair.second}",
            channel if channel in facts.channels else facts.channels[0] if facts.channels else "",
            distance=_millimetres(pair.distance),
            at=pair.at,
            known=_millimetres(pair.left_over),
            touch=pair.first_touch,
            second="–" if again is None else _millimetres(again) + overlap,
            ok=pair.distance - pair.left_over >= facts.wanted,
        )


class ClearanceTable(Struct, frozen=True):
    """Distances on a page: the request, every pair, and the pairs that are not checked."""

    wanted: str
    floor: str
    by: str
    second_by: str
    rows: list[PairRow]
    left_out: str
    excluded: str


def clearance_table(run: Run) -> ClearanceTable | None:
    """Return the table of a run whose links are checked against each other, else None."""
    if (facts := run.settings.clearance) is None:
        return None
    return ClearanceTable(
        wanted=_millimetres(facts.wanted),
        floor="" if facts.floor is None else f"{facts.floor:g} m",
        by=facts.by,
        second_by=facts.second_by or "",
        rows=[PairRow.of(pair, facts) for pair in facts.pairs],
        left_out=_names(facts.left_out),
        excluded=_names(facts.excluded),
    )


def _names(pairs: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{first} – {second}" for first, second in pairs)


def _millimetres(metres: float) -> str:
    return f"{1e3 * metres + 0.0:.4f}".replace("-", "−")
