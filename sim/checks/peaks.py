"""When a curve is at its highest, where it may be flat on top."""

from __future__ import annotations

import numpy as np

from sim.maths.arrays import Array

FLAT = 1e-6  # of the peak; what is nearer to the peak than this counts as being there


def peak_times(t: Array, values: Array) -> Array:
    """All sample times at which the magnitude of `values` is at its largest.

    A plateau gives all its times: which of them rounding makes the very largest says nothing. What
    is no number is at the top too, so that it is seen.

    Parameters
    ----------
    t, values : ndarray, shape (N,)
    """
    size = np.abs(values)
    highest = np.max(size, where=np.isfinite(size), initial=0.0)
    return t[~(size < (1 - FLAT) * highest)]
