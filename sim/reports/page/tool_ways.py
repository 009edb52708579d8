"""Paths in space: of the tool, its target, other runs, nearest points and contacts."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array
from sim.recording.files.table_files import Table, numbers_in
from sim.recording.held_tables import recorded_of
from sim.recording.recording import Recording

MOST = 1000  # points
APART = 1e-4  # [m]; paths with smaller differences are not distinguishable


class PathFacts(msgspec.Struct, frozen=True):
    """Points in space: their position in the block, their number, and the sampling stride."""

    at: int
    count: int
    every: int


def tool_ways(
    recording: Recording, others: Sequence[Table], block: bytes
) -> tuple[dict[str, PathFacts], bytes]:
    """Return the paths by name, evenly thinned, and the block with their points appended.

    ``tool`` and ``target`` are those of the run, as are ``nearest_a`` and ``nearest_b``, the
    nearest points of two links, and ``contact_point.<name>`` of contacts; ``over0``, ``over1``, …
    are those of the other runs' tools at the same times, where distinguishable. After the end of
    another run, its tool remains at its last position.
    """
    count = len(recorded_of(recording))
    stride = -(-count // MOST)
    rows = np.r_[0 : count - 1 : stride, count - 1]
    touching = dict.fromkeys(
        name.rpartition(".")[0]
        for name in map(str, recorded_of(recording).columns)
        if name.startswith("contact_point.")
    )
    ways = {
        name: way
        for name in ("tool", "target", "nearest_a", "nearest_b", *touching)
        if (way := _way(recorded_of(recording), name, rows)) is not None
    }
    own = ways.get("tool")
    for k, other in enumerate(others):
        if own is None or (way := _way(other, "tool")) is None or not np.isfinite(way).all():
            continue
        t = other.index.to_numpy(dtype=np.float64)
        theirs = np.column_stack([np.interp(recording.t[rows], t, x) for x in way.T])
        if np.nanmax(np.linalg.norm(theirs - own, axis=1), initial=0.0) > APART:
            ways[f"over{k}"] = theirs
    described: dict[str, PathFacts] = {}
    for name, points in ways.items():
        described[name] = PathFacts(len(block), len(points), stride)
        block += points.astype("<f4").tobytes()
    return described, block


def _way(table: Table, frame: str, rows: NDArray[np.intp] | slice = slice(None)) -> Array | None:
    """Return the positions of a frame of a table, shape (N, 3) [m]; None without the frame."""
    columns = [f"{frame}.{c}" for c in "xyz"]
    if not set(columns) <= set(table.columns):
        return None
    return np.column_stack([numbers_in(table, column)[rows] for column in columns])
