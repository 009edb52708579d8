"""The response of the engine: accelerations of loose joints, motor efforts of held ones.

One step from (q, qd) obeys ``M (v_new - qd)/h + C qd + g = effort + Jᵀ F`` with all terms at
(q, qd), however long it is. So it tells the accelerations and efforts of the present state without
a discretisation error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from sim.dynamics.wrench import AppliedWrench, world_point
from sim.engine.bullet import UNLIMITED_EFFORT, Engine
from sim.engine.surroundings import Push, Surroundings
from sim.robots.model import Robot
from sim.spatial import Array, Mask

STEP = 1.0  # [s]; long, because a velocity's rounding is divided by it

# q, qd, qdd, effort of all tree joints and the number of the state -> qdd, effort
Probe = Callable[[Array, Array, Array, Array, int], tuple[Array, Array]]


class EngineResponse:
    """How a robot responds, by the engine.

    A joint and its mimics are driven together, ``qdd_tree = S qdd``, ``effort = Sᵀ effort_tree``;
    where such a robot has loose joints, the engine is asked for the efforts of some accelerations,
    on which they depend linearly.

    Parameters
    ----------
    engine : Engine
        Its step is changed, and its state with every question.
    robot : Robot, optional
        The robot with what it carries; the engine's own without it.
    carried : mapping of str to bool
        For links that are payloads whether they are carried.
    """

    def __init__(
        self,
        engine: Engine,
        robot: Robot | None = None,
        carried: Mapping[str, bool] | None = None,
    ) -> None:
        self.engine = engine
        self.robot = engine.robot if robot is None else robot
        self.carried = {} if carried is None else dict(carried)
        gx, gy, gz = (float(g) for g in engine.gravity)
        self.gravity = (gx, gy, gz)

    def respond(
        self,
        q: Array,
        qd: Array,
        qdd: Array,
        held: Mask,
        effort: Array,
        wrenches: Sequence[AppliedWrench] = (),
    ) -> tuple[Array, Array]:
        """Complete accelerations and efforts, as `sim.dynamics.response.Response` has it.

        They are not a number where a state is none: that would spoil the engine's world.
        """
        S, q_0 = self.robot.coupling
        qdd = np.where(held[:, None], qdd, 0.0)
        effort = np.where(held[:, None], 0.0, effort)
        states = np.stack([S @ q + q_0[:, None], S @ qd])
        plain = len(S) == len(S.T)
        probe = self._probe(q, held if plain else np.ones(len(S), dtype=bool), wrenches)
        ask = probe if plain else self._coupled(probe, held)
        for k in range(q.shape[1]):
            question = states[0, :, k], states[1, :, k], qdd[:, k], effort[:, k]
            if np.isfinite(np.concatenate(question)).all():
                qdd[:, k], effort[:, k] = ask(*question, k)
            else:
                qdd[:, k] = effort[:, k] = np.nan
        return qdd, effort

    def _coupled(self, probe: Probe, held: Mask) -> Probe:
        """A probe of the independent joints, from the efforts of some given accelerations."""
        S, _ = self.robot.coupling
        nothing, loose = np.zeros(len(S)), np.flatnonzero(~held)
        unit = np.eye(held.size)[loose]

        def ask(q: Array, qd: Array, qdd: Array, effort: Array, k: int) -> tuple[Array, Array]:
            def needed(qdd: Array) -> Array:
                return np.asarray(S.T @ probe(q, qd, S @ qdd, nothing, k)[1])

            found = needed(qdd)
            if loose.size:
                M = np.stack([needed(qdd + one) - found for one in unit], axis=1)
                qdd = qdd + np.linalg.solve(M[loose], (effort - found)[loose]) @ unit
                found = needed(qdd)
            return qdd, np.where(held, found, effort)

        return ask

    def _probe(self, q: Array, held: Mask, wrenches: Sequence[AppliedWrench]) -> Probe:
        """Set the engine up for some held tree joints, to be asked for N states by one step each.

        Neither the step nor the motors and masses that others have set are relied upon.
        """
        engine, client = self.engine, self.engine.client
        p, body, joints = engine.bullet, engine.body, engine.joints
        motors = [joint for joint, is_held in zip(joints, held, strict=True) if is_held]
        loose = [joint for joint, is_held in zip(joints, held, strict=True) if not is_held]
        unlimited = [UNLIMITED_EFFORT] * len(motors)
        before = self._before(q, wrenches)
        set_motors, velocity, torque = (
            p.setJointMotorControlArray,
            p.VELOCITY_CONTROL,
            p.TORQUE_CONTROL,
        )
        engine.set_step(STEP)
        for link, is_carried in self.carried.items():
            engine.weigh(link, has_mass=is_carried)
        if loose:
            off = [0.0] * len(loose)
            set_motors(body, loose, velocity, forces=off, physicsClientId=client)

        def probe(q: Array, qd: Array, qdd: Array, effort: Array, k: int) -> tuple[Array, Array]:
            engine.reset(q.tolist(), qd.tolist())
            if motors:
                set_motors(
                    body,
                    motors,
                    velocity,
                    targetVelocities=(qd + STEP * qdd)[held].tolist(),
                    forces=unlimited,
                    physicsClientId=client,
                )
            if loose:
                torques = effort[~held].tolist()
                set_motors(body, loose, torque, forces=torques, physicsClientId=client)
            if before is not None:
                before(k)
            p.stepSimulation(client)
            states = p.getJointStates(body, joints, client)
            reached, motor = np.array([(s[1], s[3]) for s in states]).T
            return np.where(held, qdd, (reached - qd) / STEP), np.where(held, motor, effort)

        return probe

    def _before(self, q: Array, wrenches: Sequence[AppliedWrench]) -> Callable[[int], None] | None:
        """What must be done to the engine right before it steps from a state."""
        N = q.shape[1]
        pushes = [
            Push(
                wrench.link,
                world_point(self.robot, q, wrench),
                np.broadcast_to(wrench.force, (3, N)),
                np.broadcast_to(wrench.torque, (3, N)),
            )
            for wrench in wrenches
            if wrench.link in self.engine.link_index  # the base does not move
        ]
        return Surroundings(lambda t: pushes).before(self.engine, np.zeros(N)) if pushes else None
