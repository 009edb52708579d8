"""Unknowns of a log as equations: parameters of an arm, or of its payload.

A task corrected for the delay of its torques and for an estimated direction of gravity.

Both are fitted with the parameters, as columns of the same equations: the time derivative of the
torques, and their change with a rotation of gravity. The result is corrected and fitted again until
it vanishes. The columns of the corrections stay in the fit, so that intervals include their
uncertainty.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import CubicSpline

from sim.curves.spectral_fit import Prior, SpectralFit
from sim.dynamics.inertial_parameters import inertial_parameters
from sim.dynamics.regressor import regressor
from sim.identification.equations import LogEquations
from sim.identification.gravity_direction import G, gravity_in_base, perpendiculars, rpy_of
from sim.identification.payload import PAYLOAD, payload_columns
from sim.identification.prior import are_possible, nearest_possible, possible_bodies, prior_of
from sim.identification.signals import LogSamples
from sim.identification.terms import TorqueTerms, friction_terms, rigid_columns, rotor_terms
from sim.maths.arrays import Array
from sim.robots.robot import Robot

UNTOLD = "not identifiable from this motion"
NEGATIVE = "negative beyond its interval, which is impossible: it compensates another parameter"

ROUNDS = 8
SURE = 2.0  # half widths: a delay of 0 is misjudged in one of 10 000 logs
SHORTEST = 0.25  # of a sample's step: time stamps are no better
SIGNS = 0.125  # of a sample's step; dry friction changes its sign somewhere between two samples
LEAVES = 0.97  # of the residual's RMS: a delay that leaves more explains nothing
LONGEST = 0.5  # [s]; the search does not work for longer delays
DONE = 1e-5  # [s] and [rad]


@dataclass(frozen=True, eq=False)
class Task:
    """Equations of the unknowns: inertial parameters first, then friction, then rotors.

    Columns after `end` are corrections of the log: they widen the intervals of the others, and are
    part of every fit.
    """

    equations: LogEquations
    friction: TorqueTerms
    rotors: TorqueTerms
    prior_theta: Array | None  # of the arm, if its inertias are identified

    @property
    def first(self) -> int:
        """Number of parameters before those of friction."""
        return len(PAYLOAD) if self.prior_theta is None else self.prior_theta.size

    @property
    def behind(self) -> int:
        """Number of parameters before the rotors."""
        return self.first + len(self.friction.names)

    @property
    def end(self) -> int:
        """Number of parameters without corrections."""
        return self.behind + len(self.rotors.names)


def arm_task(robot: Robot, samples: LogSamples, cutoff: float) -> Task:
    """Set up inertial parameters of the bodies, friction, and rotors in addition to the robot's."""
    friction, rotors = friction_terms(robot, samples), rotor_terms(robot, samples)
    Y = rigid_columns(robot, samples)
    columns = np.concatenate([rotors.columns, Y, friction.columns, rotors.columns], axis=1)
    theta = possible_bodies(inertial_parameters(robot))
    equations = LogEquations.of(samples, columns, cutoff).less(robot.rotor_inertia)
    return Task(equations, friction, rotors, theta)


def payload_task(robot: Robot, samples: LogSamples, cutoff: float) -> Task:
    """Set up ten parameters of a body at the tool, friction and rotors; the arm is its file's."""
    friction, rotors = friction_terms(robot, samples), rotor_terms(robot, samples)
    Y = rigid_columns(robot, samples)
    carried = payload_columns(robot, Y)
    known_columns = (Y, rotors.columns)
    columns = np.concatenate([*known_columns, carried, friction.columns, rotors.columns], axis=1)
    known = np.concatenate([inertial_parameters(robot), robot.rotor_inertia])
    return Task(LogEquations.of(samples, columns, cutoff).less(known), friction, rotors, None)


def fit_task(task: Task, columns: Sequence[int], until: float | None = None) -> SpectralFit:
    """Fit some of the columns, with possible inertias drawn to those of the file."""
    first = task.first
    prior: Prior | None = None
    if task.prior_theta is not None:
        prior = prior_of(task.prior_theta, len(columns) - first)
    fit = task.equations.with_columns(columns).fit(prior, until)
    if prior is None or task.prior_theta is None or are_possible(fit.x[:first]):
        return fit
    x = nearest_possible(fit.rows, fit.right, prior, task.prior_theta)
    return SpectralFit(
        x, fit.half_width, fit.covariance, fit.rows, fit.right, fit.quantile, fit.bins
    )


