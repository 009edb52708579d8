"""ADAMS decks: parsing of statements, and conversion to a tree of links and a scenario."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.decks.converted_files import convert
    from sim.decks.deck_model import DeckModel, deck_model, load_deck
    from sim.decks.script_or_deck import load_script_or_deck
else:
    load_names_on_use(__name__)
