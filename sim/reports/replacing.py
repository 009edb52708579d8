"""Files that a report may replace: its own kind, and nothing that somebody else wrote."""

from __future__ import annotations

from pathlib import Path

from sim.errors import RecordingError

# How what is written here begins, by ending; pages of all formats so far have both words.
OWN = {".html": (b"<!doctype html>", b"Content-Security-Policy"), ".xml": (b"<?xml", b"<testsuite")}
START = 2000  # bytes


def require_replaceable(path: Path) -> None:
    """Check that nothing is lost when a report is written to `path`.

    Raises
    ------
    RecordingError
        If a file is there that is no report.
    """
    if not path.is_file():
        return
    try:
        with path.open("rb") as file:
            start = file.read(START)
    except OSError as error:
        raise RecordingError(f"{path} cannot be read: {error.strerror or error}") from None
    words = OWN.get(path.suffix.lower(), OWN[".html"])
    if start and not all(word in start for word in words):
        raise RecordingError(
            f"{path} is there and no report of sim; move it away or choose another name"
        )
