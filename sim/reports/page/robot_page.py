"""The page of a robot file alone."""

from __future__ import annotations

from pathlib import Path

from sim.recording.files.named_file import write_named
from sim.reports.page.page import environment, page_style, policy
from sim.reports.page.robot_file import RobotFile


def write_robot_page(path: Path, shown: RobotFile) -> None:
    """Write a page on a robot file alone.

    Raises
    ------
    RecordingError
        If the file cannot be written, or one is there that is no report.
    """
    style = page_style()
    template = environment().get_template("audit.html.j2")
    html = template.render(r=shown, style=style, policy=policy([], style))
    write_named(path, html.encode("utf-8"), ".html")
