"""`sim identify`: friction, inertias or the payload of a real robot from a log of its torques."""

from __future__ import annotations

import argparse
import contextlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli.arguments import ROBOT_HELP, add_flag, add_json
from sim.cli.exit_status import WELL
from sim.cli.log_options import add_log_options, log_from
from sim.cli.naming_options import add_naming_options
from sim.cli.robot_options import (
    add_mount_option,
    add_reading_options,
    add_tool_options,
    load_robot_from,
    mount_of,
)
from sim.errors import ForeignError

if TYPE_CHECKING:
    from sim.identification import Identification

FOLDER = Path("results/identified")
LONGEST = 60  # letters of robot and log in the name of a folder
PAGE = "identification.html"


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.description = (
        "Identify friction, inertias and rotor inertias of a real robot, or the payload at its "
        "tool, from a log of positions and torques: 95 % intervals, unidentifiable parameters, fit "
        "on the held-out half, and a URDF with the identified parameters."
    )
    command.add_argument(
        "log",
        metavar="LOG",
        help="log file: CSV (also RTDE), Parquet, MATLAB, Excel, or ROS bag (.db3, MCAP)",
    )
    command.add_argument("--robot", required=True, metavar="ROBOT", help=ROBOT_HELP)
    add_flag(command, "--payload", "keep the arm's parameters and identify the payload only")
    command.add_argument(
        "--tool",
        metavar="LINK",
        help="link that carries the payload (default: the tool, otherwise the arm's last link)",
    )
    add_tool_options(command, link=False)
    add_mount_option(command)
    add_reading_options(command)
    add_log_options(command)
    command.add_argument(
        "--out",
        metavar="OUT.urdf",
        help="identified URDF, with its robot card OUT.toml (default: in results/identified)",
    )
    command.add_argument(
        "--page",
        nargs="?",
        const="",
        metavar="OUT.html",
        help="write an HTML page of measured and fitted torques (default: next to the URDF)",
    )
    add_naming_options(command.add_argument_group("columns of the LOG"))
    add_json(command)
    command.set_defaults(action=identify_robot, start=None)


def identify_robot(options: argparse.Namespace) -> int:
    """Print the identified parameters, and write the URDF and the page."""
    from sim.cli.output import console, print_json
    from sim.identification import identify
    from sim.identification.summary import document, to_terminal
    from sim.recording.files.named_file import require_place
    from sim.reports.terminal.printing import show

    at_offset = options.tcp is not None
    if at_offset and not options.payload:
        raise ForeignError("--tcp requires --payload")
    robot = load_robot_from(options, options.robot, tool=options.tool if at_offset else None)
    log = log_from(options, options.log, robot)
    identification = identify(
        robot,
        log,
        payload=options.payload,
        cutoff=options.cutoff,
        tool=None if at_offset else options.tool,
        mount=mount_of(options),
        despite_doubts=options.despite_doubts,
    )
    urdf, page = _places(options, identification)
    for path in (urdf, _card_of(urdf), page):  # checked before the first is written
        if path is not None:
            require_place(path)
    _write(identification, urdf, page)
    if options.json:
        print_json(document(identification, urdf))
        return WELL
    out = console()
    show(out, to_terminal(identification))
    for path in (urdf, _card_of(urdf), page):
        if path is not None:
            out.print(f"written  {path}", highlight=False, markup=False, soft_wrap=True)
    return WELL


def _places(
    options: argparse.Namespace, identification: Identification
) -> tuple[Path, Path | None]:
    """Return the paths of URDF and page."""
    stem = re.sub(r"[^\w-]+", "_", f"{identification.robot.name}_{Path(options.log).stem}")[
        :LONGEST
    ]
    folder = FOLDER / stem
    if options.out is None or options.page == "":
        with contextlib.suppress(FileExistsError):
            (folder if options.out is None else Path(options.out).parent).mkdir(parents=True)
    urdf = folder / f"{stem}.urdf" if options.out is None else Path(options.out)
    if urdf.suffix == ".toml":  # the option may name either of the two
        urdf = urdf.with_suffix(".urdf")
    if options.page is None:
        return urdf, None
    return urdf, Path(options.page) if options.page else urdf.with_name(PAGE)


def _card_of(urdf: Path) -> Path:
    return urdf.with_suffix(".toml")


def _write(identification: Identification, urdf: Path, page: Path | None) -> None:
    from sim.cli.doctor.installed import own_version
    from sim.identification.identified_card import identified_card_text
    from sim.identification.identified_urdf import urdf_text
    from sim.recording.files.named_file import MARK, write_named

    by = f"{MARK.decode()} {own_version()}"
    write_named(urdf, urdf_text(identification, urdf, by).encode("utf-8"), ".urdf")
    card = identified_card_text(identification, by)
    write_named(_card_of(urdf), card.encode("utf-8"), ".toml")
    if page is not None:
        from sim.identification.page import write_page

        write_page(identification, page)
