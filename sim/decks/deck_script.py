"""A deck in the place of a scenario script, for the commands that run one."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.decks.deck import channel_names
from sim.decks.deck_inputs import constant_of
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


def constants(model: DeckModel) -> dict[str, int]:
    """Ids of the VARIABLEs that are numbers, by the name of the parameter that each becomes."""
    found = [one for one in model.variables.values() if constant_of(one) is not None]
    names = channel_names(found)
    return {
        name if name not in ("duration", "dt", "input") else f"VARIABLE_{id}": id
        for id, name in names.items()
    }


def deck_script(model: DeckModel, path: Path) -> DeckScript:
    """Script of a deck that was read from `path`."""
    ids = constants(model)
    given: dict[str, object] = {"duration": DURATION, "dt": STEP, "input": ""}
    given |= {name: constant_of(model.variables[id]) for name, id in ids.items()}

    def scenario(**parameters: Any) -> Scenario:
        """Run the deck for `duration` [s], sampled every `dt` [s], with a table of its inputs."""
        chosen = {**given, **parameters}
        values = {id: chosen[name] for name, id in ids.items() if chosen[name] != given[name]}
        table = Path(chosen["input"]) if chosen["input"] else None
        own = load_deck(path, table, values) if table or values else model
        return own.scenario(chosen["duration"], chosen["dt"])

    kind = inspect.Parameter.KEYWORD_ONLY
    scenario.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, kind, default=value) for name, value in given.items()]
    )
    return DeckScript(path.stem, path.resolve(), scenario, model.deck.title)
