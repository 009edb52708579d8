"""Comparison of a finished run with the log of a real robot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.checks.measured import own_curves
from sim.checks.run_view import RunView
from sim.errors import ForeignError
from sim.identification.log import Log
from sim.identification.prepared_log import prepare_log
from sim.identification.signals import bandwidth, require_cutoff, sample
from sim.maths.sampling import SAME_TIME
from sim.recording.recording import Recording
from sim.recording.schema.measured_facts import MeasuredFacts, MeasuredJoint
from sim.reference.beside_measured import MeasuredCurves, beside_measured
from sim.robots.robot import Robot


@dataclass(frozen=True)
class BesideLog:
    """Joints of a run and of a log through one filter, and remarks."""

    joints: tuple[MeasuredJoint, ...]
    how: MeasuredFacts
    notes: tuple[str, ...]


def beside_log(
    recording: Recording,
    log: Log,
    robot: Robot,
    *,
    cutoff: float | None = None,
    despite_doubts: bool = False,
) -> BesideLog:
    """Compare motion and torques of a run with a log, over their common time.

    Raises
    ------
    ForeignError
        As `sim.identify`, with the run's mounting as the stated one, and if run and log have too
        little time in common.
    """
    ready = prepare_log(robot, log, is_typed=True, despite_doubts=despite_doubts)
    log = ready.log
    end = float(recording.t[-1])
    inside = (log.t >= -SAME_TIME) & (log.t <= end + SAME_TIME)
    if inside.sum() < 2:
        raise ForeignError(
            f"{log.source} lasts from {log.t[0]:.6g} to {log.t[-1]:.6g} s, and the run from 0 to "
            f"{end:.6g} s; if it begins at the log's first time, --start {log.t[0]:.6g}"
        )
    common = log.between(max(float(log.t[0]), -SAME_TIME), end + SAME_TIME)
    at = require_cutoff(common, cutoff)
    samples = sample(common)
    t = np.clip(samples.t, 0.0, end)
    how = MeasuredFacts(
        cutoff=at,
        bandwidth=bandwidth(common),
        middle=float(t[0] + t[-1]) / 2,
        torque_from=log.torque_from,
    )
    curves = own_curves(RunView(recording), t)
    turns = 2 * np.pi * np.round(np.median((curves.q - samples.q) / (2 * np.pi), axis=1))
    is_angle = np.array([row.is_angle for row in robot.coordinates])
    q = samples.q + np.where(is_angle, turns, 0.0)[:, None]  # a full turn is no difference
    joints = beside_measured(robot.coordinates, curves, MeasuredCurves(t, q, samples.tau), how)
    left_out = float(np.ptp(log.t)) - float(np.ptp(common.t))
    cut = (f"{left_out:.3g} s of the log are beyond the run and left out",) if left_out > 0 else ()
    return BesideLog(joints, how, (*ready.notes, *log.notes, *cut, f"torques: {log.torque_from}"))
