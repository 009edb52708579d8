"""Rate of the solver's state at one state: the equations of motion as a solver evaluates them.

The same balance as `sim.dynamics.equations_of_motion`, which does many states at once and is used
where no friction is found here. The innermost part, from torques to accelerations, is NumPy's here,
or machine code: `sim.dynamics.single_state.machine_code`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from sim.dynamics.constrained_dynamics import ConstrainedDynamics
from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.friction import dry_joints, needs_reaction, viscous_matrix
from sim.dynamics.gear_mesh import LossyGears
from sim.dynamics.hybrid import HybridDynamics, LagrangianDynamics
from sim.dynamics.loads import Loads
from sim.dynamics.single_state.friction import OneStateFriction
from sim.dynamics.single_state.instant import Instant
from sim.dynamics.single_state.machine_code import (
    MachineEquations,
    motor_laws,
    supports,
)
from sim.dynamics.single_state.machine_instant import MachineInstant
from sim.dynamics.single_state.switch import is_on
from sim.dynamics.single_state.system import machine_loads
from sim.dynamics.wrench import Acting, joint_torque
from sim.maths.arrays import Array
from sim.maths.rotation_vectors import position_rates
from sim.robots.actuation import Actuation, TorqueOverTime
from sim.robots.friction_surface import friction_surfaces

# Time and state of the free joints with the works -> its rate.
Rate = Callable[[float, Array], Array]


class StateEquations(Protocol):
    """The equations of motion at one state, in constant modes."""

    def __call__(
        self,
        q: Array,
        qd: Array,
        qdd: Array,
        motor: Array,
        acting: Array,
        wrenches: Acting,
        pushed: Array | None,
        result: Array,
    ) -> bool:
        """Fill in the rates of q and qd of the free joints and of the works.

        Parameters
        ----------
        q, qd : ndarray, shape (n,)
        qdd : ndarray, shape (n,)
            Of held joints.
        motor, acting : ndarray, shape (n,)
            Torques of the motors of free joints, and of the loads [N·m or N].
        wrenches : sequence of AppliedWrench
        pushed : ndarray, shape (n,), or None
            What the wrenches are worth at the joints, if that is known [N·m or N].
        result : ndarray, shape (size,)
            Rate of the solver's state.

        Returns
        -------
        bool
            False if no friction is found.
        """
        ...


def rate_of(mechanism: Mechanism, modes: FrictionModes) -> Rate:
    """The rate of q and qd of the free joints and of the works, in constant modes."""
    is_held_in_loops = mechanism.has_rough_loops and bool(modes.stuck.any())
    if is_held_in_loops or not _is_simple(mechanism):
        return by_batch(mechanism, modes)
    equations: StateEquations
    trains = mechanism.trains
    loses = trains is not None and bool((trains.has_losses & (modes.slide != 0)).any())
    if supports(mechanism) and not loses:
        equations = MachineEquations(mechanism, modes)
    else:
        sliding = OneStateFriction.of(mechanism.dynamics.robot, modes.slide)
        equations = _Equations(mechanism, modes, sliding)
    return SingleStateRate(mechanism, modes, equations)


def by_batch(mechanism: Mechanism, modes: FrictionModes) -> Rate:
    """Rate by `Mechanism.at`, with any friction."""

    def rate(time: float, y: Array) -> Array:
        return mechanism.rate(np.array([time]), y[:, None], modes)[:, 0]

    return rate


def _takes_torques(mechanism: Mechanism) -> bool:
    """Whether a wrench may be given as its generalised forces.

    To the model, for which it is nothing else; not to an engine, which shall find them by itself,
    and not where friction follows what joints carry.
    """
    dynamics = mechanism.dynamics
    tree = dynamics.tree if isinstance(dynamics, ConstrainedDynamics) else dynamics
    return type(tree) is LagrangianDynamics and not needs_reaction(dynamics.robot)


def _is_simple(mechanism: Mechanism) -> bool:
    """No driven joint rubs by a law, and what follows its load is in a tree without mimics.

    Nor does a gear lose a part of its torque where friction follows a load, or the motor of a
    driven joint rub each way, or a motor with joints of closed loops, or a ball or a sleeve rub.
    """
    robot, free = mechanism.dynamics.robot, mechanism.prescription.free
    S, _ = robot.coupling
    driven = (S != 0)[:, ~free].any(axis=1)
    if friction_surfaces(robot):
        return False
    if mechanism.has_rough_loops and (needs_reaction(robot) or not _slides_alone(mechanism)):
        return False
    laws = np.array([joint.friction_law is not None for joint in robot.tree_row_joints], dtype=bool)
    is_plain = robot.is_plain
    if (trains := mechanism.trains) is not None and (
        (trains.is_lossy.any() and needs_reaction(robot))
        or (trains.is_dry & ~free).any()
        or (trains.is_dry.any() and mechanism.has_rough_loops)
    ):
        return False
    return not (laws & driven).any() and (is_plain or not needs_reaction(robot))


def _slides_alone(mechanism: Mechanism) -> bool:
    """No joint in loops has dry friction and is taken along by a driven one."""
    S, _ = mechanism.dynamics.robot.coupling
    is_dry = dry_joints(mechanism.dynamics.robot)
    return not (is_dry & ~(S != 0)[:, mechanism.has_dry_friction].any(axis=1)).any()


class SingleStateRate:
    """The rate in constant modes of a mechanism that is simple."""

    def __init__(
        self, mechanism: Mechanism, modes: FrictionModes, equations: StateEquations
    ) -> None:
        self.mechanism, self.modes, self.equations = mechanism, modes, equations
        self.path, self.loads, self.until = (
            mechanism.prescription, mechanism.loads, mechanism.until,
        )  # fmt: skip
        self.layout = mechanism.layout
        self.size, self.q, self.qd = self.layout.size, self.layout.q, self.layout.qd
        self.is_all_free, self.still = bool(self.path.free.all()), np.zeros(self.path.free.size)
        markers = machine_loads(mechanism)
        self.between = None if markers is None else markers.workspace()
        self.counts_angles = self.between is not None and self.between.rates.size > 0
        self.rest: Loads | None = self.loads if markers is None else markers.rest
        # which differs from the sum of its elements by rounding, as machine code does
        self.linear = self.rest.linear if is_on() and self.rest is not None else None
        self.laws = motor_laws(mechanism)
        self.is_worth_torques = _takes_torques(mechanism)
        # at the times of the present step: torques of motors, and q, qd, qdd as they are prescribed
        self.ahead: dict[float, Array] = {}
        self.given: dict[float, Array] = {}

    def __call__(self, time: float, y: Array) -> Array:
        """dy/dt, shape (size,)."""
        time = min(time, self.until)
        if self.is_all_free:
            q, qd, qdd = y[self.q], y[self.qd], self.still
        else:
            q, qd, qdd = self._motion(time, y)
        result = np.empty(self.size)
        motor, acting = self.still, self.still
        wrenches: Acting = ()
        pushed: Array | None = None
        if self.path.actuation is not None:
            motor = self._evaluate_motors(self.path.actuation, time, q, qd, y, result)
        if self.loads is not None:
            acting, wrenches, pushed = self._evaluate_loads(time, q, qd, y, result)
        if self.equations(q, qd, qdd, motor, acting, wrenches, pushed, result):
            return result
        return by_batch(self.mechanism, self.modes)(time, y)

    def prepare(self, times: Array) -> None:
        """Evaluate functions of time at once for the times of a step, next to machine code."""
        if not is_on():
            return
        actuation, times = self.path.actuation, np.minimum(times, self.until)
        if isinstance(actuation, TorqueOverTime):
            torques = np.ascontiguousarray(actuation.torque(times).T)
            self.ahead = dict(zip(times.tolist(), torques, strict=True))
        if not self.is_all_free:
            rows = np.ascontiguousarray(np.stack(self.path.motion(times)).transpose(2, 0, 1))
            self.given = dict(zip(times.tolist(), rows, strict=True))

    def _motion(self, time: float, y: Array) -> tuple[Array, Array, Array]:
        """Positions, velocities and given accelerations of all joints."""
        free, rows = self.path.free, self.given.get(time)
        if rows is None:
            rows = np.stack(self.path.motion(np.array([time])))[..., 0]
        rows[0, free], rows[1, free], rows[2, free] = y[self.q], y[self.qd], 0.0
        return rows[0], rows[1], rows[2]

    def _evaluate_motors(
        self, actuation: Actuation, time: float, q: Array, qd: Array, y: Array, result: Array
    ) -> Array:
        """Torques of motors; rates of their states are written to `result`."""
        rows, z = self.layout.actuators, self.mechanism.motor_states(y)
        outputs = None if self.laws is None else self.laws.at(time, q, qd, z)
        if outputs is not None:
            motor, result[rows] = outputs
            return motor
        prepared = self.ahead.get(time)
        if prepared is not None and not actuation.states:
            return prepared
        here = np.array([time]), q[:, None], qd[:, None], z[:, None]
        if actuation.states:
            result[rows] = actuation.rate(*here)[:, 0]
        return actuation(*here)[:, 0] if prepared is None else prepared

    def _evaluate_loads(
        self, time: float, q: Array, qd: Array, y: Array, result: Array
    ) -> tuple[Array, Acting, Array | None]:
        """Torques of loads, wrenches and, if known, their generalised forces at the joints.

        Rates of state variables are written to `result`.
        """
        acting, rows = self.still, self.layout.elements
        wrenches: Acting = ()
        loads, between = self.loads, self.between
        if between is not None:
            counts = self.counts_angles
            if between.fill(time, q, qd, y[rows]):
                loads = self.rest
                if counts:
                    result[rows] = between.rates
            else:  # NumPy says why
                between = None
        if self.linear is not None and loads is self.rest:
            acting = self.linear.at_zero - self.linear.stiffness @ q - self.linear.damping @ qd
        elif loads is not None:
            here = np.array([time]), q[:, None], qd[:, None], y[rows, None]
            torques, wrenches = loads(*here)
            acting = torques[:, 0]
            if loads.states:
                result[rows] = loads.rate(*here)[:, 0]
        if between is None:
            return acting, wrenches, None
        if self.is_worth_torques:
            return acting + between.torque, wrenches, None
        if not wrenches:
            return acting, between.acting, between.torque
        return acting, (*wrenches, *between.acting), None


class _Equations:
    """`StateEquations` by NumPy, over any `HybridDynamics`."""

    def __init__(
        self, mechanism: Mechanism, modes: FrictionModes, sliding: OneStateFriction
    ) -> None:
        robot, self.free = mechanism.dynamics.robot, mechanism.prescription.free
        self.dynamics: HybridDynamics = mechanism.dynamics
        self.layout, self.sliding = mechanism.layout, sliding
        is_model = type(self.dynamics) is LagrangianDynamics
        self.instant = Instant if is_model or not is_on() else MachineInstant
        S, _ = robot.coupling
        self.driven, self.held = np.flatnonzero(~self.free), ~self.free | modes.stuck
        self.viscous = viscous_matrix(robot)
        self.coulomb = np.array([j.friction for j in robot.tree_row_joints])
        self.dry = np.zeros(S.shape[1])
        self.dry[sliding.joints] = sliding.sense * sliding.steady
        self.gears = LossyGears.of(mechanism.trains, modes.slide)
        trains = mechanism.trains
        is_elastic = trains is not None and bool((trains.has_losses & trains.is_elastic).any())
        self.elastic, self.slide = trains if is_elastic else None, modes.slide

    def __call__(
        self,
        q: Array,
        qd: Array,
        qdd: Array,
        motor: Array,
        acting: Array,
        wrenches: Acting,
        pushed: Array | None,
        result: Array,
    ) -> bool:
        robot, layout = self.dynamics.robot, self.layout
        friction = self.viscous @ qd
        if self.elastic is not None:
            friction += self.elastic.known_mesh(acting[:, None], self.slide[:, None])[:, 0]
        smooth_effort = motor + acting - friction
        at = self.instant(robot, self.dynamics.gravity, q, qd)
        if not self.sliding.following.size:
            efforts, dry = (smooth_effort - self.dry)[:, None], self.dry
            if self.gears is None:
                answer = self.dynamics.at_instant(at, qdd, self.held, efforts, wrenches)
                qdd, effort = answer[0][:, 0], answer[1][:, 0]
            else:
                cases = efforts + self.gears.units
                answer = self.dynamics.at_instant(at, qdd, self.held, cases, wrenches)
                qdd, effort, mesh = self.gears.solve(*answer, motor, qd)
                dry = dry + mesh
        else:
            fitted = None
            if not wrenches:
                fitted = self.sliding.answer(self.dynamics, at, qdd, self.held, smooth_effort)
            if fitted is None:
                return False
            qdd, effort, dry = fitted
        friction += dry
        rates = qd
        if robot.balls:
            rates = position_rates(robot.balls, q[:, None], qd[:, None])[:, 0]
        result[layout.q] = rates if not self.driven.size else rates[self.free]
        if self.driven.size:
            S, _ = robot.coupling
            rubbing = S.T @ (self.coulomb * np.sign(S @ qd))
            friction[self.driven] += rubbing[self.driven]
            motor = motor.copy()
            motor[self.driven] = (effort - acting + friction)[self.driven]
            qdd = qdd[self.free]
        result[layout.qd] = qdd
        np.multiply(motor, qd, out=result[layout.motor_work])
        np.multiply(friction, qd, out=result[layout.friction_loss])
        external = acting @ qd
        if wrenches:
            if pushed is None:
                pushed = joint_torque(robot, q[:, None], wrenches)[:, 0]
            external += pushed @ qd
        result[layout.external_work] = external
        return True
