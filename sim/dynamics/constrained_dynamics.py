"""Hybrid dynamics of a mechanism whose loops are closed, over any that knows its tree.

The loop equations ``e(q) = 0`` are kept as accelerations, ``J qdd + γ = 0``. With f the loose
joints, a their accelerations while the loops are open and the mass as the measure of motion,

    M_ff⁻¹ = G Gᵀ,    A = J_f G,    y = -A⁺ (J a + γ)
    qdd_f = a_f + G y,              λ = (Aᵀ)⁺ y

fulfils ``M qdd + C qd + g = effort + Jᵀ λ``. The singular values are those of ``J_f G``, not of
``J M⁻¹ Jᵀ``, where they are squared. M_ff⁻¹ are the answers to unit efforts, so that an engine
needs to know of no loop. Of equations that repeat each other the shortest λ is taken.

References
----------
Udwadia and Kalaba 1992, A new perspective on constrained motion, equation (3): the acceleration
that is nearest to the free one in the measure of the mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.dynamics.gravity import Gravity
from sim.dynamics.hybrid import HybridDynamics
from sim.dynamics.lagrange import mass_matrix
from sim.dynamics.single_state.instant import Instant
from sim.dynamics.single_state.loops import equations_at
from sim.dynamics.single_state.machine_instant import instant_of
from sim.dynamics.wrench import Acting
from sim.errors import ScenarioError
from sim.kinematics.closure import require_closed
from sim.kinematics.loop_equations import joint_equations, loop_bias, passive_joints
from sim.maths.arrays import Array, Mask
from sim.maths.rotation_vectors import position_rates
from sim.robots.robot import Robot

INDEPENDENT = 1e-6  # of the largest singular value; an equation below repeats others
NOISE = 1e-10  # of it; nothing is divided by less
SINGULAR = 1e-3  # of it; a pose with less is passed in one step of the solver
CLOSED = 1e-12  # [rad or m]; the correction after this one is about its square
MOST_CORRECTIONS = 8
LARGEST_SLIP = 1e-6  # of the largest speed; what is left beyond opens a loop
NO_GRAVITY = (0.0, 0.0, 0.0)
NEARBY = 1e-2  # [rad or m]; a singular pose has regular ones as near


@dataclass(frozen=True, eq=False)
class ConstrainedDynamics:
    """`sim.dynamics.hybrid.HybridDynamics` of a mechanism with its loops closed.

    Parameters
    ----------
    tree : HybridDynamics
        The same with its loops open.
    rank : int
        Number of independent loop equations, counted at closed positions: at open ones, which a
        solver tries, repeated equations contradict each other by a little.
    """

    tree: HybridDynamics
    rank: int

    @property
    def robot(self) -> Robot:
        """The robot with its loops."""
        return self.tree.robot

    @property
    def gravity(self) -> Gravity:
        """In the world [m/s²]."""
        return self.tree.gravity

    def hybrid_dynamics(
        self, q: Array, qd: Array, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array]:
        """Complete accelerations and efforts; those of held joints are without the pins' share.

        They are not a number where a state is none.
        """
        return self.under_each(q, qd, qdd, held, [effort], wrenches)[0]

    def under_each(
        self,
        q: Array,
        qd: Array,
        qdd: Array,
        held: Mask,
        efforts: Sequence[Array],
        wrenches: Acting = (),
    ) -> list[tuple[Array, Array]]:
        """The same under several efforts (n, N), whose answers to unit efforts are found once."""
        if q.shape[1] == 1:
            at = Instant(self.robot, self.gravity, q[:, 0], qd[:, 0])
            found = self.at_instant(at, qdd[:, 0], held, np.hstack(efforts), wrenches)
            return [(found[0][:, [k]], found[1][:, [k]]) for k in range(len(efforts))]
        loose, count = np.flatnonzero(~held), len(efforts)
        cases = [*efforts, *(efforts[0] + one[:, None] for one in np.eye(held.size)[loose])]
        answers = [self.tree.hybrid_dynamics(q, qd, qdd, held, x, wrenches) for x in cases]
        qdds, of_held = (np.stack(parts, axis=-1) for parts in zip(*answers, strict=True))
        J = joint_equations(self.robot, q)[1]
        bias = loop_bias(self.robot, *self.robot.on_tree(q, qd))
        result = np.full((count, 2, *q.shape), np.nan)
        for k in np.flatnonzero(np.isfinite(qdds).all(axis=(0, 2))):
            unit = tuple(x[:, k, count:] - x[:, k, :1] for x in (qdds, of_held))
            for case in range(count):
                answer = qdds[:, k, case], of_held[:, k, case]
                result[case, ..., k] = self._close(J[..., k], bias[:, k], held, *answer, *unit)
        return [(qdd, effort) for qdd, effort in result]

    def at_instant(
        self, at: Instant, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array]:
        """Complete accelerations and efforts of one state; see `HybridDynamics`."""
        cases, units = effort.shape[1], np.eye(held.size)[:, ~held]
        every = np.concatenate([effort, effort[:, :1] + units], axis=1)
        qdds, efforts = self.tree.at_instant(at, qdd, held, every, wrenches)
        result = np.full((2, held.size, cases), np.nan)
        if not np.isfinite(qdds).all():
            return result[0], result[1]
        _, J, bias = equations_at(self.robot, at.q, at.qd)
        unit = tuple(x[:, cases:] - x[:, :1] for x in (qdds, efforts))
        for k in range(cases):
            result[:, :, k] = self._close(J, bias, held, qdds[:, k], efforts[:, k], *unit)
        return result[0], result[1]

    def _close(
        self, J: Array, bias: Array, held: Mask, qdd: Array, effort: Array, *unit: Array
    ) -> tuple[Array, Array]:
        """qdd and effort (n,) of one state with closed loops, from those with open ones.

        `unit` are the changes of both (n, loose) under one unit of effort at each loose joint.
        """
        loose, (answers, shifts) = ~held, unit
        compliance = answers[loose]
        G = np.linalg.cholesky(0.5 * (compliance + compliance.T))
        modes = _Modes.of(J[:, loose] @ G, self.rank)
        y = -modes.solve(J @ qdd + bias)
        pushed = J.T @ modes.solve_transposed(y)
        qdd, effort = qdd.copy(), effort.copy()
        qdd[loose] += G @ y
        effort[held] += shifts[held] @ pushed[loose] - pushed[held]
        return qdd, effort

    def is_nearly_singular(self, q: Array, held: Mask) -> bool:
        """Whether a loop equation, independent elsewhere, nearly repeats others at `q` (n,)."""
        _, modes, _, _ = close_positions(self.robot, q, held, self.rank)
        counted = modes.sizes[: self.rank]
        return bool(counted.size and counted[-1] < SINGULAR * counted[0])

    def project(self, t: Array, q: Array, qd: Array, held: Mask) -> tuple[Array, Array]:
        """The nearest positions, then velocities, with closed loops, in the measure of the mass.

        Parameters
        ----------
        t : ndarray, shape (N,)
            For messages [s].
        q, qd : ndarray, shape (n, N)
            Nearly closed.
        held : ndarray of bool, shape (n,)
            Joints that are not moved.

        Returns
        -------
        q, qd : ndarray, shape (n, N)

        Raises
        ------
        ScenarioError
            If a loop stays open, or the prescribed joints move in a way that opens it; names the
            loop, the time and the gap.
        """
        q, qd = q.copy(), qd.copy()
        for k, time in enumerate(t.tolist()):
            q[:, k], modes, G, J = close_positions(self.robot, q[:, k], held, self.rank)
            qd[~held, k] -= G @ modes.solve(J @ qd[:, k])
            slip = float(np.abs(J @ qd[:, k]).max(initial=0.0))
            if not slip <= LARGEST_SLIP * (1.0 + float(np.abs(qd[:, k]).max(initial=0.0))):
                raise ScenarioError(
                    f"The loops of robot {self.robot.name!r} have a dead point at t = {time:.6g} s:"
                    f" no motion of the joints without a drive follows the others there, and what "
                    f"they prescribe opens a loop at {slip:.3g} m/s; free one of them"
                )
        require_closed(self.robot, t, q)
        return q, qd


@dataclass(frozen=True, eq=False)
class _Modes:
    """Independent parts of a matrix A (rows, f), the others dropped."""

    U: Array
    inverse: Array  # of the singular values, zero where dropped
    Vt: Array
    sizes: Array

    @classmethod
    def of(cls, A: Array, rank: int) -> _Modes:
        U, sizes, Vt = np.linalg.svd(A, full_matrices=False)
        counts = (np.arange(sizes.size) < rank) & (sizes > NOISE * sizes[:1].max(initial=0.0))
        inverse = np.where(counts, 1.0 / np.where(counts, sizes, 1.0), 0.0)
        return cls(U, inverse, Vt, sizes)

    def solve(self, b: Array) -> Array:
        """The shortest y that brings A y nearest to b, shape (f,)."""
        return np.asarray(self.Vt.T @ (self.inverse * (self.U.T @ b)))

    def solve_transposed(self, y: Array) -> Array:
        """The shortest λ that brings Aᵀ λ nearest to y, shape (rows,)."""
        return np.asarray(self.U @ (self.inverse * (self.Vt @ y)))

    @property
    def independent(self) -> int:
        """Number of singular values that are none of a repeated equation."""
        return int(np.count_nonzero(self.sizes > INDEPENDENT * self.sizes[:1].max(initial=0.0)))


def close_positions(
    robot: Robot, q: Array, held: Mask, rank: int
) -> tuple[Array, _Modes, Array, Array]:
    """Positions (n,) with closed loops near to `q`, and the loop equations' modes, G and J there.

    Where Newton's method does not get there the last positions are given.
    """
    q, loose = q.copy(), ~held
    for _ in range(MOST_CORRECTIONS):
        e, J, _ = equations_at(robot, q)
        M = instant_of(robot, NO_GRAVITY, q, np.zeros_like(q)).M[np.ix_(loose, loose)]
        G = np.linalg.inv(np.linalg.cholesky(M)).T  # M⁻¹ = G Gᵀ
        modes = _Modes.of(J[:, loose] @ G, rank)
        correction = G @ modes.solve(e)
        step = np.zeros((q.size, 1))
        step[loose, 0] = correction
        q -= position_rates(robot.balls, q[:, None], step)[:, 0]
        if np.abs(correction).max(initial=0.0) <= CLOSED:
            break
    return q, modes, G, J


def constrained(
    stages: Sequence[tuple[float, HybridDynamics]], q: Array, held: Mask
) -> list[tuple[float, HybridDynamics]]:
    """The dynamics of all stages with loops closed; as they are where no joint is passive.

    Parameters
    ----------
    stages : sequence of (float, HybridDynamics)
        Dynamics valid from each time [s] on.
    q : ndarray, shape (n,)
        A start with closed loops.
    held : ndarray of bool, shape (n,)
    """
    robot = stages[0][1].robot
    if not passive_joints(robot).any():
        return list(stages)
    rank = loop_rank(robot, q, held)
    return [(begin, ConstrainedDynamics(tree, rank)) for begin, tree in stages]


def least_singular_values(robot: Robot, q: Array, held: Mask, rank: int) -> Array:
    """Least singular value of the independent loop equations by the largest, shape (N,) [-].

    Of ``J G`` as above; near zero a loop equation nearly repeats others, and by its inverse errors
    of velocities grow into accelerations, and errors of these into the loops' forces.

    Parameters
    ----------
    q : ndarray, shape (n, N)
        With closed loops.
    held : ndarray of bool, shape (n,)
    rank : int
        As `loop_rank` counts it.
    """
    loose, J = ~held, np.moveaxis(joint_equations(robot, q)[1], -1, 0)
    M = np.moveaxis(mass_matrix(robot, q)[np.ix_(loose, loose)], -1, 0)
    G = np.swapaxes(np.linalg.inv(np.linalg.cholesky(M)), 1, 2)
    sizes = np.linalg.svd(J[:, :, loose] @ G, compute_uv=False)
    return np.asarray(sizes[:, rank - 1] / sizes[:, 0]) if rank else np.ones(q.shape[1])


def loop_rank(robot: Robot, q: Array, held: Mask) -> int:
    """Number of loop equations that are independent at closed positions about `q` (n,).

    `q` itself may be a singular pose; others a little way off along its freedoms count too.
    """
    every = joint_equations(robot, q[:, None])[0].shape[0]
    q, modes, G, J = close_positions(robot, q, held, every)
    best = modes.independent
    _, _, Vt = np.linalg.svd(J[:, ~held] @ G)
    for direction in (G @ Vt[best:].T).T:
        beside = q.copy()
        step = np.zeros((q.size, 1))
        step[~held, 0] = NEARBY * direction / np.abs(direction).max()
        beside += position_rates(robot.balls, q[:, None], step)[:, 0]
        beside, modes, _, _ = close_positions(robot, beside, held, every)
        if np.abs(joint_equations(robot, beside[:, None])[0]).max(initial=0.0) <= CLOSED:
            best = max(best, modes.independent)
    return best
