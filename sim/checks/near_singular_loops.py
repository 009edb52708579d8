"""What closed loops make of differences near a singular pose, where an equation repeats others.

With σ, the least singular value of the loops' equations by the largest, ``J qdd = -γ`` is solved by
dividing by σ, and so is ``Jᵀ λ`` for the forces. Elsewhere in a run errors grow by nothing: what is
meant is 1/σ - 1.
"""

from __future__ import annotations

import numpy as np

from sim.checks.limits import EPS
from sim.checks.run_view import RunView
from sim.maths.arrays import Array
from sim.recording.schema.channels import LOOP_SINGULAR_VALUE


def acceleration_through_loops(view: RunView) -> Array | None:
    """What the difference of velocities makes of accelerations, (N,); None without solved loops.

    γ is quadratic in velocities: δqdd = 2 |qd| δqd (1/σ - 1).
    """
    gain = _gain(view)
    if gain is None:
        return None
    fastest = np.max([np.abs(view.analytic(f"qd.{row}")) for row in view.row_names], axis=0)
    return np.asarray(2.0 * fastest * _difference(view, "qd") * gain)


def wrench_through_loops(view: RunView, kind: str) -> Array | None:
    """What the difference of accelerations makes of forces "f" or moments "m", (N,).

    δλ = M δqdd (1/σ - 1), with all that moves for M, as in `RunView.wrench_noise`.
    """
    gain = _gain(view)
    return None if gain is None else view.moved(kind) * _difference(view, "qdd") * gain


def _gain(view: RunView) -> Array | None:
    if not view.has(LOOP_SINGULAR_VALUE):
        return None
    sigma = view.analytic(LOOP_SINGULAR_VALUE)
    return np.asarray(1.0 / np.clip(sigma, EPS, 1.0) - 1.0)


def _difference(view: RunView, group: str) -> Array:
    """Largest difference of the two tables over all rows of a group, shape (N,)."""
    names = [f"{group}.{row}" for row in view.row_names]
    return np.asarray(
        np.max([np.abs(view.recorded_values(n) - view.analytic(n)) for n in names], axis=0)
    )
