"""Six-point central differences ∂f/∂x, with a truncation error of order step⁶."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.maths.arrays import Array

OFFSETS = np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])
WEIGHTS = np.array([-1.0, 9.0, -45.0, 45.0, -9.0, 1.0]) / 60.0


def differentiate(f: Callable[[Array], Array], n: int, step: float) -> Array:
    """Return the derivative ∂f/∂x at x = 0, (rows, n), with an error of f's rounding over the step.

    Parameters
    ----------
    f : callable
        Small displacements (n, K) -> values (rows, K), all in one call.
    n : int
    step : float
        Step in the unit of x.
    """
    places = np.zeros((n, n, OFFSETS.size))
    places[np.arange(n), np.arange(n)] = step * OFFSETS
    values = f(places.reshape(n, -1))
    return np.asarray(values.reshape(-1, n, OFFSETS.size) @ WEIGHTS / step)
