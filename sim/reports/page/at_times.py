"""A channel of two runs read at the same times, straight between samples; balls turn evenly."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.maths.arrays import Array
from sim.maths.rotation_vectors import between_vectors, nearest_vectors
from sim.recording.files.table_files import Table, numbers_in


def straight_between(at: Array, t: Array, values: Array) -> Array:
    """Values at times `at`, straight between those at `t`; where the times are the same, those."""
    return values if np.array_equal(at, t) else np.interp(at, t, values)


def both_at_times(
    at: Array, name: str, run: Table, other: Table, rotations: Mapping[str, tuple[str, ...]]
) -> tuple[Array, Array]:
    """Values of a channel in a run and in another at times `at` (M,), shape (M,) each.

    Parameters
    ----------
    rotations : mapping of str to tuple of str
        The three channels of the ball's rotation that a channel is one of
        (`sim.robots.coordinate.rotation_channels`). Of the two vectors of the other's rotation
        the one nearer to the run's is taken.
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
