"""Output files named by the user: allowed locations, and files that may be replaced."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from sim.errors import RecordingError
from sim.recording.files.leftovers import files_written_in
from sim.recording.files.staging import FULL
from sim.recording.files.whole_files import refusal, write_bytes

MARK = b"written by sim"
"""Text in a file of ours whose format has a place for it."""

# Texts in the first or last bytes of our files, all required, by ending.
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
# Endings that a browser or a reader of PDF needs to show the file.
SHOWN: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {".html": (".html", ".htm"), ".pdf": (".pdf",)}
)
ENDS = 2**20  # bytes inspected at both ends of a file

# Files that list the others of their folder: of a run, a baseline, a study.
MARKERS = ("run.json", "baseline.json", "study.json")
# Contents of such a folder if its marker cannot be read, or lists no files.
NAMES = ("recording", "analytic", "reference", "cut_open", "between")
ALWAYS = frozenset({*MARKERS, *(f"{name}.parquet" for name in NAMES), "robot.urdf", "cases.jsonl"})


def write_named(path: Path, data: bytes, kind: str = "") -> None:
    """Write a file named by the user, completely or not at all.

    Parameters
    ----------
    path : Path
        Links are followed.
    data : bytes
    kind : str
        Ending of the format, a key of `OWN` (default: that of the path).

    Raises
    ------
    RecordingError
        If the location is not allowed, see `require_place`, or cannot be written.
    """
    require_place(path, kind)
    try:
        write_bytes(path.resolve(), data)
    except OSError as error:
        where = f" in {path.resolve().parent}" if error.errno in FULL else ""
        raise RecordingError(f"Cannot write {path}: {refusal(error)}{where}") from error


@contextlib.contextmanager
def all_or_none(paths: Iterable[Path]) -> Iterator[None]:
    """Put the files back as they were if the block that writes them fails."""
    places = [path.resolve() for path in paths]
    copies = {one: one.with_name(f".{one.name}.before") for one in places if one.is_file()}
    with contextlib.ExitStack() as stack:
        for place, copy in copies.items():
            stack.callback(copy.unlink, missing_ok=True)
            shutil.copy2(place, copy)
        try:
            yield
        except BaseException:
            stack.pop_all()  # a copy that cannot be moved back stays
            for place in places:
                with contextlib.suppress(OSError):  # the first error is the one to report
                    copies[place].replace(place) if place in copies else place.unlink()
            raise


def require_place(path: Path, kind: str = "") -> None:
    """Check, before long work, that a file can be written here without loss of data.

    Raises
    ------
    RecordingError
        If the folder does not exist or cannot be written; if a page or a PDF has another ending;
        or if the path is not a regular file, belongs to a run, a baseline or a study, or was not
        written by sim.
    """
    if path.suffix.lower() not in SHOWN.get(kind, (path.suffix.lower(),)):
        raise RecordingError(f"Cannot write {path}: its ending must be {' or '.join(SHOWN[kind])}")
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
    except (OSError, RuntimeError) as error:  # RuntimeError: circular links
        why = refusal(error) if isinstance(error, OSError) else "its links lead in a circle"
        raise RecordingError(f"Cannot write {path}: {why}") from None


def _require_of_no_run(path: Path, place: Path) -> None:
    """Check that the path is not a file of a run, a baseline or a study in a folder above."""
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
    """Whether a file has the beginning or end of our files; an empty one has no data to lose."""
    with place.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - ENDS))
        ends = file.read()
        if size > ENDS:
            file.seek(0)
            ends = file.read(ENDS) + ends
    return not size or all(word in ends for word in OWN.get(kind, (MARK,)))
