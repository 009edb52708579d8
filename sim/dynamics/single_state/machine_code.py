"""Equations of motion in machine code, where numba is installed.

They support every mechanism of `sim.dynamics.single_state.rate`, and SciPy's solver uses them in
place of NumPy's. A robot without mimics whose joints are all free, under gravity, friction, joint
springs and motor torques over time, is integrated entirely in machine code; the torques are
evaluated in advance, as Chebyshev series. The results differ from NumPy's by rounding, which the
solver's tolerance bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from sim.dynamics.contact_pairs import pairs_of
from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.friction import needs_reaction
from sim.dynamics.hybrid import LagrangianDynamics
from sim.dynamics.single_state.switch import is_on
from sim.dynamics.single_state.system import (
    NO_MOTORS,
    applying,
    linear_and_between_markers,
    linear_elements,
    machine_loads,
    motors_over_time,
    system_of,
    unforced_system,
)
from sim.dynamics.smooth_pieces import MotionSegment, SmoothPiece
from sim.dynamics.stiff_motion import Pace
from sim.dynamics.wrench import Acting, joint_torque
from sim.maths.arrays import Array, Mask
from sim.robots.actuation import TorqueOverTime, WrittenActuation
from sim.robots.friction_surface import friction_surfaces

if TYPE_CHECKING:
    from sim.dynamics.single_state.motor_laws import MotorLaws


STEPS = 200  # steps between two reports of progress; a few milliseconds
CREEPING = 1e-8  # relative to the longest step; `STEPS` steps of less in total make no progress


def is_stalled(passed: float, longest_step: float) -> bool:
    """Whether a solver makes no progress, whose last `STEPS` steps took this time [s]."""
    return passed < CREEPING * longest_step


def supports(mechanism: Mechanism) -> bool:
    """Whether the equations of motion of a mechanism are evaluated in machine code.

    For a single joint NumPy is as fast as loading machine code, unless forces between markers load
    it anyway.
    """
    response = mechanism.dynamics
    is_model = type(response) is LagrangianDynamics
    robot = response.robot
    is_known = robot.is_plain or not robot.ball_names
    is_worth_it = len(robot.tree_coordinates) > 1 or machine_loads(mechanism) is not None
    return is_on() and is_model and is_known and is_worth_it


def evaluates(mechanism: Mechanism) -> bool:
    """Whether machine code supports the rate of a mechanism, with all of its friction.

    Unsupported: friction of balls and sleeves.
    """
    return supports(mechanism) and not friction_surfaces(mechanism.dynamics.robot)


def motor_laws(mechanism: Mechanism) -> MotorLaws | None:
    """Return the motors' laws in machine code; None without laws, or if they call Python."""
    actuation = mechanism.prescription.actuation
    if not (is_on() and isinstance(actuation, WrittenActuation)):
        return None
    from sim.dynamics.single_state.motor_laws import MotorLaws
    from sim.dynamics.single_state.program_table import python_function_of

    laws = *actuation.torque_laws, *actuation.rate_laws
    if any(python_function_of([law.expression.tree], law.names) for law in laws):
        return None
    return MotorLaws(mechanism.dynamics.robot, actuation)


def for_samples(mechanism: Mechanism, modes: FrictionModes) -> Mechanism:
    """Return the mechanism to evaluate at samples, in machine code if that supports it."""
    dynamics = mechanism.dynamics
    if supports(mechanism):
        robot, gravity = dynamics.robot, dynamics.gravity
        dynamics = MachineDynamics(robot, gravity, mechanism=mechanism, modes=modes)
    return replace(mechanism, dynamics=dynamics, until=np.inf)


class MachineEquations:
    """`single_state.rate.StateEquations` in machine code, over the Lagrangian model."""

    def __init__(self, mechanism: Mechanism, modes: FrictionModes) -> None:
        from sim.dynamics.kernels.joint_rates import rate

        self.robot, self.rate = mechanism.dynamics.robot, rate
        self.system = unforced_system(mechanism, modes)
        laws = self.system.friction, self.system.driven, self.system.stuck
        self.follows = any(one.rows.size for one in laws)
        self.spare: Array | None = self.system.joints.work.spare
        self.still = np.zeros(mechanism.layout.joints)

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
        """Compute rates at one state; see `sim.dynamics.single_state.rate.StateEquations`."""
        if pushed is None:
            pushed = (
                joint_torque(self.robot, q[:, None], wrenches)[:, 0] if wrenches else self.still
            )
        motor, acting, pushed = map(np.ascontiguousarray, (motor, acting, pushed))
        if not (wrenches and self.follows):
            return self.rate(self.system, q, qd, qdd, motor, acting, pushed, result)
        with applying(wrenches, self.system, self.robot, q):
            return self.rate(self.system, q, qd, qdd, motor, acting, pushed, result)


def _moves_freely(mechanism: Mechanism) -> bool:
    """Whether all joints are free, none follows another, and loads are linear.

    Besides the forces between markers.
    """
    loads, _ = linear_and_between_markers(mechanism)
    is_free = bool(mechanism.prescription.free.all())
    is_linear = loads is None or loads.linear is not None
    return is_free and is_linear and mechanism.dynamics.robot.is_plain


def can_march(mechanism: Mechanism) -> bool:
    """Whether the machine code has all that acts."""
    robot, actuation = mechanism.dynamics.robot, mechanism.prescription.actuation
    is_left_alone = actuation is None and mechanism.loads is None
    return (
        is_on()
        and type(mechanism.dynamics) is LagrangianDynamics
        and (is_left_alone or supports(mechanism))
        and not friction_surfaces(robot)
        and (actuation is None or isinstance(actuation, TorqueOverTime))
        and (machine_loads(mechanism) is None or not needs_reaction(robot))
        and _moves_freely(mechanism)
    )


