"""Sample times of a run, and equality of times."""

from __future__ import annotations

import numpy as np

from sim.maths.arrays import Array

# Difference of printed, typed and computed times of one instant by rounding [s].
SAME_TIME = 1e-9


def sample_times(duration: float, samples: int) -> Array:
    """Return 0 … duration in even steps, shape (samples,) [s]."""
    return np.linspace(0.0, duration, samples)


def are_same_times(t: Array, others: Array) -> bool:
    """Whether both arrays have the same number of times, pairwise equal within rounding."""
    return t.shape == others.shape and bool(np.all(np.abs(t - others) <= SAME_TIME))
