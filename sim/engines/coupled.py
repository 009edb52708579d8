"""Hybrid dynamics by an engine, its joints coupled as the model has them.

A joint and its mimics are driven together, ``qdd_tree = S qdd``, ``effort = Sᵀ effort_tree``.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.dynamics.single_state.instant import Instant
from sim.dynamics.wrench import Acting
from sim.engines.contract import Engine
from sim.maths.arrays import Array, Mask
from sim.robots.robot import Robot


class EngineDynamics:
    """`sim.dynamics.hybrid.HybridDynamics` by an engine.

    Where a robot with mimics has loose joints, the engine evaluates the efforts of some
    accelerations, on which they depend linearly.

    Parameters
    ----------
    engine : Engine
        Its state changes with every call.
    robot : Robot, optional
        The robot with what it carries; the engine's own without it.
    carried : mapping of str to bool
        For links that are payloads whether they are carried.
    """

    def __init__(
        self, engine: Engine, robot: Robot | None = None, carried: Mapping[str, bool] | None = None
    ) -> None:
        self.engine = engine
        self.robot = engine.robot if robot is None else robot
        self.carried = {} if carried is None else dict(carried)
        self.gravity = engine.gravity
        self._is_plain = self.robot.is_plain

    def hybrid_dynamics(
        self, q: Array, qd: Array, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array]:
        """Complete accelerations and efforts, as `sim.dynamics.hybrid.HybridDynamics` has it.

        They are not a number where a state is none.
        """
        S, _ = self.robot.coupling
        self.engine.set_payloads(self.carried)
        qdd = np.where(held[:, None], qdd, 0.0)
        effort = np.where(held[:, None], 0.0, effort)
        q_tree, qd_tree = self.robot.on_tree(q, qd)
        if self._is_plain:
            return self.engine.hybrid_dynamics(q_tree, qd_tree, qdd, held, effort, wrenches)
        everything, nothing = np.ones(len(S), dtype=bool), np.zeros_like(q_tree)

        def efforts_at(qdd: Array) -> Array:
            efforts = self.engine.hybrid_dynamics(
                q_tree, qd_tree, S @ qdd, everything, nothing, wrenches
            )[1]
            return np.asarray(S.T @ efforts)

        efforts = efforts_at(qdd)
        loose = np.flatnonzero(~held)
        if loose.size:
            units = np.eye(held.size)[loose]
            M = np.stack([efforts_at(qdd + one[:, None]) - efforts for one in units], axis=1)
            sound = np.isfinite(efforts).all(axis=0)
            lacking = (effort - efforts)[loose]
            solved = np.full_like(lacking, np.nan)
            solved[:, sound] = np.linalg.solve(
                np.moveaxis(M[loose][:, :, sound], -1, 0), lacking[:, sound].T[:, :, None]
            )[:, :, 0].T
            qdd = qdd + units.T @ solved
            efforts = efforts_at(qdd)
        return qdd, np.where(held[:, None], efforts, effort)

    def at_instant(
        self, at: Instant, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array]:
        """Complete accelerations and efforts of one state; see `HybridDynamics`."""
        cases = effort.shape[1]
        if self._is_plain:
            self.engine.set_payloads(self.carried)
            state = (at.q, at.qd, qdd)
            q, qd, qdds = (
                x[:, None] if cases == 1 else np.repeat(x[:, None], cases, axis=1) for x in state
            )
            return self.engine.hybrid_dynamics(q, qd, qdds, held, effort, wrenches)
        q, qd, qdds = (np.repeat(x[:, None], cases, axis=1) for x in (at.q, at.qd, qdd))
        return self.hybrid_dynamics(q, qd, qdds, held, effort, wrenches)
