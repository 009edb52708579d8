"""`sim sweep`: a study, one scenario over many values of its parameters."""

from __future__ import annotations

import argparse

from sim.cli.arguments import SCENARIO_HELP, add_json, add_limit
from sim.cli.struct_options import add_options
from sim.studies.request import ExecutionOptions, FolderOptions, StudyRequest, option_of

LAST = ("yes", "no_require", "no_report")


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.add_argument("name", nargs="?", metavar="NAME|FILE.py", help=SCENARIO_HELP)
    add_options(command, (StudyRequest, ExecutionOptions, FolderOptions), option_of, LAST)
    add_limit(command, "6")
    add_json(command)
    command.set_defaults(action=run_sweep_command)


def run_sweep_command(options: argparse.Namespace) -> int:
    """Run a study and show it."""
    if options.cluster is None:
        from sim.studies.workers.server import start_server

        start_server()  # while this process loads its own modules
    from sim.cli.sweeping import run_sweep

    return run_sweep(options)
