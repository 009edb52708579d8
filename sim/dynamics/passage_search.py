"""When a motion that is solved for first makes a condition true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sim.dynamics.hybrid import HybridDynamics
from sim.dynamics.integration import pieces_of, runs_through
from sim.dynamics.loads import Loads
from sim.dynamics.passages import Watch
from sim.dynamics.prescription import Prescription
from sim.dynamics.smooth_pieces import MotionSegment
from sim.maths.arrays import Array


def segment_to_passage(
    stages: Sequence[tuple[float, HybridDynamics]],
    prescription: Prescription,
    t: Array,
    loads: Loads | None,
    watch: Watch,
    since: MotionSegment | None = None,
) -> MotionSegment | None:
    """The segment of a motion at the end of which the first condition becomes true, if one does.

    The parameters are those of `sim.dynamics.integration.integrate`; `since` is a segment from
    the end of which the motion goes on.
    """
    y, pieces = pieces_of(stages, prescription, t, loads)
    begin, step = float(t[0]), None
    if since is not None:
        begin, y = since.end, since.y
    for piece in pieces:
        if piece.end <= begin and since is not None:
            continue
        watched = replace(piece, begin=max(piece.begin, begin), watch=watch)
        for run in runs_through(watched, y, step):
            y, step = run.y, run.step
            if run.passed is not None:
                return run
    return None