def held_stepper(
    mechanism: Mechanism, modes: FrictionModes, rule: Array, weights: Array
) -> Callable[[Array, float, Array], bool] | None:
    """Return a function that takes a Runge-Kutta step with held motor torques, or None for NumPy.

    Its arguments are the state y (size,), which becomes that at the end, the length [s] and memory
    for the rates (s, size). It returns False if no friction satisfies its equations.

    Parameters
    ----------
    rule, weights : ndarray, shape (s, s), (s,)
    """
    loads, layout = mechanism.loads, mechanism.layout
    if not (
        evaluates(mechanism)
        and layout.actuators.stop - layout.actuators.start == layout.joints
        and machine_loads(mechanism) is None
        and _moves_freely(mechanism)
    ):
        return None
    from sim.dynamics.kernels.joint_rates import take_step

    system = system_of(mechanism, modes, *NO_MOTORS, *linear_elements(loads))
    rule, weights = np.ascontiguousarray(rule), np.ascontiguousarray(weights)

    at = np.empty(layout.size)

    def step(y: Array, h: float, K: Array) -> bool:
        K[:] = 0.0
        return bool(take_step(system, y, h, rule, weights, K, at))

    return step


def march(
    piece: SmoothPiece,
    modes: FrictionModes,
    begin: float,
    y: Array,
    step: float,
    limits: tuple[float, Array, float, int],
    gets_stiff: Callable[[float, float, Array], bool],
) -> MotionSegment | None:
    """Integrate in constant modes that it `can_march`, to the end or the first change of a mode.

    It also stops if the motion becomes stiff or shapes may touch. None if there are too many steps,
    or no step, friction or series of a torque is found: NumPy then continues, or raises the error.

    Parameters
    ----------
    y : ndarray, shape (size,)
        Solver's state at the beginning.
    step : float
        Length of the first step [s].
    limits : tuple
        Relative tolerance, absolute ones (size,), longest step [s], checks of the modes per step.
    gets_stiff : callable
        Called after each `STEPS` steps with the times before and after them [s] and the state
        (size,); returns whether another solver is better from there on.
    """
    from sim.dynamics.kernels import marching
    from sim.dynamics.single_state.far_apart import reserve_of

    mechanism, samples = piece.mechanism, piece.t[int(np.searchsorted(piece.t, begin)) :]
    motors = motors_over_time(mechanism, piece.begin, piece.end)
    if motors is None:
        return None
    loads, markers = linear_and_between_markers(mechanism)
    contacts = None if markers is None else markers.contacts
    elements = linear_elements(loads)
    system = system_of(mechanism, modes, *motors, *elements)
    joints = mechanism.dynamics.robot.coupling[0]
    none = np.zeros((0, len(joints)))
    pairs = pairs_of([], []) if contacts is None else contacts
    reserve = reserve_of(none if markers is None or contacts is None else markers.reach, joints)
    y, now = y.copy(), np.array([begin, step])
    speeds = np.tile([0.0, np.inf], (len(modes.slide), 1)) if modes.speeds is None else modes.speeds
    states, reached = np.empty((samples.size, y.size)), 0
    ended, pace = marching.PAUSED, Pace(begin)
    work = marching.march_work(system, pairs, reserve, y.size)
    while ended == marching.PAUSED:
        last = float(now[0])
        ended, before, changed = marching.march(
            system, pairs, reserve, work, y, now, piece.end, samples, states, reached, limits,
            speeds, STEPS
        )  # fmt: skip
        is_paused = ended == marching.PAUSED
        is_stopped = ended == marching.NEAR and float(now[0]) == begin
        if (
            ended == marching.FAILED
            or is_stopped
            or (is_paused and is_stalled(now[0] - last, limits[2]))
        ):
            return None
        if is_paused and pace.steps_left(STEPS, float(now[0]), piece.end) is not None:
            return None
        piece.report(before - reached)
        reached = before
        if is_paused and gets_stiff(last, float(now[0]), y.copy()):
            break
    leaving = int(changed) if ended == marching.CHANGED else None
    passed = samples[:reached], np.ascontiguousarray(states[:reached].T)
    return MotionSegment(modes, *passed, float(now[0]), y, float(now[1]), leaving)


@dataclass(frozen=True, eq=False)
class MachineDynamics(LagrangianDynamics):
    """`LagrangianDynamics` of a mechanism in constant modes, evaluated by the kernels.

    Parameters
    ----------
    mechanism : Mechanism
    modes : FrictionModes
    """

    mechanism: Mechanism = field(kw_only=True)
    modes: FrictionModes = field(kw_only=True)

    def hybrid_dynamics(
        self, q: Array, qd: Array, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array]:
        """Return complete accelerations and efforts; see `HybridDynamics`.

        Raises
        ------
        numpy.linalg.LinAlgError
            If the loose joints have no inertia.
        """
        from sim.dynamics.kernels.joint_rates import solve_states

        system, solved = unforced_system(self.mechanism, self.modes), None
        if np.array_equal(held, system.joints.held):
            pushed = joint_torque(self.robot, q, wrenches) if wrenches else np.zeros_like(q)
            rows = q, qd, np.where(held[:, None], qdd, 0.0), effort + pushed
            states = [np.array(x.T, order="C") for x in rows]
            solve_states(system.bodies, system.joints, *states)
            solved = states[2].T
        if solved is None or not np.isfinite(solved).all():  # NumPy raises the error
            return super().hybrid_dynamics(q, qd, qdd, held, effort, wrenches)
        return solved, np.where(held[:, None], states[3].T - pushed, effort)
