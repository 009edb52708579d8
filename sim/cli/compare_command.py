"""`sim compare`: compare a run with its baseline, another run or a table, or two tables.

``sim compare a.csv b.csv`` compares tables of any programs, without a run or a robot, and
``sim compare RUN LOG --measured`` a run with the log of a real robot.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli.arguments import RUN_HELP, add_flag, add_json, add_limit
from sim.cli.compare_all import add_all_arguments, asks_for_all, compare_all
from sim.cli.exit_status import WANTING, WELL
from sim.cli.foreign_comparison import add_foreign_options, compare_with_file, rtol_from
from sim.cli.log_options import add_log_options, log_from
from sim.cli.naming_options import has_mapping, naming_from
from sim.cli.robot_options import add_mount_option, mount_of, require_mount
from sim.errors import ForeignError
from sim.reports.terminal.styled_text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sim.recording.schema.measured_facts import MeasuredJoint


MOST = 12  # listed channels, or columns of tables

TEXTS = (".csv", ".tsv", ".tab", ".txt", ".dat", ".asc")
SUFFIXES = (*TEXTS, ".htm", ".html", ".xlsx", ".xlsm", ".mat", ".parquet", ".res", ".req")

SAME_MOTION = 0.01  # of a joint's travel, RMS; torques of different motions are not comparable


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
    from sim.recording.files.run_folders import find_run

    if options.measured:
        return compare_with_log(options)
    is_tables = are_tables(options)
    is_file = not is_tables and options.other is not None and _is_table(options.other)
    if is_file and follows_log(find_run(options.run)):
        return compare_with_log(options)
    _refuse_log_options(options)
    if is_tables:
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
    from sim.recording.recorded_run import RecordedRun

    if is_file:
        return compare_with_file(options)
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


def add_table_options(command: argparse.ArgumentParser) -> None:
    """Add the options for two tables."""
    group = command.add_argument_group("two tables (sim compare a.csv b.csv)")
    group.add_argument(
        "--by",
        metavar="MEASURES",
        help="measures to compare, comma-separated: rtol (every value), peak (largest "
        "magnitudes), lag (delays) (default: rtol)",
    )
    group.add_argument("--page", type=Path, metavar="FILE.html", help="write an HTML page")


def are_tables(options: argparse.Namespace) -> bool:
    """Whether two tables are compared.

    Raises
    ------
    ForeignError
        If only the first is a table, or options for tables are given with runs.
    """
    is_named = options.run is not None and not options.all  # with --all, every scenario is compared
    first = is_named and Path(options.run).suffix.lower() in SUFFIXES
    if first and options.other is None:
        raise ForeignError(f"{options.run} is a table; name a second table to compare with it")
    if first and Path(options.other).suffix.lower() not in SUFFIXES:
        raise ForeignError(
            f"{options.run} is a table and {options.other} is not; name the run first: "
            f"sim compare {options.other} {options.run}"
        )
    for option, value in (("--by", options.by), ("--page", options.page)):
        if value is not None and not first:
            raise ForeignError(f"{option} requires two tables: sim compare a.csv b.csv")
    return bool(first)


def compare_two_tables(options: argparse.Namespace) -> int:
    """Compare two tables; return status 1 if they differ."""
    from dataclasses import asdict

    from sim.cli.output import console, place_of, print_json
    from sim.comparison import compare_tables, read_rules

    _require_no_runs(options)
    page, junit = place_of(options.page, ".html"), place_of(options.junit, ".xml")
    by = ["rtol"] if options.by is None else [one.strip() for one in options.by.split(",")]
    rules = () if options.tolerances is None else read_rules(options.tolerances)
    naming, rtol = naming_from(options), rtol_from(options)
    tables = compare_tables(Path(options.run), Path(options.other), by, rtol, naming, rules)
    if page is not None:
        from sim.reports.page.tables_page import write_tables_page

        write_tables_page(tables, page)
    if junit is not None:
        from sim.reports.comparison_suite import write_tables_suite

        write_tables_suite(junit, tables, str(page or ""))
    if options.json:
        names = {"first": tables.first, "second": tables.second, "word": tables.word}
        print_json(names | asdict(tables.result))
        return WELL if tables.ok else WANTING
    from sim.reports.terminal.compared import comparison
    from sim.reports.terminal.printing import show

    title = f"{tables.first} against {tables.second}"
    parts = comparison(tables.result, title, options.limit or MOST)
    files = (("page", page), ("junit", junit))
    parts += [Text(f"{word:8} {path}") for word, path in files if path is not None]
    show(console(), parts)
    return WELL if tables.ok else WANTING


def _require_no_runs(options: argparse.Namespace) -> None:
    values = {"--all": options.all or None, "--runs": options.runs, "--out": options.out}
    values["--run"] = options.fresh or None
    for option, value in values.items():
        if value is not None:
            raise ForeignError(f"{option} is for runs; {options.run} is a table")


def add_measured_options(command: argparse.ArgumentParser) -> None:
    """Add the options of a comparison with a robot's log."""
    group = command.add_argument_group("log of a real robot")
    add_flag(
        group,
        "--measured",
        "FILE is a log of measured positions and torques: filter both sides with the "
        "same low-pass; print the torque unexplained by rigid bodies and friction per joint",
    )
    add_mount_option(group)
    add_log_options(group)


