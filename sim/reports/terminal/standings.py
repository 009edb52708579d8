"""Comparison status for a terminal: a row a scenario, details of those that differ, a summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim.comparison import ComparisonStatus, summary
from sim.comparison.comparison_status import MOST_NAMED
from sim.reports.terminal.tables import table

if TYPE_CHECKING:
    from rich.console import RenderableType

NEAR = ("bit", "rounding")  # levels of which the row contains all


def standings_shown(
    standings: Sequence[ComparisonStatus], page: str, most: int = 3
) -> list[RenderableType]:
    """A table of all scenarios, a few lines on each of those that differ, and last the summary.

    Parameters
    ----------
    standings : sequence of ComparisonStatus
        In the order of the table.
    page : str
        Where the page is.
    most : int
        Changes in the inputs, and channels, that are listed of each scenario.
    """
    from rich.text import Text

    columns = ("scenario", "outcome", "of limit", "worst channel", "first at")
    rows = table(*columns, spare=("worst channel", "of limit"))
    for one in standings:
        rows.add_row(
            one.scenario,
            one.word,
            one.share,
            "–" if one.worst is None else one.worst.channel,
            "–" if one.first is None else f"{one.first.diverges:.6g} s",
            style=None if one.ok else "red",
        )
    parts: list[RenderableType] = [rows]
    absent: dict[tuple[str, ...], list[str]] = {}  # scenarios that were not compared, by reason
    for one in standings:
        lines = () if _is_near(one) else one.lines(most)
        if lines and one.comparison is None:
            absent.setdefault(lines, []).append(one.scenario)
        elif lines:
            parts += [Text(one.text, style="bold" if one.ok else "bold red")]
            parts += [Text(f"  {line}") for line in lines]
    for lines, names in absent.items():
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        parts += [Text(", ".join(names[:MOST_NAMED]) + more, style="bold red")]
        parts += [Text(f"  {line}") for line in lines]
    parts.append(Text(f"page     {page}"))
    parts.append(Text(summary(standings), style="green" if all(s.ok for s in standings) else "red"))
    return parts


def _is_near(one: ComparisonStatus) -> bool:
    return one.comparison is not None and one.comparison.level in NEAR
