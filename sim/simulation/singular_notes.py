"""Notes on singular poses that a run's closed loops have passed."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from sim.recording.files.table_files import Table, numbers_in
from sim.simulation.problem import Problem

MOST_TIMES = 5  # times named in a note


def singular_notes(problem: Problem, analytic: Table, times: Collection[float]) -> tuple[str, ...]:
    """Return a note on the times of singular poses, and the first pose; empty without any.

    Parameters
    ----------
    analytic : Table
        Table of the model, at the samples of the problem.
    times : collection of float
        [s]
    """
    if not times:
        return ()
    at = sorted(times)
    k = int(np.argmin(np.abs(problem.t - at[0])))
    pose = ", ".join(
        f"{row.name} = {numbers_in(analytic, f'q.{row.name}')[k]:.4g} {row.units.position}"
        for row in problem.robot.coordinates
    )
    named = ", ".join(f"{time:.4g}" for time in at[:MOST_TIMES])
    more = f" and {len(at) - MOST_TIMES} times more" if len(at) > MOST_TIMES else ""
    return (
        f"Closed loops pass a singular pose at t = {named} s{more}, first near {pose}; the motion "
        "goes on smoothly, and forces in the pins are not determined there",
    )
