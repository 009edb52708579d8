"""Friction that holds joints at rest: within its bounds it minimises the remaining motion.

See the module docstring of `sim.dynamics.friction_in_loops`.
"""

from __future__ import annotations

import numpy as np

from sim.maths.arrays import Array

SETTLED = 1e-13  # change between two rounds, relative to the largest bound
MOST_ROUNDS = 200
IMMOBILE = 1e-12  # relative to the largest response; less counts as none
AT_LIMIT = 1e-9  # relative to a bound
HELD = 1e-9  # relative to what friction holds; joints with a larger remainder break away


def holding_friction(P: Array, a: Array, least: Array, most: Array) -> Array:
    """Return friction f (k,), ``least <= 0 <= most``, that minimises the remaining acceleration.

    Of several solutions the smallest is taken, relative to half the width of the bounds.

    Parameters
    ----------
    P : ndarray, shape (k, k)
        Reduction of all accelerations per unit of friction at each joint.
    a, least, most : ndarray, shape (k,)
    """
    from scipy.optimize import lsq_linear

    sizes, V = np.linalg.eigh(0.5 * (P + P.T))
    moves = sizes > IMMOBILE * max(float(sizes[-1]), np.finfo(float).tiny)
    if not moves.any():
        return np.where(a > 0, most, np.where(a < 0, least, 0.0 * a))
    root = np.sqrt(sizes[moves])[:, None]
    beyond = a - V[:, moves] @ (V[:, moves].T @ a)  # accelerations due to a drive
    if np.abs(beyond).max() > HELD * np.abs(a).max():
        return _holding_with_drives(P, a, least, most)
    width, ones = 0.5 * (most - least), np.ones_like(most)
    low, high = (np.divide(x, width, where=width > 0, out=s * ones)
                 for x, s in ((least, -1.0), (most, 1.0)))  # fmt: skip
    A, target = root * V[:, moves].T * width, (V[:, moves].T @ a) / root[:, 0]
    share = np.linalg.lstsq(A, target, rcond=None)[0]  # relative to each width
    if ((share < low) | (share > high)).any():
        share = lsq_linear(A, target, (low, high), method="bvls", tol=1e-15).x
        inside = (share > (1.0 - AT_LIMIT) * low) & (share < (1.0 - AT_LIMIT) * high)
        share = np.where(inside, share, np.where(share - low > high - share, high, low))
        rest = np.linalg.lstsq(A[:, inside], target - A[:, ~inside] @ share[~inside], rcond=None)[0]
        if ((rest >= low[inside]) & (rest <= high[inside])).all():
            share[inside] = rest
    return np.asarray(share * width)


def _holding_with_drives(P: Array, a: Array, least: Array, most: Array) -> Array:
    """Return holding friction of joints that a drive also accelerates, by Gauss-Seidel rounds.

    The frictions inside their bounds are then solved for together.
    """
    f = np.zeros_like(a)
    diagonal = np.diag(P)
    largest = IMMOBILE * diagonal.max()
    for _ in range(MOST_ROUNDS):
        last = f.copy()
        for k in range(a.size):
            residual = a[k] - P[k] @ f
            step = residual / diagonal[k] if diagonal[k] > largest else np.inf * np.sign(residual)
            f[k] = np.clip(f[k] + step, least[k], most[k]) if residual else f[k]
        if np.abs(f - last).max() <= SETTLED * max(most.max(), -least.min()):
            break
    inside = (f > (1.0 - AT_LIMIT) * least) & (f < (1.0 - AT_LIMIT) * most)
    rest = a[inside] - P[np.ix_(inside, ~inside)] @ f[~inside]
    exact = np.linalg.lstsq(P[np.ix_(inside, inside)], rest, rcond=IMMOBILE)[0]
    if np.all((exact >= least[inside]) & (exact <= most[inside])):
        f[inside] = exact
    return f
