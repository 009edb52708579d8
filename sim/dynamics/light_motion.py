"""The motion of several joints together that moves least inertia."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.maths.arrays import Array

NEAR_SINGULAR = 1e8  # condition of M with ones on its diagonal; half of the digits are lost
_HALF = 0.25  # of a motion of length 1: joints that belong to it


@dataclass(frozen=True)
class LightMotion:
    """A motion with little inertia.

    Parameters
    ----------
    condition : float
        Of the mass matrix, scaled to ones on its diagonal.
    rows : tuple of int
        The joints that take part most.
    sample : int
        Which sample it is at.
    """

    condition: float
    rows: tuple[int, ...]
    sample: int

    @property
    def is_near_singular(self) -> bool:
        """Whether an engine that inverts the matrix loses half of its digits."""
        return self.condition > NEAR_SINGULAR


def lightest_motion(M: Array) -> LightMotion:
    """The motion with least inertia, at the worst of N samples.

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
