"""Hybrid dynamics of a mechanism with closed loops, over any dynamics of its tree.

The loop equations ``e(q) = 0`` are kept as accelerations, ``J qdd + γ = 0``. With f the loose
joints, a their accelerations while the loops are open and the mass as the measure of motion,

    M_ff⁻¹ = G Gᵀ,    A = J_f G,    y = -A⁺ (J a + γ)
    qdd_f = a_f + G y,              λ = (Aᵀ)⁺ y

fulfils ``M qdd + C qd + g = effort + Jᵀ λ``. The singular values are those of ``J_f G``, not of
``J M⁻¹ Jᵀ``, where they are squared. An engine needs to know of no loop: what its accelerations
leave of the equations corrects λ by the model's G, and it answers again until nothing is left;
machine code begins with the model's λ, and of an engine that agrees with it asks once.
Where that does not settle, or is slower, M_ff⁻¹ are its own answers to unit efforts. Of equations
that repeat each other the shortest λ is taken.

References
----------
Udwadia and Kalaba 1992, A new perspective on constrained motion, equation (3): the acceleration
that is nearest to the free one in the measure of the mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.dynamics.closed_positions import (
    NOISE,
    LoopModes,
    close_positions,
    decided_joints,
    loop_rank,
)
from sim.dynamics.friction import dry_joints
from sim.dynamics.gravity import Gravity
from sim.dynamics.hybrid import CORRECTED, MOST_QUESTIONS, HybridDynamics, LagrangianDynamics
from sim.dynamics.single_state.closing import OnLoops, model_on_loops
from sim.dynamics.single_state.instant import Instant
from sim.dynamics.single_state.loops import equations_at
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

SINGULAR = 1e-3  # of it; a pose with less is passed in one step of the solver
SURELY_CLOSED = 0.1 * LARGEST_GAP  # [m or rad]; of each equation, one correction before the last
MANY = 7  # loose joints, whose answers one by one take longer than two questions
LARGEST_SLIP = 1e-6  # of the largest speed; what is left beyond opens a loop


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
    decided : tuple of int
        The rows of loose joints that move as the held ones make them, and in no other way.
    ties_drives : bool
        The loops make loose joints with a drive move each other, or held ones them.
    """

    tree: HybridDynamics
    rank: int
    decided: tuple[int, ...] = ()
    ties_drives: bool = False

    @property
    def robot(self) -> Robot:
        """The robot with its loops."""
        return self.tree.robot

    @property
    def gravity(self) -> Gravity:
        """Gravity in the world [m/s²]."""
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
        """Hybrid dynamics under several efforts (n, N), with unit efforts solved once."""
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
        """Complete accelerations and efforts of one state; see `HybridDynamics`."""
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
        """Solution by corrections of the tree's one, from the residual of the loop equations.

        With the model's λ as a start that is one evaluation, else two or three; None if
        it does not settle.
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
        """qdd and effort (n, cases) of one state with closed loops, from those with open ones.

        `unit` are the changes of both (n, loose) under one unit of effort at each loose joint.
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
        """Relative least singular value of the independent loop equations near `q` (n,).

        Near zero an equation that is independent elsewhere repeats others; 1 where there is none.
        """
        counted = close_positions(self.robot, q, held, self.rank).modes.sizes[: self.rank]
        return float(counted[-1] / counted[0]) if counted.size else 1.0

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
                    f" no motion of the joints without a drive follows the others there, and what "
                    f"they prescribe opens a loop at {slip:.3g} m/s; free one of them"
                )
        if doubtful.any():
            require_closed(self.robot, t[doubtful], q[:, doubtful])
        return q, qd


def with_closed_loops(
    stages: Sequence[tuple[float, HybridDynamics]], q: Array, held: Mask
) -> list[tuple[float, HybridDynamics]]:
    """The dynamics of all stages with loops closed; as they are where nothing needs the loops.

    Where joints only ``<mimic>`` each other in loops, no equation is left to be kept; then it is
    dry friction that feels the loops' forces.

    Parameters
    ----------
    stages : sequence of (float, HybridDynamics)
        Dynamics valid from each time [s] on.
    q : ndarray, shape (n,)
        A start with closed loops.
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

    A joint that leads others there does so only where its friction follows its load.
    """
    follows = (joint.mimic is not None for joint in robot.tree_row_joints)
    return any(
        is_on_loop and (joint.has_load_friction or (does_follow and is_dry))
        for joint, is_on_loop, does_follow, is_dry in zip(
            robot.tree_row_joints, joints_on_loops(robot), follows, dry_joints(robot), strict=True
        )
    )
