"""Page of a robot file alone."""

from __future__ import annotations

from pathlib import Path

from sim.recording.files.named_file import write_named
from sim.reports.page.robot_file import RobotFile
from sim.reports.page.standalone import render


def write_robot_page(path: Path, shown: RobotFile) -> None:
    """Write the page of a robot file alone.

    Raises
    ------
    RecordingError
        If the file cannot be written, or an existing file is not a report.
    """
    write_named(path, render("audit.html.j2", r=shown).encode("utf-8"), ".html")
