"""`sim play`: a run in a window, or as a video."""

from __future__ import annotations

import argparse
import re

from sim.cli.arguments import RUN_HELP, number
from sim.cli.exit_status import WELL
from sim.cli.repairs import say_repairs
from sim.errors import PlaybackError


def add_arguments(command: argparse.ArgumentParser) -> None:
    """The arguments of the command, and what it does."""
    command.add_argument("run", metavar="RUN", help=RUN_HELP)
    command.add_argument("--speed", type=number, default=1.0, metavar="X", help="1: as it was")
    command.add_argument(
        "--video", metavar="FILE", help="write this .mp4, .gif or .png; needs no display"
    )
    command.add_argument("--against", metavar="RUN", help="another run as a ghost")
    command.add_argument("--size", default="1280x720", metavar="WxH", help="pixels of a video")
    command.add_argument("--fps", type=number, metavar="N", help="pictures a second")
    command.add_argument("--at", type=number, metavar="S", help="time of a still [s]")
    command.set_defaults(action=play_run)


def play_run(options: argparse.Namespace) -> int:
    """Show a run in a window, or write it as a video."""
    from pathlib import Path

    from sim.cli.output import console, progress
    from sim.cli.runs import fitting
    from sim.playback import play
    from sim.playback.display import require_display, require_pybullet
    from sim.recording.files.run_folders import DESCRIPTION, find_run
    from sim.recording.schema.description import read_run

    require_pybullet()  # before a long run is read
    if options.video is None:
        require_display()
    folder = find_run(options.run)
    against = None if options.against is None else find_run(options.against)
    with fitting(folder), progress(str(options.video or "")) as tick:
        say_repairs(read_run(folder / DESCRIPTION).robot.repairs)
        play(
            folder,
            speed=options.speed,
            video=options.video,
            against=against,
            size=_size_of_picture(options.size),
            fps=options.fps,
            at=options.at,
            progress=tick,
        )
    if options.video is not None:
        path = Path(options.video)
        console().print(f"file     {path}", highlight=False, markup=False)
        if path.suffix.lower() != ".png":
            console().print(f"speed    {options.speed:g}×", highlight=False, markup=False)
    return WELL


def _size_of_picture(text: str) -> tuple[int, int]:
    """Width and height of ``1280x720``.

    Raises
    ------
    PlaybackError
        If the text is nothing of the kind.
    """
    match = re.fullmatch(r"(-?\d{1,9})[x×](-?\d{1,9})", text)
    if match is None:
        raise PlaybackError(f"--size takes WIDTHxHEIGHT in pixels, such as 1280x720; got {text!r}")
    return int(match[1]), int(match[2])
