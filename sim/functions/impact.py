"""STEP, IMPACT and BISTOP of ADAMS on arrays, used by its friction and contact laws."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sim.maths.arrays import Array


def step(x: ArrayLike, x0: float, h0: float | Array, x1: float, h1: float | Array) -> Array:
    """Return h0 + (h1 - h0) z²(3 - 2z), z = (x - x0)/(x1 - x0) clipped to [0, 1]; x0 < x1.

    References
    ----------
    MSC Adams Solver, function STEP.
    """
    z = np.clip((np.asarray(x, dtype=np.float64) - x0) / (x1 - x0), 0.0, 1.0)
    return np.asarray(h0 + (h1 - h0) * (z * z * (3.0 - 2.0 * z)))


def impact(
    x: ArrayLike, xd: ArrayLike, x1: float, k: float, e: float, cmax: float, d: float
) -> Array:
    """Return the force of a one-sided stop, max(0, k p^e - cmax xd STEP(p, 0, 0, d, 1)) for x < x1.

    p = x1 - x is the penetration; the force pushes x up, never pulls, and is zero for x >= x1.

    Parameters
    ----------
    x, xd : array_like
        Distance and its rate [m, m/s or rad, rad/s].
    x1 : float
        Distance at first contact.
    k, e : float
        Stiffness and its exponent.
    cmax : float
        Damping at full depth.
    d : float
        Penetration at which the damping is full, above 0.

    References
    ----------
    MSC Adams Solver, function IMPACT.
    """
    p = np.maximum(x1 - np.asarray(x, dtype=np.float64), 0.0)
    force = k * p**e - cmax * np.asarray(xd, dtype=np.float64) * step(p, 0.0, 0.0, d, 1.0)
    return np.where(p > 0.0, np.maximum(force, 0.0), 0.0)


def bistop(
    x: ArrayLike, xd: ArrayLike, x1: float, x2: float, k: float, e: float, cmax: float, d: float
) -> Array:
    """Return the force of two stops: `impact` below x1, its mirror image above x2, zero between.

    It is positive at the lower stop, negative at the upper one. An infinite x1 or x2 means no stop.

    References
    ----------
    MSC Adams Solver, function BISTOP.
    """
    x, xd = np.asarray(x, dtype=np.float64), np.asarray(xd, dtype=np.float64)
    return impact(x, xd, x1, k, e, cmax, d) - impact(-x, -xd, -x2, k, e, cmax, d)


def impact_slopes(
    x: ArrayLike, xd: ArrayLike, x1: float, k: float, e: float, cmax: float, d: float
) -> tuple[Array, Array]:
    """Return ∂F/∂x and ∂F/∂xd of `impact`; zero if there is no force."""
    p = np.maximum(x1 - np.asarray(x, dtype=np.float64), 0.0)
    xd = np.asarray(xd, dtype=np.float64)
    z = np.clip(p / d, 0.0, 1.0)
    touches = impact(x, xd, x1, k, e, cmax, d) > 0.0
    steep = cmax * xd * (6.0 * z * (1.0 - z) / d) - k * e * p ** (e - 1.0)
    return np.where(touches, steep, 0.0), np.where(touches, -cmax * z * z * (3.0 - 2.0 * z), 0.0)


def bistop_slopes(
    x: ArrayLike, xd: ArrayLike, x1: float, x2: float, k: float, e: float, cmax: float, d: float
) -> tuple[Array, Array]:
    """Return ∂F/∂x and ∂F/∂xd of `bistop`."""
    x, xd = np.asarray(x, dtype=np.float64), np.asarray(xd, dtype=np.float64)
    lower = impact_slopes(x, xd, x1, k, e, cmax, d)
    upper = impact_slopes(-x, -xd, -x2, k, e, cmax, d)
    return lower[0] + upper[0], lower[1] + upper[1]
