"""Stored measurements: one JSON file per subject, the source of the documentation's tables."""

from __future__ import annotations

from pathlib import Path

import msgspec

from benchmarks.contest import Settings, Subject
from benchmarks.machine import facts
from sim.recording.files.whole_files import write_bytes


class Kept(msgspec.Struct, frozen=True):
    """A stored subject."""

    name: str
    subject: Subject
    machine: dict[str, str]
    rounds: int
    quick: bool = False


def keep(folder: Path, name: str, subject: Subject, settings: Settings) -> Path:
    """Write ``<name>.json``, whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    document = msgspec.json.encode(Kept(name, subject, facts(), settings.rounds, settings.quick))
    write_bytes(path, msgspec.json.format(document, indent=1) + b"\n")
    return path


def read(path: Path) -> Kept:
    """Read a file by `keep`.

    Raises
    ------
    msgspec.ValidationError
        If the file has other content.
    """
    return msgspec.json.decode(path.read_bytes(), type=Kept)
