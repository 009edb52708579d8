"""Smallest distances of a run, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.recording.schema.clearance_facts import ClearanceFacts, PairFacts
from sim.reports.terminal.sentences import label_sentence
from sim.reports.terminal.tables import FittedTable

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sim.recording.schema.description import Run

FLOOR = "floor"


def clearance_lines(run: Run) -> list[RenderableType]:
    """Return the smallest distance between links and to the floor, a line each."""
    if (facts := run.settings.clearance) is None:
        return []
    sides = (
        ("between", [pair for pair in facts.pairs if pair.first != FLOOR]),
        ("floor", [pair for pair in facts.pairs if pair.first == FLOOR]),
    )
    return [
        label_sentence(label, _sentence(pairs), _style(facts, pairs), rows=2)
        for label, pairs in sides
        if pairs
    ]


def clearance_table(run: Run, most: int | None) -> list[RenderableType]:
    """Return every checked pair, the nearest first, and the pairs that are not checked."""
    if (facts := run.settings.clearance) is None:
        return []
    heads = ("links", "smallest distance", "at", "resolution", "first touch", facts.second_by or "")
    rows = FittedTable(heads, (heads[-1], "resolution"), most=most, airy=False)
    for pair in facts.pairs:
        again, mark = pair.second_answer, " (depth)" if pair.distance <= 0 else ""
        rows.add_row(
            f"{pair.first} – {pair.second}",
            f"{1e3 * pair.distance:.4f} mm",
            f"{pair.at:.4f} s",
            f"{1e3 * pair.left_over:.4f} mm",
            "–" if pair.first_touch is None else f"{pair.first_touch:.4f} s",
            "–" if again is None else f"{1e3 * again:.4f} mm{mark}",
        )
    design = ", ".join(f"{a} – {b}" for a, b in facts.left_out)
    excluded = ", ".join(f"{a} – {b}" for a, b in facts.excluded)
    return [
        rows,
        *(
            [label_sentence("touching", f"by design, not checked: {design}", rows=9)]
            if design
            else []
        ),
        *([label_sentence("excluded", excluded, "yellow", rows=9)] if excluded else []),
    ]


def _sentence(pairs: list[PairFacts]) -> str:
    """Describe the nearest pair, and the pair that touches first."""
    least = pairs[0]
    text = f"{1e3 * least.distance:.4g} mm {_names(least)} at {least.at:.4g} s"
    known = max(1e3 * least.left_over, 1e-3)
    text += f", resolution {known:.1g} mm"
    if touching := [pair for pair in pairs if pair.first_touch is not None]:
        first = min(touching, key=lambda pair: pair.first_touch or 0.0)
        text += f"; first touch {first.first_touch:.4g} s {_names(first)}"
    return text


def _names(pair: PairFacts) -> str:
    return pair.second if pair.first == FLOOR else f"{pair.first} – {pair.second}"


def _style(facts: ClearanceFacts, pairs: list[PairFacts]) -> str:
    return "" if pairs[0].distance - pairs[0].left_over >= facts.wanted else "red"
