"""Kinds of ADAMS files other than decks, with advice for each."""

from __future__ import annotations

from pathlib import Path

from sim.errors import DeckError

COMMANDS = ".acf"
VIEW = (
    "in ADAMS View: File > Export > Adams Solver Dataset writes its model as a deck, .adm, which "
    "sim run reads"
)
RESULTS = "sim run DECK.adm makes a run, and sim compare RUN {} compares it with them"
KINDS = {
    COMMANDS: "a command file of ADAMS Solver, which gives the simulated times of its deck: "
    "sim run {deck}.adm --acf {file} takes END and DTOUT from it",
    ".cmd": f"a command file of ADAMS View; {VIEW}",
    ".bin": f"a database of ADAMS View; {VIEW}",
    ".res": f"results of ADAMS; {RESULTS.format('{file}')}",
    ".req": f"requests of ADAMS, recorded; {RESULTS.format('{file}')}",
    ".gra": "a graphics file of ADAMS, which sim does not read; of the results next to it, .res "
    f"and .req, {RESULTS.format('RESULTS.res')}",
    ".msg": "a message file of ADAMS Solver, which sim does not read; sim run reads its deck, .adm",
    ".mnf": "a flexible body of ADAMS, which sim does not read; parts of a deck, .adm, are rigid, "
    "and sim.FlexibleLink bends a link of a robot",
}
"""Kind of a file and advice about it, by its ending."""


def refuse_other_file(path: Path) -> None:
    """Check that a file is not an ADAMS file other than a deck.

    Raises
    ------
    DeckError
        Names the kind of file, and how to use it.
    """
    if (what := KINDS.get(path.suffix.lower())) is None:
        return
    deck = path.stem
    if path.suffix.lower() == COMMANDS:
        from sim.decks.command_file import deck_name

        deck = deck_name(path) or deck
    raise DeckError(f"{path} is {what.format(file=path, deck=path.with_name(deck))}")
