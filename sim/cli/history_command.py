"""`sim history`: what was kept of a scenario's runs, and where it jumps."""

from __future__ import annotations

import argparse
from pathlib import Path

from sim.cli.arguments import RUN_HELP, add_json
from sim.cli.exit_status import WELL
from sim.errors import RecordingError


def add_arguments(command: argparse.ArgumentParser) -> None:
    """The arguments of the command, and what it does."""
    command.description = (
        "Errors against limits, peaks and CPU time of every run that was kept (sim run --keep, "
        "sim accept) in results/history, with the commit at which it was made; who accepted what, "
        "and why; and each number that jumps from one run to the next."
    )
    command.add_argument(
        "scenario", nargs="?", metavar="SCENARIO", help="all that have a history without it"
    )
    command.add_argument(
        "--keep", action="append", default=[], metavar="RUN", help=f"keep a run first: {RUN_HELP}"
    )
    command.add_argument("--page", metavar="FILE.html", help="write a line for each check, a page")
    add_json(command)
    command.set_defaults(action=show_history)


def show_history(options: argparse.Namespace) -> int:
    """Keep the runs that are named, and print the history of a scenario or of all."""
    from sim.cli.output import console, print_json
    from sim.history import keep, read_history, scenarios
    from sim.history.to_terminal import document, history_table, overview_table
    from sim.recording.files.named_file import require_place
    from sim.recording.files.run_folders import DESCRIPTION, find_run
    from sim.recording.schema.description import read_run
    from sim.reports.terminal.summary import show

    page = None if options.page is None else Path(options.page)
    if page is not None:
        require_place(page, ".html")
        if options.scenario is None:
            raise RecordingError("--page is of one history: name its SCENARIO")
    for run in [read_run(find_run(name) / DESCRIPTION) for name in options.keep]:
        keep(run)
    if options.scenario is None:
        histories = {name: read_history(name) for name in scenarios()}
        if not histories:
            raise RecordingError("There is no history yet; sim run NAME --keep begins one")
        if options.json:
            print_json([document(name, entries) for name, entries in histories.items()])
        else:
            show(console(), overview_table(histories))
        return WELL
    entries = read_history(options.scenario)
    if page is not None:
        from sim.history.page import write_page

        write_page(options.scenario, entries, page)
    if options.json:
        print_json(document(options.scenario, entries))
        return WELL
    show(console(), history_table(entries))
    if page is not None:
        console().print(f"written  {page}", highlight=False, markup=False)
    return WELL
