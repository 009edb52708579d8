"""Damped Newton iteration from many complex starts at once."""

from __future__ import annotations

import numpy as np

from sim.kinematics.inverse.joint_axes import (
    Complex,
    JointAxes,
    Numbers,
    displacement,
    largest_entry,
    twist_between,
)
from sim.maths.arrays import Array

STOP = 1e-13  # largest entry of the miss, for an arm of size 1
_LARGEST_STEP = 0.7  # rad
_DIVERGED = 1e6


def newton(axes: JointAxes, G: Array, q: Numbers, iterations: int = 12) -> tuple[Complex, Array]:
    """Solve `displacement(axes, q) == G` from each lane's start.

    Parameters
    ----------
    axes : JointAxes
        One for all lanes, or of shape (M, 6, 3).
    G : ndarray, shape (M, 4, 4)
    q : ndarray, shape (M, 6)

    Returns
    -------
    q : ndarray, shape (M, 6)
    miss : ndarray, shape (M,)
        Largest entry of the difference of displacements.
    """
    q = q + 0j
    miss = np.full(len(q), np.inf)
    active = np.arange(len(q))
    for k in range(iterations + 1):
        A, J = displacement(axes.of_lanes(active), q[active])
        e, m = twist_between(A, G[active])
        miss[active] = m
        going = (m > STOP) & (m < _DIVERGED)  # false for nan, too
        active, e, J, m = active[going], e[going], J[going], m[going]
        if not active.size or k == iterations:
            break
        step = damped_step(J, e, np.clip(1e-2 * m * m, 1e-15, 1e-4))
        step *= np.minimum(1, _LARGEST_STEP / np.maximum(np.abs(step).max(-1), 1e-300))[:, None]
        q[active] += step
    return q, miss


def damped_step(J: Numbers, e: Numbers, damping: Array | float) -> Complex:
    """Least squares of ``J x = e`` with damping relative to the mean square column of J."""
    JH = np.conj(np.swapaxes(J, -1, -2))
    H = JH @ J
    size = np.trace(H, axis1=-2, axis2=-1).real / H.shape[-1]
    H[..., range(H.shape[-1]), range(H.shape[-1])] += (damping * size + 1e-200)[..., None]
    try:
        return np.linalg.solve(H, JH @ e[..., None])[..., 0] + 0j
    except np.linalg.LinAlgError:
        return np.full(e.shape, np.inf + 0j)


def miss_of(axes: JointAxes, G: Array, q: Numbers) -> Array:
    """Largest entry of `displacement(axes, q) - G`, shape (M,)."""
    return largest_entry(displacement(axes, q)[0] - G)
