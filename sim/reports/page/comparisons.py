"""Page of all compared scenarios: a row each, with a link to its run over its baseline."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import numpy as np

from sim.comparison import Baseline, Comparison, ComparisonStatus, Difference, course, summary
from sim.maths.arrays import Array
from sim.recording.recording import Recording
from sim.reports.page.comparison_tables import change_texts
from sim.reports.page.glb_scene import GlbScene
from sim.reports.page.html_tables import headline
from sim.reports.page.index import THUMBNAIL
from sim.reports.page.overlay import Overlay
from sim.reports.page.page import write_page
from sim.reports.page.plotted_channels import channels_of
from sim.reports.page.poster import poster, sparkline
from sim.reports.page.quantity import number
from sim.reports.page.standalone import render, write_html

FILE = "index.html"
POINTS = 160  # of a sparkline: one per pixel


@dataclass(frozen=True)
class ComparedRow:
    """Row of a compared scenario; small, since many are kept.

    Parameters
    ----------
    standing : ComparisonStatus
    href, first : str
        Link to its own page, to the worst channel at the time at which a channel first exceeds
        its limit; and that channel. Empty where nothing was compared.
    headline : str
    worst : str
        Difference of the worst channel, as text.
    poster, spark : str
        SVG: the robot, and the error of the worst channel over time with its limit.
    """

    standing: ComparisonStatus
    href: str = ""
    first: str = ""
    headline: str = ""
    worst: str = ""
    poster: str = ""
    spark: str = ""

    @property
    def changes(self) -> tuple[str, ...]:
        """Changes of the inputs; another machine is mentioned without its details."""
        return change_texts(self.standing.changes)


def comparison_row(
    standing: ComparisonStatus,
    recording: Recording,
    baseline: Baseline,
    scene: GlbScene | None,
    page: str,
) -> ComparedRow:
    """Return the row of a compared scenario; `page` is the path to its own page."""
    drawn = {channel.name for channel in channels_of(recording)}
    shown = [] if standing.comparison is None else standing.comparison.differences
    worst, first = standing.worst, standing.first
    lead = next((one for one in shown if one.channel in drawn), None)
    spark = "" if worst is None else _spark(recording, baseline, worst)
    return ComparedRow(
        standing,
        href=page + _place(lead, drawn, None if first is None else first.diverges),
        first="" if first is None else page + _place(first, drawn, first.diverges),
        headline=" · ".join(headline(recording.run)),
        worst="" if worst is None else _worst(worst),
        poster="" if scene is None else poster(scene, recording, THUMBNAIL),
        spark=spark,
    )


def write_compared(
    path: Path,
    recording: Recording,
    baseline: Baseline,
    comparison: Comparison,
    scene: GlbScene | None,
) -> None:
    """Write the page of a judged run, overlaid with its baseline.

    Raises
    ------
    RecordingError
        If the file cannot be written.
    """
    overlay = Overlay.from_comparison("baseline", baseline, comparison)
    write_page(path, recording, scene, [overlay], THUMBNAIL)


def write_comparisons(path: Path, rows: Sequence[ComparedRow]) -> None:
    """Write the page of all scenarios.

    Raises
    ------
    RecordingError
        If the file cannot be written.
    """
    standings = [row.standing for row in rows]
    html = render(
        "comparisons.html.j2",
        rows=rows,
        passed=all(one.ok for one in standings),
        summary=summary(standings),
    )
    write_html(path, html)


def _place(lead: Difference | None, drawn: Collection[str], at: float | None) -> str:
    """Return the anchor on a page of a channel's difference, at a time or at its worst."""
    if lead is None:
        return ""
    where = {"ch": lead.channel} if lead.channel in drawn else {}
    words = {**where, "t": repr(lead.at if at is None else at), "view": "compared"}
    return f"#{urlencode(words)}"


def _worst(worst: Difference) -> str:
    unit = "" if worst.unit == "1" else f" {worst.unit}"
    return f"{number(worst.worst, 3)} of {number(worst.limit, 3)}{unit}, {worst.rule}"


def _spark(recording: Recording, baseline: Baseline, worst: Difference) -> str:
    _, apart = course(recording, baseline, worst.channel)
    return sparkline(_peaks(apart), limit=worst.limit)


def _peaks(values: Array) -> Array:
    """Return the largest value within each pixel of a sparkline, so that no peak is lost."""
    finite = np.nan_to_num(values, nan=0.0, posinf=0.0)
    starts = np.linspace(0, finite.size, min(POINTS, finite.size), endpoint=False).astype(int)
    return np.asarray(np.maximum.reduceat(finite, starts))
