"""Sizing: what a run asks of each drive, against what the drive is rated for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.checks.channels import column, driven_joints, times
from sim.checks.peaks import FLAT
from sim.recording import Recording
from sim.spatial import Array

RATING_NOTE = (
    "Ratings are the joint's limits of effort and speed. Whether they are peak or continuous only "
    "their source can say: the peak torque belongs against a peak rating, the RMS torque against a "
    "continuous one. Inertia and losses of motor and gear count only where the model has them."
)


@dataclass(frozen=True)
class Point:
    """One sample of a drive: torque [N·m or N], speed [rad/s or m/s] and power [W] at a time [s].

    A negative power is given back: the drive brakes.
    """

    t: float
    torque: float
    speed: float
    power: float


@dataclass(frozen=True)
class Estimate:
    """An integral over samples and how far off it may be, in the unit of the quantity.

    The error is infinite in a table of two samples, which cannot tell.
    """

    value: float
    error: float


@dataclass(frozen=True)
class Margin:
    """A rating against what is used of it.

    Parameters
    ----------
    rated, used : float
        In one unit.
    factor : float
        rated / used; infinite where nothing is used.
    percent : float
        What is left of the rating; negative beyond it.
    """

    rated: float
    used: float
    factor: float
    percent: float


@dataclass(frozen=True)
class DriveSizing:
    """What a run, taken as one cycle, asks of the drive of a joint.

    Peaks are the largest samples: what lies between two samples is not seen. Of a plateau, the
    sample with the most power stands for all. Joints that follow by coupling count in the drive
    that they follow.

    Parameters
    ----------
    joint : str
    torque_unit, speed_unit : str
    duration : float
        Of the cycle [s].
    peak_torque, peak_speed : Point
        Where the magnitude is largest.
    peak_power, least_power : Point
        The highest and the lowest power; the lowest is negative where the drive brakes.
    rms_torque, mean_torque, mean_abs_torque : Estimate
        Root of the mean square, mean, and mean magnitude over time.
    mean_power : Estimate
        [W]
    delivered, regenerated : Estimate
        ∫ max(P, 0) dt and ∫ max(-P, 0) dt of the cycle [J].
    torque_margin, rms_margin, speed_margin : Margin or None
        Peak torque, RMS torque and peak speed against the ratings; None where not rated.
    """

    joint: str
    torque_unit: str
    speed_unit: str
    duration: float
    peak_torque: Point
    peak_speed: Point
    peak_power: Point
    least_power: Point
    rms_torque: Estimate
    mean_torque: Estimate
    mean_abs_torque: Estimate
    mean_power: Estimate
    delivered: Estimate
    regenerated: Estimate
    torque_margin: Margin | None
    rms_margin: Margin | None
    speed_margin: Margin | None


def sizing(recording: Recording) -> tuple[DriveSizing, ...]:
    """What the recorded run asks of each drive; free joints and followers have none.

    ``dataclasses.asdict`` makes plain data of each.

    Raises
    ------
    RecordingError
        If a torque or a speed is not there.
    """
    return tuple(_of_drive(recording, joint) for joint in driven_joints(recording.info))


def _of_drive(recording: Recording, joint: dict[str, Any]) -> DriveSizing:
    name = str(joint["name"])
    t = times(recording.recorded)
    tau, qd = (column(recording.recorded, f"{group}.{name}") for group in ("tau", "qd"))
    P = tau * qd
    duration = float(t[-1] - t[0])

    def point(height: Array) -> Point:
        top = float(np.max(height))
        flat = np.flatnonzero(~(height < top - FLAT * abs(top)))
        k = int(flat[np.argmax(np.abs(P[flat]))])
        return Point(float(t[k]), float(tau[k]), float(qd[k]), float(P[k]))

    def mean(y: Array) -> Estimate:
        whole = integral(y, t)
        return Estimate(whole.value / duration, whole.error / duration)

    rms = _root(mean(tau**2))
    effort, velocity = joint["effort"], joint["velocity"]
    return DriveSizing(
        joint=name,
        torque_unit=recording.units[f"tau.{name}"],
        speed_unit=recording.units[f"qd.{name}"],
        duration=duration,
        peak_torque=point(np.abs(tau)),
        peak_speed=point(np.abs(qd)),
        peak_power=point(P),
        least_power=point(-P),
        rms_torque=rms,
        mean_torque=mean(tau),
        mean_abs_torque=mean(np.abs(tau)),
        mean_power=mean(P),
        delivered=integral(np.maximum(P, 0.0), t),
        regenerated=integral(np.maximum(-P, 0.0), t),
        torque_margin=_margin(effort, float(np.max(np.abs(tau)))),
        rms_margin=_margin(effort, rms.value),
        speed_margin=_margin(velocity, float(np.max(np.abs(qd)))),
    )


def integral(y: Array, t: Array) -> Estimate:
    """∫ y dt by the trapezoidal rule, with the error that leaving out every second sample shows.

    The differences between the rule over two steps and over one step of twice the length are added
    up without their signs. With even steps that is the error itself of a jump on a sample, no less
    than the error of a jump or a bend between two, and three times the error of a smooth curve.

    Parameters
    ----------
    y, t : ndarray, shape (N,)
        Times ascend, evenly or not [s].
    """
    h = np.diff(t)
    steps = 0.5 * h * (y[1:] + y[:-1])
    pairs = np.arange(0, h.size - 1, 2)
    if h.size % 2 and h.size > 1:
        pairs = np.append(pairs, h.size - 2)  # the last step has its partner before it
    if not pairs.size:
        return Estimate(float(np.sum(steps)), np.inf)
    twice = 0.5 * (h[pairs] + h[pairs + 1]) * (y[pairs] + y[pairs + 2])
    seen = np.abs(steps[pairs] + steps[pairs + 1] - twice)
    return Estimate(float(np.sum(steps)), float(np.sum(seen)))


def _root(square: Estimate) -> Estimate:
    """Root of an estimate, whose error is the larger of the two sides."""
    root = float(np.sqrt(square.value))
    lowest = float(np.sqrt(max(square.value - square.error, 0.0)))
    highest = float(np.sqrt(square.value + square.error))
    return Estimate(root, max(root - lowest, highest - root))


def _margin(rated: float | None, used: float) -> Margin | None:
    if rated is None:
        return None
    factor = float(rated) / used if used else np.inf
    return Margin(float(rated), used, factor, 100.0 * (1.0 - used / float(rated)))
