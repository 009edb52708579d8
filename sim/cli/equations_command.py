"""`sim equations`: symbolic equations of motion of a robot's first joints."""

from __future__ import annotations

import argparse

from sim.cli.arguments import add_flag, add_robot
from sim.cli.exit_status import WELL
from sim.cli.repairs import add_strict
from sim.cli.robot_options import add_reading_options, load_robot_from

# Format by the suffix of --out, unless an option names one.
ENDINGS = {".c": "c", ".h": "c", ".tex": "latex"}
FIRST = 2  # default of --joints


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.description = (
        "Derive M, C and g of the first joints symbolically and check them against the numerical "
        "model at 100 states. Two joints are written in full, three in intermediate steps."
    )
    add_robot(command)
    command.add_argument(
        "--joints",
        type=int,
        metavar="N",
        help="number of moving joints, from the base (default: 2, or 1 if the robot has one)",
    )
    formats = command.add_mutually_exclusive_group()
    formats.add_argument(
        "--latex", dest="format", action="store_const", const="latex", help="print LaTeX (amsmath)"
    )
    formats.add_argument(
        "--c", dest="format", action="store_const", const="c", help="print a C99 function"
    )
    add_flag(command, "--anyway", "allow more than three joints (long expressions)")
    command.add_argument(
        "--out", metavar="FILE", help="output file; the endings .c and .tex imply --c and --latex"
    )
    add_reading_options(command)
    add_strict(command)
    command.set_defaults(action=show_equations)


def show_equations(options: argparse.Namespace) -> int:
    """Print or write the equations after they have passed their check."""
    from sim.cli.output import console, place_of
    from sim.recording.files.named_file import write_named
    from sim.symbolic import equations

    out = place_of(options.out)
    robot = load_robot_from(options, options.robot)
    if (joints := options.joints) is None:
        joints = min(FIRST, max(1, len(robot.coordinates)))
    model = equations(robot, joints, anyway=options.anyway)
    kind = options.format or (ENDINGS.get(out.suffix.lower()) if out else None)
    text = {"c": model.c, "latex": model.latex}.get(kind or "", model.text)()
    if out is None:
        console().print(text, end="", highlight=False, markup=False, soft_wrap=True)
        return WELL
    write_named(out, text.encode("utf-8"))
    for line in (f"equations {out}, {len(text):,} characters", f"check     {model.proof}"):
        console().print(line, highlight=False, markup=False, soft_wrap=True)
    return WELL
