"""Decks in the window: run unchanged, with a duration and a step; their motions are shown."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from sim.decks.converted_files import script_text
from sim.decks.deck_inputs import constant_of
from sim.decks.deck_model import DURATION, STEP, DeckModel, load_deck
from sim.decks.deck_script import constants
from sim.studio.folder import DECKS, Folder
from sim.studio.refusal import RefusalError
from sim.studio.setup import DECK


def deck_names(folder: Folder) -> list[str]:
    """Return paths of the decks in the folder."""
    names = sorted(f"{DECKS}/{path.name}" for path in (folder.path / DECKS).glob("*.adm"))
    return [name for name in names if DECK.fullmatch(name)]


def deck_path(folder: Folder, name: str) -> Path:
    """Return the file of a deck.

    Raises
    ------
    RefusalError
        If there is none.
    """
    path = folder.below(name)
    if not path.is_file():
        raise RefusalError(422, f"there is no {name} in the folder")
    return path


def load_deck_of(folder: Folder, name: str) -> DeckModel:
    """Return a deck, read once for each file."""
    path = deck_path(folder, name)
    return _load(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _load(path: Path, _changed: int) -> DeckModel:
    return load_deck(path)


def _parameters(model: DeckModel) -> dict[str, float]:
    """Return the numbers that a run of a deck may change."""
    variables = model.deck.by_id("VARIABLE")
    values = {name: constant_of(variables[id]) for name, id in constants(model.deck).items()}
    return {"duration": DURATION, **{name: x for name, x in values.items() if x is not None}}


def deck_facts(model: DeckModel) -> dict[str, Any]:
    """Return the contents of a deck shown in the forms: motions, initial state, and other parts."""
    drives = {
        name: {"kind": level, "text": text}
        for level, texts in model.drives.drives.items()
        for name, text in texts.items()
    }
    free = {name: {"kind": "free", "text": ""} for name in model.drives.free}
    return {
        "setup": {
            "drives": drives | free,
            "positions": dict(model.drives.q0),
            "duration": DURATION,
            "dt": STEP,
            "method": model.method,
        },
        "parameters": _parameters(model),
        "forces": len(model.elements),
        "requests": len(model.requests.requests),
        "notes": list(model.notes),
        "script": script_text(model, Path(model.source).stem),
    }
