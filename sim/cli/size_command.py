"""`sim size`: select the smallest motor and gear from catalogues for each drive of a run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli.arguments import RUN_HELP, add_json, add_number
from sim.cli.exit_status import WANTING, WELL

if TYPE_CHECKING:
    from sim.sizing import MotorSizing

MOTORS, GEARS = "made_up_motors.csv", "made_up_gears.csv"  # shipped with the scenarios


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.description = (
        "Select the smallest suitable motor and gear from two catalogues for each revolute joint, "
        "with the run as one load cycle: loads at the motor shaft and the gear, utilisation of "
        "each rating, limiting rating. Exit status 1 if no pair is suitable for some joint."
    )
    command.add_argument("run", metavar="RUN", help=RUN_HELP)
    command.add_argument(
        "--motors", metavar="FILE.csv", help="motor catalogue (default: shipped, fictitious)"
    )
    command.add_argument(
        "--gears", metavar="FILE.csv", help="gear catalogue (default: shipped, fictitious)"
    )
    add_number(
        command,
        "--reserve",
        "SHARE",
        "reserve kept on each rating, such as 0.2 (default: 0)",
        default=0.0,
    )
    add_number(
        command,
        "--inertia-ratio",
        "X",
        "largest ratio of link inertia to rotor and gear inertia, at the joint (default: no limit)",
    )
    command.add_argument(
        "--page", metavar="FILE.html", help="write torque-speed plots as an HTML page"
    )
    command.add_argument(
        "--out", metavar="FILE.csv", help="write torque, speed and power at the shafts over time"
    )
    add_json(command)
    command.set_defaults(action=size_run)


def size_run(options: argparse.Namespace) -> int:
    """Print the selection, write page and curves; return status 1 if no pair suits a joint."""
    from sim import shipped
    from sim.cli.output import console, place_of, print_json
    from sim.cli.runs import explain_mismatch
    from sim.recording.files.run_folders import find_run
    from sim.recording.recording import Recording
    from sim.sizing import read_gears, read_motors, size_motors
    from sim.sizing.to_terminal import document, to_terminal

    page, out = place_of(options.page, ".html"), place_of(options.out, ".csv")
    motors = read_motors(options.motors or shipped.scenarios() / MOTORS)
    gears = read_gears(options.gears or shipped.scenarios() / GEARS)
    folder = find_run(options.run)
    with explain_mismatch(folder):
        sizing = size_motors(
            Recording.read(folder),
            motors,
            gears,
            reserve=options.reserve,
            inertia_ratio=options.inertia_ratio,
        )
    _write(sizing, page, out)
    code = WELL if sizing.holds else WANTING
    if options.json:
        print_json(document(sizing))
        return code
    from sim.reports.terminal.printing import show

    show(console(), to_terminal(sizing))
    for path in (page, out):
        if path is not None:
            console().print(f"written  {path}", highlight=False, markup=False)
    return code


def _write(sizing: MotorSizing, page: Path | None, out: Path | None) -> None:
    if page is not None:
        from sim.sizing.page import write_page

        write_page(sizing, page)
    if out is not None:
        from sim.sizing.curves import write_curves

        write_curves(sizing, out)
