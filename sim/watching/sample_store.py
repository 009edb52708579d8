"""SampleStore: rows of numbers that grow on disk, to bound the memory of a long loop."""

from __future__ import annotations

import struct
import tempfile
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from sim.errors import EngineError
from sim.maths.arrays import Array

DOUBLE = struct.calcsize("d")  # bytes
BUFFERED = 1 << 19  # bytes in memory before they are written


class SampleStore:
    """Rows of `width` numbers each; ``add(*numbers)`` appends a row."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._pack = struct.Struct(f"{width}d").pack
        self.buffer = bytearray()
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the store)
        weakref.finalize(self, self._file.close)

    def add(self, *numbers: float) -> None:
        """Add a row."""
        self.buffer += self._pack(*numbers)
        self.spill()

    def adder(self, joints: int) -> Callable[[int, Any], None]:
        """Return ``add(steps, states)`` for PyBullet's joint states: position, velocity, torque.

        Unrolled for the number of joints, it takes a third of the time of a loop over them.
        """
        states = ", ".join(f"(q{k}, v{k}, _, t{k})" for k in range(joints))
        values = ", ".join(f"{of}{k}" for of in "qvt" for k in range(joints))
        names: dict[str, Any] = {"add": self.buffer.extend, "pack": self._pack}
        source = f"def keep(steps, states):\n    {states}, = states\n    add(pack(steps, {values}))"
        exec(source, names)
        keep: Callable[[int, Any], None] = names["keep"]
        return keep

    @property
    def count(self) -> int:
        """Number of rows so far."""
        return (self._file.tell() + len(self.buffer)) // (DOUBLE * self.width)

    def spill(self) -> None:
        """Write the buffer to disk, if it is large."""
        if len(self.buffer) > BUFFERED:
            self._write()

    def rows(self) -> Array:
        """Return all rows so far, shape (rows, width)."""
        self._write()
        self._file.seek(0)
        values = np.frombuffer(self._file.read(), dtype=np.float64)
        return values.reshape(-1, self.width)

    def _write(self) -> None:
        self._file.write(self.buffer)
        self._file.flush()
        self.buffer.clear()


def require_thread(number: int) -> None:
    """Check that a loop samples in the thread in which its watch began.

    Raises
    ------
    EngineError
        If another thread samples.
    """
    if threading.get_ident() != number:
        raise EngineError(
            "sample() was called by another thread than sim.watch; step and sample in one thread"
        )


def require_samples(count: int, step: str) -> None:
    """Check that a loop was sampled after at least two steps, each by a call of `step`.

    Raises
    ------
    EngineError
        Names the number of samples.
    """
    if count < 2:
        raise EngineError(
            f"The loop was sampled {count} times; call watch.sample() after each {step}, at least "
            "twice, before watch.save()"
        )
