"""Ratings of joints, motors and gears for the sliders of a run's page."""

from __future__ import annotations

import msgspec
import numpy as np

from sim.reports.page.what_if_terms import Terms
from sim.robots.drive_train import DriveTrain
from sim.robots.motor_curve import MotorCurve
from sim.robots.robot import Robot


class TrainRatings(msgspec.Struct, frozen=True, kw_only=True):
    """A drive train: its losses at the joint, and the ratings of motor and gear (None: unrated).

    Parameters
    ----------
    ratio : float
        Magnitude of the gear ratio.
    inertia, viscous : float
        At the joint.
    dry, efficiency : (float, float)
        At the joint, forwards and backwards: of a driving and of a back-driven motor.
    motor_peak, motor_rated : float or None
        At the shaft [N·m]; the second limits the root mean square.
    gear_peak, gear_rated : float or None
        At the joint [N·m or N]; the second limits the cubic mean.
    motor_level, motor_slope, motor_power : float or None
        Speed-dependent limits at the joint: ``level - slope |qd|`` and ``power / |qd|``.
    """

    ratio: float
    inertia: float
    viscous: float
    dry: tuple[float, float]
    efficiency: tuple[float, float]
    motor_peak: float | None
    motor_rated: float | None
    gear_peak: float | None
    gear_rated: float | None
    motor_level: float | None
    motor_slope: float
    motor_power: float | None


class JointRatings(msgspec.Struct, frozen=True):
    """A driven joint: its ratings (None: unrated), its dry friction, its drive train."""

    name: str
    effort: float | None
    velocity: float | None
    dry: float
    turns: bool
    train: TrainRatings | None


def ratings_of(terms: Terms) -> list[JointRatings]:
    """Return the ratings of each joint that has a drive."""

    def known(value: float) -> float | None:
        return float(value) if np.isfinite(value) else None

    rows = [(terms.robot.coordinates[k], terms.robot.drives.get(int(k))) for k in terms.driven]
    return [
        JointRatings(
            row.name,
            known(row.limits.effort),
            known(row.limits.velocity),
            float(f),
            row.is_angle,
            None if train is None else _train(train),
        )
        for (row, train), f in zip(rows, terms.dry, strict=True)
    ]


def _train(train: DriveTrain) -> TrainRatings:
    curve, N = train.motor_curve or MotorCurve(), abs(train.ratio)
    return TrainRatings(
        ratio=abs(train.ratio),
        inertia=train.reflected_inertia,
        viscous=train.ratio**2 * train.viscous,
        dry=train.dry,
        efficiency=train.efficiencies,
        motor_peak=train.motor_peak_torque,
        motor_rated=train.motor_rated_torque,
        gear_peak=train.gear_peak_torque,
        gear_rated=train.gear_rated_torque,
        motor_level=N * curve.level if curve.has_line else None,
        motor_slope=N**2 * curve.slope,
        motor_power=train.motor_peak_power,
    )


def weakest_rating(robot: Robot, row: int) -> float:
    """Return approximately the largest torque that joint, gear and motor of a row allow."""
    allowed, train = [robot.coordinates[row].limits.effort], robot.drives.get(row)
    if train is not None:
        motor = train.motor_peak_torque or train.motor_rated_torque
        allowed += [] if motor is None else [abs(train.ratio) * motor]
        allowed += [train.gear_peak_torque or train.gear_rated_torque or np.inf]
    return float(min(allowed))
