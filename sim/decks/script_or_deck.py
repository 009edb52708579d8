"""Loading of a scenario script or a deck; only the required one of the two is imported."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import UNSET

from sim.decks.other_files import refuse_other_file
from sim.recording.files.whole_files import sha256
from sim.recording.schema.facts import ScriptFacts
from sim.scenario.script import load_script

if TYPE_CHECKING:
    from sim.scenario.script import Script

ENDING = ".adm"


def load_script_or_deck(name: str) -> Script:
    """Return the script of a shipped scenario, a ``.py`` file or an ADAMS deck, ``.adm``.

    Raises
    ------
    ScenarioError, DeckError
        If there is no such scenario or deck, or it cannot be run.
    """
    path = Path(name)
    if path.suffix.lower() != ENDING:
        refuse_other_file(path)
        return load_script(name)
    from sim.decks.deck_script import deck_script

    return deck_script(path)


def script_facts(path: Path, digest: str, parameters: Mapping[str, object]) -> ScriptFacts:
    """Return the facts of a script or deck with a SHA-256, and of the command file it follows."""
    acf = parameters.get("acf") if path.suffix.lower() == ENDING else None
    return ScriptFacts(
        path=str(path), sha256=digest, acf_sha256=sha256(Path(str(acf))) if acf else UNSET
    )
