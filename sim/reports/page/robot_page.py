"""The page of a robot file alone."""

from __future__ import annotations

from pathlib import Path

from sim.errors import RecordingError
from sim.recording.files import write_bytes
from sim.reports.page.page import environment, page_style, policy
from sim.reports.page.robot_file import RobotFile
from sim.reports.replacing import require_replaceable


def write_robot_page(path: Path, shown: RobotFile) -> None:
    """Write a page on a robot file alone.

    Raises
    ------
    RecordingError
        If the file cannot be written, or one is there that is no report.
    """
    require_replaceable(path)
    style = page_style()
    template = environment().get_template("audit.html.j2")
    html = template.render(r=shown, style=style, policy=policy([], style))
    try:
        write_bytes(path, html.encode("utf-8"))
    except OSError as error:
        raise RecordingError(f"Cannot write {path}: {error.strerror or error}") from error
