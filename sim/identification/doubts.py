"""Suspicious properties of a log before it is fitted: units, order, signs, joints at rest.

Each doubt about units, order or sign is the hypothesis that the log must be read differently. It
is raised where the robot's model, with friction and the unknown payload if any, then leaves only
a fraction of the present residual torque.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.interpolate import CubicSpline

from sim.dynamics.newton_euler import inverse_dynamics
from sim.dynamics.regressor import regressor
from sim.identification.log import Log
from sim.identification.payload import payload_columns
from sim.identification.signals import MOVES, MeasuredStates, recorded_steps, sample_few, time_base
from sim.robots.robot import Robot

SLOW = 1.0  # [Hz]; upper frequency of the comparison
MOST = 400  # samples; enough for three numbers per joint
# Share of the present residual power below which the other reading is correct. With masses in the
# file that are off by a third, a wrong reading may leave 0.35, but never as little as `LITTLE`.
CLEARLY, IF_LITTLE = 0.25, 0.5
LITTLE = 0.01  # of the torque's power: a model with a smaller residual needs no other reading
RATIO = 0.5, 2.0  # of velocities to the derivative of positions: outside, they are inconsistent
DEGREE = np.pi / 180
LATE = 3e-3  # [s]
COARSE = 0.01  # of a torque's deviation; finer steps are far below any noise
JUMP = 0.02  # [rad or m]
JUMPS = 10.0  # times the usual step
MOST_GAPS = 5  # gaps that are listed one by one


@dataclass(frozen=True)
class Doubt:
    """A suspicious property of a log.

    Parameters
    ----------
    text : str
    is_grave : bool
        Whether a fit would be invalid for this robot.
    """

    text: str
    is_grave: bool = False


@dataclass(frozen=True)
class LogReading:
    """Another reading of a log, and the residual share of the torque's power with it."""

    text: str
    residual: float


def suspicions(
    robot: Robot, log: Log, states: MeasuredStates | None = None, *, payload: bool = False
) -> tuple[Doubt, ...]:
    """Return all doubts about a log of a robot, grave ones first; empty if there are none.

    Parameters
    ----------
    robot : Robot
    log : Log
    states : MeasuredStates, optional
        Result of `judged_states`, if already computed.
    payload : bool
        Whether an unknown body at the robot's tool is part of the model.
    """
    doubts = [*_of_velocities(log), *_of_jumps(robot, log), *_of_rest(log), *_of_times(log)]
    reading = better_reading(robot, log, states or judged_states(log), payload=payload)
    if reading is not None:
        doubts.append(Doubt(reading.text, is_grave=True))
    return tuple(sorted(doubts, key=lambda doubt: not doubt.is_grave))


def judged_states(log: Log) -> MeasuredStates:
    """Return the samples of a log by which its readings are compared."""
    return sample_few(log, SLOW, MOST)


def _of_velocities(log: Log) -> Iterator[Doubt]:
    if log.qd is None:
        return
    rate = CubicSpline(log.t, log.q, axis=-1)(log.t, 1)
    for row, name in enumerate(log.joints):
        size = float(log.qd[row] @ log.qd[row])
        if np.ptp(log.q[row]) < MOVES or size == 0:
            continue
        ratio = float(rate[row] @ log.qd[row]) / size
        if not RATIO[0] < ratio < RATIO[1]:
            yield Doubt(
                f"{name}: positions change {ratio:.3g} times as fast as the logged velocities: "
                f"{_why_so_fast(ratio)}",
                is_grave=True,
            )


