"""Rows of a page on contacts: times, forces and impulses."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.maths.arrays import Mask
from sim.recording.files.table_files import numbers_in
from sim.recording.held_tables import recorded_of
from sim.recording.recording import Recording


class ContactRow(Struct, frozen=True):
    """A contact over a run; times [s] are those of samples, None if it never touched.

    Parameters
    ----------
    name, channel : str
        The channel is that of its normal force.
    first, longest : float or None
        Time of the first touch, and duration of the longest.
    touches : int
    peak, at, deepest, impulse : float
        Largest normal force [N] and its time, depth [mm], and impulse over the run [N·s].
    rubbed : float
        Largest friction [N].
    """

    name: str
    channel: str
    first: float | None
    longest: float | None
    touches: int
    peak: float
    at: float
    deepest: float
    impulse: float
    rubbed: float

    @classmethod
    def of(cls, name: str, recording: Recording) -> ContactRow:
        """Return the row of a contact of a recording."""
        table = recorded_of(recording)
        normal, friction, depth = (
            numbers_in(table, f"contact.{name}.{c}") for c in ("normal", "friction", "depth")
        )
        t = recording.t
        begins, ends = _stays(depth > 0.0)
        peak = int(np.argmax(normal))
        return cls(
            name,
            f"contact.{name}.normal",
            first=float(t[begins[0]]) if begins.size else None,
            longest=float(np.max(t[ends] - t[begins])) if begins.size else None,
            touches=begins.size,
            peak=float(normal[peak]),
            at=float(t[peak]),
            deepest=1e3 * float(depth.max()),
            impulse=float(np.trapezoid(normal, t)),
            rubbed=float(friction.max()),
        )


def _stays(touches: Mask) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return first and last samples of each interval in which shapes touch."""
    steps = np.diff(np.concatenate([[0], touches.astype(np.int8), [0]]))
    return np.flatnonzero(steps == 1), np.flatnonzero(steps == -1) - 1


def contact_rows(recording: Recording) -> list[ContactRow]:
    """Return all contacts of a recording, in the order of its channels."""
    names = (
        column.removeprefix("contact.").removesuffix(".normal")
        for column in map(str, recorded_of(recording).columns)
        if column.startswith("contact.") and column.endswith(".normal")
    )
    return [ContactRow.of(name, recording) for name in names]
