"""`sim compare RUN FILE`: compare a run with the table of another program or a machine."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from sim.cli.arguments import add_number
from sim.cli.exit_status import WANTING, WELL
from sim.cli.naming_options import add_naming_options, naming_from

if TYPE_CHECKING:
    from sim.foreign import ForeignTable, Naming
    from sim.recording.recording import Recording

# Default of --rtol, documented in the library; repeated here so that --help starts at once.
RTOL = 1e-3
OF_A_ROBOT = (
    "if the file is the log of a real robot, --measured filters both sides with one low-pass and "
    "separates friction"
)


def add_foreign_options(command: argparse.ArgumentParser) -> None:
    """Add the options for the columns of a foreign table, and for the allowed difference."""
    group = command.add_argument_group("external FILE")
    add_naming_options(group)
    add_number(group, "--start", "S", "time in FILE at which the run starts [s] (default: 0)")
    add_number(
        group,
        "--rtol",
        "X",
        "largest allowed difference, relative to the peak of each curve (default: "
        f"{RTOL:g} for a FILE, otherwise 1e-6)",
    )


def foreign_table(options: argparse.Namespace, file: str) -> tuple[ForeignTable, Naming]:
    """Return the table in a file, and the naming given by the options.

    Raises
    ------
    ForeignError
        If either is invalid.
    """
    from pathlib import Path

    from sim.foreign import read_foreign

    naming = naming_from(options)
    return read_foreign(Path(file), naming.sheet), naming


def with_reference(
    recording: Recording, table: ForeignTable, naming: Naming, options: argparse.Namespace
) -> Recording:
    """Return a run with the curves of a file, against which it is to be checked.

    Raises
    ------
    ForeignError
        If no column is a channel of the run, or such a column is invalid.
    """
    from dataclasses import replace

    from sim.decks.result_names import name_results
    from sim.foreign import map_curves
    from sim.reference.curve_kinds import name_columns
    from sim.reference.foreign_curves import foreign_reference, reading_notes

    recording, naming = name_results(recording, naming, (one.title for one in table.columns))
    naming = name_columns(table, naming, recording.run.requests or (), recording.units)
    theirs = map_curves(table, naming, recording.units)
    reference = foreign_reference(recording, theirs, rtol_from(options))
    recording = replace(recording, reference=reference.table)
    notes = (f"reference {theirs.source}: {note}" for note in reading_notes(theirs, recording.t))
    return recording.with_description(
        reference=reference.describe(), notes=(*recording.run.notes, *notes)
    )


def rtol_from(options: argparse.Namespace) -> float:
    """Return the value of ``--rtol``."""
    return RTOL if options.rtol is None else float(options.rtol)


def compare_with_file(options: argparse.Namespace) -> int:
    """Compare a run with a file of another program."""
    from dataclasses import asdict, replace

    from sim.cli.judge_run_again import judge_run_again
    from sim.cli.output import console, print_json
    from sim.cli.runs import explain_mismatch
    from sim.comparison import compare_with_foreign
    from sim.decks.result_names import name_results
    from sim.foreign import map_curves
    from sim.recording.files.run_folders import find_run
    from sim.reference.curve_kinds import name_columns

    table, naming = foreign_table(options, options.other)
    folder = find_run(options.run)
    with explain_mismatch(folder):
        recording = judge_run_again(folder)
        recording, naming = name_results(recording, naming, (one.title for one in table.columns))
    naming = name_columns(table, naming, recording.run.requests or (), recording.units)
    theirs = map_curves(table, naming, recording.units)
    result = compare_with_foreign(recording, theirs, rtol_from(options))
    if any(d.channel.startswith("tau.") and not d.ok for d in result.differences):
        result = replace(result, notes=(*result.notes, OF_A_ROBOT))
    name = recording.run.scenario
    if options.json:
        print_json(
            {"scenario": name, "against": theirs.source, "word": result.word, **asdict(result)}
        )
    else:
        from sim.reports.terminal.compared import comparison
        from sim.reports.terminal.printing import show

        title = f"{name} against {theirs.source}"
        show(console(), comparison(result, title, options.limit or 12))
    return WELL if result.ok else WANTING
