"""Several runs for a terminal: a row as each ends, and a summary line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim.checks import Judgement, without_curves
from sim.comparison import ComparisonStatus, summary
from sim.comparison.comparison_status import MOST_NAMED
from sim.reports.nearest_limit import nearness, share_of
from sim.reports.terminal.sentences import INDENT, Sentence
from sim.reports.terminal.styled_text import Text
from sim.reports.terminal.summary import issues
from sim.reports.terminal.tables import table
from sim.showing.one_line import shorten_list

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sim.recording.recording import Recording
    from sim.recording.schema.description import Run

COLUMNS = 80  # width of a terminal by default; a row is not broken


def head(names: Sequence[str]) -> Text:
    """Return the heading of the rows of these scenarios."""
    return Text(f"{'scenario':{_room(names)}}  verdict  checks  closest to limit", style="bold")


def row(
    recording: Recording, names: Sequence[str], judgements: Sequence[Judgement] | None = None
) -> list[RenderableType]:
    """Return a scenario, its verdict and its check nearest to the limit; notes, failures below."""
    run = recording.run
    judgements = without_curves(recording) if judgements is None else judgements
    near = max(judgements, key=nearness).check
    line = Text(f"{run.scenario:{_room(names)}}  ")
    line.append(f"{run.verdict:7}", style="green" if run.verdict == "pass" else "bold red")
    line.append(f"  {len(run.checks):6}  {share_of(near):>5} {near.name}")
    if line.cell_len + 1 + len(near.channel) <= COLUMNS:
        line.append(f" {near.channel}")
    return [line, *issues(recording, judgements)]


def tally(runs: Sequence[Run]) -> Text:
    """Return the number of runs that pass, and the names of the others."""
    bad = [run.scenario for run in runs if run.verdict != "pass"]
    line = f"{len(runs) - len(bad)} of {len(runs)} pass"
    names = f"; failed: {', '.join(bad)}" if bad else ""
    return Text(line + names, style="bold red" if bad else "bold green")


def _room(names: Sequence[str]) -> int:
    return max(map(len, ("scenario", *names)))


NEAR = ("bit", "rounding")  # levels whose details the row already contains


def standings_shown(
    standings: Sequence[ComparisonStatus], page: str, most: int = 3
) -> list[RenderableType]:
    """Return a table of all scenarios, details on those that differ, and the summary.

    Parameters
    ----------
    standings : sequence of ComparisonStatus
        In table order.
    page : str
        Path of the page.
    most : int
        Number of changed inputs, and of channels, listed per scenario.
    """
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
            parts += _details(one.text, "bold" if one.ok else "bold red", lines)
    for lines, names in absent.items():
        parts += _details(shorten_list(names, MOST_NAMED), "bold red", lines)
    style = "green" if all(one.ok for one in standings) else "red"
    return [*parts, Text(f"page     {page}"), Text(summary(standings), style=style)]


def _details(title: str, style: str, lines: Sequence[str]) -> list[RenderableType]:
    """Return a title, and labelled lines below it."""
    below = [Sentence(Text(f"  {line}"), indent=2 + INDENT) for line in lines]
    return [Sentence(Text(title, style=style)), *below]


def _is_near(one: ComparisonStatus) -> bool:
    return one.comparison is not None and one.comparison.level in NEAR
