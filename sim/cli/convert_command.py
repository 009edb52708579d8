"""`sim convert`: an ADAMS deck as a URDF and a scenario script."""

from __future__ import annotations

import argparse

from sim.cli.exit_status import WELL


def add_arguments(command: argparse.ArgumentParser) -> None:
    """The arguments of the command, and what it does."""
    command.description = (
        "Convert an ADAMS deck to a URDF, a scenario script that reproduces its run, and a list of "
        "ignored statements. An unsupported statement is an error that names line, statement and "
        "reason; then no file is written."
    )
    command.add_argument("deck", metavar="MODEL.adm", help="ADAMS Solver deck")
    command.add_argument(
        "folder", metavar="FOLDER", help="output folder; created if it does not exist"
    )
    command.set_defaults(action=convert_deck)


def convert_deck(options: argparse.Namespace) -> int:
    """Write the files and print their names."""
    from pathlib import Path

    from sim.cli.output import console
    from sim.decks import convert, load_deck

    model = load_deck(Path(options.deck))
    model.scenario()  # what cannot be run is not written
    for path in convert(model, Path(options.folder)):
        console().print(str(path), highlight=False, markup=False, soft_wrap=True)
    return WELL
