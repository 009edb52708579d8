"""`sim compare a.csv b.csv`: compare two tables of any programs, without a run or a robot."""

from __future__ import annotations

import argparse
from pathlib import Path

from sim.cli.exit_status import WANTING, WELL
from sim.cli.foreign_comparison import rtol_from
from sim.cli.naming_options import naming_from
from sim.errors import ForeignError
from sim.reports.terminal.styled_text import Text

MOST = 12  # differences
TEXTS = (".csv", ".tsv", ".tab", ".txt", ".dat", ".asc")
SUFFIXES = (*TEXTS, ".htm", ".html", ".xlsx", ".xlsm", ".mat", ".parquet", ".res", ".req")


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
        raise ForeignError(f"{options.run} is a table; name another one to compare it with")
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
