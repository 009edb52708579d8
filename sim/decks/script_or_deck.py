"""A scenario script, or a deck in its place; of the two only what is asked for is imported."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sim.decks.command_file import refuse_other_file
from sim.scenario.script import load_script

if TYPE_CHECKING:
    from sim.scenario.script import Script

ENDING = ".adm"


def load_script_or_deck(name: str) -> Script:
    """Script of a shipped scenario, of a ``.py`` file or of an ADAMS deck, ``.adm``.

    Raises
    ------
    ScenarioError, DeckError
        If there is no such scenario or deck, or it cannot be run.
    """
    refuse_other_file(Path(name))
    if Path(name).suffix.lower() != ENDING:
        return load_script(name)
    from sim.decks.deck_script import deck_script

    return deck_script(Path(name))
