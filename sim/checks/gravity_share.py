"""Gravity share of each drive's torque."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sim.checks.robot_by_description import stages
from sim.checks.run_view import RunView
from sim.dynamics.newton_euler import inverse_dynamics
from sim.maths.quadrature import integral
from sim.recording.recording import Recording

MOST_SAMPLES = 20_001  # longer runs are decimated; gravity torques vary no faster than the motion
ROUNDING = 1e-9  # relative to the largest torque of all drives; smaller ones count as zero


class GravityShare(Struct, frozen=True):
    """Gravity torque of a drive along a run, and its total torque.

    Parameters
    ----------
    joint : str
    unit : str
        N·m, or N for a slide.
    peak, rms : float
        Peak and RMS of the gravity torque g(q), including the payload.
    at : float
        Time of the peak [s].
    torque_peak, torque_rms : float
        Peak and RMS of the drive's torque.
    """

    joint: str
    unit: str
    peak: float
    at: float
    rms: float
    torque_peak: float
    torque_rms: float

    @property
    def of_peak(self) -> float:
        """Peak gravity over peak torque; above 1 where inertia relieves the drive."""
        return self.peak / self.torque_peak if self.torque_peak else 0.0

    @property
    def of_rms(self) -> float:
        """RMS gravity over RMS torque."""
        return self.rms / self.torque_rms if self.torque_rms else 0.0


def gravity_shares(recording: Recording) -> tuple[GravityShare, ...]:
    """Return the gravity share of each drive in the recorded run; empty if loops move joints.

    Drives without a recorded torque are omitted; empty if a position is not recorded.

    Raises
    ------
    RecordingError
        If the run has no robot.
    """
    view, run = RunView(recording), recording.run
    robot, every = view.robot, -(-view.t.size // MOST_SAMPLES)
    if run.settings.passive or robot.row_names != view.row_names:
        return ()
    if not view.has(*(f"q.{name}" for name in view.row_names)):
        return ()
    t = view.t[::every]
    q = np.stack([view.recorded_values(f"q.{name}")[::every] for name in view.row_names])
    weight = np.empty_like(q)
    for part, carrying in stages(robot, run.events, t):
        here, still = q[:, part], np.zeros_like(q[:, part])
        weight[:, part] = inverse_dynamics(carrying, here, still, still, run.settings.gravity)
    rows = {row.name: k for k, row in enumerate(run.robot.coordinates)}
    names = [row.name for row in run.driven if view.has(f"tau.{row.name}")]
    tau = {name: view.recorded_values(f"tau.{name}")[::every] for name in names}
    least = ROUNDING * max((float(np.abs(row).max()) for row in tau.values()), default=0.0)
    weight[np.abs(weight) < least] = 0.0
    span = float(t[-1] - t[0])

    def rms(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
        return float(integral(values**2, t).over(span).root().value or 0.0)

    shares = []
    for name, torque in tau.items():
        row = weight[rows[name]]
        k = int(np.argmax(np.abs(row)))
        peak, whole = float(np.abs(row[k])), float(np.abs(torque).max())
        unit = view.unit(f"tau.{name}")
        shares.append(GravityShare(name, unit, peak, float(t[k]), rms(row), whole, rms(torque)))
    return tuple(shares)