def fit_friction(
    task: Task, rotors: Sequence[int] = ()
) -> tuple[list[int], SpectralFit, dict[str, str]]:
    """Fit without impossible friction; return columns, fit, and reasons for unidentified ones.

    Of columns of a joint that only their sum identifies, as dry friction and offset of one that
    never reverses, one stays in the fit. ``rotors`` are further columns, dropped if negative.
    """
    first, names = task.first, (*task.friction.names, *task.rotors.names)
    columns = [*range(task.behind), *rotors, *range(task.end, task.equations.columns.shape[1])]
    why: dict[str, str] = {}
    while True:
        fit = fit_task(task, columns)
        bad: dict[int, str] = {}
        for column, value, width in zip(columns, fit.x, fit.half_width, strict=True):
            if column < first or column >= task.end:
                continue
            name = names[column - first]
            if not np.isfinite(width):
                why[name] = UNTOLD
                joint = name.rpartition(".")[0]
                if not any(names[other - first].startswith(f"{joint}.") for other in bad):
                    bad[column] = UNTOLD
            elif value < 0 and not name.endswith(".offset"):
                bad[column] = why_negative(value, width)
        if not bad:
            return columns, fit, why
        why |= {names[column - first]: text for column, text in bad.items()}
        columns = [column for column in columns if column not in bad]


def why_negative(value: float, width: float) -> str:
    """Return the reason to reject a negative number that must not be negative."""
    if value < -width:
        return NEGATIVE
    return "interval contains 0"


Make = Callable[[Robot, LogSamples, float], Task]


@dataclass(frozen=True)
class Settled:
    """Robot and task with corrections, their description, and the uncertainty of gravity [rad]."""

    robot: Robot
    task: Task
    notes: tuple[str, ...]
    turn: float = 0.0


def settle(
    make: Make, robot: Robot, samples: LogSamples, cutoff: float, *, is_free: bool = False
) -> Settled:
    """Return the task of samples, corrected for the delay of the torques.

    Parameters
    ----------
    make : callable
        `arm_task` or `payload_task`.
    robot : Robot
    samples : LogSamples
    cutoff : float
        Cut-off of the low-pass on both sides [Hz].
    is_free : bool
        Whether the direction of gravity in the robot's mounting is an estimate.
    """
    task = make(robot, samples, cutoff)
    if is_free:
        robot, task = _turn_gravity(make, robot, task)
    late, width, residual = _delay(task)
    if abs(late) <= max(SURE * width, SHORTEST / samples.rate):
        return _with_corrections(robot, task, (), is_free=is_free)
    total, corrected, before = 0.0, task, residual
    for _ in range(ROUNDS):
        total = float(np.clip(total + late, -LONGEST, LONGEST))
        corrected = make(robot, without_delay(samples, total), cutoff)
        if is_free:
            robot, corrected = _turn_gravity(make, robot, corrected)
        late, width, residual = _delay(corrected)
        if abs(late) < max(DONE, 0.02 * width):
            break
    is_settled = abs(late) < width and abs(total) < LONGEST
    if not is_settled or abs(total) <= SURE * width or residual > LEAVES * before:
        return _with_corrections(robot, task, (), is_free=is_free)
    width = float(np.hypot(width, SIGNS / samples.rate))
    words = "behind" if total > 0 else "ahead of"
    note = (
        f"torques are {1e3 * abs(total):.3g} ± {1e3 * width:.2g} ms {words} the positions; "
        "corrected"
    )
    return _with_corrections(robot, corrected, (note,), is_free=is_free)


def without_delay(samples: LogSamples, delay: float) -> LogSamples:
    """Return samples with the torques of a time that is later by a delay [s]."""
    cut = int(np.ceil(abs(delay) * samples.rate - 1e-9))
    tau, pieces = samples.tau.copy(), []
    for piece in samples.pieces:
        t = samples.t[piece]
        if t.size <= cut + 1:
            continue
        at = np.clip(t + delay, t[0], t[-1])
        tau[:, piece] = CubicSpline(t, samples.tau[:, piece], axis=-1)(at)
        pieces.append(
            slice(piece.start, piece.stop - cut) if delay > 0
            else slice(piece.start + cut, piece.stop)
        )  # fmt: skip
    return replace(samples, tau=tau, pieces=tuple(pieces) or samples.pieces)


def left_by_joint(task: Task) -> Array:
    """Return the RMS torque of each joint unexplained by inertias and friction, (n,)."""
    equations = task.equations
    x, _ = _fit(task, np.zeros((len(equations.torques), 0, equations.samples.t.size)))
    is_usable = equations.samples.usable(equations.cutoff) & equations.is_sliding
    rest = equations.residuals(np.r_[x, np.zeros(equations.columns.shape[1] - x.size)])
    return np.sqrt(np.mean(np.where(is_usable, rest, 0.0) ** 2, axis=1))


