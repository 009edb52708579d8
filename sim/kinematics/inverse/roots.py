"""Complex roots of many poses: polished by Newton's method and counted with multiplicity.

The damped iteration runs from many complex starts at once. The loop is cut in the middle: the
motion of the first three joints must equal that of the pose and the last three. Complex angles
magnify rounding by exp(Σ|Im q|), and each half only by the square root of that, so that roots far
from the real ones are found, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.kinematics.inverse.elimination import Assignment, candidates
from sim.kinematics.inverse.joint_axes import (
    Complex,
    JointAxes,
    Numbers,
    displacement,
    largest_entry,
    least_singular_value,
    skew,
)
from sim.maths.arrays import Array, Mask

STOP = 1e-14  # relative residual at which a lane stops, before the magnification of rounding
_SMALL = 1e-10  # relative residual below which convergence is quadratic
_INFINITE = 25.0  # imaginary part [rad]
_LARGEST_STEP = 0.7  # rad

FAR = 14.0  # imaginary part [rad] beyond which a root counts as infinite
MULTIPLE = 1e-4  # least singular value (arm of size 1) below which a root may be multiple
SAME = 1e-5  # rad; roots that differ by less are the same
_SAME_REMOTE = 5e-2  # rad; the same for remote roots, whose magnified rounding leaves few digits
_REMOTE = 1e6  # magnification
_AT_INFINITY = 1e-6  # least singular value of a remote root that is only an approximate solution
_NEAR = 3e-2  # unpolished residual (arm of size 1) up to which a candidate is polished
_OWN = 1e-6  # rad; a root this close equals the positions that defined the pose
_MET = 1e-9  # relative residual of a root, before the magnification of rounding
_LARGEST_MISS = 1e-4
_REAL = 1e-6  # imaginary part [rad] above which a root has a distinct conjugate

_NEAR_ROOT, _REMOTE_ROOT = 3.0, 6.0  # imaginary parts [rad]


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


@dataclass(frozen=True, eq=False)
class Roots:
    """Distinct roots of N poses in L slots each.

    Parameters
    ----------
    q : ndarray, shape (N, L, 6)
        Complex joint positions; 0 in an empty slot.
    times : ndarray of int, shape (N, L)
        Multiplicity; 0 in an empty slot.
    sigma : ndarray, shape (N, L)
        Least singular value of the Jacobian, for an arm of size 1.
    rough : ndarray, shape (N, L)
        Residual of the unpolished candidate.
    """

    q: Complex
    times: NDArray[np.int64]
    sigma: Array
    rough: Array

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of roots of each pose, with multiplicity, shape (N,)."""
        return self.times.sum(axis=1)

    @property
    def near_counts(self) -> NDArray[np.int64]:
        """Number of roots with |Im| below 3 rad, if all others exceed 6; else -1."""
        imag = np.abs(self.q.imag).max(-1)
        between = ((self.times > 0) & (imag > _NEAR_ROOT) & (imag < _REMOTE_ROOT)).any(axis=1)
        return np.where(between, -1, (self.times * (imag <= _NEAR_ROOT)).sum(axis=1))

    def pick(self, poses: NDArray[np.intp]) -> Roots:
        """Return the roots of some poses."""
        return Roots(*(field[poses] for field in vars(self).values()))

    def with_roots(self, poses: NDArray[np.intp], other: Roots) -> Roots:
        """Return a copy in which some poses have other roots."""
        slots = max(self.q.shape[1], other.q.shape[1])
        fields = []
        for mine, new in zip(vars(self).values(), vars(other).values(), strict=True):
            field = np.zeros((len(mine), slots, *mine.shape[2:]), mine.dtype)
            field[:, : mine.shape[1]] = mine
            field[poses] = 0
            field[poses, : new.shape[1]] = new
            fields.append(field)
        return Roots(*fields)

    def merge(self, axes: JointAxes, other: Roots) -> Roots:
        """Return the union with another computation; a common root has the larger multiplicity."""
        each = zip(vars(self).values(), vars(other).values(), strict=True)
        return _gather(axes, *(np.concatenate(fields, axis=1) for fields in each), add=False)


