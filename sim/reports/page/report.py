"""Page of a run in the run's folder, from the content of the folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sim.checks.judgement import Judgement
from sim.errors import RecordingError
from sim.recording.files.whole_files import write_bytes
from sim.recording.recorded_robot import with_kept_loops
from sim.recording.recording import Recording
from sim.reports.page.glb_scene import FILE as SCENE_FILE
from sim.reports.page.glb_scene import GlbScene, scene_of
from sim.reports.page.overlay import Overlay
from sim.reports.page.page import FILE, write_page
from sim.reports.page.robot_file import RobotFile
from sim.robots.robot import Robot


def write_report(
    folder: Path,
    recording: Recording,
    robot: Robot | None = None,
    overlays: Sequence[Overlay] = (),
    path: Path | None = None,
    robot_file: RobotFile | None = None,
    judgements: Sequence[Judgement] | None = None,
) -> tuple[Path, GlbScene | None]:
    """Write the page of a judged run; return its path and its scene.

    With `robot` the scene is built and stored in the folder as ``scene.glb``; by default the scene
    in the folder is shown. Results of another program are overlaid by default.

    Parameters
    ----------
    folder : Path
        The run's folder.
    recording : Recording
    robot : Robot, optional
    overlays : sequence of Overlay
        Baseline or other runs.
    path : Path, optional
        The HTML file; default: ``report.html`` in the folder.
    robot_file : RobotFile, optional
        Findings of an audit of the robot.
    judgements : sequence of Judgement, optional
        Judgements of the run, if they are already computed.

    Raises
    ------
    RecordingError
        If the scene in the folder is damaged or a file cannot be written.
    """
    if robot is None:
        scene = GlbScene.beside(folder)
    else:
        data = scene_of(with_kept_loops(robot, recording))
        try:
            write_bytes(folder / SCENE_FILE, data)
        except OSError as error:
            where = folder / SCENE_FILE
            raise RecordingError(f"Cannot write {where}: {error.strerror or error}") from error
        scene = GlbScene.read(data)
    laid_over = list(overlays)
    reference, facts = recording.reference, recording.run.reference
    if reference is not None and facts is not None:
        laid_over.insert(0, Overlay.of_reference(recording, reference, facts))
    path = folder / FILE if path is None else path
    write_page(path, recording, scene, laid_over, robot_file=robot_file, judgements=judgements)
    return path, scene
