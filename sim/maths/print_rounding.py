"""Rounding error of a number printed with some digits."""

from __future__ import annotations

import numpy as np

from sim.maths.arrays import Array


def half_unit(printed: Array, digits: int) -> Array:
    """Return half a unit of the last of `digits` significant digits; zero is exact.

    Parameters
    ----------
    printed : ndarray, shape (N,)
    """
    size = np.abs(printed)
    power = np.floor(np.log10(size, where=size > 0, out=np.zeros_like(size)))
    return np.where(size > 0, 0.5 * 10.0 ** (power - digits + 1), 0.0)
