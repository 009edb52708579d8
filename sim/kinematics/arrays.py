"""Checking arrays whose last axis is time."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sim.spatial import Array


def columns(n: int, **arrays: ArrayLike) -> tuple[Array, ...]:
    """The arrays as contiguous float64 of one shape (n, N).

    Raises
    ------
    ValueError
        If a shape is not (n, N) with one N; the message names the array.
    """
    result = [np.ascontiguousarray(array, dtype=np.float64) for array in arrays.values()]
    first = next(iter(arrays))
    for name, array in zip(arrays, result, strict=True):
        if array.ndim != 2 or array.shape[0] != n:
            raise ValueError(f"{name} must have shape ({n}, N), one row a joint; got {array.shape}")
        if array.shape != result[0].shape:
            raise ValueError(
                f"{name} and {first} must have one shape; got {array.shape} and {result[0].shape}"
            )
    return tuple(result)
