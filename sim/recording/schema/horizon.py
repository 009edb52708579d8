"""Time for which two solutions of one motion are comparable: some motions are very sensitive."""

from __future__ import annotations

import numpy as np

from sim.recording.schema.description import Conditions

# Initial displacement of free joints in the neighbouring motion, relative to 1 or to their position
# [rad or m]: the solver's own error per step, `sim.dynamics.step_choice.ATOL`.
ASIDE = 1e-13


def horizon(run: Conditions) -> float | None:
    """Return the time up to which engine and model are comparable [s]; None for the whole run.

    Beyond it, two exact solutions whose starts differ by `ASIDE` differ by more than the method's
    limits of position and velocity. Any solver has errors of that size, so that later differences
    have no physical meaning.
    """
    neighbour = run.settings.neighbour
    if neighbour is None:
        return None
    limits = run.solved_by.limits_at(run.settings.dt, has_free_joints=bool(run.settings.free))
    differences = zip(neighbour.t, neighbour.position, neighbour.velocity, strict=False)
    inside = [q <= limits.position and qd <= limits.velocity for _, q, qd in differences]
    if all(inside):
        return None
    first = int(np.argmin(inside))
    return neighbour.t[first - 1] if first else 0.0


def comparison_horizon_text(run: Conditions) -> str:
    """Describe how long engine and model are compared, if not over the whole run."""
    until = horizon(run)
    if until is None:
        return ""
    return f"engine and model are compared up to {until:.4g} of {run.settings.duration:g} s"
