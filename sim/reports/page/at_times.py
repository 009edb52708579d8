"""Channels of two runs at common times: linear interpolation, slerp for ball joints."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.maths.arrays import Array
from sim.maths.rotation_vectors import between_vectors, nearest_vectors
from sim.recording.files.table_files import Table, numbers_in


def straight_between(at: Array, t: Array, values: Array) -> Array:
    """Interpolate linearly at times `at`; where the times are the same, return the values."""
    return values if np.array_equal(at, t) else np.interp(at, t, values)


def both_at_times(
    at: Array, name: str, run: Table, other: Table, rotations: Mapping[str, tuple[str, ...]]
) -> tuple[Array, Array]:
    """Return a channel of a run and of another run at times `at` (M,), shape (M,) each.

    Parameters
    ----------
    rotations : mapping of str to tuple of str
        The three channels of the ball's rotation to which a channel belongs
        (`sim.robots.coordinate.rotation_channels`). Of the two equivalent rotation vectors of the
        other run, the one nearer to the run's is used.
    """
    own = rotations.get(name, ())
    tables = run, other
    times = [table.index.to_numpy(dtype=np.float64) for table in tables]
    if not own or any(one not in table for table in tables for one in own):
        mine, theirs = (
            straight_between(at, t, numbers_in(table, name))
            for t, table in zip(times, tables, strict=True)
        )
        return mine, theirs
    vectors = [np.stack([numbers_in(table, one) for one in own]) for table in tables]
    if not all(np.isfinite(each).all() for each in vectors):
        nothing = np.full(at.size, np.nan)
        return nothing, nothing
    mine, theirs = (between_vectors(t, each, at) for t, each in zip(times, vectors, strict=True))
    row = own.index(name)
    return mine[row], nearest_vectors(mine, theirs)[row]
