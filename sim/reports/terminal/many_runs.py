"""Several runs for a terminal, of one engine or two: a row as each ends, and a summary line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim.checks import Judgement, without_curves
from sim.comparison import ComparisonStatus, summary
from sim.comparison.between_engines import BetweenEngines
from sim.comparison.comparison_status import MOST_NAMED
from sim.comparison.outcome import Difference
from sim.engine_names import ENGINES, EngineName
from sim.reports.nearest_limit import nearness, share_of
from sim.reports.terminal.sentences import INDENT, Sentence
from sim.reports.terminal.styled_text import Text
from sim.reports.terminal.summary import issues
from sim.reports.terminal.tables import table
from sim.showing.one_line import count_text, shorten_list

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sim.recording.recording import Recording
    from sim.recording.schema.description import Run


COLUMNS = 80  # width of a terminal by default; a row is not broken
MOST = 3  # listed channels of engines that differ
WIDE = 15  # width of the text on one engine's run


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
    line = _with_verdict(run.scenario, names, good=run.verdict == "pass")
    line.append(f"  {len(run.checks):6}  {share_of(near):>5} {near.name}")
    if line.cell_len + 1 + len(near.channel) <= COLUMNS:
        line.append(f" {near.channel}")
    return [line, *issues(recording, judgements)]


def tally(passes: Sequence[tuple[str, bool]], how: str = "") -> Text:
    """Return the number of scenarios that pass, of name and whether it does, and the others."""
    bad = [name for name, good in passes if not good]
    line = f"{len(passes) - len(bad)} of {len(passes)} pass{how}"
    names = f"; failed: {', '.join(bad)}" if bad else ""
    return Text(line + names, style="bold red" if bad else "bold green")


def _with_verdict(scenario: str, names: Sequence[str], *, good: bool) -> Text:
    line = Text(f"{scenario:{_room(names)}}  ")
    line.append(f"{'pass' if good else 'fail':7}", style="green" if good else "bold red")
    return line


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


def engines_head(names: Sequence[str], engines: Sequence[EngineName]) -> Text:
    """Return the heading of the rows of these scenarios."""
    titles = "  ".join(f"{ENGINES[name].title + ', model':{WIDE}}" for name in engines)
    text = f"{'scenario':{_room(names)}}  verdict  {titles}  both engines"
    return Text(f"largest torque differences, relative to the peaks\n{text}", style="bold")


def engines_row(
    scenario: str, runs: Sequence[Run], between: BetweenEngines, names: Sequence[str]
) -> list[RenderableType]:
    """Return a scenario, its verdict with both engines, and torque differences over their peaks.

    Below it are the channel that is nearest to its limit, if the scenario is the only one, and,
    where the engines differ, the channels that do.
    """
    good = between.ok and all(run.verdict == "pass" for run in runs)
    line = _with_verdict(scenario, names, good=good)
    for run, share in zip(runs, between.from_model, strict=True):
        cell = f"{run.verdict}, {_of_peak(share)}"
        line.append(f"  {cell:{WIDE}}")
    line.append(f"  {_of_peak(between.torque)}")
    below = []
    if (far := between.furthest) is not None and len(names) == 1:
        below.append(Text(f"  nearest to its limit: {far.channel}, {100 * far.used:.2g} %"))
    beyond = [one for one in between.comparison.differences if not one.ok]
    below += [Text(f"  {_difference(one)}", style="red") for one in beyond[:MOST]]
    if len(beyond) > MOST:
        below.append(Text(f"  and {count_text(len(beyond) - MOST, 'more channel')}", style="red"))
    for word, names_of in (
        ("missing", between.comparison.missing),
        ("new", between.comparison.new),
    ):
        if names_of:
            below.append(Text(f"  {word}: {', '.join(names_of)}", style="red"))
    return [line, *below]


def _difference(one: Difference) -> str:
    unit = "" if one.unit == "1" else f" {one.unit}"
    since = "" if one.diverges is None else f", exceeded from {one.diverges:.4g} s on"
    return (
        f"{one.channel} differs by {one.worst:.3g}{unit} at {one.at:.4g} s, "
        f"limit {one.limit:.3g}{unit}{since}"
    )


def _of_peak(share: float | None) -> str:
    return "no torques" if share is None else f"{share:.1e}"