def _why_so_fast(ratio: float) -> str:
    """Return a possible cause of positions that change by a multiple of the stated velocities."""
    if abs(ratio * DEGREE - 1) < 0.2 or abs(ratio / DEGREE - 1) < 0.2:
        return "one of them is in degrees"
    for second, unit in ((1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")):
        if abs(ratio / second - 1) < 0.2:
            return f"times are in {unit}; set --unit TIME={unit}"
    return "units, sign or order of joints"


def _of_jumps(robot: Robot, log: Log) -> Iterator[Doubt]:
    """Yield positions that leave the motion for one sample."""
    for row, name in enumerate(log.joints):
        step = np.diff(log.q[row])
        if robot.coordinates[row].is_angle:
            step -= 2 * np.pi * np.round(step / (2 * np.pi))
        there, back = step[:-1], step[1:]
        size = np.minimum(np.abs(there), np.abs(back))
        usual = float(np.percentile(np.abs(there + back), 25))
        jumps = (there * back < 0) & (size > max(JUMP, JUMPS * usual))
        jumps &= np.abs(there + back) < 0.5 * size
        if jumps.any():
            first = log.t[1 + int(np.argmax(jumps))]
            yield Doubt(
                f"{name}: positions jump away and back {int(jumps.sum())} times, first at "
                f"{first:.6g} s: another publisher on the topic, or dropouts; leave such samples "
                "out of the log",
                is_grave=True,
            )


def better_reading(
    robot: Robot, log: Log, states: MeasuredStates, *, payload: bool = False
) -> LogReading | None:
    """Return the reading that the model clearly prefers, the best of all; None if there is none."""
    now = residual_share(robot, states, payload=payload)
    best, words = now, ""
    if now > LITTLE:
        for text, reading in _readings(log.joints, states):
            share = residual_share(robot, reading, payload=payload)
            if share < best:
                best, words = share, text
    if not words or best >= (IF_LITTLE if best < LITTLE else CLEARLY) * now:
        return None
    return LogReading(f"{words}: so read, {compare_shares(best, now)}", best)


def compare_shares(best: float, now: float) -> str:
    """Describe the unexplained shares of another reading and of the present one."""
    return (
        f"the robot's model leaves {100 * np.sqrt(best):.2g} % of the torque and not "
        f"{100 * np.sqrt(now):.2g} %"
    )


def _readings(
    names: tuple[str, ...], states: MeasuredStates
) -> Iterator[tuple[str, MeasuredStates]]:
    q, tau = states.q, states.tau
    yield (
        "positions are in degrees; set --unit COLUMN=deg",
        replace(states, q=q * DEGREE, qd=states.qd * DEGREE, qdd=states.qdd * DEGREE),
    )
    yield (
        "torques have the other sign; turn each with --map THEIRS=-tau.JOINT",
        replace(states, tau=-tau),
    )
    # A joint at rest is left out: its torque could be swapped with any other.
    moving = [row for row in range(len(names)) if np.ptp(q[row]) >= MOVES]
    for a, b in combinations(moving, 2):
        order = list(range(len(names)))
        order[a], order[b] = b, a
        yield (
            f"joints {names[a]} and {names[b]} are swapped; give the order with --map",
            states.reorder(order),
        )
        yield (
            f"the torques of {names[a]} and {names[b]} are swapped; name them with --map",
            replace(states, tau=tau[order]),
        )
    # rows of the log in alphabetical order of names, as ROS writes them
    place = {name: k for k, name in enumerate(sorted(names))}
    order = [place[name] for name in names]
    if order != sorted(order):
        yield (
            "joints are in alphabetical order, as ROS writes them; set the order with --map",
            states.reorder(order),
        )
    for row in moving:
        name, sign = names[row], np.ones((len(names), 1))
        sign[row] = -1.0
        yield (
            f"the torque of {name} has the other sign; turn it with --map THEIRS=-tau.{name}",
            replace(states, tau=sign * tau),
        )
        yield (
            f"{name} turns the other way; turn its q, qd and tau with --map THEIRS=-q.{name}",
            MeasuredStates(*(sign * rows for rows in states.rows)),
        )


def residual_share(robot: Robot, states: MeasuredStates, *, payload: bool = False) -> float:
    """Return the mean over the joints of residual power over torque power, with fitted friction.

    Negative friction is set to zero, and so is a payload of negative mass.

    Parameters
    ----------
    robot : Robot
    states : MeasuredStates
    payload : bool
        Whether an unknown body at the robot's tool is fitted too.
    """
    q, qd, qdd, tau = states.q, states.qd, states.qdd, states.tau
    rigid = inverse_dynamics(robot, q, qd, qdd)
    power = (tau**2).sum(axis=1)
    moving = np.flatnonzero((power > 0) & (np.ptp(q, axis=1) >= MOVES))
    if not moving.size:
        return 0.0
    body = payload_columns(robot, regressor(robot, q, qd, qdd)) if payload else None
    blocks = []
    for k, row in enumerate(moving):
        friction = np.zeros((q.shape[1], 3, moving.size))
        friction[:, :, k] = np.stack([states.sliding[row], qd[row], np.ones_like(qd[row])], axis=1)
        carried = [] if body is None else [*body[row]]
        A = np.column_stack(
            [*friction.reshape(len(friction), -1).T, *carried, tau[row] - rigid[row]]
        )
        blocks.append(A / np.sqrt(power[row] * moving.size))
    # the QR triangle has the same least-squares solution in fewer rows
    R = np.asarray(np.linalg.qr(np.concatenate(blocks), mode="r"))
    A, b, n = R[:, :-1], R[:, -1], moving.size
    is_fitted = np.ones(A.shape[1], bool)
    while True:
        x = np.zeros(is_fitted.size)
        scale = np.linalg.norm(A[:, is_fitted], axis=0)
        scale[scale == 0] = 1.0
        x[is_fitted] = np.linalg.lstsq(A[:, is_fitted] / scale, b, rcond=1e-9)[0] / scale
        drives = x[:n] < 0
        is_less = x.size > 3 * n and x[3 * n] < 0
        if not drives.any() and not is_less:
            return min(float(np.sum((b - A @ x) ** 2)), float(b @ b))
        is_fitted[:n] &= ~drives
        is_fitted[n : 2 * n] &= ~drives
        if is_less:
            is_fitted[3 * n :] = False


def _of_rest(log: Log) -> Iterator[Doubt]:
    steps = recorded_steps(log.tau)
    for row, name in enumerate(log.joints):
        if np.ptp(log.q[row]) < MOVES:
            yield Doubt(f"{name} stands still: its friction and rotor inertia cannot be identified")
        count = np.unique(log.tau[row]).size
        if 1 < count < log.t.size / 20 and steps[row] > COARSE * np.std(log.tau[row]):
            yield Doubt(
                f"{name}: its torque has {count} different values, in steps of {steps[row]:.3g}; "
                "steps that are larger than the noise are no noise"
            )


def _of_times(log: Log) -> Iterator[Doubt]:
    times = time_base(log)
    for start, length in times.gaps[:MOST_GAPS]:
        yield Doubt(f"nothing is logged for {length:.3g} s from {start:.6g} s on; left out")
    if len(times.gaps) > MOST_GAPS:
        yield Doubt(
            f"{len(times.gaps) - MOST_GAPS} more gaps, "
            f"{sum(length for _, length in times.gaps[MOST_GAPS:]):.3g} s in all; left out"
        )
    if times.jitter > 0.1:
        yield Doubt(f"times jitter by up to {times.jitter:.2g} steps; taken onto an even grid")
    if times.delay is not None and abs(times.delay) > LATE:
        yield Doubt(f"velocities lag behind positions by {1e3 * times.delay:.3g} ms")
