"""The motion of several joints together that has the least inertia."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sim.maths.arrays import Array

# Smallest eigenvalue of a mass matrix, scaled to a unit diagonal, that is not rounding.
INERTIA = 1e-13
NEAR_SINGULAR = 1e8  # condition of M scaled to a unit diagonal; half of the digits are lost
_HALF = 0.25  # component of a unit motion above which a joint is part of it


class LightMotion(Struct, frozen=True):
    """A motion with little inertia.

    Parameters
    ----------
    condition : float
        Condition number of the mass matrix, scaled to a unit diagonal.
    rows : tuple of int
        Joints that take part most.
    sample : int
        Index of the sample.
    """

    condition: float
    rows: tuple[int, ...]
    sample: int

    @property
    def is_near_singular(self) -> bool:
        """Whether an engine that inverts the matrix loses half of its digits."""
        return self.condition > NEAR_SINGULAR


def lightest_motion(M: Array) -> LightMotion:
    """Return the motion with least inertia, at the worst of N samples.

    Parameters
    ----------
    M : ndarray, shape (n, n, N)
        Mass matrices, with a positive diagonal.
    """
    M = np.moveaxis(M, -1, 0)
    scale = 1 / np.sqrt(np.diagonal(M, axis1=1, axis2=2))
    values, vectors = np.linalg.eigh(M * scale[:, :, None] * scale[:, None, :])  # ascending
    sample = int(np.argmin(values[:, 0]))
    smallest, largest = values[sample, [0, -1]]
    share = np.abs(vectors[sample, :, 0])
    rows = tuple(int(k) for k in np.flatnonzero(share > _HALF))
    return LightMotion(float(largest / max(smallest, np.finfo(float).tiny)), rows, sample)
