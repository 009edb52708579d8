"""Functions of time as piecewise Chebyshev series: exact to rounding, and fast at a single time.

References
----------
Trefethen, Approximation Theory and Approximation Practice, chapters 3 and 8.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from sim.maths.arrays import Array

DEGREE = 24
MOST_PIECES, SHORTEST = 256, 1e-6  # pieces in all; fraction of the time that counts as a jump
# Last coefficients of a series that has decayed to rounding, relative to the largest value.
TAIL, ROUNDING = 3, 1e-14


class ChebyshevPieces(Struct, frozen=True, eq=False):
    """Series of n functions in adjacent pieces of time.

    Parameters
    ----------
    edges : ndarray, shape (P + 1,)
        Ends of the pieces, ascending [s].
    coefficients : ndarray, shape (P, n, DEGREE + 1)
        Coefficients of T_0, T_1, … over each piece, scaled to -1 to 1.
    """

    edges: Array
    coefficients: Array


def fit_pieces(
    function: Callable[[Array], Array], begin: float, end: float
) -> ChebyshevPieces | None:
    """Fit series to a function between two times; None if it is not smooth enough.

    A piece whose series has not decayed to rounding is bisected.

    Parameters
    ----------
    function : callable
        Times (N,) [s] -> values (n, N).
    begin, end : float
        [s]
    """
    places = np.polynomial.chebyshev.chebpts1(DEGREE + 1)
    at_places = np.polynomial.chebyshev.chebvander(places, DEGREE)
    to_series = at_places.T * np.where(np.arange(DEGREE + 1) == 0, 1.0, 2.0)[:, None] / places.size
    open_pieces, largest = np.array([[begin, end]]), 0.0
    done: list[tuple[Array, Array]] = []
    pieces = 0
    while len(open_pieces):
        low, high = open_pieces.T[..., None]
        times = 0.5 * (low + high) + 0.5 * (high - low) * places
        values = function(times.ravel())
        if not np.isfinite(values).all():
            return None
        values = values.reshape(len(values), *times.shape).transpose(1, 0, 2)
        largest = np.maximum(largest, np.abs(values).max(axis=(0, 2)))
        series = values @ to_series.T
        rough = (np.abs(series[..., -TAIL:]) > ROUNDING * largest[:, None]).any(axis=(1, 2))
        done.append((open_pieces[~rough], series[~rough]))
        pieces += int(np.count_nonzero(~rough))
        middle = open_pieces[rough].mean(axis=1, keepdims=True)
        halves = np.hstack([open_pieces[rough], middle])
        open_pieces = np.concatenate([halves[:, [0, 2]], halves[:, [2, 1]]])
        shortest = np.diff(open_pieces).min(initial=np.inf)
        if pieces + len(open_pieces) > MOST_PIECES or shortest < SHORTEST * (end - begin):
            return None
    bounds = np.concatenate([piece for piece, _ in done])
    order = np.argsort(bounds[:, 0])
    edges = np.append(bounds[order, 0], end)
    return ChebyshevPieces(edges, np.concatenate([series for _, series in done])[order])
