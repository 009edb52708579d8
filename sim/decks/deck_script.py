"""A deck in the place of a scenario script, for the commands that run one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sim.decks.deck_model import DURATION, STEP, DeckModel, load_deck
from sim.scenario.scenario import Scenario
from sim.scenario.script import Script, load_script

ENDING = ".adm"


@dataclass(frozen=True)
class DeckScript(Script):
    """A script whose scenario is that of a deck."""

    first_line: str = ""

    @property
    def title(self) -> str:
        """The title of the deck."""
        return self.first_line


def load_script_or_deck(name: str) -> Script:
    """Script of a shipped scenario, of a ``.py`` file or of an ADAMS deck, ``.adm``.

    Raises
    ------
    ScenarioError, DeckError
        If there is no such scenario or deck, or it cannot be run.
    """
    if Path(name).suffix.lower() != ENDING:
        return load_script(name)
    path = Path(name)
    return deck_script(load_deck(path), path)


def deck_script(model: DeckModel, path: Path) -> DeckScript:
    """Script of a deck that was read from `path`."""

    def scenario(duration: float = DURATION, dt: float = STEP, input: str = "") -> Scenario:
        """Run the deck for `duration` [s], sampled every `dt` [s], with a table of its inputs."""
        given = load_deck(path, Path(input)) if input else model
        return given.scenario(duration, dt)

    return DeckScript(path.stem, path.resolve(), scenario, model.deck.title)
