"""CaseLog: rows of a study's cases, stored on disk as they are computed.

A row is one line of the log and never rewritten. A line truncated by a killed process or a full
disk is ignored: its case is computed again.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path

import msgspec

from sim.errors import RecordingError
from sim.recording.files.locks import OPEN, try_lock
from sim.recording.files.whole_files import refusal
from sim.recording.schema.migration import present_check_name
from sim.studies.case_rows import CaseRow
from sim.studies.workers.case_inputs import find_changes

FILE = "cases.jsonl"
_OF, _SEAL = b',"of":"', b'","seal":"'


class CaseLog:
    """Rows in a study's folder, for one process at a time.

    Parameters
    ----------
    folder : Path
        Folder of the study.
    fingerprint : str
        Fingerprint of its plan.

    Raises
    ------
    RecordingError
        If it cannot be written, or is in use by another process.

    Attributes
    ----------
    rows : dict of str to CaseRow
        Rows with the fingerprint by key, the last of each.
    edited : int
        Number of rows ignored because they were modified.
    """

    def __init__(self, folder: Path, fingerprint: str = "") -> None:
        self.path = folder / FILE
        self._handle = -1
        self.edited, self._of = 0, _short(fingerprint)
        self.rows: dict[str, CaseRow] = {}
        self._by = {self._of: self.rows}
        try:
            self._handle = os.open(self.path, OPEN | os.O_CREAT, 0o666)
            if not stat.S_ISREG(os.fstat(self._handle).st_mode):
                raise RecordingError(f"{self.path} is not a regular file; choose another folder")
            if not try_lock(self._handle):
                raise RecordingError(f"Another sim process is computing the study in {folder}")
            for row, of in self._read():
                rows = self._by.setdefault(of or self._of, {})
                rows.pop(row.key, None)
                if of is None:
                    self.edited += 1
                else:
                    rows[row.key] = row
        except OSError as error:
            raise self._write_error(error) from error

    def __enter__(self) -> CaseLog:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)

    def add(self, rows: Iterable[CaseRow]) -> None:
        """Append rows.

        Raises
        ------
        RecordingError
            If the disk is full; earlier rows are kept.
        """
        rows = list(rows)
        block = b"".join(_line(row, self._of) for row in rows)
        end = os.lseek(self._handle, 0, os.SEEK_END)
        try:
            while block:
                block = block[os.write(self._handle, block) :]
        except OSError as error:
            os.truncate(self._handle, end)
            raise self._write_error(error) from error
        self.rows |= {row.key: row for row in rows}

    def rows_of(self, fingerprint: str) -> list[CaseRow]:
        """Return the rows with another fingerprint."""
        return list(self._by.get(_short(fingerprint), {}).values())

    def leave_out_stale(self) -> list[CaseRow]:
        """Drop and return the rows whose inputs have changed."""
        stale = [key for key, row in self.rows.items() if find_changes(row.inputs)]
        return [self.rows.pop(key) for key in stale]

    def _read(self) -> Iterable[tuple[CaseRow, bytes | None]]:
        """Yield rows with the fingerprint of each seal, None for an edited line.

        The file is truncated after the last complete line, where the next row is appended.
        """
        with open(self._handle, "rb", closefd=False) as file:
            end = 0
            for line in file:
                if not line.endswith(b"\n"):
                    break
                try:
                    row = msgspec.json.decode(line, type=CaseRow)
                    yield _with_present_names(row), _read_fingerprint(line)
                except (msgspec.DecodeError, msgspec.ValidationError) as error:
                    raise RecordingError(
                        f"{self.path} is damaged: {error}, after byte {end}; choose another folder"
                    ) from None
                end += len(line)
        os.truncate(self._handle, end)

    def _write_error(self, error: OSError) -> RecordingError:
        return RecordingError(f"Cannot write {self.path}: {refusal(error)}")


def _with_present_names(row: CaseRow) -> CaseRow:
    """Return a row whose checks may have names of format 4."""
    worst = {present_check_name(name): one for name, one in row.worst.items()}
    ratings = {present_check_name(name): by for name, by in row.ratings.items()}
    return msgspec.structs.replace(row, worst=worst, ratings=ratings)


def _line(row: CaseRow, of: bytes) -> bytes:
    """Return a row with its fingerprint, and the hash of its bytes as the last entry."""
    body = msgspec.json.encode(row)[:-1] + _OF + of
    return body + _SEAL + _hash(body) + b'"}\n'


def _read_fingerprint(line: bytes) -> bytes | None:
    body, _, digest = line.rpartition(_SEAL)
    return body.rpartition(_OF)[2] if digest == _hash(body) + b'"}\n' else None


def _short(fingerprint: str) -> bytes:
    return fingerprint[:8].encode()


def _hash(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:32].encode()


def has_rows(folder: Path) -> bool:
    """Whether a study's folder has a finished case."""
    path = folder / FILE
    return path.is_file() and b"\n" in path.read_bytes()
