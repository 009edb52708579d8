"""All inverse-kinematics solutions of six-joint chains, with a test of completeness.

Each pose is solved by elimination, first with the arm's best assignment, then, if roots are
missing, with others and from the eigenvalues of a nearby pose, then by continuation. The solutions
are complete if the number of roots, including complex ones and multiplicity, equals the arm's
degree. That holds with probability one in floating-point arithmetic; it is not a proof by
intervals.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sim.kinematics.inverse.arm_study import GeneralArm
from sim.kinematics.inverse.joint_axes import JointAxes, Numbers, displacement, twist_between
from sim.kinematics.inverse.roots import (
    MULTIPLE,
    Roots,
    empty_roots,
    miss_of,
    newton,
    polished_roots,
)
from sim.maths.arrays import Array, Mask
from sim.maths.screws import exp_pose

_REAL = 1e-7  # imaginary part [rad] of a regular root that is real
_REAL_IF_SINGULAR = 1e-3  # the same for a multiple root, known only to the square root of rounding
_SAME = 1e-6  # rad; real roots that differ by less are the same
_SAME_IF_SINGULAR = 1e-4
_MET = 1e-11  # relative residual of a real root
_HIGH_ORDER = 1e-6  # least singular value of a root that may be of high order
_NEIGHBOUR = 0.05  # rad; scatter of such a root
_WITNESSES = 2
_TRIES = 5  # assignments tried before poses are moved
_NUDGES = (1e-3, 1e-4, 1e-3, 1e-4)  # rad and arm sizes
_STEP = 0.05  # rad
_TWO_RANKS = 1e-4  # second least singular value, for an arm of size 1


@dataclass(frozen=True, eq=False)
class PoseRoots:
    """Solutions of one pose.

    Parameters
    ----------
    q : ndarray, shape (m, 6)
        Real solutions [rad, or arm sizes].
    sigma : ndarray, shape (m,)
        Least singular value of the Jacobian, for an arm of size 1.
    is_free : ndarray of bool, shape (m,)
        Whether a solution is one of a continuum.
    count : int
        Number of roots, including complex ones and multiplicity.
    degree : int
        Number of roots that shows completeness.
    is_complete : bool
        Whether all real solutions are found.
    has_continuum : bool
        Whether a root, real or complex, belongs to a continuum or is of high order.
    """

    q: Array
    sigma: Array
    is_free: Mask
    count: int
    degree: int
    is_complete: bool
    has_continuum: bool


def solve_poses(
    arm: GeneralArm, G: Array, *, nudges: int = len(_NUDGES)
) -> tuple[Roots, list[PoseRoots]]:
    """Solve displacements G (N, 4, 4) in the arm's units by elimination alone.

    Parameters
    ----------
    nudges : int
        Largest number of attempts from the eigenvalues of a nearby pose.

    Returns
    -------
    Roots
        All roots of all poses.
    list of PoseRoots
    """
    N = len(G)
    roots = empty_roots(N)
    is_nudged = np.zeros(N, dtype=bool)
    witnesses = np.zeros((N, len(arm.assignments)), dtype=bool)  # which find all near roots
    unsolved = np.arange(N)
    known = len(arm.assignments)
    stages = [(k, 0.0) for k in range(min(_TRIES, known))]
    stages += [(k % known, size) for k, size in enumerate(_NUDGES[:nudges]) if known]
    for stage, (k, size) in enumerate(stages):
        if not unsolved.size:
            break
        assignment = arm.assignments[k]
        axes = arm.axes.of_lanes(unsolved)
        new = polished_roots(axes, G[unsolved], assignment, _nudge(stage, size) if size else None)
        roots = roots.with_roots(unsolved, roots.pick(unsolved).merge(axes, new) if stage else new)
        is_nudged[unsolved] = bool(size)
        witnesses[unsolved, k] |= new.near_counts == arm.near_degree
        is_short = roots.counts[unsolved] != arm.degree
        if arm.near_degree < arm.degree:
            near = roots.pick(unsolved).near_counts
            is_short &= (near != arm.near_degree) | (witnesses[unsolved].sum(axis=1) < _WITNESSES)
        unsolved = unsolved[is_short]
    solutions = settle(arm, G, roots, np.isin(np.arange(N), unsolved, invert=True))
    multiple = (roots.times > 1).any(axis=1)
    for pose in np.flatnonzero(is_nudged & multiple):
        solutions[pose] = replace(solutions[pose], is_complete=False)
    return roots, solutions


def settle(arm: GeneralArm, G: Array, roots: Roots, is_counted: Mask) -> list[PoseRoots]:
    """Find the real roots, and whether they are complete, pose by pose.

    Parameters
    ----------
    is_counted : ndarray of bool, shape (N,)
        Poses whose number of roots is the arm's degree, or its near degree by two assignments.
    """
    is_there = roots.times > 0
    limit = np.where(roots.sigma > MULTIPLE, _REAL, _REAL_IF_SINGULAR)
    near = is_there & (np.abs(roots.q.imag).max(-1) < limit)
    owner, slot = np.nonzero(near)
    # a nearly real root may be a real double one: use Newton's method in real numbers
    axes = arm.axes.of_lanes(owner)
    ends, _ = newton(axes, G[owner], roots.q[owner, slot].real, 30)
    q: Array = arm.axes.wrap(ends.real)
    met = miss_of(axes, G[owner], q) < _MET
    q, owner, sigma = q[met], owner[met], roots.sigma[owner, slot][met]
    bounds = np.searchsorted(owner, np.arange(len(G) + 1))
    return [
        _settle_one(arm, G[k], roots, k, near[k], q[a:b], sigma[a:b], bool(is_counted[k]))
        for k, (a, b) in enumerate(pairwise(bounds))
    ]


def _settle_one(
    arm: GeneralArm,
    G: Array,
    roots: Roots,
    k: int,
    near: Mask,
    q: Array,
    sigma: Array,
    is_counted: bool,
) -> PoseRoots:
    axes, is_there = arm.axes.of_lanes(k), roots.times[k] > 0
    is_singular = is_there & (roots.sigma[k] < MULTIPLE)
    same = _SAME if sigma.min(initial=1) > MULTIPLE else _SAME_IF_SINGULAR
    indices: list[int] = []
    for j in range(len(q)):
        if not indices or axes.distance(q[indices], q[j]).min() >= same:
            indices.append(j)
    q, sigma = q[indices], sigma[indices]
    free = np.array([s < MULTIPLE and can_move(axes, G, x) for s, x in zip(sigma, q, strict=True)])
    flat = bool(free.any())
    if is_singular.any():
        others = roots.q[k][is_singular & ~near]
        flat = flat or any(can_move(axes, G, x) for x in others)
        flat = flat or _is_of_high_order(axes, roots, k)
    count, degree = int(roots.counts[k]), arm.degree
    if is_counted and count != degree:
        count, degree = int(roots.near_counts[k]), arm.near_degree
    return PoseRoots(q, sigma, free.astype(bool), count, degree, is_counted and not flat, flat)


def _is_of_high_order(axes: JointAxes, roots: Roots, k: int) -> bool:
    """Whether a singular root has neighbours, as one that is known to a few digits only."""
    there = np.flatnonzero(roots.times[k] > 0)
    q = roots.q[k][there]
    for j in np.flatnonzero(roots.sigma[k][there] < _HIGH_ORDER):
        if (axes.distance(np.delete(q, j, 0), q[j]) < _NEIGHBOUR).any():
            return True
    return False


def _nudge(stage: int, size: float) -> Array:
    """Return a small displacement in a direction without symmetry."""
    rng = np.random.default_rng(stage)
    v, w = (x / np.linalg.norm(x) for x in rng.normal(size=(2, 3)))
    return exp_pose(size * np.concatenate([v, w])[:, None])[..., 0]


def free_joints(arm: GeneralArm, q: NDArray[np.float64]) -> Mask:
    """Return the joints that move along the continuum through a solution q (6,), shape (6,)."""
    _, _, Vt = np.linalg.svd(displacement(arm.axes, q)[1])
    moving: Mask = np.abs(Vt[-1]) > 1e-6
    return moving


def can_move(axes: JointAxes, G: Array, q: Numbers) -> bool:
    """Whether a singular solution q (6,) of displacement G is one of a continuum.

    A solution is searched one step along the null vector of the Jacobian, in the plane normal to
    it. Also true if the Jacobian loses two ranks, since one direction is not conclusive there.
    """
    _, S, Vh = np.linalg.svd(displacement(axes, q)[1])
    if S[-2] < _TWO_RANKS:
        return True
    null = np.conj(Vh[-1])
    x = q + _STEP * null
    miss = np.full((), np.inf)
    for _ in range(30):
        A, J = displacement(axes, x)
        e, miss = twist_between(A, G)
        if miss < 1e-12:
            break
        U, S, Vh = np.linalg.svd(np.vstack([J, np.conj(null)]), full_matrices=False)
        b = np.append(e, _STEP - np.conj(null) @ (x - q))
        x = x + np.conj(Vh.T) @ ((np.conj(U.T) @ b) / np.maximum(S, 1e-8))
    return bool(miss < 1e-11 and np.abs(x - q).max() > 0.2 * _STEP)
