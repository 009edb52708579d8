"""Hybrid dynamics of a mechanism with closed loops, over any dynamics of its tree.

The loop equations ``e(q) = 0`` are imposed on accelerations, ``J qdd + γ = 0``. With f the loose
joints, a their accelerations with open loops, and the mass as the metric,

    M_ff⁻¹ = G Gᵀ,    A = J_f G,    y = -A⁺ (J a + γ)
    qdd_f = a_f + G y,              λ = (Aᵀ)⁺ y

satisfies ``M qdd + C qd + g = effort + Jᵀ λ``. Singular values are taken of ``J_f G``, not of
``J M⁻¹ Jᵀ``, where they are squared. An engine computes the open tree only: the residual of the
loop equations at its accelerations corrects λ by the model's G, until the residual vanishes;
machine code starts with the model's λ, so that one evaluation of an agreeing engine suffices. If
this does not converge, or is slower, M_ff⁻¹ consists of the engine's responses to unit efforts. Of
redundant equations the shortest λ is taken.

References
----------
Udwadia and Kalaba 1992, A new perspective on constrained motion, equation (3): the acceleration
nearest to the free one in the metric of the mass.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.dynamics.closed_positions import (
    NOISE,
    LoopModes,
    close_positions,
    decided_joints,
    loop_rank,
)
from sim.dynamics.friction import dry_joints
from sim.dynamics.hybrid import (
    CORRECTED,
    MOST_QUESTIONS,
    ExtendedDynamics,
    HoldingDynamics,
    HybridDynamics,
    LagrangianDynamics,
)
from sim.dynamics.single_state.instant import Instant
from sim.dynamics.single_state.loops import OnLoops, equations_at, model_on_loops
from sim.dynamics.wrench import Acting
from sim.errors import ScenarioError
from sim.kinematics.closure import LARGEST_GAP, require_closed
from sim.kinematics.loop_equations import (
    joint_equations,
    joints_on_loops,
    loop_bias,
    passive_joints,
)
from sim.maths.arrays import Array, Mask
from sim.robots.robot import Robot

SINGULAR = 1e-3  # relative least singular value; the solver passes poses below it in one step
SURELY_CLOSED = 0.1 * LARGEST_GAP  # [m or rad]; residual before the last correction
MANY = 7  # loose joints; for more, unit efforts cost more than two corrections
LARGEST_SLIP = 1e-6  # relative to the largest speed; a larger residual opens a loop


class ConstrainedDynamics(ExtendedDynamics, frozen=True, eq=False):
    """`sim.dynamics.hybrid.HybridDynamics` of a mechanism with its loops closed.

    Parameters
    ----------
    tree : HybridDynamics
        Hybrid dynamics with open loops.
    rank : int
        Number of independent loop equations, counted at closed positions: at the slightly open ones
        that a solver tries, redundant equations contradict each other.
    decided : tuple of int
        Rows of loose joints whose motion follows entirely from the held ones.
    ties_drives : bool
        Whether loops make loose joints with a drive move each other, or held joints move them.
    """

    rank: int
    decided: tuple[int, ...] = ()
    ties_drives: bool = False

    def hybrid_dynamics(
        self, q: Array, qd: Array, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array]:
        """Return complete accelerations and efforts; those of held joints without the loop forces.

        Values of a state without a solution are NaN.
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
        """Return hybrid dynamics under several efforts (n, N), with unit efforts solved once."""
        if q.shape[1] == 1:
            at = Instant(self.robot, self.gravity, q[:, 0], qd[:, 0])
            solution = self.at_instant(at, qdd[:, 0], held, np.hstack(efforts), wrenches)
            return [(solution[0][:, [k]], solution[1][:, [k]]) for k in range(len(efforts))]
        loose, count = np.flatnonzero(~held), len(efforts)
        cases = [*efforts, *(efforts[0] + one[:, None] for one in np.eye(held.size)[loose])]
        answers = [self.tree.hybrid_dynamics(q, qd, qdd, held, x, wrenches) for x in cases]
        qdds, of_held = (np.stack(parts, axis=-1) for parts in zip(*answers, strict=True))
        J = joint_equations(self.robot, q)[1]
        bias = loop_bias(self.robot, *self.robot.on_tree(q, qd))
        result = np.full((count, 2, *q.shape), np.nan)
        for k in np.flatnonzero(np.isfinite(qdds).all(axis=(0, 2))):
            unit = tuple(x[:, k, count:] - x[:, k, :1] for x in (qdds, of_held))
            of_case = qdds[:, k, :count], of_held[:, k, :count]
            closed = self._close(J[..., k], bias[:, k], held, *of_case, *unit)
            result[..., k] = np.stack(closed).transpose(2, 0, 1)
        return [(qdd, effort) for qdd, effort in result]

    def at_instant(
        self, at: Instant, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array]:
        """Return complete accelerations and efforts of one state; see `HybridDynamics`."""
        is_model = isinstance(self.tree, LagrangianDynamics)
        state, counted = (at.q, at.qd, qdd, held, effort, wrenches), (self.rank, NOISE)
        model = model_on_loops(self.robot, self.gravity, *state, *counted)
        if is_model and model is not None:
            return model.qdd, model.effort
        if not is_model and (model is not None or np.count_nonzero(~held) >= MANY):
            settled = self._by_corrections(at, qdd, held, effort, wrenches, model)
            if settled is not None:
                return settled
        cases, units = effort.shape[1], np.eye(held.size)[:, ~held]
        every = np.concatenate([effort, effort[:, :1] + units], axis=1)
        qdds, efforts = self.tree.at_instant(at, qdd, held, every, wrenches)
        if not np.isfinite(qdds).all():
            nothing = np.full((held.size, cases), np.nan)
            return nothing, nothing
        _, J, bias = equations_at(self.robot, at.q, at.qd)
        unit = tuple(x[:, cases:] - x[:, :1] for x in (qdds, efforts))
        return self._close(J, bias, held, qdds[:, :cases], efforts[:, :cases], *unit)

    def _by_corrections(
        self,
        at: Instant,
        qdd: Array,
        held: Mask,
        effort: Array,
        wrenches: Acting,
        model: OnLoops | None,
    ) -> tuple[Array, Array] | None:
        """Correct the solution of the tree by the residual of the loop equations.

        Starting from the model's λ this takes one evaluation, else two or three; None if it does
        not converge.
        """
        loose = ~held
        if model is not None:
            G, J, bias, modes = model.G, model.J, model.bias, LoopModes(*model.modes)
            pushed = model.pull
        else:
            try:
                G = np.linalg.inv(np.linalg.cholesky(at.M[np.ix_(loose, loose)])).T
            except np.linalg.LinAlgError:
                return None
            _, J, bias = equations_at(self.robot, at.q, at.qd)
            modes, pushed = LoopModes.of(J[:, loose] @ G, self.rank), np.zeros_like(effort)
        for _ in range(MOST_QUESTIONS):
            qdds, needed = self.tree.at_instant(at, qdd, held, effort + pushed, wrenches)
            if not np.isfinite(qdds).all():
                return None
            y = -modes.solve(J @ qdds + bias[:, None])
            pushed = pushed + J.T @ modes.solve_transposed(y)
            step = G @ y
            if np.abs(step).max(initial=0.0) <= CORRECTED * np.abs(qdds).max(initial=1.0):
                qdds[loose] += step
                if held.any():
                    needed = needed + at.M[:, loose] @ step - pushed
                return qdds, np.where(held[:, None], needed, effort)
        return None

    def _close(
        self, J: Array, bias: Array, held: Mask, qdd: Array, effort: Array, *unit: Array
    ) -> tuple[Array, Array]:
        """Return qdd and effort (n, cases) with closed loops, from those with open loops.

        `unit` holds the changes of both (n, loose) per unit effort at each loose joint.
        """
        loose, (answers, shifts) = ~held, unit
        compliance = answers[loose]
        G = np.linalg.cholesky(0.5 * (compliance + compliance.T))
        modes = LoopModes.of(J[:, loose] @ G, self.rank)
        y = -modes.solve(J @ qdd + bias[:, None])
        pushed = J.T @ modes.solve_transposed(y)
        qdd, effort = qdd.copy(), effort.copy()
        qdd[loose] += G @ y
        if held.any():
            effort[held] += shifts[held] @ pushed[loose] - pushed[held]
        return qdd, effort

    def least_singular_value(self, q: Array, held: Mask) -> float:
        """Return the relative least singular value of the independent loop equations near `q` (n,).

        Near zero an otherwise independent equation becomes redundant; 1 without equations.
        """
        counted = close_positions(self.robot, q, held, self.rank).modes.sizes[: self.rank]
        return float(counted[-1] / counted[0]) if counted.size else 1.0

    def project(self, t: Array, q: Array, qd: Array, held: Mask) -> tuple[Array, Array]:
        """Return the nearest closed positions, then closed velocities, in the metric of the mass.

        Parameters
        ----------
        t : ndarray, shape (N,)
            Times for messages [s].
        q, qd : ndarray, shape (n, N)
            Nearly closed state.
        held : ndarray of bool, shape (n,)
            Joints that must not move.

        Returns
        -------
        q, qd : ndarray, shape (n, N)

        Raises
        ------
        ScenarioError
            If a loop stays open, or the prescribed joints move so that it opens; names the loop,
            the time and the gap.
        """
        q, qd = q.copy(), qd.copy()
        doubtful = np.zeros(t.size, dtype=bool)
        for k, time in enumerate(t.tolist()):
            at = close_positions(self.robot, q[:, k], held, self.rank)
            q[:, k], modes, J = at.q, at.modes, at.J
            doubtful[k] = not at.gap <= SURELY_CLOSED
            qd[~held, k] -= at.G @ modes.solve(J @ qd[:, k])
            slip = float(np.abs(J @ qd[:, k]).max(initial=0.0))
            if not slip <= LARGEST_SLIP * (1.0 + float(np.abs(qd[:, k]).max(initial=0.0))):
                raise ScenarioError(
                    f"The loops of robot {self.robot.name!r} have a dead point at t = {time:.6g} s:"
                    f" the joints without a drive cannot follow the driven ones there, whose "
                    f"motion opens a loop at {slip:.3g} m/s; free a driven joint"
                )
        if doubtful.any():
            require_closed(self.robot, t[doubtful], q[:, doubtful])
        return q, qd


