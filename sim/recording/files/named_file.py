"""A file that a user names for an output: where it may stand, and what it may replace."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from sim.errors import RecordingError
from sim.recording.files.leftovers import files_written_in
from sim.recording.files.whole_files import refusal, write_bytes

MARK = b"written by sim"
"""Text in a file of ours whose format has a place for it."""

# Texts in the first or last bytes of what is written here, all of them, by ending.
OWN: Mapping[str, tuple[bytes, ...]] = MappingProxyType(
    {
        ".html": (b"<!doctype html>", b"Content-Security-Policy"),
        ".xml": (b"<?xml", b"<testsuite"),
        ".csv": (b'"t [s]",',),
        "spectrum.csv": (b'"f [Hz]",',),
        ".tab": (b'"TIME"\t',),
        ".pdf": (b"%PDF-", b"% " + MARK),
        ".adm": (b"! scenario:", b"for ADAMS"),
        ".parquet": (b"sim_version",),
    }
)
ENDS = 2**20  # bytes at either end of a file that are looked at

# Files that name the others of their folder: of a run, of a baseline, of a study.
MARKERS = ("run.json", "baseline.json", "study.json")
# What is in such a folder where its marker cannot be read, or names itself nowhere.
NAMES = ("recording", "analytic", "reference", "cut_open", "between")
ALWAYS = frozenset({*MARKERS, *(f"{name}.parquet" for name in NAMES), "robot.urdf", "cases.jsonl"})


def write_named(path: Path, data: bytes, kind: str = "") -> None:
    """Write a file that a user has named, whole or not at all.

    Parameters
    ----------
    path : Path
        A link is followed.
    data : bytes
    kind : str
        Ending of what is written, a key of `OWN` (default: that of the path).

    Raises
    ------
    RecordingError
        If it may not stand there, see `require_place`, or cannot be written.
    """
    require_place(path, kind)
    try:
        write_bytes(path.resolve(), data)
    except OSError as error:
        raise RecordingError(f"Cannot write {path}: {refusal(error)}") from error


def require_place(path: Path, kind: str = "") -> None:
    """Check, before long work, that a file can be written here and that nothing is lost by it.

    Raises
    ------
    RecordingError
        If the folder is not there or cannot be written; or if what is at the path is no plain
        file, belongs to a run, a baseline or a study, or was not written by sim.
    """
    try:
        place = path.resolve()
        if not place.parent.is_dir():
            raise RecordingError(f"Cannot write {path}: {path.parent} is not a folder")
        if not os.access(place.parent, os.W_OK):
            raise RecordingError(f"Cannot write {path}: no right to write to {path.parent}")
        if place.is_dir():
            raise RecordingError(f"Cannot write {path}: it is a folder")
        if place.exists() and not place.is_file():
            raise RecordingError(
                f"Cannot write {path}: it is a device or a pipe; name a file, and copy that there"
            )
        _require_of_no_run(path, place)
        if place.exists() and not _is_own(place, kind or place.suffix.lower()):
            raise RecordingError(
                f"Cannot write {path}: it is there, and sim did not write it; move it away or "
                "choose another name"
            )
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead in a circle
        why = refusal(error) if isinstance(error, OSError) else "its links lead in a circle"
        raise RecordingError(f"Cannot write {path}: {why}") from None


def _require_of_no_run(path: Path, place: Path) -> None:
    """Check that no folder above holds the path as a file of a run, a baseline or a study."""
    for above in place.parents:
        for marker in MARKERS:
            if not (above / marker).is_file():
                continue
            what = {"run.json": "run", "study.json": "study"}.get(marker, "baseline")
            name = place.relative_to(above).as_posix()
            if name in ALWAYS or name in (files_written_in(above, marker) or ()):
                raise RecordingError(
                    f"Cannot write {path}: it is a file of the {what} in {above}; choose another "
                    "name"
                )


def _is_own(place: Path, kind: str) -> bool:
    """Whether a file begins or ends as what is written here; an empty one holds nothing to lose."""
    with place.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - ENDS))
        ends = file.read()
        if size > ENDS:
            file.seek(0)
            ends = file.read(ENDS) + ends
    return not size or all(word in ends for word in OWN.get(kind, (MARK,)))