def polished_roots(
    axes: JointAxes, G: Array, assignment: Assignment, nudge: Array | None = None
) -> Roots:
    """Return roots of displacements G (N, 4, 4), for axes in units of the arm.

    Parameters
    ----------
    nudge : ndarray, shape (4, 4), optional
        Displacement: the eigenvalue problem is solved for ``nudge @ G``, Newton's method for G. If
        G is degenerate, as with a vertical tool, ``nudge @ G`` is not.
    """
    at = G if nudge is None else nudge @ G
    q, eigenvalues = candidates(axes, at, assignment)
    # one of each conjugate pair suffices: the other has the conjugate positions
    usable = (eigenvalues.imag >= 0) & np.isfinite(q).all(-1) & (np.abs(q.imag).max(-1) < FAR)
    owner, lane = np.nonzero(usable)
    q, is_pair = q[owner, lane], eigenvalues.imag[owner, lane] > 0
    rough = miss_of(axes.of_lanes(owner), at[owner], q)
    near = rough < _NEAR * half_magnification(q)
    q, owner, rough, is_pair = q[near], owner[near], rough[near], is_pair[near]
    q, miss = newton(axes.of_lanes(owner), G[owner], q, 12 if nudge is None else 20)
    met = miss < np.minimum(_LARGEST_MISS, _MET + 1e-13 * half_magnification(q))
    q, owner, rough, is_pair = axes.wrap(q[met]), owner[met], rough[met], is_pair[met]
    sigma = least_singular_value(axes.of_lanes(owner), q)
    finite = (sigma > _AT_INFINITY) | (magnification(q) < _REMOTE)
    q, sigma = q[finite], sigma[finite]
    owner, rough, is_pair = owner[finite], rough[finite], is_pair[finite]
    is_pair |= np.abs(q.imag).max(-1, initial=0) > _REAL
    lanes = np.concatenate([np.arange(len(q)), np.flatnonzero(is_pair)])
    q = np.concatenate([q, np.conj(q[is_pair])])
    return gather(axes, q, owner[lanes], len(G), sigma[lanes], rough[lanes])


def gather(
    axes: JointAxes, q: Complex, owner: NDArray[np.intp], N: int, sigma: Array, rough: Array
) -> Roots:
    """Collect distinct roots of N poses from lanes (M, 6) and the pose of each.

    A root can only be multiple if the Jacobian is singular; several candidates at a regular root
    are the same one.
    """
    order = np.lexsort((rough, owner))
    owner = owner[order]
    starts = np.searchsorted(owner, np.arange(N + 1))
    slot = np.arange(len(owner)) - starts[owner]
    slots = int(np.diff(starts).max(initial=0))

    def spread(lanes: NDArray[Any]) -> NDArray[Any]:
        field: NDArray[Any] = np.zeros((N, slots, *lanes.shape[1:]), lanes.dtype)
        field[owner, slot] = lanes[order]
        return field

    once = np.ones(len(q), np.int64)
    return _gather(axes, spread(q), spread(once), spread(sigma), spread(rough), add=True)


def _gather(
    axes: JointAxes, q: Complex, times: NDArray[np.int64], sigma: Array, rough: Array, *, add: bool
) -> Roots:
    """Merge slots of equal roots; the multiplicity is the sum or the maximum of theirs."""
    N, slots = times.shape
    is_there = times > 0
    within = np.where(magnification(q) > _REMOTE, _SAME_REMOTE, SAME)
    first = np.zeros((N, slots), bool)
    total = np.zeros((N, slots), np.int64)
    for k in range(slots):
        same = first[:, :k] & (axes.distance(q[:, :k], q[:, k, None]) < within[:, k, None])
        is_new = is_there[:, k] & ~same.any(axis=1)
        first[:, k] = is_new
        total[is_new, k] = times[is_new, k]
        old = np.flatnonzero(is_there[:, k] & ~is_new)
        slot = same[old].argmax(axis=1) if k else old
        value = times[old, k]
        total[old, slot] = total[old, slot] + value if add else np.maximum(total[old, slot], value)
    if add:
        total = np.where(first & (sigma > MULTIPLE), 1, total)
    order = np.argsort(~first, axis=1, kind="stable")[:, : max(1, int(first.sum(axis=1).max()))]
    return Roots(
        np.take_along_axis(np.where(first[..., None], q, 0), order[..., None], 1),
        np.take_along_axis(np.where(first, total, 0), order, 1),
        np.take_along_axis(np.where(first, sigma, 0), order, 1),
        np.take_along_axis(np.where(first, rough, 0), order, 1),
    )


def empty_roots(N: int) -> Roots:
    """Return no roots for each of N poses."""
    return Roots(
        np.zeros((N, 1, 6), complex), np.zeros((N, 1), np.int64), np.zeros((N, 1)), np.zeros((N, 1))
    )


def is_close(axes: JointAxes, roots: Roots, q: Array) -> Mask:
    """Whether the roots of each pose contain the positions q (N, 6), shape (N,)."""
    near = (roots.times > 0) & (axes.distance(roots.q, q[:, None]) < _OWN)
    close: Mask = np.any(near, axis=1)
    return close