def loops_of(dynamics: HybridDynamics) -> ConstrainedDynamics | None:
    """Return the dynamics of closed loops, also where contacts stick in them; None for a tree."""
    if isinstance(dynamics, HoldingDynamics):
        dynamics = dynamics.tree
    return dynamics if isinstance(dynamics, ConstrainedDynamics) else None


def with_closed_loops(
    stages: Sequence[tuple[float, HybridDynamics]], q: Array, held: Mask
) -> list[tuple[float, HybridDynamics]]:
    """Return the dynamics of all stages with loops closed, or unchanged if loops have no effect.

    If the joints of loops only ``<mimic>`` each other, no equation remains, and only dry friction
    depends on the loop forces.

    Parameters
    ----------
    stages : sequence of (float, HybridDynamics)
        Dynamics valid from each time [s] on.
    q : ndarray, shape (n,)
        Start with closed loops.
    held : ndarray of bool, shape (n,)
    """
    robot = stages[0][1].robot
    ties, passive = False, passive_joints(robot)
    if passive.any():
        rank, decided = loop_rank(robot, q, held), decided_joints(robot, q, held)
        ties = robot.has_drives and rank > loop_rank(robot, q, ~passive)
    elif loops_rub(robot):
        rank, decided = 0, ()
    else:
        return list(stages)
    return [(begin, ConstrainedDynamics(tree, rank, decided, ties)) for begin, tree in stages]


def loops_rub(robot: Robot) -> bool:
    """Whether dry friction acts through loops whose joints follow each other by ``<mimic>``.

    For a leading joint that requires friction which depends on its load.
    """
    follows = (joint.mimic is not None for joint in robot.tree_row_joints)
    return any(
        is_on_loop and (joint.has_load_friction or (does_follow and is_dry))
        for joint, is_on_loop, does_follow, is_dry in zip(
            robot.tree_row_joints, joints_on_loops(robot), follows, dry_joints(robot), strict=True
        )
    )
