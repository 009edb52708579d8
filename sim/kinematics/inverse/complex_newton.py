"""Damped Newton iteration from many complex starts at once.

The loop is cut in the middle: the motion of the first three joints must equal that of the pose and
the last three. Complex angles magnify rounding by exp(Σ|Im q|), and each half only by the square
root of that, so that roots far from the real ones are found, too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.kinematics.inverse.joint_axes import (
    Complex,
    JointAxes,
    Numbers,
    displacement,
    largest_entry,
    skew,
)
from sim.maths.arrays import Array

STOP = 1e-14  # relative residual at which a lane stops, before the magnification of rounding
_SMALL = 1e-10  # relative residual below which convergence is quadratic
_INFINITE = 25.0  # imaginary part [rad]
_LARGEST_STEP = 0.7  # rad


@dataclass(frozen=True, eq=False)
class LoopLanes:
    """Both halves of the loop closed by the joints and displacements G (M, 4, 4)."""

    first: JointAxes
    last: JointAxes
    G: Array

    def equations(self, q: Numbers) -> tuple[Numbers, Numbers, Array]:
        """Return residuals (M, 12) at (M, 6), Jacobian (M, 12, 6), relative residual (M,).

        All are divided by the largest entry of a half, at least 1.
        """
        left, J_left = displacement(self.first, q[..., :3])
        right, J_right = displacement(self.last, -q[..., :2:-1])
        right = right @ self.G
        size = np.maximum(1, np.maximum(largest_entry(left), largest_entry(right)))
        J = np.concatenate([_rates(J_left, left), _rates(J_right[..., ::-1], right)], -1)
        r = (left - right)[..., :3, :].reshape(*left.shape[:-2], 12)
        r, J = r / size[..., None], J / size[..., None, None]
        return r, J, np.abs(r).max(-1)

    def of_lanes(self, lanes: NDArray[np.intp]) -> LoopLanes:
        """Return the loops of some lanes."""
        first, last = (axes.of_lanes(lanes) for axes in (self.first, self.last))
        return LoopLanes(first, last, self.G[lanes])


def loop_of(axes: JointAxes, G: Array) -> LoopLanes:
    """Return loops of a chain, or of one per lane, closed by displacements G (M, 4, 4)."""
    displaced = axes.move(G)
    return LoopLanes(
        JointAxes(axes.h[..., :3, :], axes.c[..., :3, :], axes.slides[:3]),
        JointAxes(displaced.h[..., :2:-1, :], displaced.c[..., :2:-1, :], axes.slides[:2:-1]),
        G,
    )


def _rates(J: Numbers, T: Numbers) -> Numbers:
    """Return derivatives (M, 12, 3) of the upper rows of T (M, 4, 4) by space twists (M, 6, 3)."""
    twists = np.swapaxes(J, -1, -2)
    rates = skew(twists[..., :3]) @ T[..., None, :3, :]
    rates[..., 3] += twists[..., 3:]
    return np.swapaxes(rates.reshape(*rates.shape[:-2], 12), -1, -2)


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
        Largest difference of entries of the loop's halves, relative to their largest entry.
    """
    q = q + 0j
    miss = np.full(len(q), np.inf)
    active = np.arange(len(q))
    loop = loop_of(axes, G)
    for k in range(iterations + 1):
        r, J, m = loop.of_lanes(active).equations(q[active])
        stalls = (m < _SMALL) & (m > 0.5 * miss[active])  # only rounding remains
        miss[active] = m
        lanes = q[active]
        going = m > STOP * half_magnification(lanes)  # also false for nan
        going &= ~stalls
        going &= np.abs(lanes.imag).max(-1, initial=0) < _INFINITE
        active, r, J, m = active[going], r[going], J[going], m[going]
        if not active.size or k == iterations:
            break
        step = damped_step(J, -r, np.clip(1e-2 * m * m, 1e-15, 1e-4))
        step *= np.minimum(1, _LARGEST_STEP / np.maximum(np.abs(step).max(-1), 1e-300))[:, None]
        q[active] += step
    return q, miss


def damped_step(J: Numbers, r: Numbers, damping: Array | float) -> Complex:
    """Solve ``J x = r`` in the least-squares sense, damped relative to J's mean square column."""
    JH = np.conj(np.swapaxes(J, -1, -2))
    H = JH @ J
    n = H.shape[-1]
    size = np.trace(H, axis1=-2, axis2=-1).real / n
    H[..., range(n), range(n)] += (damping * size + 1e-200)[..., None]
    try:
        step = np.linalg.solve(H, JH @ r[..., None])
    except np.linalg.LinAlgError:  # a singular matrix of one lane must not stop the others
        H[..., range(n), range(n)] += (1e-9 * size + 1e-9)[..., None]
        step = np.linalg.solve(H, JH @ r[..., None])
    return step[..., 0] + 0j


def magnification(q: Complex) -> Array:
    """Return the magnification of rounding by complex angles: the largest term of the product."""
    growth: Array = np.exp(np.minimum(np.abs(q.imag).sum(-1), 40.0))
    return growth


def half_magnification(q: Complex) -> Array:
    """Return the magnification of rounding by the joints of one half of the loop."""
    return np.maximum(magnification(q[..., :3]), magnification(q[..., 3:]))


def miss_of(axes: JointAxes, G: Array, q: Numbers) -> Array:
    """Return the relative residual of positions (M, 6), shape (M,)."""
    return loop_of(axes, G).equations(q)[2]
