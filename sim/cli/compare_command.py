"""`sim compare`: a run beside its baseline, or beside another run."""

from __future__ import annotations

import argparse

from sim.cli.arguments import add_json
from sim.cli.compare_all import add_all_arguments, asks_for_all, compare_all
from sim.cli.exit_status import WANTING, WELL


def add_arguments(command: argparse.ArgumentParser) -> None:
    """The arguments of the command, and what it does."""
    command.add_argument("run", metavar="RUN", nargs="?")
    command.add_argument("other", metavar="OTHER", nargs="?")
    add_json(command)
    add_all_arguments(command)
    command.set_defaults(action=compare_runs)


def compare_runs(options: argparse.Namespace) -> int:
    """Compare a run with its baseline, or with another run."""
    if asks_for_all(options):
        return compare_all(options)
    from dataclasses import asdict

    from sim.cli.output import console, print_json
    from sim.cli.runs import find_run
    from sim.comparison import Compared, compare, find_baseline
    from sim.recording.recording import Recording

    recording = Recording.read(find_run(options.run))
    name = recording.run.scenario
    reference: Compared
    if options.other is None:
        reference, against = find_baseline(name), "baseline"
    else:
        other = find_run(options.other)
        reference, against = Recording.read(other), str(other)
    result = compare(recording, reference)
    if options.json:
        print_json({"scenario": name, "against": against, **asdict(result)})
    else:
        from sim.reports.terminal.summary import comparison, show

        show(console(), comparison(result, f"{name} against {against}"))
    return WELL if result.ok else WANTING
