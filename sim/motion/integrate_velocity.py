"""A path from its velocities: integrated between corners, as a smooth function of time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Literal

import numpy as np

from sim.errors import ScenarioError
from sim.maths.arrays import Array

# Solver and tolerance of the integrated path. If the components determine the joints, Newton's
# method refines it, and it only has to be close; with free components it is the result.
Solver = tuple[Literal["RK45", "DOP853"], float]
DETERMINED: Solver = ("RK45", 1e-4)
FREE: Solver = ("DOP853", 1e-12)
# Number of velocity evaluations, and the fraction of the path below which its solver crawls.
ASKED, PROGRESS = 2000, 2e-3


def integrate_velocity(
    velocity: Callable[[float, Array], Array],
    q: Array,
    ends: list[float],
    solver: Solver,
    project: Callable[[float, Array], Array],
    error_at: Callable[[float], ScenarioError],
) -> Callable[[Array], Array]:
    """Integrate to a function q(t) of times (N,) -> (n, N).

    Parameters
    ----------
    velocity : callable
        Time [s] and positions (n,) -> velocities (n,).
    q : ndarray, shape (n,)
        Start.
    ends : list of float
        Times between which the path is smooth [s].
    project : callable
        Time [s] and positions (n,) -> corrected positions at the start of the next piece.
    error_at : callable
        Time [s] -> error to raise if the path does not continue.
    """
    from scipy.integrate import solve_ivp

    method, rtol = solver
    calls, reached = 0, -np.inf

    def counted_velocity(time: float, q: Array) -> Array:
        nonlocal calls, reached
        calls += 1
        if calls % ASKED == 0:
            if time - reached < PROGRESS * (ends[-1] - ends[0]):
                raise error_at(time)
            reached = time
        return velocity(time, q)

    pieces = []
    for begin, end in pairwise(ends):
        piece = solve_ivp(
            counted_velocity,
            # The right end belongs to the next piece, where a drive may be different.
            (begin, end - 1e-12 * max(end, 1.0)),
            q,
            method=method,
            rtol=rtol,
            atol=0.1 * rtol,
            dense_output=True,
            max_step=(end - begin) / 4,
        )
        if not piece.success or piece.sol is None:
            raise error_at(float(piece.t[-1]))
        pieces.append(piece.sol)
        q = project(end, piece.y[:, -1])
    starts = np.array(ends[:-1])

    def positions(t: Array) -> Array:
        which = np.clip(np.searchsorted(starts, t, side="right") - 1, 0, len(pieces) - 1)
        q_t = np.empty((q.size, t.size))
        for k, piece in enumerate(pieces):
            if np.any(which == k):
                q_t[:, which == k] = piece(t[which == k])
        return q_t

    return positions
