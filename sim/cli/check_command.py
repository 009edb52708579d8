"""`sim check`: check a recorded run."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim.cli.arguments import RUN_HELP, add_json, add_junit, add_limit, add_verbose
from sim.cli.exit_status import WANTING, WELL

if TYPE_CHECKING:
    from sim.checks import Judgement


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.add_argument("run", metavar="RUN", help=RUN_HELP)
    command.add_argument(
        "--why",
        metavar="CHANNEL",
        help="show the terms of the limits of a channel, such as tau.elbow_joint or 'tau.*'",
    )
    add_junit(command)
    add_verbose(command)
    add_limit(command)
    add_json(command)
    command.set_defaults(action=check_run)


def check_run(options: argparse.Namespace) -> int:
    """Judge a run from its files alone."""
    from sim.checks import judge_recording_in_detail
    from sim.cli.output import console, place_of, print_json
    from sim.cli.runs import explain_mismatch
    from sim.recording.files.run_folders import find_run
    from sim.recording.recording import Recording
    from sim.recording.schema.description import plain_data
    from sim.reports.junit import KIND, relative_path, write_junit
    from sim.reports.terminal.limit_terms import checks_of

    folder = find_run(options.run)
    junit = place_of(options.junit, KIND)
    with explain_mismatch(folder):
        recording, judgements = judge_recording_in_detail(Recording.read(folder))
        if junit is not None:
            write_junit(junit, [(recording.run, relative_path(recording.run, folder, junit))])
        if options.why is not None:
            _show_terms(checks_of(judgements, options.why), as_json=options.json)
        elif options.json:
            print_json(plain_data(recording.with_description(folder=str(folder)).run))
        else:
            from sim.reports.terminal.printing import show
            from sim.reports.terminal.run_details import details
            from sim.reports.terminal.summary import summary

            account = details if options.verbose else summary
            show(console(), account(recording, folder, options.limit, judgements))
    return WELL if recording.run.verdict == "pass" else WANTING


def _show_terms(judgements: Sequence[Judgement], *, as_json: bool) -> None:
    """Print the terms of the limits of checks."""
    from sim.cli.output import console, print_json
    from sim.reports.terminal.limit_terms import as_plain, limit_terms
    from sim.reports.terminal.printing import show

    if as_json:
        print_json(as_plain(judgements))
    else:
        show(console(), limit_terms(judgements))
