"""Times and samples: which times a run has, and when two times are one."""

from __future__ import annotations

import numpy as np

from sim.maths.arrays import Array

# Printed, typed and computed times of one instant differ by rounding [s].
SAME_TIME = 1e-9


def sample_times(duration: float, samples: int) -> Array:
    """0 … duration in even steps, shape (samples,) [s]."""
    return np.linspace(0.0, duration, samples)


def are_same_times(t: Array, others: Array) -> bool:
    """True if there are as many times on both sides, and each is one with its partner."""
    return t.shape == others.shape and bool(np.all(np.abs(t - others) <= SAME_TIME))
