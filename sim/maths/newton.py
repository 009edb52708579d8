"""Newton's method for many samples at once, which stops if it does not contract.

References
----------
Deuflhard 2011, Newton Methods for Nonlinear Problems, section 5.1: a continuation step is small
enough if the Newton corrections contract; the test does not depend on units.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.maths.arrays import Array

RANK = 1e-9  # relative to the largest singular value; smaller ones are redundant equations
CONTRACTION = 0.25  # ratio of successive corrections
CONVERGED = 1e-9  # relative to a unit of x; the next correction is about its square
MOST_ITERATIONS = 12


def newton(
    equations: Callable[[Array], tuple[Array, Array]], guess: Array, most_left: float = 0.0
) -> Array | None:
    """Return solutions x of e(x) = 0 near their guesses, (n, N); None if one does not contract.

    Parameters
    ----------
    equations : callable
        Maps x to e, shape (rows, N), of order 1 at a distance of one unit from the solution, and
        its gradient, shape (rows, n, N). Equations may be redundant.
    guess : ndarray, shape (n, N)
    most_left : float
        Allowed residual e of nearly redundant equations, above `CONVERGED`.
    """
    x = guess.copy()
    last = np.full(x.shape[1], np.inf)
    for _ in range(MOST_ITERATIONS):
        e, J = equations(x)
        correction = -np.einsum("nrN,rN->nN", pseudo_inverse(J), e)
        size = np.abs(correction).max(axis=0)
        if not (size <= np.maximum(CONTRACTION * last, CONVERGED)).all():
            return None
        x += correction
        if (size <= CONVERGED).all():
            residual = e + np.einsum("rnN,nN->rN", J, correction)  # if J itself is singular
            return x if np.abs(residual).max(initial=0.0) <= max(CONVERGED, most_left) else None
        last = size
    return None


def pseudo_inverse(A: Array) -> Array:
    """Return Moore–Penrose inverses of (r, n, N) matrices, shape (n, r, N)."""
    return np.asarray(np.moveaxis(np.linalg.pinv(np.moveaxis(A, -1, 0), rcond=RANK), 0, -1))
