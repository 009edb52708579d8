"""Audit of the robot of a run, for the page of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.recording.recording import Recording
    from sim.reports.page.robot_file import RobotFile


def audit_of_run(recording: Recording) -> RobotFile | None:
    """Return the audit of the robot file stored with a run; None if there is none.

    Raises
    ------
    RecordingError
        If the file is not that of the run.
    """
    if recording.urdf is None:
        return None
    from sim.audit.kept_audit import audit_for_page

    return audit_for_page(recording)
