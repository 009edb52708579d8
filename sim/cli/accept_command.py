"""`sim accept`: make a run the baseline of its scenario, and show the changes."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from sim.cli.arguments import RUN_HELP, add_flag
from sim.cli.exit_status import WELL
from sim.errors import RecordingError

if TYPE_CHECKING:
    from pathlib import Path

    from sim.comparison import Comparison
    from sim.recording.recording import Recording


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.add_argument("run", metavar="RUN", nargs="?", help=RUN_HELP)
    add_flag(command, "--all", "accept the newest run of every scenario")
    command.add_argument(
        "--reason", required=True, metavar="TEXT", help="reason for accepting the run"
    )
    command.add_argument(
        "--who", default="", metavar="TEXT", help="reviewer (default: current user)"
    )
    command.set_defaults(action=accept_runs)


def accept_runs(options: argparse.Namespace) -> int:
    """Make all named runs the baselines of their scenarios, or none of them."""
    from sim.cli.output import console
    from sim.comparison import accept, ledger_entry
    from sim.comparison.ledger import read_ledger
    from sim.history import keep
    from sim.recording.files.run_folders import RUNS, find_run, newest_runs
    from sim.reports.terminal.compared import comparison
    from sim.reports.terminal.printing import show

    if options.all == (options.run is not None):
        raise RecordingError("Name one RUN to accept, or use --all")
    folders = newest_runs(RUNS).values() if options.all else [find_run(options.run)]
    if not folders:
        raise RecordingError(f"There is no run to accept in {RUNS}")
    runs = [_judge_again(folder) for folder in folders]
    for recording in runs:
        scenario, result = recording.run.scenario, _against_baseline(recording)
        if result is not None:
            show(console(), comparison(result, f"{scenario} against baseline"))
        entry = None if result is None else ledger_entry(result)
        folder = accept(recording, options.reason, who=options.who, entry=entry)
        line = read_ledger(folder)[-1]
        keep(recording.run, accepted=line.accepted, who=line.who, reason=line.reason)
        console().print(f"baseline {folder}", highlight=False, markup=False, soft_wrap=True)
    return WELL


def _judge_again(folder: Path) -> Recording:
    """Return the run in a folder with its checks repeated.

    Raises
    ------
    RecordingError
        If it did not pass.
    """
    from sim.checks import judge_recording
    from sim.cli.runs import explain_mismatch
    from sim.comparison import require_acceptable
    from sim.recording.recording import Recording

    with explain_mismatch(folder):
        recording = judge_recording(Recording.read(folder))
    require_acceptable(recording)
    return recording


def _against_baseline(recording: Recording) -> Comparison | None:
    """Return the difference from the present baseline; None if there is none to compare with."""
    from sim.comparison import compare, find_baseline

    try:
        baseline = find_baseline(recording.run.scenario)
    except RecordingError:
        return None
    return compare(recording, baseline)
