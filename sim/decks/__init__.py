"""ADAMS decks: their statements, the tree of links that they are, and the scenario they become."""

from sim.decks.converted_files import convert
from sim.decks.deck_model import DeckModel, deck_model, load_deck
from sim.decks.deck_script import load_script_or_deck

__all__ = ["DeckModel", "convert", "deck_model", "load_deck", "load_script_or_deck"]
