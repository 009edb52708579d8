"""Weak prior on the inertias from the robot's file, and physically possible parameters.

    min |A x - b|² + pull² Σ_b |L_b⁻¹ (P_b - P0_b) L_b⁻ᵀ|²,   P_b >= 0,   P0_b = L_b L_bᵀ

The second term is the affine-invariant metric of pseudo-inertias at the file's body: it is
dimensionless, needs no scale between kilograms and kg·m², and falls back to the file's values
for all that the log does not determine. With `PULL` 2 a body that is off by a half costs as much
as one number of the log that is off by one standard deviation.

References
----------
Lee, Wensing, Park: Geometric Robot Dynamic Identification, IEEE Transactions on Robotics 36(2),
2020, equations 20 and 31.
"""

from __future__ import annotations

import numpy as np

from sim.curves.spectral_fit import Prior
from sim.dynamics.inertial_parameters import parameters_of, pseudo_inertia
from sim.errors import ForeignError
from sim.maths.arrays import Array

PULL = 2.0
LIGHTEST = 1e-3  # of the heaviest body: mass of a body without mass in the file
THINNEST = 0.01  # [m]; least thickness of a body about its mass centre
_LOWER = np.tril_indices(4)
_WEIGHTS = np.where(_LOWER[0] == _LOWER[1], 1.0, np.sqrt(2.0))  # one half of a symmetric matrix


def possible_bodies(theta: Array) -> Array:
    """Return parameters (10 n,) of possible bodies near the given ones: with mass and thickness."""
    P = pseudo_inertia(theta.reshape(-1, 10))
    heaviest = max(float(P[:, 3, 3].max()), 1e-9)
    for body in P:
        m = max(body[3, 3], LIGHTEST * heaviest)
        c = body[:3, 3] / m
        w, V = np.linalg.eigh(body[:3, :3] - m * np.outer(c, c))
        spread = V @ np.diag(np.maximum(w, m * THINNEST**2)) @ V.T
        body[:3, :3] = spread + m * np.outer(c, c)
        body[3, 3] = m
    return np.asarray(parameters_of(P)).reshape(-1)


def prior_of(theta: Array, others: int) -> Prior:
    """Return rows that draw only inertial parameters, towards those of possible bodies.

    Parameters
    ----------
    theta : ndarray, shape (10 n,)
    others : int
        Number of parameters after them.
    """
    P = np.zeros((theta.size, theta.size + others))
    for b, L in enumerate(_roots(theta)):
        inverse = np.linalg.inv(L)
        units = inverse @ pseudo_inertia(np.eye(10)) @ inverse.T
        at = slice(10 * b, 10 * b + 10)
        P[at, at] = PULL * (units[:, _LOWER[0], _LOWER[1]] * _WEIGHTS).T
    return Prior(P, P[:, : theta.size] @ theta)


def are_possible(theta: Array) -> bool:
    """Whether every body's pseudo-inertia is positive semidefinite."""
    return bool((np.linalg.eigvalsh(pseudo_inertia(theta.reshape(-1, 10))) >= 0).all())


def nearest_possible(A: Array, b: Array, prior: Prior, theta: Array) -> Array:
    """Return the least-squares solution among possible bodies, (p,).

    In the square root of each pseudo-inertia, P_b = L_b M Mᵀ L_bᵀ with M lower triangular, every
    iterate is possible; the log enters once, as the triangle of a QR decomposition.

    Parameters
    ----------
    A, b : ndarray, shape (m, p) and (m,)
        Rows of the log over their noise; the inertial parameters come first.
    prior : Prior
    theta : ndarray, shape (10 n,)
        Parameters of possible bodies, the start of the search.

    Raises
    ------
    ForeignError
        If the search fails: the log does not fit the robot.
    """
    from scipy.optimize import least_squares

    stacked = np.column_stack([np.vstack([A, prior.P]), np.concatenate([b, prior.z])])
    triangle: Array = np.asarray(np.linalg.qr(stacked, mode="r"))
    p, size = A.shape[1], theta.size
    R, z = triangle[:p, :p], triangle[:p, p]
    roots = _roots(theta)

    def lower(y: Array) -> Array:
        M = np.zeros((len(roots), 4, 4))
        M[:, _LOWER[0], _LOWER[1]] = y[:size].reshape(-1, 10)
        return M

    def parameters(y: Array) -> Array:
        M = lower(y)
        bodies = roots @ M @ np.swapaxes(M, 1, 2) @ np.swapaxes(roots, 1, 2)
        return np.concatenate([parameters_of(bodies).reshape(-1), y[size:]])

    def slopes(y: Array) -> Array:
        J = np.eye(p)
        for body, (L, M) in enumerate(zip(roots, lower(y), strict=True)):
            at = slice(10 * body, 10 * body + 10)
            E = np.zeros((10, 4, 4))
            E[range(10), _LOWER[0], _LOWER[1]] = 1.0
            change = E @ M.T + M @ np.swapaxes(E, 1, 2)
            J[at, at] = parameters_of(L @ change @ L.T).T
        return R @ J

    first = np.linalg.lstsq(R[:, size:], z - R[:, :size] @ theta, rcond=None)[0]
    start = np.concatenate([np.tile(np.eye(4)[_LOWER], len(roots)), first])

    def residual(y: Array) -> Array:
        return R @ parameters(y) - z

    try:
        solution = least_squares(
            residual, start, slopes, x_scale="jac", max_nfev=200,
            ftol=1e-10, xtol=1e-10, gtol=1e-10,
        )  # fmt: skip
    except np.linalg.LinAlgError:  # the gradient overflows: the log pulls without end
        raise ForeignError(
            "The log implies physically impossible bodies, and no possible ones are near: check "
            "the signs, the order and the units of its columns"
        ) from None
    return parameters(solution.x)


def _roots(theta: Array) -> Array:
    return np.asarray(np.linalg.cholesky(pseudo_inertia(theta.reshape(-1, 10))))
