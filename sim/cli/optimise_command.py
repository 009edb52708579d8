"""`sim optimise`: find the values of several parameters that optimise a response of the run."""

from __future__ import annotations

import argparse

from sim.cli.arguments import SCENARIO_HELP, add_json, add_limit
from sim.cli.struct_options import add_options
from sim.studies.optimisation.goal_options import STUDY_OPTIONS, GoalOptions
from sim.studies.request import ExecutionOptions, FolderOptions, StudyRequest, option_of

LAST = ("yes", "no_require", "no_report")


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.add_argument("name", nargs="?", metavar="NAME|FILE.py", help=SCENARIO_HELP)
    without = set(StudyRequest.__struct_fields__) - set(STUDY_OPTIONS)
    kinds = (GoalOptions, StudyRequest, ExecutionOptions, FolderOptions)
    add_options(command, kinds, option_of, LAST, without)
    add_limit(command, "6")
    add_json(command)
    command.set_defaults(action=run_optimise_command)


def run_optimise_command(options: argparse.Namespace) -> int:
    """Optimise and show the result."""
    if options.cluster is None:
        from sim.studies.workers.server import start_server

        start_server()  # while this process loads its own modules
    from sim.cli.sweeping import run_optimise

    return run_optimise(options)
