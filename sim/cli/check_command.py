"""`sim check`: the verdict on a run that is already there."""

from __future__ import annotations

import argparse

from sim.cli.arguments import RUN_HELP, add_json, add_junit, add_limit, add_verbose
from sim.cli.exit_status import WANTING, WELL


def add_arguments(command: argparse.ArgumentParser) -> None:
    """The arguments of the command, and what it does."""
    command.add_argument("run", metavar="RUN", help=RUN_HELP)
    add_junit(command)
    add_verbose(command)
    add_limit(command)
    add_json(command)
    command.set_defaults(action=check_run)


def check_run(options: argparse.Namespace) -> int:
    """Judge a run from its files alone."""
    from pathlib import Path

    from sim.checks import judge_recording
    from sim.cli.output import console, print_json
    from sim.cli.runs import fitting
    from sim.recording.description import plain
    from sim.recording.named_file import require_place
    from sim.recording.recording import Recording
    from sim.recording.run_folders import find_run
    from sim.reports.junit import KIND, relative_path, write_junit

    folder = find_run(options.run)
    junit = None if options.junit is None else Path(options.junit)
    if junit is not None:
        require_place(junit, KIND)
    with fitting(folder):
        recording = judge_recording(Recording.read(folder))
        if junit is not None:
            write_junit(junit, [(recording.run, relative_path(recording.run, folder, junit))])
        if options.json:
            print_json(plain(recording.with_description(folder=str(folder)).run))
        else:
            from sim.reports.terminal.run_details import details
            from sim.reports.terminal.summary import show, summary

            account = details if options.verbose else summary
            show(console(), account(recording, folder, options.limit))
    return WELL if recording.run.verdict == "pass" else WANTING
