"""Paths through space: of the tool, its target, other runs, nearest points and contacts."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from sim.maths.arrays import Array
from sim.recording.files.table_files import Table
from sim.recording.held_tables import recorded_of
from sim.recording.recording import Recording

MOST = 1000  # points
APART = 1e-4  # [m]; a path that is nowhere further from another is not visible next to it


class PathFacts(msgspec.Struct, frozen=True):
    """Points in space: where they begin in the block, and every which sample is one."""

    at: int
    count: int
    every: int


def tool_ways(
    recording: Recording, others: Sequence[Table], block: bytes
) -> tuple[dict[str, PathFacts], bytes]:
    """Where the paths are, by name, in the block that they are added to, evenly thinned.

    ``tool`` and ``target`` are those of the run, and so are ``nearest_a`` and ``nearest_b``, the
    nearest points of two links, and ``contact_point.<name>`` of contacts; ``over0``, ``over1``, …
    those of the others' tools at the same times, where they can be distinguished. Where another run
    ends, its tool stays.
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
        name: way[rows]
        for name in ("tool", "target", "nearest_a", "nearest_b", *touching)
        if (way := _way(recorded_of(recording), name)) is not None
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


def _way(table: Table, frame: str) -> Array | None:
    """Where a frame of a table is at its samples, shape (N, 3) [m]; None if it has none."""
    columns = [f"{frame}.{c}" for c in "xyz"]
    if not set(columns) <= set(table.columns):
        return None
    return np.asarray(table[columns].to_numpy(dtype=np.float64))
