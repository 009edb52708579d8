"""Time shift that explains the difference of two runs."""

from __future__ import annotations

import numpy as np

from sim.comparison.outcome import Shift
from sim.maths.arrays import Array

# Numbers of samples and curves that suffice for a shift.
MOST_SAMPLES, MOST_CURVES = 2000, 12
LARGEST = 0.1  # of the duration
EXPLAINED = 0.05  # of the difference may remain, root mean square


def find_shift(t: Array, mine: Array, reference: Array) -> Shift | None:
    """Return the shift with the smallest residual, if nearly nothing remains.

    Parameters
    ----------
    t : ndarray, shape (N,)
        [s]
    mine, reference : ndarray, shape (channels, N)
        Curves that differ, in descending order of their difference.
    """
    rows = np.unique(np.linspace(0, t.size - 1, min(t.size, MOST_SAMPLES)).astype(int))
    mine, reference, t = mine[:MOST_CURVES, rows], reference[:MOST_CURVES, rows], t[rows]
    sound = np.isfinite(mine).all(axis=1) & np.isfinite(reference).all(axis=1)
    mine, reference = mine[sound], reference[sound]
    size = np.std(reference, axis=1)
    if t.size < 16 or not (size > 0).any():
        return None
    mine, reference = (x[size > 0] / size[size > 0, None] for x in (mine, reference))
    return _best(t, mine, reference)


def _best(t: Array, mine: Array, reference: Array) -> Shift | None:
    from scipy.interpolate import CubicSpline
    from scipy.optimize import minimize_scalar

    curve = CubicSpline(t, reference, axis=1)
    most = LARGEST * (t[-1] - t[0])
    inner = (t >= t[0] + most) & (t <= t[-1] - most)
    at, here = t[inner], mine[:, inner]

    def remainder(seconds: float) -> float:
        return float(np.sqrt(np.mean((here - curve(at - seconds)) ** 2)))

    whole = remainder(0.0)
    if whole == 0:
        return None
    shifts = np.linspace(-most, most, 201)
    start = float(shifts[int(np.argmin([remainder(s) for s in shifts]))])
    width = float(shifts[1] - shifts[0])
    minimum = minimize_scalar(
        remainder, bounds=(start - width, start + width), method="bounded", options={"xatol": 1e-9}
    )
    share = float(minimum.fun) / whole
    return Shift(float(minimum.x), share) if share <= EXPLAINED else None
