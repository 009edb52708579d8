"""How long two solutions of one motion can be compared: some motions make much of the least."""

from __future__ import annotations

import numpy as np

from sim.recording.schema.description import Conditions

# How far aside the free joints of the neighbouring motion start, of 1 or of their position [rad or
# m]: what the solver itself may be off in each step, `sim.dynamics.step_choice.ATOL`.
ASIDE = 1e-13


def horizon(run: Conditions) -> float | None:
    """Time up to which engine and model can be compared [s]; None where that is the whole run.

    Two exact solutions, one of which starts `ASIDE`, differ as much from there on as the method's
    limits of position and velocity. Whatever solves the motion makes errors of that size, so that a
    later difference means nothing for its physics.
    """
    neighbour = run.settings.neighbour
    if neighbour is None:
        return None
    limits = run.solved_by.limits_at(run.settings.dt, has_free_joints=bool(run.settings.free))
    apart = zip(neighbour.t, neighbour.position, neighbour.velocity, strict=False)
    inside = [q <= limits.position and qd <= limits.velocity for _, q, qd in apart]
    if all(inside):
        return None
    first = int(np.argmin(inside))
    return neighbour.t[first - 1] if first else 0.0


def comparison_horizon_text(run: Conditions) -> str:
    """Describe how long engine and model are compared where that is not the whole run."""
    until = horizon(run)
    if until is None:
        return ""
    return f"engine and model are compared up to {until:.4g} of {run.settings.duration:g} s"
