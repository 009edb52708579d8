"""play and teach: a run or a robot in PyBullet's window, or a run as a video."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.errors import EngineError, PlaybackError, ScenarioError
from sim.maths.arguments import checked
from sim.playback.display import ADVICE, require_display, require_pybullet
from sim.playback.process import ChildLostError, Program, in_child

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from sim.playback.teach_state import TeachState
    from sim.recording.recording import Recording
    from sim.robots import Robot

_log = logging.getLogger(__name__)

SIZE = (1280, 720)  # pixels of a video


@checked
def play(
    run: Recording | str | Path,
    *,
    speed: float = 1.0,
    video: str | Path | None = None,
    against: Recording | str | Path | None = None,
    size: tuple[int, int] | None = None,
    fps: float | None = None,
    at: float | None = None,
    sheet: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Show a run in PyBullet's window until it is closed, or write a video or a picture.

    Parameters
    ----------
    run : Recording, str or Path
        A run, or its folder.
    speed : float
        Seconds of the run per second.
    video : str or Path, optional
        An ``.mp4``, ``.gif`` or ``.png`` to write; no display is needed and no window opened.
    against : Recording, str or Path, optional
        Run shown as a ghost (default: the baseline of the scenario).
    size : tuple of two ints, optional
        Width and height in pixels of the video, or of one pose of a sheet (default: 1280 × 720).
    fps : float, optional
        Pictures of the video per second (default: 25).
    at : float, optional
        Time of a ``.png`` [s] (default: the middle of the run).
    sheet : int, optional
        Number of poses, with their times, in the ``.png``, from the start to the end.
    progress : callable, optional
        Called with the number of completed pictures of the video, and of all.

    Raises
    ------
    RecordingError
        If a run cannot be read, or has no stored URDF of its robot.
    PlaybackError
        If there is no display for the window, or the video cannot be written.
    """
    if not (math.isfinite(speed) and speed > 0):
        raise PlaybackError(f"The speed is a positive number; got {speed:g}")
    if sheet is not None and (video is None or at is not None or fps is not None):
        raise PlaybackError(
            f"A contact sheet of {sheet} poses is a .png (video=) without a time or a rate"
        )
    if video is not None and Path(video).suffix.lower() == ".png" and fps is not None:
        raise PlaybackError(f"A rate (fps = {fps:g}) is for a video; {video} is a still")
    require_pybullet()
    if video is None:
        require_display()
    from sim.playback.shown_run import prepare_run

    shown = prepare_run(run, against)
    if shown.look.note:
        _log.warning(shown.look.note)
    if video is not None and sheet is not None:
        from sim.playback.video import POSE_SIZE, write_sheet

        write_sheet(shown, Path(video), sheet, size=size or POSE_SIZE, progress=progress)
        return
    if video is not None:
        size = SIZE if size is None else size
        from sim.playback.video import FPS, write_video

        fps = FPS if fps is None else fps
        path = Path(video)
        write_video(shown, path, speed=speed, size=size, fps=fps, at=at, progress=progress)
        return
    from sim.playback.run_window import open_run_window

    for _ in in_window(open_run_window, shown, speed):
        pass


def teach(
    robot: Robot,
    *,
    start: ArrayLike | None = None,
    show: Callable[[TeachState], None] | None = None,
) -> TeachState | None:
    """Open a panel with a slider for each joint; return the last state when it is closed.

    Parameters
    ----------
    start : array_like, shape (n,), optional
        Initial joint positions [rad or m] (default: the pose ``home`` of the card, or zero).
    show : callable, optional
        Called with every new state.

    Raises
    ------
    ScenarioError
        If the robot has no movable joint, or `start` is not one finite number per joint.
    ModelError
        If the robot has no tool frame, or a joint is a ball.
    PlaybackError
        If there is no display.
    """
    require_pybullet()
    require_display()
    from sim.kinematics.inverse.sliders import poses_of
    from sim.playback.teach_state import teach_state
    from sim.playback.teach_window import open_teach_window
    from sim.shapes.look import look_of

    if not robot.joint_names:
        raise ScenarioError(f"Robot {robot.name!r} has no joint that moves")
    robot.require_no_balls("sliders require joints with one coordinate each")
    poses = poses_of(robot)
    first = teach_state(robot, poses.get("home", poses["zero"]) if start is None else start)
    look, last = look_of(robot), None
    if look.note:
        _log.warning(look.note)
    for state in in_window(open_teach_window, robot, look, first.q):
        if state is not None:
            last = state
            if show is not None:
                show(state)
    return last


def in_window(program: Program, *arguments: object) -> Iterator[Any]:
    """Iterate over a program with a window, which closes however the program ends.

    Raises
    ------
    PlaybackError
        If no window could be opened.
    EngineError
        If PyBullet crashed while it was open.
    """
    try:
        yield from in_child(program, *arguments)
    except ChildLostError as lost:
        if not lost.began:
            raise PlaybackError(
                f"PyBullet could not open a window on this display (it needs OpenGL 3.3): {ADVICE}"
            ) from None
        if lost.crashed:
            raise EngineError(f"{lost} while its window was open") from None
