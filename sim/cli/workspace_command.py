"""`sim workspace`: reach, singularity margin and gravity load of a robot's tool in a section."""

from __future__ import annotations

import argparse
import contextlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli.arguments import add_flag, add_json, add_number, add_robot
from sim.cli.exit_status import WANTING, WELL
from sim.cli.repairs import add_strict
from sim.cli.robot_options import (
    add_meshes_option,
    add_mount_option,
    add_reading_options,
    add_tool_options,
    load_robot_from,
)
from sim.errors import ScenarioError

if TYPE_CHECKING:
    from sim.workspaces import Workspace

FOLDER = Path("results/workspaces")
LONGEST = 60  # letters of a robot's name in the name of a folder


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.description = (
        "Map the workspace of a robot in one section by inverse kinematics: reachable tool "
        "directions, singularity margin, and gravity load relative to the rated torques at each "
        "point. Random joint samples check the result. Exit status 1 if they disagree."
    )
    add_robot(command)
    command.add_argument(
        "--section",
        default="xz",
        metavar="PLANE",
        help="section: xz, yz, xy, or a world coordinate [m] such as z=0.5 (default: xz)",
    )
    add_number(command, "--payload", "KG", "point mass at the tool [kg] (default: 0)", default=0.0)
    command.add_argument(
        "--frame", metavar="LINK", help="link of the tool frame (default: the robot's tool)"
    )
    command.add_argument(
        "--tool",
        metavar="DIRECTION",
        help="direction of the tool's z axis in maps of one direction: down, up, +x, -x, +y, -y "
        "(default: down)",
    )
    command.add_argument(
        "--directions",
        type=int,
        default=36,
        metavar="N",
        help="number of tool directions tested (default: 36)",
    )
    add_flag(
        command, "--sphere", "test directions over the whole sphere (default: within the section)"
    )
    add_number(
        command,
        "--step",
        "M",
        "grid spacing [m] (default: about 57 600 points, 10 000 for a numerical solver)",
    )
    command.add_argument(
        "--out",
        metavar="DIR",
        help="output folder of page and figures (default: results/workspaces/ROBOT_SECTION)",
    )
    add_flag(command, "--no-page", "print the summary only; write no files")
    add_tool_options(command, link=False)
    add_mount_option(command)
    add_reading_options(command)
    add_meshes_option(command)
    add_strict(command)
    add_json(command)
    command.set_defaults(action=show_workspace)


def show_workspace(options: argparse.Namespace) -> int:
    """Print the summary, write page and figures; return 1 if samples and inverse disagree."""
    from sim.cli.output import console, print_json
    from sim.reports.terminal.sentences import label_sentence
    from sim.workspaces import workspace
    from sim.workspaces.summary import document, summary_lines

    if options.no_page and options.out is not None:
        raise ScenarioError("--out and --no-page exclude each other; omit one of them")
    robot = load_robot_from(options, options.robot, tool=options.frame)
    result = workspace(
        robot,
        options.section,
        payload=options.payload,
        tool=options.tool,
        directions=options.directions,
        sphere=options.sphere,
        step=options.step,
    )
    files = {} if options.no_page else _write(result, options.out)
    if options.json:
        print_json(document(result) | {"files": {kind: str(path) for kind, path in files.items()}})
        return WELL if result.check.ok else WANTING
    out = console()
    for label, text in summary_lines(result):
        style = "red" if label == "check" and not result.check.ok else ""
        out.print(label_sentence(label, text, style))
    for kind, path in files.items():
        out.print(f"{kind:8} {path}", highlight=False, markup=False, soft_wrap=True)
    return WELL if result.check.ok else WANTING


def _write(result: Workspace, out: str | None) -> dict[str, Path]:
    from sim.recording.files.named_file import require_place
    from sim.workspaces.page import FILE as PAGE
    from sim.workspaces.page import FILES, write_figures, write_page

    folder = FOLDER / _folder_name(result) if out is None else Path(out)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(parents=True)
    for name in (PAGE, *FILES):  # checked before the first is written
        require_place(folder / name)
    write_page(result, folder / PAGE)
    return {"page": folder / PAGE, **write_figures(result, folder)}


def _folder_name(result: Workspace) -> str:
    """Return a folder name of robot and section, without characters invalid in a path."""
    robot = re.sub(r"[^\w-]+", "_", result.robot.name)[:LONGEST]
    return f"{robot}_{result.section.key}"
