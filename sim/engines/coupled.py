"""Hybrid dynamics by an engine, with the joint couplings of the model.

A joint and its mimics are driven together, ``qdd_tree = S qdd``, ``effort = Sᵀ effort_tree``. The
engine includes rotors of drive trains if it supports them; otherwise their efforts are added.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.dynamics.hybrid import CORRECTED, MOST_QUESTIONS
from sim.dynamics.lagrange import mass_matrix
from sim.dynamics.single_state.instant import Instant
from sim.dynamics.single_state.machine_instant import instant_of
from sim.dynamics.wrench import Acting, joint_torque
from sim.engines.contract import Engine, Reflecting
from sim.errors import EngineError
from sim.maths.arrays import Array, Mask
from sim.robots.robot import Robot

SYMMETRIC = 1e-3  # allowed asymmetry, relative to the largest entry of a mass matrix


class EngineDynamics:
    """Implementation of `sim.dynamics.hybrid.HybridDynamics` by an engine.

    If a robot with mimics has loose joints, or one with rotors is in an engine without rotors, the
    engine evaluates the efforts of several accelerations, on which they depend linearly.

    Parameters
    ----------
    engine : Engine
        Its state changes with every call.
    robot : Robot, optional
        The robot with its payloads (default: the engine's own).
    carried : mapping of str to bool
        Whether each payload link is carried.
    """

    def __init__(
        self, engine: Engine, robot: Robot | None = None, carried: Mapping[str, bool] | None = None
    ) -> None:
        self.engine = engine
        self.robot = engine.robot if robot is None else robot
        self.carried = {} if carried is None else dict(carried)
        self.gravity = engine.gravity
        self._is_plain = self.robot.is_plain
        self._rotors: Array | None = None
        if self.robot.rotor_inertia.any():
            if self._is_plain and isinstance(engine, Reflecting):
                engine.set_rotor_inertia(self.robot.rotor_inertia)
            else:
                self._is_plain, self._rotors = False, self.robot.rotor_inertia[:, None]

    def hybrid_dynamics(
        self, q: Array, qd: Array, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array]:
        """Complete accelerations and efforts, see `sim.dynamics.hybrid.HybridDynamics`.

        They are NaN where a state is not finite.
        """
        self.engine.set_payloads(self.carried)
        qdd = np.where(held[:, None], qdd, 0.0)
        effort = np.where(held[:, None], 0.0, effort)
        q_tree, qd_tree = self.robot.on_tree(q, qd)
        if self._is_plain:
            return self.engine.hybrid_dynamics(q_tree, qd_tree, qdd, held, effort, wrenches)
        loose = np.flatnonzero(~held)
        if loose.size and np.isfinite([q, qd, qdd, effort]).all():
            M = np.moveaxis(mass_matrix(self.robot, q), -1, 0)
            solved_at_once = self._by_residual(q, qd, qdd, held, effort, wrenches, M)
            if solved_at_once is not None:
                return solved_at_once
        units = np.eye(held.size)[:, loose]
        trials = self._efforts(q_tree, qd_tree, qdd, np.insert(units, 0, 0.0, axis=1), wrenches)
        efforts = trials[:, 0]
        if loose.size:
            M = trials[:, 1:] - efforts[:, None]
            sound = np.isfinite(efforts).all(axis=0)
            lacking = (effort - efforts)[loose]
            solved = np.full_like(lacking, np.nan)
            self._require_symmetric(M[loose][:, :, sound])
            solved[:, sound] = np.linalg.solve(
                np.moveaxis(M[loose][:, :, sound], -1, 0), lacking[:, sound].T[:, :, None]
            )[:, :, 0].T
            qdd = qdd + units @ solved
            efforts = self._efforts(q_tree, qd_tree, qdd, 0.0 * units[:, :1], wrenches)[:, 0]
        return qdd, np.where(held[:, None], efforts, effort)

    def _require_symmetric(self, M: Array) -> None:
        """Check that the engine's mass matrices (k, k, N) are symmetric; raises EngineError.

        Results are arbitrary if links between held joints with a common axis have no mass.
        """
        astray = np.abs(M - M.swapaxes(0, 1)).max(initial=0.0)
        if astray > SYMMETRIC * np.abs(M).max(initial=0.0):
            names = ", ".join(repr(one.name) for one in self.robot.tree_joints if one.mimic)
            raise EngineError(
                f"{type(self.engine).__name__} cannot hold joints that follow others, {names}, "
                "where the links between them have no mass and their axes become collinear; "
                "choose another engine, such as --engine mujoco"
            )

    def _efforts(self, q: Array, qd: Array, qdd: Array, more: Array, wrenches: Acting) -> Array:
        """Return efforts of the independent joints at N states, (n, cases, N), all joints held.

        `q`, `qd` (n_tree, N) are those of the tree; `more` (n, cases) is added to `qdd` (n, N).
        """
        S, _ = self.robot.coupling
        (n, N), cases = qdd.shape, more.shape[1]
        every = (qdd[:, None] + more[:, :, None]).reshape(n, -1)
        q, qd = (x if cases == 1 else np.tile(x, cases) for x in (q, qd))
        everything, nothing = np.ones(len(S), dtype=bool), np.zeros_like(q)
        repeated = [wrench.repeat(cases) for wrench in wrenches]
        tree_efforts = self.engine.hybrid_dynamics(q, qd, S @ every, everything, nothing, repeated)[
            1
        ]
        tau = np.asarray(S.T @ tree_efforts)
        return (tau if self._rotors is None else tau + self._rotors * every).reshape(n, cases, N)

    def _by_residual(
        self, q: Array, qd: Array, qdd: Array, held: Mask, effort: Array, wrenches: Acting, M: Array
    ) -> tuple[Array, Array] | None:
        """Return accelerations and efforts at N states by two or three requests to the engine.

        The model's M (N, n, n) only serves to correct accelerations, whose accuracy is judged by
        the engine's efforts. None if this does not converge: then the engine's own M is determined.
        """
        loose = np.flatnonzero(~held)
        guess, none = np.where(held[:, None], qdd, 0.0), np.zeros((held.size, 1))
        q_tree, qd_tree = self.robot.on_tree(q, qd)
        columns = M[:, :, loose]
        for _ in range(MOST_QUESTIONS):
            needed = self._efforts(q_tree, qd_tree, guess, none, wrenches)[:, 0]
            lacking = (effort - needed)[loose].T[:, :, None]
            step = np.linalg.solve(columns[:, loose], lacking)
            guess[loose] += step[:, :, 0].T
            if np.max(np.abs(step)) <= CORRECTED * max(1.0, float(np.max(np.abs(guess)))):
                reached = needed + (columns @ step)[:, :, 0].T
                return guess, np.where(held[:, None], reached, effort)
        return None

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
        if not held.all():
            self.engine.set_payloads(self.carried)
            solved = self._from_model(at, qdd, held, effort, wrenches)
            if solved is not None:
                return solved
        q, qd, qdds = (np.repeat(x[:, None], cases, axis=1) for x in (at.q, at.qd, qdd))
        return self.hybrid_dynamics(q, qd, qdds, held, effort, wrenches)

    def _from_model(
        self, at: Instant, qdd: Array, held: Mask, effort: Array, wrenches: Acting
    ) -> tuple[Array, Array] | None:
        """Return `_by_residual` of one state under efforts (n, cases), from the model's results.

        These are so accurate that a single request to the engine corrects them.
        """
        here, loose = instant_of(self.robot, self.gravity, at.q, at.qd), ~held
        guess, none = np.where(held, qdd, 0.0)[:, None], np.zeros((held.size, 1))
        columns = here.M[:, loose]
        inverse = np.linalg.inv(columns[loose])
        needed = here.bias[:, None] + here.M @ guess
        if wrenches:
            needed -= joint_torque(self.robot, at.q[:, None], wrenches)
        guess = np.repeat(guess, effort.shape[1], axis=1)
        guess[loose] = inverse @ (effort - needed)[loose]
        state = (np.repeat(x[:, None], effort.shape[1], axis=1) for x in (at.q, at.qd))
        q, qd = self.robot.on_tree(*state)
        for _ in range(MOST_QUESTIONS):
            needed = self._efforts(q, qd, guess, none, wrenches)[:, 0]
            step = inverse @ (effort - needed)[loose]
            guess[loose] += step
            if np.abs(step).max() <= CORRECTED * max(1.0, float(np.abs(guess).max())):
                return guess, np.where(held[:, None], needed + columns @ step, effort)
        return None
