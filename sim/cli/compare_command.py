"""`sim compare`: compare a run with its baseline, another run or a table, or two tables."""

from __future__ import annotations

import argparse
from pathlib import Path

from sim.cli.arguments import RUN_HELP, add_json, add_limit
from sim.cli.compare_all import add_all_arguments, asks_for_all, compare_all
from sim.cli.compare_tables import add_table_options, are_tables, compare_two_tables
from sim.cli.exit_status import WANTING, WELL
from sim.cli.foreign_comparison import add_foreign_options, compare_with_file
from sim.cli.log_comparison import (
    add_measured_options,
    compare_with_log,
    follows_log,
    given_log_option,
)
from sim.cli.naming_options import has_mapping
from sim.errors import ForeignError

MOST = 12  # channels


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.add_argument(
        "run", metavar="RUN|FILE", nargs="?", help=f"{RUN_HELP}; or the first of two tables"
    )
    command.add_argument(
        "other",
        metavar="OTHER|FILE",
        nargs="?",
        help="another run, or an external table: .csv .xlsx .mat .parquet .tab .req .res "
        "(default: the baseline)",
    )
    command.add_argument(
        "--tolerances",
        type=Path,
        metavar="FILE",
        help="tolerance rules (default: tolerances.toml of the baselines)",
    )
    add_limit(command, f"{MOST}; with --all 3 per scenario")
    add_json(command)
    add_all_arguments(command)
    add_foreign_options(command)
    add_table_options(command)
    add_measured_options(command)
    command.set_defaults(action=compare_runs)


def compare_runs(options: argparse.Namespace) -> int:
    """Compare a run with its baseline, another run or a table, or two tables."""
    if options.measured:
        return compare_with_log(options)
    if options.other is None and (option := given_log_option(options)) is not None:
        raise ForeignError(f"{option} is for the log of a robot: sim compare RUN LOG --measured")
    if are_tables(options):
        return compare_two_tables(options)
    if asks_for_all(options):
        if (option := has_mapping(options)) is not None:
            raise ForeignError(f"{option} is for a FILE of another program: sim compare RUN FILE")
        return compare_all(options)
    from dataclasses import asdict

    from sim.cli.judge_run_again import judge_run_again
    from sim.cli.output import console, print_json
    from sim.cli.runs import explain_mismatch
    from sim.comparison import Compared, compare, default_rule, find_baseline, find_rules
    from sim.recording.files.run_folders import find_run
    from sim.recording.recorded_run import RecordedRun

    if options.other is not None and _is_table(options.other):
        follows = follows_log(find_run(options.run))
        return compare_with_log(options) if follows else compare_with_file(options)
    if (option := has_mapping(options)) is not None:
        raise ForeignError(f"{option} is for a FILE of another program: sim compare RUN FILE")
    rules, default = find_rules(options.tolerances), default_rule(options.rtol)
    folder = find_run(options.run)
    with explain_mismatch(folder):
        recording = judge_run_again(folder)
        name = recording.run.scenario
        reference: Compared
        if options.other is None:
            reference, against = find_baseline(name), "baseline"
        else:
            other = find_run(options.other)
            reference, against = RecordedRun.read(other), str(other)
            if other.resolve() == folder.resolve():
                against = "itself"
        result = compare(recording, reference, rules, default)
        if options.json:
            document = {"scenario": name, "against": against, **asdict(result), "word": result.word}
            print_json(document)
        else:
            from sim.reports.terminal.compared import comparison
            from sim.reports.terminal.printing import show

            show(console(), comparison(result, f"{name} against {against}", options.limit or MOST))
    return WELL if result.ok else WANTING


def _is_table(name: str) -> bool:
    from sim.foreign.reading import is_foreign_file

    return is_foreign_file(name)
