"""How fast the state of free joints changes, one state at a time: what a solver asks for.

The same balance as `sim.dynamics.equations_of_motion`, which does many states at once and is asked
where this one does not know the friction.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.dynamics.equations_of_motion import Mechanism, Modes
from sim.dynamics.friction import needs_reaction
from sim.dynamics.instant import Instant
from sim.dynamics.load_dependent_friction import joint_limit
from sim.dynamics.one_state_friction import OneStateFriction
from sim.dynamics.wrench import Acting, joint_torque
from sim.maths.arrays import Array
from sim.robots.robot import Robot

# Time and state of the free joints with the works -> its rate.
Rate = Callable[[float, Array], Array]


def rate_of(mechanism: Mechanism, modes: Modes) -> Rate:
    """The rate of q and qd of the free joints and of the works, in constant modes."""
    return _OneState(mechanism, modes) if _is_simple(mechanism) else by_batch(mechanism, modes)


def by_batch(mechanism: Mechanism, modes: Modes) -> Rate:
    """The same by `Mechanism.at`, whatever rubs."""

    def rate(time: float, y: Array) -> Array:
        return mechanism.rate(np.array([time]), y[:, None], modes)[:, 0]

    return rate


def _is_simple(mechanism: Mechanism) -> bool:
    """No driven joint rubs by a law, and what follows its load is in a tree without mimics."""
    robot, free = mechanism.response.robot, mechanism.prescription.free
    S, _ = robot.coupling
    driven = (S != 0)[:, ~free].any(axis=1)
    laws = np.array([joint.friction_law is not None for joint in robot.tree_joints], dtype=bool)
    return not (laws & driven).any() and (_is_plain(robot) or not needs_reaction(robot))


def _is_plain(robot: Robot) -> bool:
    return len(robot.tree_joints) == len(robot.joint_names)


class _OneState:
    """The rate in constant modes of a mechanism that is simple."""

    def __init__(self, mechanism: Mechanism, modes: Modes) -> None:
        robot, path = mechanism.response.robot, mechanism.prescription
        S, _ = robot.coupling
        n = S.shape[1]
        self.mechanism, self.modes = mechanism, modes
        self.response, self.path, self.loads = mechanism.response, path, mechanism.loads
        self.driven = np.flatnonzero(~path.free)
        self.held = ~path.free | modes.stuck
        self.layout = mechanism.layout
        self.viscous = S.T @ (np.array([j.damping for j in robot.tree_joints])[:, None] * S)
        self.coulomb = np.array([j.friction for j in robot.tree_joints])
        self.still, self.dry = np.zeros(n), np.zeros(n)
        self.following: OneStateFriction | None = None
        if needs_reaction(robot):
            sliding = OneStateFriction.of(robot, modes.slide)
            self.dry[sliding.joints] = sliding.sense * sliding.steady
            if sliding.following.size:
                self.following = sliding
        else:
            self.dry = modes.slide * joint_limit(robot, np.zeros((len(S), 1)), None)[:, 0]

    def __call__(self, time: float, y: Array) -> Array:
        time = min(time, self.mechanism.until)
        q, qd, qdd = self._state(time, y)
        friction = self.viscous @ qd
        motor, acting, wrenches, rates = self._acting(time, q, qd, y)
        given = motor + acting - friction
        at = Instant(self.response.robot, self.response.gravity, q, qd)
        if self.following is None:
            answer = self.response.at_instant(
                at, qdd, self.held, (given - self.dry)[:, None], wrenches
            )
            qdd, effort, dry = answer[0][:, 0], answer[1][:, 0], self.dry
        else:
            fitted = None
            if not wrenches:
                fitted = self.following.answer(self.response, at, qdd, self.held, given)
            if fitted is None:
                return by_batch(self.mechanism, self.modes)(time, y)
            qdd, effort, dry = fitted
        friction += dry
        layout = self.layout
        result = np.empty(layout.size)
        result[layout.q] = y[layout.qd]
        result[layout.elements], result[layout.actuators] = rates
        if self.driven.size:
            S, _ = self.response.robot.coupling
            rubbing = S.T @ (self.coulomb * np.sign(S @ qd))
            friction[self.driven] += rubbing[self.driven]
            motor = motor.copy()
            motor[self.driven] = (effort - acting + friction)[self.driven]
            qdd = qdd[self.path.free]
        result[layout.qd] = qdd
        np.multiply(motor, qd, out=result[layout.motor_work])
        np.multiply(friction, qd, out=result[layout.friction_loss])
        result[layout.external_work] = acting @ qd
        if wrenches:
            result[layout.external_work] += (
                joint_torque(self.response.robot, q[:, None], wrenches)[:, 0] @ qd
            )
        return result

    def _state(self, time: float, y: Array) -> tuple[Array, Array, Array]:
        """Positions, velocities and given accelerations of all joints."""
        q, qd, free = y[self.layout.q], y[self.layout.qd], self.path.free
        if not self.driven.size:
            return q, qd, self.still
        rows = np.array([x[:, 0] for x in self.path.motion(np.array([time]))])
        rows[0, free], rows[1, free], rows[2, free] = q, qd, 0.0
        return rows[0], rows[1], rows[2]

    def _acting(
        self, time: float, q: Array, qd: Array, y: Array
    ) -> tuple[Array, Array, Acting, tuple[Array, Array]]:
        """Torques of motors and of loads on the joints, wrenches, rates of state variables."""
        motor, acting = self.still, self.still
        wrenches: Acting = ()
        elements, actuators = y[self.layout.elements], y[self.layout.actuators]
        here = np.array([time]), q[:, None], qd[:, None]
        if (actuation := self.path.actuation) is not None:
            z = actuators[:, None]
            motor, actuators = actuation(*here, z)[:, 0], actuation.rate(*here, z)[:, 0]
        if self.loads is not None:
            z = elements[:, None]
            torques, wrenches = self.loads(*here, z)
            acting, elements = torques[:, 0], self.loads.rate(*here, z)[:, 0]
        return motor, acting, wrenches, (elements, actuators)
