"""Index: one page for many runs, a row each, that leads to their own pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sim.checks.channels import times
from sim.errors import RecordingError
from sim.recording import Recording
from sim.reports.page import tables
from sim.reports.page.judged import errors_of, own_curves
from sim.reports.page.page import asset, environment, policy
from sim.reports.page.poster import poster, sparkline
from sim.reports.page.scene import Scene

FILE = "index.html"
THUMBNAIL = 0.5  # a quarter of the pixels of a poster


@dataclass(frozen=True)
class Row:
    """What the index says of a run; small enough to keep while the next runs.

    Parameters
    ----------
    name, href : str
        Of the run, and the way to its page.
    passed : bool
    headline : str
    checks, failed : int
    worst : mapping or None
        The check nearest to its limit, as in the run's own table.
    poster, spark : str
        SVG: the robot, and the error of the worst channel.
    """

    name: str
    href: str
    passed: bool
    headline: str
    checks: int
    failed: int
    worst: Mapping[str, Any] | None
    poster: str
    spark: str

    @classmethod
    def of(cls, recording: Recording, href: str, scene: Scene | None = None) -> Row:
        """Row of a judged run; `href` leads from the index to its page."""
        info = recording.info
        rows = tables.check_rows(info)
        # How near to the end of its range a joint goes says little of how good a run is.
        judged = [row for row in rows if not (row["ok"] and row["name"].endswith("end of range"))]
        worst = next(iter(judged or rows), None)
        failed = sum(not row["ok"] for row in rows)
        return cls(
            name=str(info["scenario"]),
            href=href,
            passed=info.get("verdict") == "pass",
            headline=" · ".join(tables.headline(info)),
            checks=len(rows),
            failed=failed,
            worst=worst,
            poster="" if scene is None else poster(scene, recording, THUMBNAIL),
            spark="" if worst is None else _spark(recording, worst),
        )


def write_index(path: Path, rows: Iterable[Row]) -> None:
    """Write the index of several runs.

    Raises
    ------
    RecordingError
        If the file cannot be written.
    """
    found = list(rows)
    style = asset("style.css")
    html = (
        environment()
        .get_template("index.html.j2")
        .render(
            rows=found,
            passed=all(row.passed for row in found),
            failed=sum(not row.passed for row in found),
            style=style,
            policy=policy([], style),
        )
    )
    try:
        path.write_text(html, encoding="utf-8", newline="\n")
    except OSError as error:
        raise RecordingError(f"Cannot write {path}: {error.strerror or error}") from error


def _spark(recording: Recording, worst: Mapping[str, Any]) -> str:
    """Course of what the worst check judges."""
    for check in recording.info["checks"]:
        if (check["name"], check["channel"]) == (worst["name"], worst["channel"]):
            error = errors_of(recording, check, own_curves(recording), times(recording.recorded))
            return "" if error is None else sparkline(np.abs(error))
    return ""
