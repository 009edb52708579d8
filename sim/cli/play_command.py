"""`sim play`: show a run in a window or a browser, or write a video."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from sim.cli.arguments import RUN_HELP, add_flag, add_number
from sim.cli.exit_status import WELL
from sim.cli.repairs import say_repairs
from sim.cli.robot_options import add_meshes_option, report_mesh_folders
from sim.engine_names import is_installed
from sim.errors import PlaybackError


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.add_argument("run", metavar="RUN", help=RUN_HELP)
    add_number(command, "--speed", "X", "playback speed (default: 1)", default=1.0)
    command.add_argument(
        "--video",
        metavar="FILE",
        help="write a video (.mp4, .gif) or still (.png); requires no display",
    )
    add_flag(
        command,
        "--browser",
        "open the run in the browser: in the window of sim studio, or its page (default: if "
        "PyBullet is not installed)",
    )
    command.add_argument(
        "--against",
        metavar="RUN",
        help=f"overlay another run as a ghost (default: the baseline): {RUN_HELP}",
    )
    command.add_argument(
        "--size",
        metavar="WxH",
        help="size in pixels (default: 1280x720 for a video, 400x360 per pose of a sheet)",
    )
    add_number(command, "--fps", "N", "frames per second (default: 25)")
    add_number(command, "--at", "S", "time of a still [s] (default: middle)")
    command.add_argument(
        "--sheet", type=int, metavar="N", help="write a contact sheet of N poses with their times"
    )
    command.add_argument(
        "--out", metavar="FILE", help="with --sheet: output file (default: sheet.png)"
    )
    add_meshes_option(command)
    command.set_defaults(action=play_run)


def play_run(options: argparse.Namespace) -> int:
    """Show a run in a window or a browser, or write it as a video."""
    from sim.cli.output import console, progress
    from sim.cli.runs import explain_mismatch
    from sim.playback import play
    from sim.playback.display import require_display, require_pybullet
    from sim.recording.files.run_folders import DESCRIPTION, find_run
    from sim.recording.schema.description import read_run

    video = _file(options)
    if options.browser or (video is None and not is_installed("bullet")):
        return _play_in_browser(options, video)
    require_pybullet()  # checked before a long run is read
    if video is None:
        require_display()
    folder = find_run(options.run)
    against = None if options.against is None else find_run(options.against)
    with explain_mismatch(folder), progress(str(video or "")) as tick:
        say_repairs(read_run(folder / DESCRIPTION).robot.repairs)
        play(
            folder,
            speed=options.speed,
            video=video,
            against=against,
            size=None if options.size is None else _size_of_picture(options.size),
            fps=options.fps,
            at=options.at,
            sheet=options.sheet,
            progress=tick,
        )
    if video is not None:
        path = Path(video)
        console().print(f"file     {path}", highlight=False, markup=False)
        if path.suffix.lower() != ".png":
            console().print(f"speed    {options.speed:g}×", highlight=False, markup=False)
    return WELL


def _play_in_browser(options: argparse.Namespace, video: str | None) -> int:
    """Open the page of a run, in the studio's window where that can be opened.

    The page is written first if it is missing or another run is overlaid.

    Raises
    ------
    PlaybackError
        If an option is for a window or a video.
    """
    from sim.cli.output import console
    from sim.cli.report_command import page_of_first
    from sim.cli.runs import explain_mismatch
    from sim.cli.window import can_open_window, open_window
    from sim.playback.browser import NO_BROWSER, open_page, place_of_page
    from sim.recording.files.run_folders import find_run
    from sim.recording.recording import Recording
    from sim.reports.page.page import FILE
    from sim.studio.run_list import place_of_run

    values = {"--fps": options.fps, "--at": options.at, "--size": options.size}
    values |= {"--video or --sheet": video, "--speed": None if options.speed == 1 else 0}
    if alien := next((name for name, value in values.items() if value is not None), None):
        raise PlaybackError(f"{alien} applies to windows and videos; the page has its own controls")
    folders = [find_run(name) for name in (options.run, options.against) if name is not None]
    path = folders[0] / FILE
    if len(folders) > 1:
        path = place_of_page(f"{'_against_'.join(folder.name for folder in folders)}.html")
    if len(folders) > 1 or not path.is_file():
        with explain_mismatch(*folders):
            runs = [(folder, Recording.read(folder)) for folder in folders]
            report_mesh_folders(recording for _, recording in runs)
            page_of_first(runs, path, figures=False)
    listed = place_of_run(folders[0]) if len(folders) == 1 else None
    folder, name = listed or (Path.cwd(), "")
    if can_open_window(folder):
        first = {"run": name} if listed else {"title": " and ".join(map(str, folders))}
        return open_window(folder, first, page=None if listed else path.resolve())
    is_open = open_page(path)
    console().print(f"page     {path}", highlight=False, markup=False, soft_wrap=True)
    if not is_open:
        console().print(NO_BROWSER, style="yellow")
    return WELL


def _file(options: argparse.Namespace) -> str | None:
    """Return the file to write; None for a window.

    Raises
    ------
    PlaybackError
        If options of a sheet and of a video are mixed.
    """
    video: str | None = options.video
    if options.sheet is None:
        if options.out is not None:
            raise PlaybackError("--out requires --sheet N")
        return video
    if video is not None:
        raise PlaybackError(
            "--sheet and --video: choose one; name the file of a sheet with --out FILE"
        )
    return "sheet.png" if options.out is None else str(options.out)


def _size_of_picture(text: str) -> tuple[int, int]:
    """Return width and height of a text such as ``1280x720``.

    Raises
    ------
    PlaybackError
        If the text is malformed.
    """
    if (match := re.fullmatch(r"(-?\d{1,9})[x×](-?\d{1,9})", text)) is None:
        raise PlaybackError(
            f"--size must be WIDTHxHEIGHT in pixels, such as 1280x720; got {text!r}"
        )
    return int(match[1]), int(match[2])