def _refuse_log_options(options: argparse.Namespace) -> None:
    """Refuse options about a log."""
    named = (
        ("gain", "--gain"),
        ("hold", "--hold"),
        ("cutoff", "--cutoff"),
        ("log_from", "--from"),
        ("log_to", "--to"),
        ("despite_doubts", "--despite-doubts"),
        ("mount", "--mount"),
    )
    for name, option in named:
        value = getattr(options, name)
        if value is not None and value is not False and value != []:
            raise ForeignError(
                f"{option} is for the log of a robot: sim compare RUN LOG --measured"
            )


def follows_log(folder: Path) -> bool:
    """Whether a run follows a robot's log."""
    from sim.recording.files.run_folders import DESCRIPTION
    from sim.recording.schema.description import read_run

    return bool(read_run(folder / DESCRIPTION).measured)


def compare_with_log(options: argparse.Namespace) -> int:
    """Compare a run's motion and torques with those of a robot's log."""
    from dataclasses import replace

    import msgspec

    from sim.cli.judge_run_again import judge_run_again
    from sim.cli.output import console, print_json
    from sim.cli.runs import explain_mismatch
    from sim.errors import ForeignError
    from sim.identification.beside_log import beside_log
    from sim.recording.files.run_folders import find_run
    from sim.recording.recorded_robot import robot_of

    if options.run is None or options.other is None:
        raise ForeignError("--measured requires a run and the log of a robot: sim compare RUN LOG")
    folder = find_run(options.run)
    with explain_mismatch(folder):
        recording = judge_run_again(folder)
    robot = robot_of(recording)
    require_mount(
        robot, mount_of(options), "mount the run the same way: sim run NAME --mount PLACE"
    )
    log = log_from(options, options.other, robot)
    comparison = beside_log(
        recording, log, robot, cutoff=options.cutoff, despite_doubts=options.despite_doubts
    )
    differences = _motion_differences(comparison.joints)
    if options.json:
        print_json(
            {
                "scenario": recording.run.scenario,
                "against": log.source,
                "ok": not differences,
                "filter": msgspec.to_builtins(comparison.how),
                "joints": msgspec.to_builtins(comparison.joints),
                "notes": [*comparison.notes, *differences],
            }
        )
        return WANTING if differences else WELL
    from sim.reports.terminal.measured_lines import compared_lines
    from sim.reports.terminal.printing import show

    comparison = replace(comparison, notes=(*differences, *comparison.notes))
    show(
        console(),
        compared_lines(
            recording.run, log.source, comparison.joints, comparison.how, comparison.notes
        ),
    )
    return WANTING if differences else WELL


def _motion_differences(joints: Sequence[MeasuredJoint]) -> list[str]:
    """Return joints whose motion differs from the log."""
    return [
        f"{one.joint} differs from the log by {one.motion:.3g} {one.length} RMS, "
        f"{one.motion / size:.2g} of its travel of {one.travel:.3g} {one.length}: the torques "
        "belong to another motion; sim.follow_log creates a run that follows the log"
        for one in joints
        if one.motion is not None and one.motion > SAME_MOTION * (size := max(one.travel, 1e-3))
    ]
