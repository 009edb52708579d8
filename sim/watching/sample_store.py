"""SampleStore: rows of numbers that grow on disk, so that a long loop costs no memory."""

from __future__ import annotations

import tempfile
import weakref
from array import array
from collections.abc import Iterable

import numpy as np

from sim.maths.arrays import Array

BUFFERED = 1 << 16  # numbers in memory before they are written


class SampleStore:
    """Rows of `width` numbers each; `extend` takes one row after the other."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.buffer = array("d")
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the store)
        weakref.finalize(self, self._file.close)

    def spill(self) -> None:
        """Write what is in memory to disk, if it is much."""
        if len(self.buffer) >= BUFFERED:
            self._write()

    def rows(self) -> Array:
        """All rows so far, shape (rows, width)."""
        self._write()
        self._file.seek(0)
        found = np.fromfile(self._file, dtype=np.float64)
        self._file.seek(0, 2)
        return found.reshape(-1, self.width)

    def extend(self, numbers: Iterable[float]) -> None:
        """Add numbers of the present row."""
        self.buffer.extend(numbers)

    def _write(self) -> None:
        self.buffer.tofile(self._file)
        self._file.flush()
        del self.buffer[:]
