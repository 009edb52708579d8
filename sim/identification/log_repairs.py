"""Repair of recorder faults in a log: samples that were not measured, wrapped angles.

A sample is removed where the robot cannot have been: its row repeats one constant exactly, such as
zeros, and the step to a neighbour is several times as large as any between the other samples.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim.identification.log import FEWEST, GAP, Log
from sim.identification.signals import MOVES, recorded_steps
from sim.maths.arrays import Array, Mask
from sim.robots.robot import Robot

FASTER = 3.0  # multiple of the largest other step: no motion of this log
LEAST = 5e-3  # [rad or m]; smaller steps are harmless
USUAL = 75.0  # percentile of the torque steps: those where friction reverses are larger
SHARES = {"q": 100.0, "tau": 100.0, "qd": 100.0}  # percentiles of the steps that bound motion
WORDS = {"q": "positions", "tau": "torques", "qd": "velocities"}
RUNS = 3  # least number of occurrences of a repeated row, or of one joint's torque
TURNS = (2 * np.pi, 360.0)  # period of wrapped angles; also of degrees without a stated unit
STEP = 0.5  # of a turn; a larger step between samples is a wrap
QUARTER = 0.25  # of a turn; where other steps are as large, wraps cannot be detected
SLACK = 0.02  # of a turn; tolerance of a wrap, in addition to the motion's own steps


def repair_log(robot: Robot, log: Log) -> Log:
    """Return a log without unmeasured samples, its angles unwrapped; notes state the repairs.

    A log without faults is returned unchanged.

    Raises
    ------
    ForeignError
        If fewer than 100 samples are left.
    """
    is_angle = np.array([row.is_angle for row in robot.coordinates])
    log = _without_empty_velocities(log)
    for group in SHARES:
        log = _without_zeros(log, group, is_angle)
    return _unwrap(_without_repeated_row(log, is_angle), is_angle)


def _without_empty_velocities(log: Log) -> Log:
    """Return the log without velocities if those of a joint that moves are all 0."""
    if log.qd is None:
        return log
    is_empty = (np.ptp(log.q, axis=1) >= MOVES) & ~log.qd.any(axis=1)
    if not is_empty.any():
        return log
    names = ", ".join(name for name, empty in zip(log.joints, is_empty, strict=True) if empty)
    words = f"logged velocities are not used: those of {names} are all 0 while positions change"
    return replace(log, qd=None, notes=(*log.notes, words))


def _without_zeros(log: Log, group: str, is_angle: Mask) -> Log:
    """Return the log without samples in which a joint is 0 and its neighbours far from 0."""
    if (values := getattr(log, group)) is None:
        return log
    out, names = np.zeros(log.t.size, bool), []
    is_position = group == "q"
    for row, name in enumerate(log.joints):
        one, zeros = values[row : row + 1], values[row] == 0
        if not zeros.any() or zeros.all():
            continue
        turns, share, moves = is_angle[row : row + 1] & is_position, SHARES[group], None
        least = LEAST if is_position else FASTER * float(recorded_steps(one)[0])
        if group == "tau":  # at rest the torque may be 0
            share, moves = USUAL, _moving_samples(log.q[row])
        bad = _impossible_samples(log.t, one, zeros, turns, share, least, moves)
        if bad.sum() >= (RUNS if group == "tau" else 1):
            names.append(name)
            out |= bad
    if group == "tau" and len(values) > 1:  # 0 in all joints at once is not a measurement
        zeros = (values == 0).all(axis=0)
        finest = FASTER * recorded_steps(values)[:, None]
        bad = _impossible_samples(log.t, values, zeros, np.zeros(len(values), bool), USUAL, finest)
        out, names = out | bad, [*log.joints] if bad.any() else names
    whose = "all joints" if len(names) == len(log.joints) else ", ".join(names)
    return _leave_out(log, out, f"{WORDS[group]} of {whose} are 0 between others")


def _without_repeated_row(log: Log, is_angle: Mask) -> Log:
    """Remove the most frequent row of positions, where no motion reaches it."""
    moving = np.ptp(log.q, axis=1) > 0
    if not moving.any():
        return log
    q = log.q[moving]
    rows = np.ascontiguousarray(q.T + 0.0)
    keys = rows.view([("", rows.dtype)] * rows.shape[1]).ravel()
    _, place, count = np.unique(keys, return_inverse=True, return_counts=True)
    same = place == int(np.argmax(count))
    if same.sum() < RUNS or np.diff(same).sum() < 2 * RUNS - 1:
        return log
    out = _impossible_samples(log.t, q, same, is_angle[moving], SHARES["q"], LEAST)
    return _leave_out(log, out, "positions of all joints are one and the same between others")


def _impossible_samples(
    t: Array,
    x: Array,
    same: Mask,
    is_angle: Mask,
    share: float,
    least: Array | float,
    moves: Mask | None = None,
) -> Mask:
    """Return a mask of the samples in `same` (N,) that are too far from a neighbour for a motion.

    The bound is a percentile `share` of the steps between other samples, at least `least`. With
    `moves` only samples in which a joint moves count.
    """
    moves = np.ones_like(same) if moves is None else moves
    others = np.flatnonzero(~same & moves)
    if others.size < FEWEST:
        return np.zeros_like(same)
    usual = np.abs(_steps(x[:, others], is_angle)) / np.diff(t[others])
    fastest = FASTER * np.percentile(usual, share, axis=1)
    step = np.abs(_steps(x, is_angle))
    far = np.any((step > fastest[:, None] * np.diff(t)) & (step > least), axis=0)
    edges = np.flatnonzero(np.diff(np.r_[False, same, False]))
    out = np.zeros_like(same)
    for a, b in edges.reshape(-1, 2):
        if (a > 0 and far[a - 1]) or (b < t.size and far[b - 1]):
            out[a:b] = True
    return np.asarray(out & moves)


def _moving_samples(q: Array) -> Mask:
    """Return a mask of the samples in which a joint has at least a tenth of its RMS speed, (N,)."""
    speed = np.abs(np.gradient(q))
    return np.asarray(speed > 0.1 * np.sqrt((speed**2).mean()))


def _steps(x: Array, is_angle: Mask) -> Array:
    """Return differences of rows (n, N), of angles modulo a turn."""
    step = np.diff(x, axis=1)
    turns = np.where(is_angle[:, None], np.round(step / TURNS[0]), 0.0)
    return np.asarray(step - TURNS[0] * turns)


def _leave_out(log: Log, out: Mask, why: str) -> Log:
    if not out.any():
        return log
    keep = ~out
    qd = None if log.qd is None else log.qd[:, keep]
    count = int(out.sum())
    words = (
        f"{count} samples, the first at {log.t[out][0]:.6g} s, are left out: {why}, as a driver's "
        "dropouts or another publisher on the topic are"
    )
    return replace(
        log, t=log.t[keep], q=log.q[:, keep], tau=log.tau[:, keep], qd=qd,
        notes=(*log.notes, words),
    )  # fmt: skip


def _unwrap(log: Log, is_angle: Mask) -> Log:
    """Return the log with angles unwrapped where they were wrapped at a turn."""
    q = np.array(log.q)
    wrapped: dict[float, list[str]] = {}
    is_next = np.diff(log.t) <= GAP * np.median(np.diff(log.t))
    for row, name in enumerate(log.joints):
        if not is_angle[row]:
            continue
        step = np.where(is_next, np.diff(q[row]), 0.0)  # across a gap any turn is correct
        for turn in TURNS[::-1]:
            jumps = np.abs(step) > STEP * turn
            rest = float(np.abs(step[~jumps]).max(initial=0.0))
            if (
                jumps.any()
                and rest < QUARTER * turn
                and (np.abs(np.abs(step[jumps]) - turn) < rest + SLACK * turn).all()
            ):
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
