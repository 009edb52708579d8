"""CaseLog: the rows of a study on disk as they come, one line each, never written again.

A line that a killed process or a full disk has cut off is no row: its case is computed again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from sim.errors import RecordingError
from sim.recording.files import refusal
from sim.recording.locks import OPEN, locked
from sim.studies.case_row import CaseRow

FILE = "cases.jsonl"


class CaseLog:
    """The rows of a study's folder, for one process at a time.

    Parameters
    ----------
    folder : Path
        Of the study.

    Raises
    ------
    RecordingError
        If it cannot be written, or another process is at work in it.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._handle = -1
        if self.path.exists() and not self.path.is_file():
            raise RecordingError(f"{self.path} is no file; a pipe or a device may never end")
        try:
            self._handle = os.open(self.path, OPEN | os.O_CREAT, 0o666)
            if not locked(self._handle):
                raise RecordingError(f"Another sim is at work on the study in {folder}")
            self.rows = {row.key: row for row in self._read()}
        except OSError as error:
            raise self._refused(error) from error

    def __enter__(self) -> CaseLog:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)

    def add(self, rows: Iterable[CaseRow]) -> None:
        """Write some rows behind the others.

        Raises
        ------
        RecordingError
            If they do not fit; what was written before stays.
        """
        rows = list(rows)
        block = b"".join(msgspec.json.encode(row) + b"\n" for row in rows)
        end = os.lseek(self._handle, 0, os.SEEK_END)
        try:
            while block:
                block = block[os.write(self._handle, block) :]
        except OSError as error:
            os.truncate(self._handle, end)
            raise self._refused(error) from error
        self.rows |= {row.key: row for row in rows}

    def _read(self) -> Iterable[CaseRow]:
        """Whole lines; behind the last of them the next row will stand."""
        with open(self._handle, "rb", closefd=False) as file:
            end = 0
            for line in file:
                if not line.endswith(b"\n"):
                    break
                try:
                    yield msgspec.json.decode(line, type=CaseRow)
                except (msgspec.DecodeError, msgspec.ValidationError) as error:
                    raise RecordingError(
                        f"{self.path} is damaged: {error}, behind byte {end}; choose another folder"
                    ) from None
                end += len(line)
        os.truncate(self._handle, end)

    def _refused(self, error: OSError) -> RecordingError:
        return RecordingError(f"Cannot write {self.path}: {refusal(error)}")


def has_rows(folder: Path) -> bool:
    """Whether a study's folder has a case that is finished."""
    path = folder / FILE
    return path.is_file() and b"\n" in path.read_bytes()
