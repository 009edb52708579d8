"""Closed positions near open ones, and the number of independent loop equations there.

The metric is the mass: with ``M⁻¹ = G Gᵀ`` of the loose joints the nearest closed positions are
reached along ``G A⁺ e``, A = J G, and the singular values of A show which equations are redundant.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from sim.dynamics.lagrange import mass_matrix
from sim.dynamics.single_state.loops import approach_loops, equations_at
from sim.dynamics.single_state.machine_instant import instant_of
from sim.kinematics.loop_equations import joint_equations, passive_joints
from sim.maths.arrays import Array, Mask
from sim.maths.rotation_vectors import position_rates
from sim.robots.robot import Robot

NO_GRAVITY = (0.0, 0.0, 0.0)
INDEPENDENT = 1e-6  # relative to the largest singular value; equations below are redundant
NOISE = 1e-10  # relative to it; smaller values are not divided by
CLOSED = 1e-12  # [rad or m]; the correction after this one is about its square
MOST_CORRECTIONS = 8
NEARBY = 1e-2  # [rad or m]; distance at which a singular pose has regular neighbours


class LoopModes(Struct, frozen=True, eq=False):
    """Independent parts of a matrix A (rows, f), the others dropped."""

    U: Array
    inverse: Array  # reciprocal singular values, zero where dropped
    Vt: Array
    sizes: Array

    @classmethod
    def of(cls, A: Array, rank: int) -> LoopModes:
        """Return the modes of the `rank` largest singular values."""
        U, sizes, Vt = np.linalg.svd(A, full_matrices=False)
        least, counted = NOISE * sizes[:1].max(initial=0.0), sizes[:rank].tolist()
        inverse = np.zeros(sizes.size)  # they are few
        inverse[: len(counted)] = [1.0 / size if size > least else 0.0 for size in counted]
        return cls(U, inverse, Vt, sizes)

    def solve(self, b: Array) -> Array:
        """Return the shortest y that minimises |A y - b|, (f,), or (f, cases) of several b."""
        return np.asarray(self.Vt.T @ (self.inverse * (self.U.T @ b).T).T)

    def solve_transposed(self, y: Array) -> Array:
        """Return the shortest λ that minimises |Aᵀ λ - y|, (rows,) or (rows, cases)."""
        return np.asarray(self.U @ (self.inverse * (self.Vt @ y).T).T)

    @property
    def independent(self) -> int:
        """Number of singular values that belong to independent equations."""
        return int(np.count_nonzero(self.sizes > INDEPENDENT * self.sizes[:1].max(initial=0.0)))


class ClosedPosition(Struct, frozen=True, eq=False):
    """Closed positions (n,), and the modes, G and J of the loop equations there.

    `gap` is the largest error of an equation before the last correction [m or rad], which nearly
    removes it; infinite if Newton's method did not converge.
    """

    q: Array
    modes: LoopModes
    G: Array
    J: Array
    gap: float


def close_positions(robot: Robot, q: Array, held: Mask, rank: int) -> ClosedPosition:
    """Return closed positions near `q` (n,).

    Newton's method uses the `rank` largest singular values: slightly open loops make those of
    redundant equations nonzero, although `sim.maths.newton` treats them as zero. If it does not
    converge, the last positions are returned.
    """
    approach = approach_loops(robot, q, held, rank, NOISE, CLOSED, MOST_CORRECTIONS)
    if approach is not None:
        closed, gap, parts, G, J = approach
        return ClosedPosition(closed, LoopModes(*parts), G, J, gap)
    q, loose, gap = q.copy(), ~held, np.inf
    for _ in range(MOST_CORRECTIONS):
        e, J, _ = equations_at(robot, q)
        M = instant_of(robot, NO_GRAVITY, q, np.zeros_like(q)).M[np.ix_(loose, loose)]
        G = np.linalg.inv(np.linalg.cholesky(M)).T  # M⁻¹ = G Gᵀ
        modes = LoopModes.of(J[:, loose] @ G, rank)
        correction = G @ modes.solve(e)
        step = np.zeros((q.size, 1))
        step[loose, 0] = correction
        q -= position_rates(robot.balls, q[:, None], step)[:, 0]
        if np.abs(correction).max(initial=0.0) <= CLOSED:
            gap = float(np.abs(e).max(initial=0.0))
            break
    return ClosedPosition(q, modes, G, J, gap)


def least_singular_values(robot: Robot, q: Array, held: Mask, rank: int) -> Array:
    """Return the relative least singular value of the independent loop equations, shape (N,) [-].

    The values are those of ``J G``. Near zero a loop equation is nearly redundant, and its inverse
    amplifies errors of velocities in the accelerations, and errors of these in the loop forces.

    Parameters
    ----------
    q : ndarray, shape (n, N)
        Positions with closed loops.
    held : ndarray of bool, shape (n,)
    rank : int
        Result of `loop_rank`.
    """
    loose, J = ~held, np.moveaxis(joint_equations(robot, q)[1], -1, 0)
    M = np.moveaxis(mass_matrix(robot, q)[np.ix_(loose, loose)], -1, 0)
    G = np.swapaxes(np.linalg.inv(np.linalg.cholesky(M)), 1, 2)
    sizes = np.linalg.svd(J[:, :, loose] @ G, compute_uv=False)
    return np.asarray(sizes[:, rank - 1] / sizes[:, 0]) if rank else np.ones(q.shape[1])


def rounding_through_loops(M: Array, qdd: Array, loose: Mask, sigma: Array) -> tuple[Array, Array]:
    """Return ``ε √(aᵀ M a) / σ``, rounding of accelerations in closed loops, and √(M⁻¹)_kk of it.

    In the metric of the mass the loops cancel nearly all of the open loops' accelerations a by
    forces that grow with 1/σ, and rounding of J leaves a part ε of them.

    Parameters
    ----------
    M : ndarray, shape (n, n, N)
        Mass matrix of the joints.
    qdd : ndarray, shape (n, N)
        a, with open loops [rad/s² or m/s²].
    loose : ndarray of bool, shape (n,)
    sigma : ndarray, shape (N,)
        Least singular value of the loops by the largest, of `least_singular_values`.

    Returns
    -------
    ndarray, shape (N,)
        √(δqddᵀ M δqdd) [√J/s].
    ndarray, shape (n, N)
        For each joint, zero for held ones [rad/s² or m/s²].

    References
    ----------
    Golub and Van Loan 2013, Matrix Computations, section 5.5.3 (perturbed least squares).
    """
    mass = np.moveaxis(M[np.ix_(loose, loose)], -1, 0)
    squares = np.einsum("iN,Nij,jN->N", qdd[loose], mass, qdd[loose])
    noise = np.finfo(float).eps * np.sqrt(squares) / np.maximum(sigma, NOISE)
    each = np.zeros_like(qdd)
    each[loose] = noise * np.sqrt(np.diagonal(np.linalg.inv(mass), axis1=1, axis2=2)).T
    return noise, each


def loop_rank(robot: Robot, q: Array, held: Mask) -> int:
    """Return the number of independent loop equations at closed positions near `q` (n,).

    Neighbouring positions along the freedoms are included, because `q` may be a singular pose.
    """
    return max(modes.independent for _, modes, _ in _positions_near(robot, q, held))


def decided_joints(robot: Robot, q: Array, held: Mask) -> tuple[int, ...]:
    """Return the rows of loose joints that no freedom of the closed loops moves near `q` (n,).

    Several positions are needed: a joint may turn back at a single pose, and a singular pose has
    freedoms without a motion.
    """
    about = list(_positions_near(robot, q, held))
    most, loose = max(modes.independent for _, modes, _ in about), np.flatnonzero(~held)
    moves = np.zeros(loose.size, dtype=bool)
    for _, modes, freedoms in about:
        if modes.independent == most:
            moves |= (np.abs(freedoms) > INDEPENDENT).any(axis=1)
    return tuple(loose[~moves].tolist())


def positions_about(robot: Robot, q: Array, held: Mask) -> Iterator[Array]:
    """Yield closed positions (n,): the one nearest to `q`, and neighbours along its freedoms."""
    if passive_joints(robot).any():
        yield from (position for position, _, _ in _positions_near(robot, q, held))
    else:
        yield from (q, q + NEARBY)


def _positions_near(robot: Robot, q: Array, held: Mask) -> Iterator[tuple[Array, LoopModes, Array]]:
    """Yield closed positions near `q`, modes of the loop equations and freedoms (f, k) there."""
    every = joint_equations(robot, q[:, None])[0].shape[0]
    q, modes, freedoms = _freedoms(robot, q, held, every)
    yield q, modes, freedoms
    for direction in freedoms.T:
        step = np.zeros((q.size, 1))
        step[~held, 0] = NEARBY * direction
        shifted = q + position_rates(robot.balls, q[:, None], step)[:, 0]
        shifted, modes, changed = _freedoms(robot, shifted, held, every)
        if np.abs(joint_equations(robot, shifted[:, None])[0]).max(initial=0.0) <= CLOSED:
            yield shifted, modes, changed


def _freedoms(robot: Robot, q: Array, held: Mask, every: int) -> tuple[Array, LoopModes, Array]:
    """Return closed positions near `q`, the modes there, and velocities that keep the loops closed.

    Each velocity (f,) is scaled to a largest component of 1.
    """
    at = close_positions(robot, q, held, every)
    _, _, Vt = np.linalg.svd(at.J[:, ~held] @ at.G)
    freedoms = at.G @ Vt[at.modes.independent :].T
    return at.q, at.modes, freedoms / np.abs(freedoms).max(axis=0, initial=0.0)
