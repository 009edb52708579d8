"""`sim run`: scenarios by name, or an earlier run once more."""

from __future__ import annotations

import argparse

from sim.cli.arguments import SCENARIO_HELP
from sim.cli.run_options import add_run_options
from sim.errors import ScenarioError


def add_arguments(command: argparse.ArgumentParser) -> None:
    """The arguments of the command, and what it does."""
    command.add_argument(
        "names", nargs="*", metavar="NAME|FILE", help=f"{SCENARIO_HELP}; or an ADAMS deck, .adm"
    )
    command.add_argument("--all", action="store_true", help="run every shipped scenario")
    command.add_argument(
        "--from",
        dest="repeated",
        metavar="RUN",
        help="repeat a run (folder, its run.json, or newest of a scenario); is it the same?",
    )
    command.add_argument(
        "--trust",
        action="store_true",
        help="with --from: execute the script even if you have not run it here by name",
    )
    command.add_argument(
        "--input",
        metavar="TABLE",
        help="values over time of a deck's VARIABLEs that another program would write: .csv …",
    )
    add_run_options(command)
    command.set_defaults(action=run_names)


def run_names(options: argparse.Namespace) -> int:
    """Run the scenarios named on the command line, or an earlier run once more."""
    if options.repeated is not None:
        from sim.cli.repeat import repeat_run

        return repeat_run(options)
    if options.trust:
        raise ScenarioError("--trust is for --from RUN, which executes the script that RUN names")
    if options.input is not None:
        options.settings.append(f"input={options.input}")
    from sim.cli.run_options import BOTH
    from sim.decks.deck_script import load_script_or_deck
    from sim.scenario.script import shipped_scenarios

    names = list(shipped_scenarios()) if options.all else options.names
    if not names or (options.all and options.names):
        raise ScenarioError(
            "Name the scenarios to run, or --all for the shipped ones: "
            f"{', '.join(shipped_scenarios())}"
        )
    scripts = [load_script_or_deck(name) for name in names]
    if options.engine == BOTH:
        from sim.cli.both_engines import run_both

        return run_both(scripts, options)
    from sim.cli.run_scripts import run_scripts

    return run_scripts(scripts, options)
