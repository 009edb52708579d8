"""The cubic STEP of ADAMS on arrays, which its friction and contact laws are made of."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sim.spatial import Array


def step(x: ArrayLike, x0: float, h0: float, x1: float, h1: float) -> Array:
    """h0 + (h1 - h0) z²(3 - 2z), z = (x - x0)/(x1 - x0) held within [0, 1]; x0 < x1.

    References
    ----------
    MSC Adams Solver, function STEP.
    """
    z = np.clip((np.asarray(x, dtype=np.float64) - x0) / (x1 - x0), 0.0, 1.0)
    return np.asarray(h0 + (h1 - h0) * (z * z * (3.0 - 2.0 * z)))
