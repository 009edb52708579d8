"""Comparison of a run with a real robot's log: its motion, and each joint's torques."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from sim.checks.judgement import Judgement
from sim.checks.run_view import RunView
from sim.maths.arrays import Array
from sim.recording.schema.channels import joint_forces
from sim.recording.schema.measured_facts import MeasuredFacts, MeasuredJoint

if TYPE_CHECKING:
    from sim.reference.beside_measured import MeasuredCurves, OwnCurves

FOLLOWS = 1e-3  # [rad or m]; for 1 kg·m² at 1 Hz this is 0.04 N·m


def measured_motion(view: RunView) -> Iterator[Judgement]:
    """Check ``measured motion``: positions against the log, both low-passed; none without a log."""
    log = _log_of(view)
    if log is None:
        return
    from sim.reference.beside_measured import motion_difference

    curves, how = log
    q = np.stack([view.recorded_values(f"q.{name}") for name in view.row_names])
    errors = np.abs(motion_difference(q, curves, how))
    for name, error in zip(view.row_names, errors, strict=True):
        channel = f"q.{name}"
        yield Judgement.of_errors(
            "measured motion", channel, view.unit(channel), view.t, error, FOLLOWS
        )


def measured_joints(view: RunView) -> tuple[MeasuredJoint, ...]:
    """Compare each joint with the log that the run follows; empty without a log."""
    log = _log_of(view)
    if log is None:
        return ()
    from sim.reference.beside_measured import beside_measured

    curves, how = log
    return beside_measured(view.run.robot.coordinates, own_curves(view, curves.t), curves, how)


def own_curves(view: RunView, t: Array) -> OwnCurves:
    """Return the engine's curves at times (N,) [s], interpolated linearly between its samples."""

    def at(group: str, name: str) -> Array:
        channel = f"{group}.{name}"
        if not view.has(channel):
            return np.zeros(t.size)
        return np.interp(t, view.t, view.recorded_values(channel))

    names = view.row_names
    q, qd, tau, friction = (
        np.stack([at(group, name) for name in names]) for group in ("q", "qd", "tau", "friction")
    )
    rigid = tau - friction
    channels = {str(channel) for channel in view.recording.recorded.columns}
    for row, name in enumerate(names):
        for channel in joint_forces(channels, name):
            rigid[row] += at(channel.partition(".")[0], name)
    from sim.reference.beside_measured import OwnCurves

    return OwnCurves(q, qd, tau, rigid)


def _log_of(view: RunView) -> tuple[MeasuredCurves, MeasuredFacts] | None:
    table, facts = view.recording.reference, view.run.reference
    if table is None or facts is None or facts.measured is None:
        return None
    from sim.reference.beside_measured import MeasuredCurves

    q, tau = (
        np.stack([table[f"{group}.{name}"].to_numpy(dtype="f8") for name in view.row_names])
        for group in ("q", "tau")
    )
    return MeasuredCurves(table.index.to_numpy(dtype="f8"), q, tau), facts.measured
