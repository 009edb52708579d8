"""Selection of the fewest candidates that explain a residual down to rounding, and of ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb

import numpy as np

from sim.maths.arrays import Array
from sim.watching.candidate import SCALE, Candidate

MOST = 3  # combined causes
SCREENED = 1e-5  # of the residual: required fit of the normal equations before a full solution
EXPLAINED = 1e-7  # of the residual, or the allowed rounding
FELT = 1e-11  # of the residual, or the allowed rounding: the least torque of a parameter
AT_ONCE = 500  # sets that are solved together, and rows of a long matrix
WORTH = 40_000  # largest number of sets of candidates that are tested


@dataclass(frozen=True, eq=False)
class Fit:
    """A set of candidates with its parameters.

    Parameters
    ----------
    chosen : tuple of Candidate
    numbers, within : list of ndarray
        Of each candidate, (p,).
    left : float
        Largest remaining residual, relative to the allowed one.
    parameters : int
        Independent parameters of all candidates.
    """

    chosen: tuple[Candidate, ...]
    numbers: list[Array]
    within: list[Array]
    left: float
    parameters: int

    @property
    def is_possible(self) -> bool:
        """Whether each candidate allows its parameters, and at most one is a scale."""
        if [one.kind for one in self.chosen].count(SCALE) > 1:
            return False
        return all(one.is_possible(x) for one, x in zip(self.chosen, self.numbers, strict=True))


def explanations(rest: Array, scale: Array, pool: Sequence[Candidate], allowed: Array) -> list[Fit]:
    """Return sets of candidates that explain a residual, all of the smallest possible size.

    Parameters
    ----------
    rest : ndarray, shape (n, K)
        [N·m or N]
    scale : ndarray, shape (n,)
        Peak of each joint, by which rows are weighted.
    pool : sequence of Candidate
    allowed : ndarray, shape (n,)
        Rounding in the residual.
    """
    weight = 1 / scale[:, None]
    y = (rest * weight).ravel()
    blocks = [_normalise((c.columns * weight).reshape(len(c.columns), -1)) for c in pool]
    usable = [k for k, (block, _) in enumerate(blocks) if block.size]
    screen = _Screen([blocks[k][0] for k in usable], y)
    for size in range(1, MOST + 1):
        if comb(len(usable), size) > WORTH:
            break
        fits = []
        for place in screen.fitting(size):
            which = [usable[k] for k in place]
            fit = _fit(rest, weight, y, [pool[k] for k in which], allowed)
            if fit.left <= 1 and fit.is_possible:
                fits.append(fit)
        if fits:
            return sorted(fits, key=lambda fit: fit.parameters)
    return []


def _normalise(block: Array) -> tuple[Array, Array]:
    """Return columns of unit length; none if all are zero."""
    sizes = np.linalg.norm(block, axis=1)
    keep = sizes > 1e-12 * max(float(sizes.max(initial=0.0)), 1e-300)
    return block[keep] / sizes[keep][:, None], sizes


class _Screen:
    """Normal equations of all candidates, of which each set is a part."""

    def __init__(self, blocks: Sequence[Array], y: Array) -> None:
        # an orthonormal basis of each candidate, so that its own columns lose no digits
        bases = [_basis(block) for block in blocks]
        rows = np.concatenate(bases) if bases else np.empty((0, y.size))
        ends = np.cumsum([0, *map(len, bases)])
        self.parts = [np.arange(a, b) for a, b in pairwise(ends.tolist())]
        self.gram, self.side, self.total = rows @ rows.T, rows @ y, float(y @ y)

    def fitting(self, size: int) -> list[tuple[int, ...]]:
        """Return sets of this size that may explain the residual."""
        sets = list(combinations(range(len(self.parts)), size))
        by_count: dict[int, list[int]] = {}
        for k, place in enumerate(sets):
            by_count.setdefault(sum(len(self.parts[one]) for one in place), []).append(k)
        found = list[int]()
        for count, same in by_count.items():
            for first in range(0, len(same), AT_ONCE):
                chunk = same[first : first + AT_ONCE]
                at = np.array([np.concatenate([self.parts[k] for k in sets[one]]) for one in chunk])
                gram = self.gram[at[:, :, None], at[:, None, :]] + 1e-13 * np.eye(count)
                explained = self.side[at] * np.linalg.solve(gram, self.side[at][..., None])[..., 0]
                enough = explained.sum(axis=1) >= (1 - SCREENED**2) * self.total
                found += [one for one, is_enough in zip(chunk, enough, strict=True) if is_enough]
        return [sets[k] for k in sorted(found)]


def _basis(block: Array) -> Array:
    """Return orthonormal rows (r, M) that span those of a block (p, M)."""
    for _ in range(2):  # the second time for those that are nearly dependent
        _, sizes, axes = np.linalg.svd(_triangle(block.T), full_matrices=False)
        kept = sizes > 1e-10 * sizes[0]
        block = np.einsum("rp,pM->rM", axes[kept] / sizes[kept][:, None], block)
    return block


def _triangle(A: Array) -> Array:
    """Return R of the QR decomposition of a long matrix (M, p), up to orthogonal rows.

    It is decomposed in pieces, since a library's threads take many times longer where other
    programs run.
    """
    rows, columns = A.shape
    piece = max(AT_ONCE, columns)
    whole = np.zeros((-(-rows // piece) * piece, columns))
    whole[:rows] = A
    R = np.asarray(np.linalg.qr(whole.reshape(-1, piece, columns), mode="r"))
    return np.asarray(np.linalg.qr(R.reshape(-1, columns), mode="r"))


def _fit(rest: Array, weight: Array, y: Array, chosen: Sequence[Candidate], allowed: Array) -> Fit:
    """Return the parameters of a set; parameters whose torques are rounding are zero."""
    A = np.concatenate([(c.columns * weight).reshape(len(c.columns), -1) for c in chosen]).T
    small, least = (
        (np.maximum(allowed, share * np.abs(rest).max())[:, None] * weight)
        .repeat(rest.shape[1], axis=1)
        .ravel()
        for share in (EXPLAINED, FELT)
    )
    active = np.abs(A).max(axis=0) > 0
    solved = _solve(A[:, active], y)
    is_significant = np.max(np.abs(A[:, active] * solved.x) / least[:, None], axis=0) > 1
    if not is_significant.all():
        active[np.flatnonzero(active)[~is_significant]] = False
        solved = _solve(A[:, active], y)
    x, within = np.zeros(len(active)), np.zeros(len(active))
    x[active], within[active] = solved.x, solved.within
    ends = np.cumsum([len(c.columns) for c in chosen])[:-1]
    left = float(np.max(np.abs(solved.left) / small))
    return Fit(tuple(chosen), np.split(x, ends), np.split(within, ends), left, solved.rank)


@dataclass(frozen=True, eq=False)
class _Solution:
    """Least squares: parameters, their standard deviations, the residual (M,), and the rank."""

    x: Array
    within: Array
    left: Array
    rank: int


def _solve(A: Array, y: Array) -> _Solution:
    if not A.shape[1]:
        return _Solution(np.empty(0), np.empty(0), y, 0)
    sizes, left, x = np.linalg.norm(A, axis=0), y, np.zeros(A.shape[1])
    for _ in range(2):  # one refinement: columns may be nearly equal
        both = _triangle(np.column_stack([A / sizes, left]))
        U, S, Vt = np.linalg.svd(both[:, :-1], full_matrices=False)
        kept = S / S[0] > 1e-11
        U, S, Vt = U[:, kept], S[kept], Vt[kept]
        x += Vt.T @ ((U.T @ both[:, -1]) / S)
        left = y - np.einsum("Mp,p->M", A / sizes, x)
    noise = float(np.sqrt(left @ left / max(y.size - len(S), 1)))
    within = noise * np.sqrt(np.sum((Vt.T / S) ** 2, axis=1)) / sizes
    return _Solution(x / sizes, within, left, len(S))