def _fit(task: Task, more: Array) -> tuple[Array, Array]:
    """Return coefficients and half widths of inertias and friction, then of columns (n, k, N)."""
    equations = task.equations.with_columns(range(task.behind))
    equations = replace(equations, columns=np.concatenate([equations.columns, more], axis=1))
    prior = None
    if task.prior_theta is not None:
        prior = prior_of(task.prior_theta, equations.columns.shape[1] - task.first)
    fit = equations.fit(prior)
    return fit.x, fit.half_width


def _delay(task: Task) -> tuple[float, float, float]:
    """Return delay of the torques and half its interval [s], and RMS residual without delay."""
    equations = task.equations
    x, _ = _fit(task, np.zeros((len(equations.torques), 0, equations.samples.t.size)))
    slope = _time_slope(task, x)
    x, width = _fit(task, slope[:, None])
    is_usable = equations.samples.usable(equations.cutoff) & equations.is_sliding
    rest = equations.residuals(np.r_[x[:-1], np.zeros(equations.columns.shape[1] - task.behind)])
    rms = np.sqrt(np.mean(np.where(is_usable, equations.torques, 0.0) ** 2, axis=1, keepdims=True))
    rest = np.where(is_usable, rest, 0.0) / np.where(rms > 0, rms, 1.0)
    return float(x[-1]), float(width[-1]), float(np.sqrt((rest**2).mean()))


def _time_slope(task: Task, x: Array) -> Array:
    """Return the change of the model's torques for a delay of 1 s, (n, N)."""
    equations = task.equations
    torque = np.einsum("npN,p->nN", equations.columns[:, : task.behind], x[: task.behind])
    slope = np.zeros_like(torque)
    for piece in equations.samples.pieces:
        if piece.stop - piece.start > 2:
            slope[:, piece] = -np.gradient(torque[:, piece], 1 / equations.samples.rate, axis=1)
    return slope


def _turn_gravity(make: Make, robot: Robot, task: Task) -> tuple[Robot, Task]:
    """Return robot and task with the direction of gravity that fits the whole log best."""
    samples, cutoff = task.equations.samples, task.equations.cutoff
    for _ in range(ROUNDS):
        x, _ = _fit(task, np.zeros((len(samples.q), 0, samples.t.size)))
        across, columns = _turns(robot, task, x)
        turn = _fit(task, columns)[0][-2:]
        direction = gravity_in_base(robot) + across @ turn
        robot = robot.mounted(robot.T_0b[:3, 3], rpy_of(direction))
        task = make(robot, samples, cutoff)
        if np.abs(turn).max() < 100 * DONE:
            break
    return robot, task


def _turns(robot: Robot, task: Task, x: Array) -> tuple[Array, Array]:
    """Return two axes across gravity in the base frame (3, 2), and torques for rotations of it."""
    samples, cutoff = task.equations.samples, task.equations.cutoff
    across = perpendiculars(gravity_in_base(robot))
    still, columns = np.zeros_like(samples.q), []
    for direction in (robot.T_0b[:3, :3] @ across).T:
        Y = regressor(robot, samples.q, still, still, tuple((G * direction).tolist()))
        if task.prior_theta is None:
            torque = np.einsum("npN,p->nN", Y, inertial_parameters(robot))
            torque += np.einsum("npN,p->nN", payload_columns(robot, Y), x[: task.first])
        else:
            torque = np.einsum("npN,p->nN", Y, x[: task.first])
        columns.append(samples.low_pass(torque, cutoff))
    return across, np.stack(columns, axis=1)


def _with_corrections(
    robot: Robot, task: Task, notes: tuple[str, ...], *, is_free: bool
) -> Settled:
    """Return the task with the columns of the corrections: delay if a note has it, gravity."""
    if not is_free and not notes:
        return Settled(robot, task, notes)
    equations, turn, more = task.equations, 0.0, []
    x, _ = _fit(task, np.zeros((len(equations.torques), 0, equations.samples.t.size)))
    if is_free:
        more = [_turns(robot, task, x)[1]]
        turn = float(_fit(task, more[0])[1][-2:].max())
    if notes:
        more.append(_time_slope(task, x)[:, None])
    columns = np.concatenate([equations.columns, *more], axis=1)
    return Settled(robot, replace(task, equations=replace(equations, columns=columns)), notes, turn)
