"""Whether the joints of a chain can move while its frame keeps its pose."""

from __future__ import annotations

import numpy as np

from sim.kinematics.inverse.joint_axes import JointAxes, Numbers, displacement, twist_between
from sim.maths.arrays import Array

_STEP = 0.05  # rad
_TWO_RANKS = 1e-4  # second least singular value, for an arm of size 1


def can_move(axes: JointAxes, G: Array, q: Numbers) -> bool:
    """Whether a singular solution q (6,) of displacement G is one of a continuum.

    A solution is sought a step along the null vector of the Jacobian, on the plane across it. True
    where the Jacobian loses two ranks, too, since one direction does not decide there.
    """
    _, S, Vh = np.linalg.svd(displacement(axes, q)[1])
    if S[-2] < _TWO_RANKS:
        return True
    null = np.conj(Vh[-1])
    x = q + _STEP * null
    miss = np.full((), np.inf)
    for _ in range(30):
        A, J = displacement(axes, x)
        e, miss = twist_between(A, G)
        if miss < 1e-12:
            break
        U, S, Vh = np.linalg.svd(np.vstack([J, np.conj(null)]), full_matrices=False)
        b = np.append(e, _STEP - np.conj(null) @ (x - q))
        x = x + np.conj(Vh.T) @ ((np.conj(U.T) @ b) / np.maximum(S, 1e-8))
    return bool(miss < 1e-11 and np.abs(x - q).max() > 0.2 * _STEP)
