"""Integrals of functions of time to rounding error, as piecewise Chebyshev series.

Between the breaks a function is sampled at Chebyshev points and expanded in Chebyshev polynomials;
pieces whose coefficients have not decayed to rounding are bisected. The series are integrated term
by term. (Trefethen, Approximation Theory and Approximation Practice, chapters 3, 8 and 19.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike, NDArray

from sim.errors import ScenarioError
from sim.functions.expression import Expression
from sim.functions.time_function import TimeFunction
from sim.maths.arrays import Array, distinct, frozen

EPS = float(np.finfo(np.float64).eps)
TINY = float(np.finfo(np.float64).tiny)

NODES = 32
"""Samples, and coefficients, of a piece."""

TAIL = 4
"""Last coefficients that must have decayed."""

SMALL, LOW = 2.0**-8, 8
"""Over a part of a piece so much smaller, the coefficients from this one on are rounding."""

ROUGHEST = 1e-6
"""What is more of a piece's largest value than this is no rounding."""

COARSEST = 32
"""No piece is longer than the run over this, so that no short pulse falls between the samples."""

MOST = 2**17
"""How many pieces are too many: a sine of 20 kHz over ten seconds."""


@dataclass(frozen=True, eq=False)
class Antiderivative:
    """F(t) = ∫ f from t0 to t, itself a `TimeFunction`; created by `antiderivative`.

    Parameters
    ----------
    function : TimeFunction
        The integrand f.
    edges : ndarray, shape (m + 1,)
        Ends of the pieces, ascending from t0 to t1 [s].
    coefficients : ndarray, shape (k, m)
        Chebyshev coefficients of F on each piece, scaled to [-1, 1].
    """

    function: TimeFunction
    edges: Array
    coefficients: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "edges", frozen(self.edges))
        object.__setattr__(self, "coefficients", frozen(self.coefficients))

    def __str__(self) -> str:
        return f"the integral of {self.function}"

    def value(self, t: ArrayLike) -> Array:
        """Return the integral from t0 to each time `t` [s], of t's shape.

        Raises
        ------
        ScenarioError
            If a time is outside [t0, t1] by more than rounding.
        """
        times = np.asarray(t, dtype=np.float64)
        t0, t1 = self.edges[0], self.edges[-1]
        slack = 1e-9 * (t1 - t0)
        outside = ~((times >= t0 - slack) & (times <= t1 + slack))
        if np.any(outside):
            time = times[outside].flat[0]
            raise ScenarioError(f"{self} is known from {t0:g} s to {t1:g} s, not at t = {time:g} s")
        # The last piece includes its right end.
        piece = np.searchsorted(self.edges[1:-1], times, side="right")
        left, right = self.edges[:-1], self.edges[1:]
        x = (times - (0.5 * (left + right))[piece]) * (2.0 / (right - left))[piece]
        return _clenshaw(x, self.coefficients, piece)

    def derivatives(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Return the integral, the integrand and the integrand's derivative at `t` [s]."""
        times = np.asarray(t, dtype=np.float64)
        f, f1, _ = self.function.derivatives(times)
        return self.value(times), f, f1

    def breaks(self, t0: float, t1: float) -> Array:
        """Return the breaks of the integrand [s]."""
        return self.function.breaks(t0, t1)


def antiderivative(function: TimeFunction, t0: float, t1: float) -> Antiderivative:
    """Return F(t) = ∫ f from t0 to t for t0 ≤ t ≤ t1, accurate to rounding over the run.

    The antiderivative of an antiderivative is the double integral.

    Parameters
    ----------
    function : TimeFunction
        The integrand f. Corners and jumps missing from its breaks cost time, not accuracy.
    t0, t1 : float
        Ends of the run [s].

    Raises
    ------
    ScenarioError
        If the run is empty, f or its integral is not finite, or f is not integrable or oscillates
        too fast for `MOST` pieces; names the time.
    """
    if not (np.isfinite(t0) and np.isfinite(t1) and t0 < t1):
        raise ScenarioError(f"an integral from {t0:g} s to {t1:g} s is empty")
    if (
        isinstance(function, Antiderivative)
        and function.edges[0] == t0
        and function.edges[-1] == t1
    ):
        edges, series = function.edges, function.coefficients
    else:
        edges, series = _fit_once(function, t0, t1)
    half = 0.5 * np.diff(edges)
    with np.errstate(over="ignore", invalid="ignore"):
        integral = half * chebyshev.chebint(series, lbnd=-1, axis=0)
        totals = np.sum(integral, axis=0)  # every Chebyshev polynomial is 1 at the right end
        integral[0, 1:] += np.cumsum(totals)[:-1]
    if not np.all(np.isfinite(integral)):
        raise ScenarioError(f"the integral of {function} is larger than any number")
    return Antiderivative(function, edges, integral)


def _fit_once(function: TimeFunction, t0: float, t1: float) -> tuple[Array, Array]:
    """Return the result of `_fit`, cached for expressions, whose values never change."""
    if not isinstance(function, Expression):
        return _fit(function, t0, t1)
    if (t0, t1) not in function.fits:
        edges, series = _fit(function, t0, t1)
        function.fits[t0, t1] = frozen(edges), frozen(series)
    return function.fits[t0, t1]


def _fit(function: TimeFunction, t0: float, t1: float) -> tuple[Array, Array]:
    """Return edges (m + 1,) and Chebyshev coefficients (k, m) of f on pieces of the run."""
    edges = _coarse_edges(function, t0, t1)
    left, right = edges[:-1], edges[1:]
    series, size, noise = _expand(function, left, right)
    _finite(function, edges, function.value(edges))
    scale = np.max(size)  # scale of the run, independent of pieces that approach a pole
    reach = max(t1 - t0, abs(t0), abs(t1))
    lefts, columns, count, degree = [], [], 0, 0
    while True:
        limit = 2.0 * EPS * (scale + size) + noise + TINY
        tail = np.max(np.abs(series[-TAIL:]), axis=0)
        rough = (tail > limit) & (tail <= limit + ROUGHEST * size)
        limit[rough] += _scatter(function, left[rough], right[rough], size[rough])
        resolved = tail <= limit
        needed = np.any((np.abs(series) > limit) & resolved, axis=1)
        degree = max(degree, int(np.max(np.flatnonzero(needed), initial=0)))
        resolved |= size * (right - left) <= 16.0 * EPS * scale * reach  # a jump in a tiny piece
        lefts.append(left[resolved])
        columns.append(series[:, resolved])
        count += left.size
        left, right, size = left[~resolved], right[~resolved], size[~resolved]
        if not left.size:
            break
        hopeless = (right - left < 8.0 * EPS * reach) | (size > 1e9 * scale)
        if count + left.size > MOST or np.any(hopeless):
            worst = left[hopeless].min() if np.any(hopeless) else left.min()
            raise ScenarioError(
                f"{function} is not finite or varies too fast near t = {worst:.9g} s"
            )
        middle = left + 0.5 * (right - left)
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
        series, size, noise = _expand(function, left, right)
    starts = np.concatenate(lefts)
    order = np.argsort(starts)
    fitted = np.concatenate(columns, axis=1)[: degree + 1, order]
    return np.append(starts[order], t1), fitted


def _coarse_edges(function: TimeFunction, t0: float, t1: float) -> Array:
    corners = distinct([t0], function.breaks(t0, t1), [t1])
    if isinstance(function, Expression):  # its pulses may lie between all nodes
        corners = distinct(corners, function.breaks(t0, t1, has_middles=True))
    counts = np.ceil(COARSEST * np.diff(corners) / (t1 - t0)).astype(int)
    starts = [
        np.linspace(a, b, n, endpoint=False)
        for a, b, n in zip(corners[:-1], corners[1:], counts, strict=True)
    ]
    return np.append(np.concatenate(starts), t1)


def _expand(function: TimeFunction, left: Array, right: Array) -> tuple[Array, Array, Array]:
    """Return coefficients (NODES, m) on each piece, its largest value (m,) and rounding (m,)."""
    nodes, transform = _chebyshev()
    t = 0.5 * (left + right) + 0.5 * (right - left) * nodes[:, None]
    f, slope, _ = function.derivatives(t)
    _finite(function, t, f)
    size = np.max(np.abs(f), axis=0)
    # A time is exact only to EPS, and so f only to EPS t f'; near a pole this does not apply.
    noise = np.fmin(EPS * np.max(np.abs(t * slope), axis=0), ROUGHEST * size)
    return transform @ f, size, noise


def _scatter(function: TimeFunction, left: Array, right: Array, size: Array) -> Array:
    """Return the scatter of f between close instants in the middle of each piece, (m,).

    It is the rounding of large arguments and of cancelling sums: over a small part of a piece
    everything else is a polynomial of low degree.
    """
    if not left.size:
        return left
    middle, reach = 0.5 * (left + right), 0.5 * SMALL * (right - left)
    series, _, _ = _expand(function, middle - reach, middle + reach)
    return np.fmin(4.0 * np.max(np.abs(series[LOW:]), axis=0), ROUGHEST * size)


@cache
def _chebyshev() -> tuple[Array, Array]:
    """Return Chebyshev points of the first kind, and the matrix from values to coefficients."""
    orders, odd = np.arange(NODES), 2 * np.arange(NODES)[::-1] + 1
    # The angles j (2k + 1) π/2n are reduced as integers, to preserve the digits of their cosines.
    steps = np.outer(orders, odd) % (4 * NODES)
    transform = 2.0 / NODES * np.cos(steps * (np.pi / (2 * NODES)))
    transform[0] *= 0.5
    return frozen(np.cos(odd * (np.pi / (2 * NODES)))), frozen(transform)


def _clenshaw(x: Array, coefficients: Array, piece: NDArray[np.intp]) -> Array:
    """Evaluate the Chebyshev series of each point's piece by Clenshaw's recurrence."""
    twice, b1, b2 = 2.0 * x, np.zeros_like(x), np.zeros_like(x)
    for row in coefficients[:0:-1]:
        b1, b2 = row[piece] + twice * b1 - b2, b1
    return coefficients[0][piece] + x * b1 - b2


def _finite(function: TimeFunction, t: Array, values: Array) -> None:
    bad = ~np.isfinite(values)
    if np.any(bad):
        raise ScenarioError(f"{function} is not finite at t = {np.min(t[bad]):.9g} s")
