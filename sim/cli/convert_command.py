"""`sim convert`: an ADAMS deck as a URDF and a scenario script."""

from __future__ import annotations

import argparse

from sim.cli.exit_status import WELL


def add_arguments(command: argparse.ArgumentParser) -> None:
    """The arguments of the command, and what it does."""
    command.description = (
        "Write an ADAMS deck as a URDF, a scenario script that gives the same run, and a list of "
        "the statements that were passed over. What cannot be answered here is an error that "
        "names line, statement and reason, and nothing is written."
    )
    command.add_argument("deck", metavar="MODEL.adm", help="a deck of ADAMS's solver")
    command.add_argument("folder", metavar="FOLDER", help="for the files; it is made if need be")
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
