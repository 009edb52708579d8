"""`sim run`: run scenarios by name, or repeat an earlier run."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim.cli.arguments import RUN_HELP, SCENARIO_HELP, add_flag
from sim.cli.run_options import add_run_options
from sim.errors import ScenarioError

if TYPE_CHECKING:
    from sim.scenario.script import Script


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.add_argument(
        "names", nargs="*", metavar="NAME|FILE", help=f"{SCENARIO_HELP}, or ADAMS deck (.adm)"
    )
    add_flag(command, "--all", "run every shipped scenario")
    command.add_argument(
        "--from",
        dest="repeated",
        metavar="RUN",
        help=f"re-run and compare with the original: {RUN_HELP}",
    )
    add_flag(
        command,
        "--trust",
        "with --from: execute the script even if it has never been run here by name",
    )
    command.add_argument(
        "--input",
        metavar="TABLE",
        help="time series of deck VARIABLEs that an external program sets (.csv …)",
    )
    command.add_argument(
        "--input-order",
        metavar="ORDER",
        help="interpolation of --input: hold, linear or cubic (default: cubic for VARIABLEs that a "
        "MOTION reads, otherwise linear)",
    )
    command.add_argument(
        "--parts",
        metavar="NAMES",
        help="record poses and velocities of these deck parts: comma-separated names, or all",
    )
    command.add_argument(
        "--acf",
        metavar="FILE",
        help="ADAMS command file whose SIMULATE statements set duration and dt of a deck",
    )
    add_run_options(command)
    command.set_defaults(action=run_names)


def run_names(options: argparse.Namespace) -> int:
    """Run the named scenarios, or repeat an earlier run."""
    if options.repeated is not None:
        from sim.cli.repeat import repeat_run

        return repeat_run(options)
    if options.trust:
        raise ScenarioError("--trust requires --from RUN, which executes the script that RUN names")
    for name in ("input", "input_order", "parts"):
        if (value := getattr(options, name)) is not None:
            options.settings.append(f"{name}={value}")
    from sim.cli.run_options import BOTH
    from sim.decks.script_or_deck import load_script_or_deck
    from sim.shipped import scenario_names

    names = list(scenario_names()) if options.all else options.names
    if not names or (options.all and options.names):
        raise ScenarioError(
            "Name the scenarios to run, or use --all for the shipped ones: "
            f"{', '.join(scenario_names())}"
        )
    scripts = [load_script_or_deck(name) for name in names]
    if options.acf is not None:
        _add_settings_of_commands(scripts, options)
    if options.engine == BOTH:
        from sim.cli.both_engines import run_both

        return run_both(scripts, options)
    from sim.cli.run_scripts import run_scripts

    return run_scripts(scripts, options)


def _add_settings_of_commands(scripts: Sequence[Script], options: argparse.Namespace) -> None:
    """Let the deck follow the command file."""
    from pathlib import Path

    from sim.decks.deck_script import settings_of_commands

    if len(scripts) != 1:
        raise ScenarioError(f"--acf applies to one deck; {len(scripts)} scenarios are named")
    settings = settings_of_commands(scripts[0], Path(options.acf))
    options.settings.append(f"acf={settings['acf']}")
