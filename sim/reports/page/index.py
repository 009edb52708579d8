"""Index of many runs, a row each, with links to their pages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sim.checks import Judgement, judgements
from sim.recording.recording import Recording
from sim.reports.nearest_limit import nearness
from sim.reports.page.check_rows import CheckRow
from sim.reports.page.glb_scene import GlbScene
from sim.reports.page.html_tables import headline
from sim.reports.page.poster import poster, sparkline
from sim.reports.page.standalone import asset, render, write_html

FILE = "index.html"
MOST = 1e9  # sort key of a check that uses a larger share of its limit, or no finite one
THUMBNAIL = 0.5  # a quarter of a poster's pixels


@dataclass(frozen=True)
class IndexRow:
    """A run as a row of the index; small, since many are kept.

    Parameters
    ----------
    name, href : str
        Name of the run, and path to its page.
    passed : bool
    headline : str
    checks, failed : int
    worst : CheckRow or None
        Check nearest to its limit, as in the run's own table.
    poster, spark : str
        SVG: the robot, and the error of the worst channel.
    """

    name: str
    href: str
    passed: bool
    headline: str
    checks: int
    failed: int
    worst: CheckRow | None
    poster: str
    spark: str

    @classmethod
    def of(cls, recording: Recording, href: str, scene: GlbScene | None = None) -> IndexRow:
        """Return the row of a judged run; `href` leads from the index to its page."""
        run, count, failed, nearest = recording.run, 0, 0, None
        for judgement in judgements(recording):  # one by one: their curves are long
            count, failed = count + 1, failed + (not judgement.check.ok)
            if nearest is None or nearness(judgement) > nearness(nearest):
                nearest = judgement
        return cls(
            name=run.scenario,
            href=href,
            passed=run.verdict == "pass",
            headline=" · ".join(headline(run)),
            checks=count,
            failed=failed,
            worst=None if nearest is None else CheckRow.of(nearest),
            poster="" if scene is None else poster(scene, recording, THUMBNAIL),
            spark="" if nearest is None else _course(nearest),
        )

    @property
    def place(self) -> float:
        """Sort key by distance to a limit; larger for failed runs than for all that pass."""
        used = 0.0 if self.worst is None else min(self.worst.used, MOST)
        return used if self.passed else used + MOST


def write_index(path: Path, rows: Iterable[IndexRow]) -> None:
    """Write the index of several runs: failed ones first, then by distance to their limits.

    Raises
    ------
    RecordingError
        If the file cannot be written.
    """
    listed = sorted(rows, key=lambda row: (-row.place, row.name))
    script = asset("sorting.js")
    html = render(
        "index.html.j2",
        scripts=[script],
        rows=listed,
        passed=all(row.passed for row in listed),
        failed=sum(not row.passed for row in listed),
        degrees=True,
        script=script,
    )
    write_html(path, html)


def _course(judged: Judgement) -> str:
    """Return the check's curve in small: its error, or its approach to an end of a range."""
    if judged.error is None:
        return ""
    return sparkline(judged.error if judged.bounds == "end" else np.abs(judged.error))
