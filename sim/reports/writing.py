"""report: the page and figures of a run, written into a folder.

Figures and pages are imported on use, so that a run without a report does not wait for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sim.checks import Judgement, judge_recording
from sim.errors import RecordingError
from sim.maths.arguments import checked
from sim.recording.files.locks import exclusive
from sim.recording.files.run_folders import DESCRIPTION
from sim.recording.files.whole_files import sha256
from sim.recording.recorded_robot import robot_of
from sim.recording.recording import Recording
from sim.recording.schema.description import read_run
from sim.robots.robot import Robot

if TYPE_CHECKING:
    from sim.reports.page.overlay import Overlay
    from sim.reports.page.robot_file import RobotFile


@checked
def report(
    recording: Recording,
    folder: Path,
    robot: Robot | None = None,
    overlays: Sequence[Overlay] | None = None,
    robot_file: RobotFile | None = None,
    *,
    figures: bool = False,
    judgements: Sequence[Judgement] | None = None,
) -> tuple[Path, ...]:
    """Write the page of a run, and its figures if requested, into an existing folder.

    Parameters
    ----------
    recording : Recording
        Judged here if it has no verdict.
    folder : Path
    robot : Robot, optional
        The robot of the scenario; its card states the sources of its numbers.
    overlays : sequence of Overlay, optional
        Overlays of the run on its page (default: its baseline, if it has one).
    robot_file : RobotFile, optional
        Findings of an audit of the robot, for a section of the page.
    figures : bool
        Whether figures are drawn, each as PNG and SVG: about 1 s for a 6-axis arm.
    judgements : sequence of Judgement, optional
        Judgements of the run, if they are already computed.

    Returns
    -------
    tuple of Path
        The files, the page last.

    Raises
    ------
    RecordingError, ModelError
        If a file cannot be written, or the robot's shapes cannot be read.
    """
    from sim.reports.page.report import write_report

    folder = Path(folder)
    if recording.run.verdict is None:
        recording = judge_recording(recording)
    if overlays is None:
        overlays = baseline_of(recording)
    drawn = _draw_figures(recording, folder) if figures else ()
    shown = robot_of(recording)
    if robot is not None:
        shown = replace(shown, card=robot.card)
    page, _ = write_report(
        folder, recording, shown, overlays, robot_file=robot_file, judgements=judgements
    )
    return (*drawn, page)


def _draw_figures(recording: Recording, folder: Path) -> tuple[Path, ...]:
    from sim.reports.figures import write_figures  # Matplotlib takes half a second to load

    return write_figures(recording, folder)


def write_report_into(
    recording: Recording,
    folder: Path,
    robot: Robot | None = None,
    robot_file: RobotFile | None = None,
    *,
    figures: bool = False,
    judgements: Sequence[Judgement] | None = None,
) -> Recording:
    """Write the report of a judged run into its folder, and its files into the description there.

    Returns the recording with the updated description: names of the page and of requested figures,
    and the hash of every file.

    Raises
    ------
    RecordingError, ModelError
        If a file cannot be written, or the robot's shapes cannot be read.
    """
    from sim.reports.page.glb_scene import FILE

    paths = report(
        recording, folder, robot, None, robot_file, figures=figures, judgements=judgements
    )
    *names, page = (path.name for path in paths)
    drawn = recording.with_description(figures=tuple(names), page=page)
    return drawn.with_files(folder, [*names, FILE, page]).write_description(folder)


def write_figures_into(recording: Recording, folder: Path) -> Recording:
    """Write the figures of a run into its folder, and their names and hashes there.

    Returns the recording as it is described then.

    Raises
    ------
    RecordingError
        If the file cannot be written, or the folder now holds another run.
    """
    with exclusive(folder.resolve().parent):  # no run may replace the folder meanwhile
        _require_as_read(recording, folder)
        names = [path.name for path in _draw_figures(recording, folder)]
        drawn = recording.with_description(figures=tuple(names))
        return drawn.with_files(folder, names).write_description(folder)


def write_page_into(
    recording: Recording,
    folder: Path,
    overlays: Sequence[Overlay] | None = None,
    robot_file: RobotFile | None = None,
) -> Recording:
    """Write the page of a run's folder again, and its hash into the description there.

    The run is judged anew; only the page changes in the description. Returns the recording with the
    updated description. Arguments and errors are those of `write_page_of`.
    """
    from sim.reports.page.glb_scene import FILE as SCENE
    from sim.reports.page.page import FILE

    scene, page = folder / SCENE, folder / FILE
    fresh = page.with_name(f".{FILE}.partial")  # the page is moved when the description is saved
    has_scene = scene.is_file()
    with exclusive(folder.resolve().parent):  # no run may replace the folder meanwhile
        _require_as_read(recording, folder)
        try:
            write_page_of(recording, folder, overlays, fresh, robot_file=robot_file)
            files = {**recording.run.files, FILE: sha256(fresh), SCENE: sha256(scene)}
            closed = recording.with_description(page=FILE, files=files).write_description(folder)
        except BaseException as error:
            for path in (fresh, *(() if has_scene else (scene,))):
                path.unlink(missing_ok=True)
            if isinstance(error, OSError | RecordingError) and str(fresh) in str(error):
                raise RecordingError(str(error).replace(str(fresh), str(page))) from error
            raise
        fresh.replace(page)
    return closed


def _require_as_read(recording: Recording, folder: Path) -> None:
    if read_run(folder / DESCRIPTION).seal != recording.run.seal:
        raise RecordingError(
            f"{folder} contains a different run than the one that was read; try again"
        )


def write_page_of(
    recording: Recording,
    folder: Path,
    overlays: Sequence[Overlay] | None = None,
    path: Path | None = None,
    robot_file: RobotFile | None = None,
) -> Path:
    """Write the page of the run in a folder, judged anew; return its path.

    The scene in the folder is shown; if there is none, it is built there.

    Parameters
    ----------
    recording : Recording
        As read from the folder.
    folder : Path
    overlays : sequence of Overlay, optional
        Overlays of the run (default: its baseline, if it has one).
    path : Path, optional
        The HTML file (default: ``report.html`` in the folder, see `write_page_into`).
    robot_file : RobotFile, optional
        As in `report`.

    Raises
    ------
    RecordingError, ModelError
        If a file cannot be written or read, or the robot's shapes cannot be read.
    """
    from sim.reports.page.glb_scene import FILE
    from sim.reports.page.report import write_report

    shown = judge_recording(recording)
    robot = None if (folder / FILE).is_file() else robot_of(recording)
    if overlays is None:
        overlays = baseline_of(shown)
    page, _ = write_report(folder, shown, robot, overlays, path, robot_file)
    return page


def baseline_of(recording: Recording) -> tuple[Overlay, ...]:
    """Return the baseline of a run's scenario as an overlay; empty if none can be read."""
    from sim.comparison import find_baseline
    from sim.reports.page.overlay import Overlay

    try:
        baseline = find_baseline(recording.run.scenario)
    except RecordingError:
        return ()
    return (Overlay.of("baseline", baseline, recording),)
