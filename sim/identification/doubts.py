"""Suspicious properties of a log before it is fitted: jumps, gaps, joints at rest, readings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from sim.identification.log import GAP, Log
from sim.identification.log_readings import MOST, better_reading
from sim.identification.signals import MOVES, MeasuredStates, recorded_steps, sample_few, time_base
from sim.maths.arrays import Array
from sim.maths.rotations import whole_turns
from sim.robots.coordinate import DEGREE
from sim.robots.robot import Robot

SLOW = 1.0  # [Hz]; upper frequency of the comparison
RATIO = 0.5, 2.0  # of velocities to the derivative of positions: outside, they are inconsistent
LATE = 3e-3  # [s]
COARSE = 0.01  # of a torque's deviation; finer steps are far below any noise
JUMP = 0.02  # [rad or m]
JUMPS = 10.0  # times the usual step
FASTER = 5.0  # times any other step around: a joint does not do that
AROUND = 50  # samples
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
    doubts += [*_of_breaks(robot, log), *_of_stuck_torques(log)]
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
        step = _steps_of(robot, log, row)
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


def _steps_of(robot: Robot, log: Log, row: int) -> Array:
    """Return the differences of successive positions of a joint; angles without whole turns."""
    step = np.diff(log.q[row])
    return step - whole_turns(step) if robot.coordinates[row].is_angle else step


def _of_breaks(robot: Robot, log: Log) -> Iterator[Doubt]:
    """Yield positions that jump and continue from there, as where a recorder's clock was set."""
    dt = np.diff(log.t)
    usual = np.median(dt)
    for row, name in enumerate(log.joints):
        step = _steps_of(robot, log, row)
        size = np.where(dt <= GAP * usual, np.abs(step) / np.maximum(dt / usual, 1.0), 0.0)
        k = int(np.argmax(size))
        around = np.delete(size, k)[max(k - AROUND, 0) : k + AROUND]
        if size[k] > max(JUMP, FASTER * float(around.max(initial=0.0))):
            unit = "rad" if robot.coordinates[row].is_angle else "m"
            before, after = log.t[k : k + 2]
            yield Doubt(
                f"{name}: positions jump by {step[k]:.3g} {unit} at {after:.6g} s and continue "
                "from there: the clock was set or samples are missing; read one part, with "
                f"--to {before:.9g} or --from {after:.9g}",
                is_grave=True,
            )


def _of_stuck_torques(log: Log) -> Iterator[Doubt]:
    """Yield the longest time in which no torque changes although joints move."""
    is_same = (np.diff(log.tau) == 0).all(axis=0) & (np.diff(log.q) != 0).any(axis=0)
    edges = np.flatnonzero(np.diff(np.r_[False, is_same, False]))
    lengths = edges[1::2] - edges[::2]
    if not lengths.size:
        return
    k, changes = int(np.argmax(lengths)), int((~is_same).sum())
    if lengths[k] > max(AROUND, FASTER * is_same.size / max(changes, 1)):
        a, b = log.t[edges[2 * k]], log.t[edges[2 * k + 1]]
        yield Doubt(
            f"all torques are constant from {a:.6g} to {b:.6g} s while joints move; read one part, "
            f"with --to {a:.9g} or --from {b:.9g}"
        )


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
