"""Several runs for a terminal: a row each as they end, and a line for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim.checks import Judgement, without_curves
from sim.reports.nearest_limit import nearness, share_of
from sim.reports.terminal.summary import issues

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from sim.recording.recording import Recording
    from sim.recording.schema.description import Run

COLUMNS = 80  # of a terminal as it opens; a row is not broken


def head(names: Sequence[str]) -> Text:
    """The heading of the rows of these scenarios."""
    from rich.text import Text

    return Text(f"{'scenario':{_room(names)}}  verdict  checks  nearest to its limit", style="bold")


def row(
    recording: Recording, names: Sequence[str], judgements: Sequence[Judgement] | None = None
) -> list[RenderableType]:
    """A scenario, its verdict and the check nearest to its limit; below it notes and failures."""
    from rich.text import Text

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
    """How many of the runs pass, and which do not."""
    from rich.text import Text

    bad = [run.scenario for run in runs if run.verdict != "pass"]
    line = f"{len(runs) - len(bad)} of {len(runs)} pass"
    names = f"; failed: {', '.join(bad)}" if bad else ""
    return Text(line + names, style="bold red" if bad else "bold green")


def _room(names: Sequence[str]) -> int:
    return max(map(len, ("scenario", *names)))
