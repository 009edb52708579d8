"""`sim accept`: a run becomes the baseline of its scenario."""

from __future__ import annotations

import argparse

from sim.cli.arguments import Commands
from sim.cli.exit_status import WELL


def add_arguments(commands: Commands) -> None:
    """Add the command."""
    command = commands.add_parser("accept", help="make a run the baseline of its scenario")
    command.add_argument("run", metavar="RUN")
    command.add_argument("--reason", required=True, metavar="TEXT")
    command.set_defaults(action=accept_run)


def accept_run(options: argparse.Namespace) -> int:
    """Make a run the baseline of its scenario."""
    from sim.checks import judged
    from sim.cli.output import console
    from sim.cli.runs import find_run
    from sim.comparison import accept
    from sim.recording.recording import Recording

    folder = accept(judged(Recording.read(find_run(options.run))), options.reason)
    console().print(f"baseline {folder}", highlight=False)
    return WELL
