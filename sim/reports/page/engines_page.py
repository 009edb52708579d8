"""Page of scenarios by two engines: a table whose rows link to the pages of pairs, one file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from sim.comparison import Difference
from sim.comparison.between_engines import BetweenEngines
from sim.engine_names import ENGINES
from sim.recording.recording import Recording
from sim.reports.page.engine_pair import difference_text
from sim.reports.page.glb_scene import GlbScene
from sim.reports.page.index import THUMBNAIL, IndexRow
from sim.reports.page.poster import poster
from sim.reports.page.quantity import number
from sim.reports.page.standalone import render, write_html

FILE = "engines.html"


@dataclass(frozen=True)
class EngineRun:
    """Run of one engine, as shown on the page.

    Parameters
    ----------
    title : str
        The engine.
    row : Row
        Row of the index.
    apart : str
        Largest difference of a torque from the model, relative to the joint's peak.
    """

    title: str
    row: IndexRow
    apart: str


@dataclass(frozen=True)
class EnginesRow:
    """A scenario run by several engines, as shown on the page.

    Parameters
    ----------
    runs : sequence of EngineRun
        The first is the one that the other is laid over.
    between : BetweenEngines
    poster : str
        SVG of the robot.
    """

    runs: Sequence[EngineRun]
    between: BetweenEngines
    poster: str = ""

    @classmethod
    def of(
        cls,
        recordings: Sequence[tuple[Recording, str]],
        between: BetweenEngines,
        scene: GlbScene | None,
    ) -> EnginesRow:
        """Return the row of judged runs, each with the path to its place on the pair's page."""
        first = recordings[0][0]
        picture = "" if scene is None else poster(scene, first, THUMBNAIL)
        runs = [
            EngineRun(ENGINES[one.run.engine].title, IndexRow.of(one, href), number(share, 2))
            for (one, href), share in zip(recordings, between.from_model, strict=True)
        ]
        return cls(runs, between, picture)

    @property
    def passed(self) -> bool:
        """Whether both runs pass and the engines agree."""
        return self.between.ok and all(run.row.passed for run in self.runs)

    @property
    def apart(self) -> str:
        """Largest difference of a torque between the engines, relative to the joint's peak."""
        return number(self.between.torque, 2)

    @property
    def furthest(self) -> str:
        """Difference of the furthest channel with respect to its limit, as text."""
        return difference_text(self.between.furthest)

    @property
    def share(self) -> str:
        """Share of its limit that the furthest channel uses."""
        far = self.between.furthest
        return "" if far is None else f"{number(100 * far.used, 2)} %"

    @property
    def place(self) -> str:
        """Anchor of the furthest channel's difference on the page of both runs."""
        far: Difference | None = self.between.furthest
        if far is None:
            return ""
        words = {"ch": far.channel, "t": repr(far.at), "view": "compared"}
        return f"{self.runs[0].row.href}#{urlencode(words)}"


def write_engines_page(path: Path, rows: Sequence[EnginesRow]) -> None:
    """Write the page of scenarios by two engines.

    Raises
    ------
    RecordingError
        If the file cannot be written.
    """
    html = render(
        "engines.html.j2",
        rows=rows,
        titles=[run.title for run in rows[0].runs] if rows else [],
        passed=all(row.passed for row in rows),
        failed=sum(not row.passed for row in rows),
    )
    write_html(path, html)
