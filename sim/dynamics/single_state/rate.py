"""Rate of the solver's state at one state: the equations of motion as a solver evaluates them.

`sim.dynamics.equations_of_motion` has the same balance for many states at once, and is used if no
friction is found here. The innermost part, from torques to accelerations, is NumPy's here, or
machine code: `sim.dynamics.single_state.machine_code`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.dynamics.element_sum import ElementSum
from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.friction import needs_reaction
from sim.dynamics.hybrid import ExtendedDynamics, HoldingDynamics, LagrangianDynamics
from sim.dynamics.single_state.hybrid_equations import HybridEquations, StateEquations
from sim.dynamics.single_state.machine_code import MachineEquations, evaluates, motor_laws
from sim.dynamics.single_state.switch import is_on
from sim.dynamics.single_state.system import machine_loads
from sim.dynamics.wrench import Acting
from sim.maths.arrays import Array
from sim.robots.actuation import Actuation, TorqueOverTime

# Time and state of the free joints with the works -> rate of that state.
Rate = Callable[[float, Array], Array]


def rate_of(mechanism: Mechanism, modes: FrictionModes) -> Rate:
    """Return the rate of q and qd of the free joints and of the works, in constant modes.

    The batch version is used, even for one state, if friction in closed loops holds joints, or
    depends on loads in a robot with followers or with contacts that stick.
    """
    robot = mechanism.dynamics.robot
    if isinstance(mechanism.dynamics, HoldingDynamics) and needs_reaction(robot):
        return by_batch(mechanism, modes)
    if mechanism.rough_loops is not None and (
        modes.stuck.any() or (needs_reaction(robot) and not robot.is_plain)
    ):
        return by_batch(mechanism, modes)
    equations: StateEquations
    if evaluates(mechanism):
        equations = MachineEquations(mechanism, modes)
    else:
        equations = HybridEquations(mechanism, modes)
    return SingleStateRate(mechanism, modes, equations)


def by_batch(mechanism: Mechanism, modes: FrictionModes) -> Rate:
    """Return the rate by `Mechanism.at`, with any friction."""

    def rate(time: float, y: Array) -> Array:
        return mechanism.rate(np.array([time]), y[:, None], modes)[:, 0]

    return rate


def _takes_torques(mechanism: Mechanism) -> bool:
    """Whether a wrench may be replaced by its generalised forces.

    That holds for the model, but not for an engine, which must compute them itself, and not if
    friction depends on the joints' loads.
    """
    dynamics = mechanism.dynamics
    while isinstance(dynamics, ExtendedDynamics):
        dynamics = dynamics.tree
    return type(dynamics) is LagrangianDynamics and not needs_reaction(dynamics.robot)


class SingleStateRate:
    """The rate of a mechanism without special cases, in constant modes."""

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
        self.is_idle = None if self.between is None else self.between.is_idle
        self.counts_angles = self.between is not None and self.between.rates.size > 0
        self.rest: ElementSum | None = self.loads if markers is None else markers.rest
        # Differs from the sum of its elements by rounding, like machine code.
        self.linear = self.rest.linear if is_on() and self.rest is not None else None
        self.laws = motor_laws(mechanism)
        self.is_worth_torques = _takes_torques(mechanism)
        # Values at the times of the current step: motor torques, and prescribed q, qd, qdd.
        self.ahead: dict[float, Array] = {}
        self.driven_at: dict[float, Array] = {}

    def __call__(self, time: float, y: Array) -> Array:
        """Return dy/dt, shape (size,)."""
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
        if self.loads is not None and (self.is_idle is None or not self.is_idle(q)):
            acting, wrenches, pushed = self._evaluate_loads(time, q, qd, y, result)
        if self.equations(q, qd, qdd, motor, acting, wrenches, pushed, result):
            return result
        return by_batch(self.mechanism, self.modes)(time, y)

    def spare_friction(self, t: Array, y: Array) -> Array | None:
        """Return what is left of the dry friction that holds stuck joints, (n, N) [N·m or N].

        None if the equations do not compute it. `y` (size, N) are states at times t (N,).
        """
        spare, result = self.equations.spare, np.empty((self.still.size, t.size))
        if spare is None:
            return None
        self.prepare(t)
        for k in range(t.size):
            spare[:] = np.nan
            self(t[k], y[:, k])
            result[:, k] = spare
        return None if np.isnan(result[self.modes.stuck]).any() else result

    def prepare(self, times: Array) -> None:
        """Evaluate functions of time for all times of a step at once, beside machine code."""
        if not is_on():
            return
        actuation, times = self.path.actuation, np.minimum(times, self.until)
        if isinstance(actuation, TorqueOverTime):
            torques = np.ascontiguousarray(actuation.torque(times).T)
            self.ahead = dict(zip(times.tolist(), torques, strict=True))
        if not self.is_all_free:
            rows = np.ascontiguousarray(np.stack(self.path.motion(times)).transpose(2, 0, 1))
            self.driven_at = dict(zip(times.tolist(), rows, strict=True))

    def _motion(self, time: float, y: Array) -> tuple[Array, Array, Array]:
        """Return positions, velocities and given accelerations of all joints."""
        free, rows = self.path.free, self.driven_at.get(time)
        if rows is None:
            rows = np.stack(self.path.motion(np.array([time])))[..., 0]
        rows[0, free], rows[1, free], rows[2, free] = y[self.q], y[self.qd], 0.0
        return rows[0], rows[1], rows[2]

    def positions(self, time: float, y: Array) -> tuple[Array, Array]:
        """Return positions and velocities (n,) of all joints."""
        if self.is_all_free:
            return y[self.q], y[self.qd]
        q, qd, _ = self._motion(min(time, self.until), y)
        return q, qd

    def _evaluate_motors(
        self, actuation: Actuation, time: float, q: Array, qd: Array, y: Array, result: Array
    ) -> Array:
        """Return the motor torques; rates of their states are written to `result`."""
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
        """Return torques of loads, wrenches and, if known, their generalised forces at the joints.

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
            else:  # NumPy raises the error
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
        if self.is_worth_torques and not wrenches:
            return acting, (), between.torque
        if self.is_worth_torques:
            return acting + between.torque, wrenches, None
        if not wrenches:
            return acting, between.acting, between.torque
        return acting, (*wrenches, *between.acting), None
