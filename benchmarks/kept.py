"""What was measured, kept as one JSON file a subject; a page of documentation is made from it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from benchmarks.contest import Settings, Subject
from benchmarks.machine import facts
from sim.recording.files.whole_files import write_bytes


class Kept(msgspec.Struct, frozen=True):
    """A subject as it is kept."""

    name: str
    subject: Subject
    machine: dict[str, str]
    rounds: int
    quick: bool = False


def keep(folder: Path, name: str, subject: Subject, settings: Settings) -> Path:
    """Write ``<name>.json``; it appears whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    document = msgspec.json.encode(Kept(name, subject, facts(), settings.rounds, settings.quick))
    write_bytes(path, msgspec.json.format(document, indent=1) + b"\n")
    return path


def read(path: Path) -> Kept:
    """What `keep` wrote.

    Raises
    ------
    msgspec.ValidationError
        If the file is something else.
    """
    return msgspec.json.decode(path.read_bytes(), type=Kept)
