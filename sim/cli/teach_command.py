"""`sim teach`: move a robot with sliders and read its tool pose."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli.arguments import add_flag, add_robot
from sim.cli.exit_status import WELL
from sim.cli.repairs import add_strict
from sim.cli.robot_options import (
    add_meshes_option,
    add_reading_options,
    add_tool_options,
    arguments_of,
    load_robot_from,
)
from sim.errors import PlaybackError

if TYPE_CHECKING:
    from rich.text import Text

    from sim.maths.arrays import Array
    from sim.playback.teach_state import TeachState
    from sim.robots import Robot

_STYLES = {"plain": "", "good": "green", "warning": "bold red", "table": "cyan"}


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.description = (
        "Move a robot with one slider per joint; print or show the tool pose, joint limits and "
        "singularities. Opens the window of sim studio in the browser, or a page in one file."
    )
    add_robot(command)
    command.add_argument(
        "--pose",
        metavar="NAME",
        help="initial pose of the robot card (default: home, otherwise zero)",
    )
    view = command.add_mutually_exclusive_group()
    add_flag(view, "--browser", "open the browser (the default)")
    add_flag(view, "--window", "open PyBullet's window instead")
    command.add_argument(
        "--out",
        metavar="FILE.html",
        help="write and open a page in one file, which needs no server (default, where the window "
        "cannot be opened: results/pages/teach_ROBOT.html)",
    )
    add_tool_options(command)
    add_reading_options(command)
    add_meshes_option(command)
    add_strict(command)
    command.set_defaults(action=teach_robot)


def teach_robot(options: argparse.Namespace) -> int:
    """Open a robot in the browser, or in PyBullet's window with ``--window``."""
    from sim.cli.output import console
    from sim.kinematics.loop_equations import passive_joints
    from sim.playback import teach

    if options.window and options.out is not None:
        raise PlaybackError("--out is the file of the page; omit --window")
    robot = load_robot_from(options, options.robot, tool=options.tool)
    start = None if options.pose is None else robot.pose(options.pose)
    if not options.window:
        return _teach_in_browser(options, robot, start)
    if passive_joints(robot).any():
        text = "the window moves passive joints too and leaves loops open; the page closes them"
        console().print(f"loops    {text}", style="yellow", soft_wrap=True)
    with _live(robot) as show:
        last = teach(robot, start=start, show=show)
    if last is not None:
        console().print(_text(robot, last))
    return WELL


def _teach_in_browser(options: argparse.Namespace, robot: Robot, start: Array | None) -> int:
    """Open a robot in the studio's window, or write its teach page and open it.

    Raises
    ------
    RecordingError
        If a page cannot be written to `options.out`.
    """
    from sim.cli.output import console, place_of
    from sim.cli.window import can_open_window, open_window
    from sim.playback.browser import NO_BROWSER, open_page, place_of_page
    from sim.recording.files.named_file import write_named
    from sim.reports.page.teach_page import teach_facts, teach_page
    from sim.robots.mesh_places import own_places

    out = place_of(options.out, ".html")
    source = str(options.robot)
    is_file = Path(source).is_file()
    place = None if out is not None else _place(options)
    if place is not None and can_open_window(place[0]):
        teach_facts(robot, source, start, {})  # refused here is what the pane cannot show
        parts = {"robot": place[1], "tool": options.tool, "pose": options.pose}
        first = {name: value for name, value in parts.items() if value is not None}
        meshes = own_places(Path(source).parent) if is_file else ()
        return open_window(place[0], first, meshes=meshes)
    if is_file:
        source = str(Path(source).resolve())  # the taught script may be run from elsewhere
    html = teach_page(robot, source, start=start, loaded_with=arguments_of(options))
    named = f"teach_{robot.name}.html"
    path = out or place_of_page(named)
    write_named(path, html.encode("utf-8"), ".html")
    is_open = open_page(path)
    console().print(f"page     {path}", highlight=False, markup=False, soft_wrap=True)
    if not is_open:
        console().print(NO_BROWSER, style="yellow")
    return WELL


def _place(options: argparse.Namespace) -> tuple[Path, str] | None:
    """Return the folder of the window and the robot's name in its forms.

    The folder is the working folder, or that of a robot file elsewhere. None if the forms cannot
    load the robot as it is typed.
    """
    from sim import shipped
    from sim.studio.setup import ROBOT

    if options.tcp or options.xacro or options.model or options.meshes_below:
        return None
    here, file = Path.cwd(), Path(options.robot).resolve()
    if options.robot in shipped.robot_names():
        return here, options.robot
    for folder in (here, file.parent):
        if file.is_relative_to(folder):
            name = file.relative_to(folder).as_posix()
            if "." in name and ROBOT.fullmatch(name):
                return folder, name
    return None


@contextlib.contextmanager
def _live(robot: Robot) -> Iterator[Callable[[TeachState], None] | None]:
    """Show the newest state in the terminal; yield None if it is not interactive."""
    from sim.cli.output import console
    from sim.reports.terminal.printing import PlainOutput

    out = console()
    if isinstance(out, PlainOutput) or not out.is_terminal:
        yield None
        return
    from rich.live import Live

    with Live(console=out, transient=True, refresh_per_second=10) as live:
        yield lambda state: live.update(_text(robot, state))


def _text(robot: Robot, state: TeachState) -> Text:
    from rich.text import Text

    from sim.playback.teach_state import joint_line, lines_of

    text = Text(f"{robot.name}\n{joint_line(robot, state.q)}\n")
    for line in lines_of(robot, state).values():
        text.append(line.text + "\n", _STYLES[line.tone])
    return text
