"""CaseLog: the rows of a study on disk as they come, one line each, never written again.

A line that a killed process or a full disk has cut off is no row: its case is computed again.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path

import msgspec

from sim.errors import RecordingError
from sim.recording.files import refusal
from sim.recording.locks import OPEN, locked
from sim.studies.case_row import CaseRow
from sim.studies.workers.case_inputs import changed

FILE = "cases.jsonl"


class CaseLog:
    """The rows of a study's folder, for one process at a time.

    Parameters
    ----------
    folder : Path
        Of the study.
    fingerprint : str
        Of its plan.

    Raises
    ------
    RecordingError
        If it cannot be written, or another process is at work in it.

    Attributes
    ----------
    rows : dict of str to CaseRow
        Those of the fingerprint by their keys, the last of each.
    edited : int
        How many were left out because they are not what was written.
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
                raise RecordingError(f"{self.path} is no plain file; choose another folder")
            if not locked(self._handle):
                raise RecordingError(f"Another sim is at work on the study in {folder}")
            for row, of in self._read():
                rows = self._by.setdefault(of or self._of, {})
                rows.pop(row.key, None)
                if of is None:
                    self.edited += 1
                else:
                    rows[row.key] = row
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
        block = b"".join(_line(row, self._of) for row in rows)
        end = os.lseek(self._handle, 0, os.SEEK_END)
        try:
            while block:
                block = block[os.write(self._handle, block) :]
        except OSError as error:
            os.truncate(self._handle, end)
            raise self._refused(error) from error
        self.rows |= {row.key: row for row in rows}

    def of(self, fingerprint: str) -> list[CaseRow]:
        """The rows of another fingerprint."""
        return list(self._by.get(_short(fingerprint), {}).values())

    def leave_out_stale(self) -> list[CaseRow]:
        """Forget the rows that were built from something that has changed; which they were."""
        stale = [key for key, row in self.rows.items() if changed(row.inputs)]
        return [self.rows.pop(key) for key in stale]

    def _read(self) -> Iterable[tuple[CaseRow, bytes | None]]:
        """Whole lines with whose they are, None of one that was edited.

        Behind the last of them the next row will stand.
        """
        with open(self._handle, "rb", closefd=False) as file:
            end = 0
            for line in file:
                if not line.endswith(b"\n"):
                    break
                try:
                    yield msgspec.json.decode(line, type=CaseRow), _sealed_by(line)
                except (msgspec.DecodeError, msgspec.ValidationError) as error:
                    raise RecordingError(
                        f"{self.path} is damaged: {error}, behind byte {end}; choose another folder"
                    ) from None
                end += len(line)
        os.truncate(self._handle, end)

    def _refused(self, error: OSError) -> RecordingError:
        return RecordingError(f"Cannot write {self.path}: {refusal(error)}")


OF, SEAL = b',"of":"', b'","seal":"'


def _line(row: CaseRow, of: bytes) -> bytes:
    """A row with whose it is, and the hash of its bytes as its last entry."""
    body = msgspec.json.encode(row)[:-1] + OF + of
    return body + SEAL + _hash(body) + b'"}\n'


def _sealed_by(line: bytes) -> bytes | None:
    body, _, digest = line.rpartition(SEAL)
    return body.rpartition(OF)[2] if digest == _hash(body) + b'"}\n' else None


def _short(fingerprint: str) -> bytes:
    return fingerprint[:8].encode()


def _hash(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:32].encode()


def has_rows(folder: Path) -> bool:
    """Whether a study's folder has a case that is finished."""
    path = folder / FILE
    return path.is_file() and b"\n" in path.read_bytes()
