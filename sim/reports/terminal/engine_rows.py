"""Scenarios by two engines for a terminal: a row as each ends, and a summary line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim.comparison.between_engines import BetweenEngines
from sim.comparison.outcome import Difference
from sim.engine_names import ENGINES
from sim.reports.terminal.styled_text import Text
from sim.showing.one_line import count_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sim.recording.schema.description import Run

MOST = 3  # listed channels of engines that differ
WIDE = 15  # width of the text on one engine's run


def engines_head(names: Sequence[str], engines: Sequence[str]) -> Text:
    """Return the heading of the rows of these scenarios."""
    titles = "  ".join(f"{ENGINES_BY_NAME[name] + ', model':{WIDE}}" for name in engines)
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
    line = Text(f"{scenario:{_room(names)}}  ")
    line.append(f"{'pass' if good else 'fail':7}", style="green" if good else "bold red")
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


def engines_tally(verdicts: dict[str, bool]) -> Text:
    """Return the number of scenarios that pass with both engines, and the names of the others."""
    bad = [name for name, good in verdicts.items() if not good]
    line = f"{len(verdicts) - len(bad)} of {len(verdicts)} pass with both engines"
    names = f"; failed: {', '.join(bad)}" if bad else ""
    return Text(line + names, style="bold red" if bad else "bold green")


ENGINES_BY_NAME: dict[str, str] = {name: facts.title for name, facts in ENGINES.items()}


def _of_peak(share: float | None) -> str:
    return "no torques" if share is None else f"{share:.1e}"


def _room(names: Sequence[str]) -> int:
    return max(map(len, ("scenario", *names)))
