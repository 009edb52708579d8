"""`sim accept`: a run becomes the baseline of its scenario."""

from __future__ import annotations

import argparse

from sim.cli.exit_status import WELL


def add_arguments(command: argparse.ArgumentParser) -> None:
    """The arguments of the command, and what it does."""
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
