"""`sim play` and `sim teach`: a run or a robot to look at."""

from __future__ import annotations

import argparse
import contextlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli.command import WELL
from sim.cli.judging import find_run
from sim.cli.output import console, progress
from sim.errors import PlaybackError

if TYPE_CHECKING:
    from rich.text import Text

    from sim.playback.teach_state import TeachState
    from sim.robots import Robot

_STYLES = {"plain": "", "good": "green", "warning": "bold red", "table": "cyan"}


def play_run(options: argparse.Namespace) -> int:
    """Show a run in a window, or write it as a video."""
    from sim.playback import play
    from sim.playback.display import require_display

    if options.video is None:
        require_display()  # before a long run is read
    folder = find_run(options.run)
    against = None if options.against is None else find_run(options.against)
    with progress(str(options.video or "")) as tick:
        play(
            folder,
            speed=options.speed,
            video=options.video,
            against=against,
            size=size_of_picture(options.size),
            fps=options.fps,
            at=options.at,
            progress=tick,
        )
    if options.video is not None:
        console().print(f"file     {Path(options.video)}", highlight=False, markup=False)
    return WELL


def teach_robot(options: argparse.Namespace) -> int:
    """A slider for each joint of a robot, and in the terminal what its position means."""
    from sim.playback import teach
    from sim.robots import load_robot

    robot = load_robot(options.robot, tool=options.tool)
    start = None if options.pose is None else robot.pose(options.pose)
    with _live(robot) as show:
        last = teach(robot, start=start, show=show)
    if last is not None:
        console().print(_text(robot, last))
    return WELL


def size_of_picture(text: str) -> tuple[int, int]:
    """Width and height of ``640x480``.

    Raises
    ------
    PlaybackError
        If the text is nothing of the kind.
    """
    match = re.fullmatch(r"(-?\d{1,9})[x×](-?\d{1,9})", text)
    if match is None:
        raise PlaybackError(f"--size takes WIDTHxHEIGHT in pixels, such as 640x480; got {text!r}")
    return int(match[1]), int(match[2])


@contextlib.contextmanager
def _live(robot: Robot) -> Iterator[Callable[[TeachState], None] | None]:
    """A place in the terminal that shows the newest state; None where no person looks."""
    out = console()
    if not out.is_terminal:
        yield None
        return
    from rich.live import Live

    with Live(console=out, transient=True, refresh_per_second=10) as live:
        yield lambda state: live.update(_text(robot, state))


def _text(robot: Robot, state: TeachState) -> Text:
    from rich.text import Text

    from sim.playback.teach_text import joint_line, lines_of

    text = Text(f"{robot.name}\n{joint_line(robot, state.q)}\n")
    for line in lines_of(robot, state).values():
        text.append(line.text + "\n", _STYLES[line.tone])
    return text
