"""Roots of the small motions of a robot: eigenvalues of ``M ẍ + D ẋ + K x = 0``."""

from __future__ import annotations

import numpy as np

from sim.dynamics.linearise import LinearSystem
from sim.maths.arrays import Array, Mask

NO_ROOT = 1e-12  # of the largest root: rounding
DRIFTS = 1e-6  # relative to K: root of an unconstrained motion by rounding
SCALE = 1.0  # 1/s, least scale of the roots: rounding has no other measure
REAL = 1e-9  # of |s|: a smaller imaginary part is rounding of a double root


def first_order(system: LinearSystem) -> Array:
    """Return A of d/dt (x, ẋ) = A (x, ẋ) at the first sample, (2 m, 2 m)."""
    M, D, K = (each[..., 0] for each in (system.M, system.D, system.K))
    m = len(M)
    A = np.zeros((2 * m, 2 * m))
    A[:m, m:] = np.eye(m)
    A[m:] = -np.linalg.solve(M, np.hstack([K, D]))
    return A


def roots_of(A: Array, system: LinearSystem) -> tuple[Array, Array]:
    """Return eigenvalues with Im s >= 0, ascending by size, and δq of their vectors, (m, modes).

    Parameters
    ----------
    A : ndarray, shape (2 m, 2 m)
        As by `first_order`.
    system : LinearSystem
        Its inertia and motions; one sample.
    """
    values, vectors = np.linalg.eig(A)
    size = np.abs(values).max()
    values = np.where(_are_rounding(A, system, values, vectors), 0.0, values)
    values = np.where(np.abs(values.imag) <= REAL * size, values.real, values)
    keep = values.imag >= 0
    order = np.argsort(np.abs(values[keep]), kind="stable")
    return values[keep][order], vectors[: len(A) // 2, keep][:, order]


def _are_rounding(A: Array, system: LinearSystem, values: Array, vectors: Array) -> Mask:
    """Return a mask of unconstrained motions: a double zero, of which rounding takes the root.

    A slow root of an overdamped motion is single and accurate to rounding.
    """
    m, sizes = len(A) // 2, np.abs(values)
    x = vectors[:m] / np.linalg.norm(vectors[:m], axis=0)
    damping = np.abs(np.sum(x.conj() * (A[m:, m:] @ x), axis=0))
    size = max(sizes.max(), SCALE)
    least = DRIFTS * _largest_sizes(system, sizes[:, None], x[..., None])[:, 0]
    is_none = (sizes <= least) & (damping <= DRIFTS * size)
    return np.asarray((sizes <= NO_ROOT * size) | is_none)


def _largest_sizes(system: LinearSystem, sizes: Array, x: Array) -> Array:
    """Return the scale of the rounding of |s| of motions x (m, modes, N), (modes, N) [1/s].

    It is the largest K over their own inertia: for a slender body that is free to spin about its
    axis, the rounding error of all of K acts on a small inertia.
    """
    moving = np.sum(np.abs(np.einsum("jmN,mkN->jkN", system.Z, x)) ** 2, axis=0)
    inertia = np.einsum("akN,abN,bkN->kN", x.conj(), system.M, x).real / moving
    root = np.sqrt(inertia)
    return np.asarray(np.max(np.maximum(sizes, SCALE) * root, axis=0) / root)


def natural_frequencies(system: LinearSystem) -> Array:
    """Return √λ / 2π of K φ = λ M φ, without damping, ascending, (m, N) [Hz].

    NaN where weight exceeds the stiffness, and at singular poses. K need not be symmetric: torques
    that hold a ball out of balance, and forces that follow a link, have no potential.
    """
    singular = np.any(np.isnan(system.K), axis=(0, 1)).reshape(-1)
    M, K = (np.moveaxis(each, -1, 0) for each in (system.M, system.K))
    M, K = (np.where(singular[:, None, None], np.eye(len(system.M)), each) for each in (M, K))
    L = np.linalg.inv(np.linalg.cholesky(M))
    values, vectors = np.linalg.eig(L @ K @ np.swapaxes(L, 1, 2))
    order = np.argsort(values.real, axis=1)
    values = np.take_along_axis(values, order, axis=1)
    vectors = np.take_along_axis(vectors, order[:, None], axis=2)
    x, squares = np.moveaxis(np.swapaxes(L, 1, 2) @ vectors, 0, -1), values.real.T
    sizes = np.abs(values.T)
    is_none = np.sqrt(sizes) <= DRIFTS * _largest_sizes(system, np.sqrt(sizes), x)
    is_lost = (squares < 0) | (np.abs(values.imag.T) > REAL * np.max(sizes, axis=0))
    squares = np.where(singular | (is_lost & ~is_none), np.nan, np.where(is_none, 0.0, squares))
    return np.asarray(np.sqrt(squares) / (2 * np.pi))
