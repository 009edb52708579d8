"""Repair of what recorders do to a log: samples that were not measured, wrapped angles.

A sample is left out where the robot cannot have been: its row repeats one constant, such as zeros,
exactly, and the step to a neighbour is several times as large as any between the other samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sim.identification.log import FEWEST, GAP, Log
from sim.maths.arrays import Array, Mask
from sim.robots.robot import Robot

FASTER = 3.0  # times as fast as between the other samples: no motion of this log
LEAST = 5e-3  # [rad or m]; smaller steps are no matter
RUNS = 3  # in so many places a constant row must stand, if it is not zero
TURNS = (2 * np.pi, 360.0)  # in which angles are wrapped; of degrees that no unit names as well
STEP = 0.5  # of a turn; a larger one from sample to sample is a wrap
SLACK = 0.02  # of a turn, by which the step of a wrap may be off, beside the motion's own steps


def repair_log(robot: Robot, log: Log) -> Log:
    """A log without samples that were not measured, its angles unwrapped; notes say what was done.

    A log in which nothing is wrong comes back as it is.

    Raises
    ------
    ForeignError
        If fewer than 100 samples are left.
    """
    log = _without_rows_of_another(robot, log)
    log = _without_zeros(log, "tau", "torques", 99.0)
    if log.qd is not None:
        log = _without_zeros(log, "qd", "velocities", 100.0)
    return _unwrapped(robot, log)


def _without_rows_of_another(robot: Robot, log: Log) -> Log:
    """The log without rows of positions that are constant, where the robot cannot have jumped."""
    moving = np.ptp(log.q, axis=1) > 0
    if not moving.any():
        return log
    q = log.q[moving]
    is_angle = np.array([row.is_angle for row in robot.coordinates])[moving]
    for row in _constant_rows(q):
        same = (q == row[:, None]).all(axis=0)
        out = _impossible(log.t, q, same, is_angle, 100.0, LEAST)
        if out.any():
            where = "0" if not row.any() else "one and the same row"
            log = _leave_out(
                log, out, f"positions of all joints are {where} between others, as a driver's "
                "dropouts or another publisher on the topic are"
            )  # fmt: skip
            q = log.q[moving]
    return log


def _constant_rows(q: Array) -> Iterator[Array]:
    """Zeros, and the row (n,) that stands in most samples, if in several places."""
    yield np.zeros(len(q))
    rows = np.ascontiguousarray(q.T + 0.0)
    keys = rows.view([("", rows.dtype)] * rows.shape[1]).ravel()
    _, first, place, count = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    most = int(np.argmax(count))
    same = place == most
    if count[most] >= max(RUNS, 0.01 * same.size) and np.diff(same).sum() >= 2 * RUNS - 1:
        yield rows[first[most]]


def _without_zeros(log: Log, group: str, words: str, share: float) -> Log:
    """The log without samples in which a whole group is 0 and its neighbours are far from it."""
    values = getattr(log, group)
    used = values[(values != 0).any(axis=1)]
    zeros = (used == 0).all(axis=0)
    if not len(used) or not zeros.any():
        return log
    out = _impossible(log.t, used, zeros, np.zeros(len(used), bool), share, 0.0)
    return _leave_out(log, out, f"{words} of all joints are 0 between others") if out.any() else log


def _impossible(
    t: Array, x: Array, same: Mask, is_angle: Mask, share: float, least: float
) -> Mask:
    """Which of the samples `same` (N,) are too far from a neighbour to be of one motion.

    The steps of the other samples show what is possible: so many per cent of them are no larger.
    """
    others = np.flatnonzero(~same)
    if others.size < FEWEST:
        return np.zeros_like(same)
    usual = np.abs(_steps(x[:, others], is_angle)) / np.diff(t[others])
    fastest = FASTER * np.percentile(usual, share, axis=1)
    step = np.abs(_steps(x, is_angle))
    far = ((step > fastest[:, None] * np.diff(t)) & (step > least)).any(axis=0)
    edges = np.flatnonzero(np.diff(np.r_[False, same, False]))
    out = np.zeros_like(same)
    for a, b in edges.reshape(-1, 2):
        if (a > 0 and far[a - 1]) or (b < t.size and far[b - 1]):
            out[a:b] = True
    return out


def _steps(x: Array, is_angle: Mask) -> Array:
    """Differences of rows (n, N), of angles without whole turns."""
    step = np.diff(x, axis=1)
    turns = np.where(is_angle[:, None], np.round(step / TURNS[0]), 0.0)
    return np.asarray(step - TURNS[0] * turns)


def _leave_out(log: Log, out: Mask, why: str) -> Log:
    keep = ~out
    qd = None if log.qd is None else log.qd[:, keep]
    count = int(out.sum())
    words = f"{count} samples, the first at {log.t[out][0]:.6g} s, are left out: {why}"
    return replace(
        log, t=log.t[keep], q=log.q[:, keep], tau=log.tau[:, keep], qd=qd,
        notes=(*log.notes, words),
    )  # fmt: skip


def _unwrapped(robot: Robot, log: Log) -> Log:
    """The log with angles that go on where they were wrapped at a turn."""
    q = np.array(log.q)
    wrapped: dict[float, list[str]] = {}
    is_next = np.diff(log.t) <= GAP * np.median(np.diff(log.t))
    for row, name in enumerate(log.joints):
        if not robot.coordinates[row].is_angle:
            continue
        step = np.where(is_next, np.diff(q[row]), 0.0)  # over a gap any turn is right
        for turn in TURNS[::-1]:
            jumps = np.abs(step) > STEP * turn
            rest = float(np.abs(step[~jumps]).max(initial=0.0))
            if jumps.any() and (np.abs(np.abs(step[jumps]) - turn) < rest + SLACK * turn).all():
                q[row] = np.unwrap(q[row], period=turn)
                wrapped.setdefault(turn, []).append(name)
                break
    if not wrapped:
        return log
    notes = tuple(
        f"positions of {', '.join(names)} wrap at a full turn of {turn:.6g}; unwrapped"
        for turn, names in wrapped.items()
    )
    return replace(log, q=q, notes=(*log.notes, *notes))
