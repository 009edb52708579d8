"""report: what a person looks at after a run, written into a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sim.checks import judged
from sim.comparison import find_baseline
from sim.errors import RecordingError
from sim.recorded_robot import robot_of
from sim.recording import Recording
from sim.reports.figures import figures
from sim.reports.page.overlay import Overlay
from sim.reports.page.report import write_report
from sim.robots.model import Robot


def report(
    recording: Recording,
    folder: Path,
    robot: Robot | None = None,
    overlays: Sequence[Overlay] | None = None,
) -> tuple[Path, ...]:
    """Write the figures and the page of a run into an existing folder.

    Parameters
    ----------
    recording : Recording
        Judged here if it is not yet.
    folder : Path
    robot : Robot, optional
        The robot of the scenario, whose card says where its numbers come from.
    overlays : sequence of Overlay, optional
        What is laid over the run on its page; its baseline, if it has one, without them.

    Returns
    -------
    tuple of Path
        The files, the page last.

    Raises
    ------
    RecordingError, ModelError
        If a file cannot be written, or the robot's shapes cannot be read.
    """
    folder = Path(folder)
    if "checks" not in recording.info:
        recording = judged(recording)
    if overlays is None:
        overlays = baseline_of(recording)
    drawn = figures(recording, folder)
    shown = robot_of(recording)
    if robot is not None:
        shown = replace(shown, card=robot.card)
    page, _ = write_report(folder, recording, shown, overlays)
    return (*drawn, page)


def baseline_of(recording: Recording) -> tuple[Overlay, ...]:
    """The baseline of a run's scenario as an overlay; nothing if there is none to be read."""
    try:
        baseline = find_baseline(recording.info["scenario"])
    except RecordingError:
        return ()
    return (Overlay.of("baseline", baseline, recording),)
