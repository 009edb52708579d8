"""Options of the commands that read a real robot's log, and the log they select."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli.arguments import add_flag, add_number, joints_and_number

if TYPE_CHECKING:
    from sim.identification import Log
    from sim.robots import Robot


def add_log_options(command: argparse._ActionsContainer) -> None:
    """Add options for reading a log, and for the low-pass of its torques."""
    command.add_argument(
        "--gain",
        nargs="+",
        default=[],
        metavar="[JOINT=]K",
        help="joint torque per ampere of motor current [N·m/A], by joint or pattern",
    )
    command.add_argument(
        "--hold",
        nargs="+",
        default=[],
        metavar="JOINT=X",
        help="constant position X [rad or m] of a joint missing from the log, by joint or pattern",
    )
    add_number(
        command,
        "--cutoff",
        "HZ",
        "low-pass cut-off for both sides [Hz] (default: chosen from the log)",
    )
    for option, which in (("--from", "start"), ("--to", "end")):
        add_number(
            command,
            option,
            "S",
            f"{which} time in the log [s]; counted from the first sample if the log has Unix time",
            dest=f"log_{option[2:]}",
        )
    add_flag(
        command, "--despite-doubts", "accept a log whose units, joint order or signs are suspicious"
    )


def log_from(options: argparse.Namespace, file: str, robot: Robot) -> Log:
    """Return the log in a file, read according to the options.

    Raises
    ------
    ForeignError
        If an option names no joint, or the log cannot be read.
    """
    from sim.cli.naming_options import naming_from
    from sim.identification import Log

    gains, held = _by_joint(robot, "--gain", options.gain), _by_joint(robot, "--hold", options.hold)
    log = Log.read(Path(file), robot, naming_from(options), gains, held)
    start, end = options.log_from, options.log_to
    if start is None and end is None:
        return log
    return log.between(-math.inf if start is None else start, math.inf if end is None else end)


def _by_joint(robot: Robot, option: str, words: list[str]) -> dict[str, float]:
    """Return numbers by joint, from words such as 13.5 and wrist*=11.2; a gain is not 0."""
    from sim.errors import ForeignError

    numbers: dict[str, float] = {}
    for word in words:
        names, value = joints_and_number(option, word, robot.row_names, ForeignError)
        if not names or abs(value) == float("inf") or (option == "--gain" and value == 0):
            other = " other than 0" if option == "--gain" else ""
            raise ForeignError(
                f"{option} {word}: must be a joint or a pattern of joints and a number{other}; "
                f"joints of {robot.name!r}: {', '.join(robot.row_names)}"
            )
        numbers |= dict.fromkeys(names, value)
    return numbers
