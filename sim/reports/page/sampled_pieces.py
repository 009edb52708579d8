"""Chebyshev series of curves between corners, fitted to samples: short, valid at every time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from sim.maths.arrays import Array, distinct
from sim.maths.sampling import SAME_TIME

Whole = NDArray[np.int64]

# A coefficient is an integer multiple of this share of its curve's size.
STEP = 8e-11
# Below this share of the total size of a sum, a curve of the sum is rounding: it neither splits
# a piece nor is kept at its end.
NOISE = 1e-14
DEGREE = 40
# A motion has rounding of its own, as from inverse kinematics: coefficients that are this small
# and decrease by less than this over the last dozen.
ROUNDING, FLAT = 1e-9, 10.0
LAST = 4  # coefficients that must vanish at the end of a series
# Number of samples below which a piece is not split: a shorter series adds nothing to them.
FEWEST = 24
# Pieces that are fitted at once: their curves take some megabytes.
BATCH = 64
# Evenly spaced samples are fitted well up to a degree of about twice the root of their number
# (Dahlquist and Björck 1974, section 4.3.4).
OF_ROOT = 1.6


class Piece(Struct, frozen=True, eq=False):
    """Curves between two times as Σ c_k T_k(x), x from -1 at `a` to 1 at `b` [s].

    Parameters
    ----------
    whole : ndarray, shape (K, degree + 1)
        Coefficients of each curve in steps of `STEP` times its size.
    """

    a: float
    b: float
    whole: Whole

    def x(self, t: Array) -> Array:
        """Return times scaled to -1 … 1."""
        return (2.0 * t - self.a - self.b) / (self.b - self.a)


def pieces(
    t: Array,
    edges: Sequence[float],
    jumps: Sequence[float],
    curves: Callable[[NDArray[np.intp]], Array],
    size: Array,
    noise: Array,
) -> list[Piece]:
    """Return pieces from edge to edge, halved until the last coefficients of each curve vanish.

    Parameters
    ----------
    t : ndarray, shape (N,)
        Sample times [s].
    edges, jumps : sequence of float
        Times where a derivative jumps, and those where the curve itself jumps, so that a sample
        there belongs to neither side [s].
    curves : callable
        Values (K, M) at M of the samples, by their indices.
    size, noise : ndarray, shape (K,)
        Scale of each curve, and its rounding level.
    """
    bounds = [float(t[0])]
    for edge in (*sorted(edges), float(t[-1])):
        if bounds[-1] + SAME_TIME < edge <= t[-1] and (edge == t[-1] or edge < t[-1] - SAME_TIME):
            bounds.append(edge)
    todo = deque(pairwise(bounds))
    least = np.maximum(STEP, noise / size)[:, None]
    pieces = []
    while todo:
        batch = [todo.popleft() for _ in range(min(len(todo), BATCH))]
        rows = [_samples(t, a, b, jumps) for a, b in batch]
        chosen = [_nodes(t, k) for k in rows]
        values = curves(np.concatenate(chosen)) / size[:, None]
        parts = np.split(values, np.cumsum([k.size for k in chosen])[:-1], axis=1)
        for (a, b), k, nodes, part in zip(batch, rows, chosen, parts, strict=True):
            c = _fit(2.0 * (t[nodes] - a) / (b - a) - 1.0, part, _degree(k.size))
            floor = _floor(c, least)
            if (np.abs(c[:, -LAST:]) > floor).any() and k.size >= 2 * FEWEST:
                middle = float(t[k[k.size // 2]])
                todo.extend([(a, middle), (middle, b)])
                continue
            used = np.flatnonzero((np.abs(c) > floor).any(axis=0)).max(initial=0)
            pieces.append(Piece(a, b, np.round(c[:, : used + 1] / STEP).astype(np.int64)))
    return sorted(pieces, key=lambda piece: piece.a)


def largest_errors(
    t: Array,
    values: Iterable[Array],
    pieces: Sequence[Piece],
    jumps: Sequence[float],
    weights: Array,
) -> Array:
    """Return the largest errors of Σ weights · curves from `values`, shape (n,).

    Parameters
    ----------
    values : iterable of ndarray, shape (N,)
        One row at a time, since rows of a long run are large.
    weights : ndarray, shape (n, K)
        Weights of the curves in steps.
    """
    samples = [_samples(t, piece.a, piece.b, jumps) for piece in pieces]
    series = [weights @ piece.whole for piece in pieces]

    def errors(row: int, known: Array) -> Iterator[float]:
        for piece, k, c in zip(pieces, samples, series, strict=True):
            apart = known[k] - chebyshev.chebval(piece.x(t[k]), c[row])
            yield np.abs(apart).max(initial=0.0)

    return np.array([np.max([*errors(row, known)]) for row, known in enumerate(values)])


def _floor(c: Array, least: Array) -> Array:
    """Return the rounding level of the coefficients, (K, 1): that of a tail without decay."""
    last = np.abs(c[:, -LAST:]).max(axis=1, keepdims=True)
    before = np.abs(c[:, -3 * LAST : -LAST]).max(axis=1, keepdims=True, initial=0.0)
    flat = (last > before / FLAT) & (last < ROUNDING)
    return np.where(flat, np.maximum(least, 1.01 * last), least)


def _samples(t: Array, a: float, b: float, jumps: Sequence[float]) -> NDArray[np.intp]:
    begin, end = np.searchsorted(t, [a - 2 * SAME_TIME, b + 2 * SAME_TIME])
    near = t[begin:end]
    inside = (near >= a - SAME_TIME) & (near <= b + SAME_TIME)
    for edge in (a, b):
        if t[0] < edge < t[-1] and any(abs(edge - c) <= SAME_TIME for c in jumps):
            inside &= np.abs(near - edge) > SAME_TIME
    return begin + np.flatnonzero(inside)


def _degree(samples: int) -> int:
    return max(min(DEGREE, int(OF_ROOT * np.sqrt(samples)), samples - 1), 0)


def _nodes(t: Array, k: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the samples nearest to twice as many Chebyshev points as there are coefficients."""
    wanted = 2 * (_degree(k.size) + 1)
    if k.size <= wanted:
        return k
    x = -np.cos(np.pi * np.arange(wanted) / (wanted - 1))
    share = np.round((x + 1.0) / 2.0 * (k.size - 1)).astype(np.intp)
    return k[distinct(share)]


def _fit(x: Array, values: Array, degree: int) -> Array:
    basis = chebyshev.chebvander(x, min(degree, x.size - 1))
    return np.asarray(values @ np.linalg.pinv(basis).T)  # well conditioned at Chebyshev nodes
