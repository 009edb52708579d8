"""`sim history`: recorded results of a scenario's runs, and their jumps."""

from __future__ import annotations

import argparse

from sim.cli.arguments import RUN_HELP, add_json, add_repeated
from sim.cli.exit_status import WELL
from sim.errors import RecordingError


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.description = (
        "Show the history of a scenario in results/history: errors, limits, peaks and CPU time of "
        "every kept run (sim run --keep, sim accept) with its commit; acceptances with reviewer "
        "and reason; and all values that change abruptly between runs."
    )
    command.add_argument(
        "scenario", nargs="?", metavar="SCENARIO", help="scenario (default: all with a history)"
    )
    add_repeated(
        command, "--keep", "RUN", f"add a run to the history first; repeatable: {RUN_HELP}"
    )
    command.add_argument("--page", metavar="FILE.html", help="write the plots as an HTML page")
    add_json(command)
    command.set_defaults(action=show_history)


def show_history(options: argparse.Namespace) -> int:
    """Record the named runs, and print the history of a scenario or of all."""
    from sim.cli.output import console, place_of, print_json
    from sim.history import keep, read_history, scenarios
    from sim.history.to_terminal import document, history_table, overview_table
    from sim.recording.files.run_folders import DESCRIPTION, find_run
    from sim.recording.schema.description import read_run
    from sim.reports.terminal.printing import show

    if (page := place_of(options.page, ".html")) is not None and options.scenario is None:
        raise RecordingError("--page requires a SCENARIO")
    for run in [read_run(find_run(name) / DESCRIPTION) for name in options.keep]:
        keep(run)
    if options.scenario is None:
        if not (histories := {name: read_history(name) for name in scenarios()}):
            raise RecordingError("There is no history yet; start one with sim run NAME --keep")
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
