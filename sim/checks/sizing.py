"""Sizing: load of a run on each drive, against the drive's ratings."""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct

from sim.checks.peaks import FLAT, peak_of
from sim.checks.run_view import RunView
from sim.maths.arrays import Array
from sim.maths.quadrature import Estimate, integral
from sim.recording.recording import Recording
from sim.recording.schema.control_facts import ControllerFacts
from sim.recording.schema.verdicts import DriveSizing, Margin, Point
from sim.robots.coordinate import Coordinate
from sim.robots.payload import motor_of, spin_joint

RATING_NOTE = (
    "Ratings are the joint's limits of effort and speed. Check in their source whether they are "
    "peak or continuous: compare the peak torque with a peak rating, the RMS torque with a "
    "continuous one. Inertia and losses of motor and gear count only if the model has them."
)


def sizing(recording: Recording) -> tuple[DriveSizing, ...]:
    """Return the loads of the recorded run on each motor; coupled joints have none of their own.

    Raises
    ------
    RecordingError
        If a torque or a speed is missing.
    """
    return sizing_of(RunView(recording))


def sizing_of(view: RunView) -> tuple[DriveSizing, ...]:
    """Return the loads of `sizing`; the view keeps peaks that the checks required."""
    moved = {row.name for row in view.run.driven}
    moved |= {one.joint for one in view.run.drives if one.level == "torque"}
    return tuple(_of_drive(view, row) for row in view.run.robot.coordinates if row.name in moved)


def motor_loads(recording: Recording) -> tuple[DriveSizing, ...]:
    """Return the loads on each motor: those of `sizing`, of torques and of a controller."""
    run, rows = recording.run, recording.run.robot.coordinates
    known = {row.name for row in rows}
    if isinstance(run.controller, ControllerFacts):
        names = known - {*run.controller.idle}
    elif any(drive.level == "torque" for drive in run.drives):
        names = {row.name for row in run.driven} | {drive.joint for drive in run.drives}
    else:
        return run.sizing
    view = RunView(recording)
    moved = (row for row in rows if {row.name, motor_of(row.name)} & names)
    return tuple(_of_drive(view, row) for row in moved if spin_joint(row.name) not in known)


def _of_drive(view: RunView, row: Coordinate) -> DriveSizing:
    t, name, rated = view.t, row.name, row.limits
    tau, qd = (view.recorded_values(f"{group}.{name}") for group in ("tau", "qd"))
    P = tau * qd
    duration = float(t[-1] - t[0])
    more = tuple(view.between(f"{group}.{name}") for group in ("tau", "qd"))
    every = _Known(np.append(t, view.t_between), np.append(tau, more[0]), np.append(qd, more[1]))

    def mean(y: Array) -> Estimate:
        return integral(y, t).over(duration)

    rms = mean(tau**2).root()
    return DriveSizing(
        joint=name,
        torque_unit=view.unit(f"tau.{name}"),
        speed_unit=view.unit(f"qd.{name}"),
        duration=duration,
        peak_torque=every.point(np.abs(every.tau)),
        peak_speed=every.point(np.abs(every.qd)),
        peak_power=every.point(every.power),
        least_power=every.point(-every.power),
        rms_torque=rms,
        mean_torque=mean(tau),
        mean_abs_torque=mean(np.abs(tau)),
        mean_power=mean(P),
        delivered=integral(np.maximum(P, 0.0), t),
        regenerated=integral(np.maximum(-P, 0.0), t),
        torque_margin=_margin(rated.effort, peak_of(view, f"tau.{name}")[1]),
        rms_margin=_margin(rated.effort, rms.value),
        speed_margin=_margin(rated.velocity, peak_of(view, f"qd.{name}")[1]),
    )


class _Known(Struct, frozen=True, eq=False):
    """Torque and speed of a drive at all known times, each of shape (M,)."""

    t: Array
    tau: Array
    qd: Array

    @property
    def power(self) -> Array:
        return self.tau * self.qd

    def point(self, height: Array) -> Point:
        """Return the operating point of largest `height`; on a plateau that of largest power.

        The first one whose height is no number, if there is one.
        """
        top, P = float(np.max(height)), self.power
        if math.isfinite(top):
            flat = np.flatnonzero(height >= top - FLAT * abs(top))
            k = int(flat[np.argmax(np.abs(P[flat]))])
        else:
            k = int(np.argmin(np.isfinite(height)))
        return Point(float(self.t[k]), float(self.tau[k]), float(self.qd[k]), float(P[k]))


def _margin(rated: float, load: float | None) -> Margin | None:
    if math.isinf(rated) or load is None:
        return None
    factor = rated / load if load else np.inf
    return Margin(rated, load, factor, 100.0 * (1.0 - load / rated))
