"""A sampled control loop: sensors, control law and the resulting motor torques.

At the instants k T a law receives the sensor values and its own state, and returns a command and
its next state. The command acts some whole samples later, within the limits of the motors, and is
held until the next one. All random numbers are a function of the seed and of k, so that engine and
model, each with its own copy of the loop, sense the same noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.dynamics.control_axes import ControlAxes, Side, has_encoder
from sim.errors import ScenarioError, SimError
from sim.maths.arrays import Array, Mask
from sim.maths.rotation_vectors import with_short_vectors
from sim.maths.samples import Sampled
from sim.robots.robot import Robot

StepRule = Literal["DOP853", "RK4"]


class Sensed(NamedTuple):
    """Inputs of a control law at a sample instant.

    Parameters
    ----------
    t, sample_time : float
        Sample instant, and interval between samples [s].
    q, qd : ndarray, shape (n,)
        Sensor values [rad or m], [rad/s or m/s]; read-only. For a joint with an elastic gear they
        are of one side, divided by N at the motor; for a ball exact rotation vector and angular
        rate.
    q_ref, qd_ref, qdd_ref : ndarray, shape (n,)
        Reference motion at the instant.
    """

    t: float
    sample_time: float
    q: Array
    qd: Array
    q_ref: Array
    qd_ref: Array
    qdd_ref: Array


# Sensed values, own state -> torques of the motors (n,) [N·m or N], next state.
Law = Callable[[Sensed, Any], tuple[Any, Any]]


class Memory(NamedTuple):
    """State of a loop between two samples.

    Parameters
    ----------
    state : object
        State of the law.
    q : ndarray, shape (n,), or None
        Positions sensed at the last sample.
    waiting : tuple of ndarray
        Delayed commands, the next one first.
    """

    state: Any
    q: Array | None
    waiting: tuple[Array, ...]


class Held(NamedTuple):
    """Values held from a sample instant to the next, each (n,).

    Parameters
    ----------
    q, qd : ndarray
        Sensed values.
    command : ndarray
        Acting command, before the motors' limits [N·m or N].
    tau : ndarray
        Torques within these limits.
    """

    q: Array
    qd: Array
    command: Array
    tau: Array


def sense_positions(q: Array, k: int, quantum: Array, noise: Array, seed: int) -> Array:
    """Return ``q + noise`` rounded to the encoders' steps, (n,), at sample k.

    The noise is made by ``Philox(key=seed, counter=k)``. A quantum of 0 is an exact sensor.
    """
    if noise.any():
        philox = np.random.Philox(key=seed, counter=[0, 0, 0, k])
        q = q + noise * np.random.Generator(philox).standard_normal(q.size)
    coarse = quantum > 0
    whole = np.where(coarse, quantum, 1.0)
    return np.where(coarse, np.round(q / whole) * whole, q)


class ControlLoop(Struct, frozen=True, eq=False, dict=True):
    """A law with its clock, sensors and motors: an `Actuation` whose state is the held torque.

    `sim.dynamics.sampled` changes that state at the sample instants; between them it is constant.

    Parameters
    ----------
    robot : Robot
    law : callable
        See `Law`.
    start_state : object
        State of the law at the first sample.
    sample_time : float
        T [s].
    delay : int
        Samples until a command acts; the torque is zero until the first does.
    quantum : ndarray, shape (n,)
        Steps of the sensors [rad or m], 0 for exact ones. Velocities are then differences of sensed
        positions, except at the first sample and for balls.
    noise : ndarray, shape (n,)
        Standard deviation of the positions [rad or m].
    seed : int
        Seed of the noise; sample k uses ``Philox(key=seed, counter=k)``.
    limits : ndarray, shape (n,)
        Largest torques of the motors [N·m or N]; infinite without a limit.
    reference : callable
        Times (N,) -> reference q, qd, qdd, (n, N) each.
    idle : ndarray of bool, shape (n,)
        Joints without a motor.
    rule : {"DOP853", "RK4"}
        Integration rule between samples.
    sensed_at : {"motor", "link"}
        Side of an elastic gear whose sensor the law receives.
    """

    robot: Robot
    law: Law
    start_state: Any
    sample_time: float
    delay: int
    quantum: Array
    noise: Array
    seed: int
    limits: Array
    reference: Callable[[Array], tuple[Array, Array, Array]]
    idle: Mask
    rule: StepRule = "DOP853"
    sensed_at: Side = "motor"
    hold: ClassVar[float | None] = None

    @cached_property
    def axes(self) -> ControlAxes:
        """Joints of the law."""
        return ControlAxes.of(self.robot, self.sensed_at)

    @property
    def idle_names(self) -> tuple[str, ...]:
        """Names of the joints without a motor, except those behind an elastic gear."""
        names = zip(self.axes.names, self.axes.has_no_motor(self.idle), strict=True)
        return tuple(name for name, is_idle in names if is_idle)

    @property
    def states(self) -> int:
        """Number of states: one held torque per joint."""
        return self.limits.size

    @property
    def start(self) -> Array:
        """Zero torque, shape (n,)."""
        return np.zeros(self.states)

    def __call__(self, t: Array, q: Array, qd: Array, z: Array) -> Array:
        """Return the held torques z, shape (n, N) [N·m or N]."""
        return z

    def rate(self, t: Array, q: Array, qd: Array, z: Array) -> Array:
        """Return zero rates between two samples, shape (n, N)."""
        return np.zeros_like(z)

    def sample(self, t: float, q: Array, qd: Array, z: Array) -> Array:
        """Return the torques held from this sample on, shape (n,)."""
        return z

    @property
    def has_exact_sensors(self) -> bool:
        """Whether the law receives the exact state."""
        return not (self.quantum.any() or self.noise.any())

    def memory(self) -> Memory:
        """Return the memory of a loop before its first sample."""
        return Memory(self.start_state, None, (np.zeros(self.states),) * self.delay)

    def advance(
        self, k: int, reference: tuple[Array, Array, Array], q: Array, qd: Array, memory: Memory
    ) -> tuple[Held, Memory]:
        """Return the values held from sample k on, and the memory for the next sample.

        Parameters
        ----------
        reference : tuple of ndarray, shape (n,)
            The reference at the sample.
        q, qd : ndarray, shape (n,)
            The state there.

        Raises
        ------
        ScenarioError
            If the law raises, or does not return torques; names sample, time and joint.
        """
        q_seen, qd_seen = self.sense(k, q, qd, memory.q)
        sensed = (self.axes.as_sensed(row) for row in (q_seen, qd_seen))
        inputs = (*sensed, *(self.axes.as_wanted(row) for row in reference))
        for row in inputs:
            row.flags.writeable = False
        command, state = self._command(k, Sensed(k * self.sample_time, self.sample_time, *inputs),
                                       memory.state)  # fmt: skip
        command = self.axes.at_motors(command)
        now, *waiting = (*memory.waiting, command)
        tau = np.clip(now, -self.limits, self.limits)
        return Held(q_seen, qd_seen, now, tau), Memory(state, q_seen, tuple(waiting))

    def sense(self, k: int, q: Array, qd: Array, before: Array | None) -> tuple[Array, Array]:
        """Return sensed positions and velocities at sample k, (n,) each.

        `before` holds the positions sensed last; None at the first sample.
        """
        q = with_short_vectors(self.robot.balls, q[:, None])[:, 0].copy()
        if self.has_exact_sensors:
            return q, qd.copy()
        q = sense_positions(q, k, self.quantum, self.noise, self.seed)
        if before is None:
            return q, qd.copy()
        return q, np.where(has_encoder(self.robot), (q - before) / self.sample_time, qd)

    def _command(self, k: int, sensed: Sensed, state: Any) -> tuple[Array, Any]:
        at = f"at sample {k}, t = {sensed.t:.6g} s"
        names, n = self.axes.names, len(self.axes.names)
        try:
            answer = self.law(sensed, state)
        except SimError as error:
            raise ScenarioError(f"Controller {at}: {error}") from error
        except Exception as error:  # any error of a user's function is reported with its sample
            kind = type(error).__name__
            raise ScenarioError(
                f"Controller {at}: the law of joints {', '.join(names)} raised {kind}: {error}"
            ) from error
        if not (isinstance(answer, tuple) and len(answer) == 2):
            raise ScenarioError(
                f"Controller {at}: a law returns (torques, next state), a tuple of two; it "
                f"returned a {type(answer).__name__}"
            )
        try:
            command = np.array(answer[0]).astype(np.float64, casting="safe")
        except (TypeError, ValueError):
            raise ScenarioError(
                f"Controller {at}: torques must be {n} numbers, one per joint "
                f"({', '.join(names)}); the law returned a {type(answer[0]).__name__}"
            ) from None
        if command.shape != (n,):
            raise ScenarioError(
                f"Controller {at}: torques must be {n} numbers, one per joint "
                f"({', '.join(names)}); the law returned an array of shape {command.shape}"
            )
        bad = np.flatnonzero(~np.isfinite(command))
        if bad.size:
            raise ScenarioError(
                f"Controller {at}: the torque of joint {names[bad[0]]!r} is "
                f"{command[bad[0]]}, which is not a finite number"
            )
        pushed = np.flatnonzero(self.axes.has_no_motor(self.idle) & (command != 0))
        if pushed.size:
            raise ScenarioError(
                f"Controller {at}: joint {names[pushed[0]]!r} is free and has no motor; its "
                f"torque must be 0, but the law returns {command[pushed[0]]:.6g}"
            )
        return command, answer[1]


@dataclass(frozen=True, eq=False)
class ControlLog(Sampled):
    """Log of a loop at the samples of a run; values are held between its instants.

    Parameters
    ----------
    q, qd, command : ndarray, shape (n, N)
        As in `Held`.
    q_ref, qd_ref : ndarray, shape (n, N)
        Reference at the samples themselves.
    saturated : ndarray of bool, shape (n, N)
        Whether a motor's limit cuts the command off.
    t_checked, errors : ndarray, shape (C,)
        Times of samples that were also integrated in two steps [s], and the largest difference of
        any position or velocity [rad, m, rad/s or m/s].
    controlled : int
        Number of steps of the error-controlled solver.
    """

    q: Array
    qd: Array
    command: Array
    q_ref: Array
    qd_ref: Array
    saturated: Mask
    t_checked: Array
    errors: Array
    controlled: int = 0

    def during(self, part: slice | NDArray[np.intp]) -> ControlLog:
        """Log at some of the samples."""
        names = "q", "qd", "command", "q_ref", "qd_ref", "saturated"
        return replace(self, **{name: getattr(self, name)[:, part] for name in names})
