"""Newton's method for many samples at once, which gives up where it does not contract.

References
----------
Deuflhard 2011, Newton Methods for Nonlinear Problems, section 5.1: a continuation step is small
enough if the Newton corrections contract; the test does not depend on units.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.maths.arrays import Array

RANK = 1e-9  # of the largest singular value; what is smaller belongs to a repeated equation
CONTRACTION = 0.25  # of one correction to the next
CONVERGED = 1e-9  # of a unit of x; the correction after this one is about its square
MOST_ITERATIONS = 12


def newton(
    equations: Callable[[Array], tuple[Array, Array]], guess: Array, most_left: float = 0.0
) -> Array | None:
    """Solutions x of e(x) = 0 near their guesses, shape (n, N); None if one does not contract.

    Parameters
    ----------
    equations : callable
        Takes x and gives e, shape (rows, N), of the order of 1 where x is a unit away from the
        solution, and its gradient, shape (rows, n, N). Equations may repeat each other.
    guess : ndarray, shape (n, N)
    most_left : float
        What equations that nearly repeat each other may leave of e, above `CONVERGED`.
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
            residual = e + np.einsum("rnN,nN->rN", J, correction)  # where J itself is singular
            return x if np.abs(residual).max(initial=0.0) <= max(CONVERGED, most_left) else None
        last = size
    return None


def pseudo_inverse(A: Array) -> Array:
    """Moore–Penrose inverses of (r, n, N) matrices, shape (n, r, N)."""
    return np.asarray(np.moveaxis(np.linalg.pinv(np.moveaxis(A, -1, 0), rcond=RANK), 0, -1))
