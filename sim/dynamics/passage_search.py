"""Search for the first time at which an integrated motion makes a condition true."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from sim.dynamics.equations_of_motion import Mechanism
from sim.dynamics.hybrid import HybridDynamics
from sim.dynamics.integration import pieces_of, runs_through
from sim.dynamics.loads import Loads
from sim.dynamics.passages import Watch
from sim.dynamics.prescription import Prescription
from sim.dynamics.smooth_pieces import MotionSegment
from sim.dynamics.switched_drives import state_after
from sim.maths.arrays import Array


def segment_to_passage(
    stages: Sequence[tuple[float, HybridDynamics]],
    prescription: Prescription,
    t: Array,
    loads: Loads | None,
    watch: Watch,
    since: tuple[Mechanism, MotionSegment] | None = None,
) -> tuple[Mechanism, MotionSegment] | None:
    """Return the segment of a motion that ends when the first condition becomes true, or None.

    Parameters are those of `sim.dynamics.integration.integrate`; the motion continues from the end
    of the segment `since`. Both segments come with the mechanism that moved.
    """
    y, pieces = pieces_of(stages, prescription, t, loads)
    begin, before, last = float(t[0]), None, None
    if since is not None:
        before, (begin, y) = since[0], (since[1].end, since[1].y)
    for piece in pieces:
        if piece.end <= begin and since is not None:
            continue
        watched = replace(piece, begin=max(piece.begin, begin), watch=watch)
        y = state_after(before, piece.mechanism, watched.begin, y)
        before = piece.mechanism
        for run in runs_through(watched, y, last):
            y, last = run.y, run
            if run.passed is not None:
                return before, run
    return None
