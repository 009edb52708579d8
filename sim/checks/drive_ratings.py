"""Ratings of drive trains: peak and continuous torque of the motor, peak and mean of the gear.

The torque is judged against the motor's curve (`sim.robots.motor_curve`) at the speed of each
sample. Continuous torque is the root mean square of the motor torque over the run, taken as one
cycle. The mean torque of a gear is cubic and weighted by speed, which determines the wear of
bearings and teeth of strain wave gears:

    T = (∫ |qd| |tau|³ dt / ∫ |qd| dt)^(1/3)

References
----------
maxon academy, Formulae Handbook (J. Braun), chapter 6; Harmonic Drive, catalogue CSF/CSG, selection
procedure, average output torque.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.checks.judgement import Judgement, finite_or_none, share
from sim.checks.limits import RATING_ROUNDING
from sim.checks.ratings import judge_rating
from sim.checks.robot_by_description import drive_of
from sim.checks.run_view import RunView
from sim.recording.schema.verdicts import Check
from sim.robots.motor_curve import MotorCurve


def drive_ratings(view: RunView) -> Iterator[Judgement]:
    """Check the recorded loads against each rating of a drive train.

    Raises
    ------
    SimError
        If the description has an impossible drive train.
    """
    for joint in view.joints:
        if joint.drive is None:
            continue
        drive, motor = drive_of(joint), f"motor_tau.{joint.name}"
        gear = f"{'gear_spring' if drive.is_elastic else 'tau'}.{joint.name}"
        if drive.motor_peak_torque is not None:
            yield judge_rating(view, "peak torque of motor", motor, drive.motor_peak_torque)
        if (curve := drive.motor_curve) is not None:
            yield _judge_curve(view, joint.name, curve)
        if drive.gear_peak_torque is not None:
            yield judge_rating(view, "peak torque of gear", gear, drive.gear_peak_torque)
        t = view.t
        if drive.motor_rated_torque is not None:
            squared = np.trapezoid(view.recorded_values(motor) ** 2, t)
            load = float(np.sqrt(squared / (t[-1] - t[0])))
            yield _judge(view, "continuous torque of motor", motor, load, drive.motor_rated_torque)
        if drive.gear_rated_torque is not None:
            speed = np.abs(view.recorded_values(f"qd.{joint.name}"))
            way = float(np.trapezoid(speed, t))
            worn = float(np.trapezoid(speed * np.abs(view.recorded_values(gear)) ** 3, t))
            load = float(np.cbrt(worn / way)) if way > 0 else 0.0 * worn
            yield _judge(view, "mean torque of gear", gear, load, drive.gear_rated_torque)


def _judge_curve(view: RunView, joint: str, curve: MotorCurve) -> Judgement:
    """Check the motor torque against its limit at the current speed, at the largest utilisation."""
    channel = f"motor_tau.{joint}"
    torque = view.recorded_values(channel)
    speed = view.recorded_values(f"motor_qd.{joint}")
    shares = curve.shares(torque, speed)
    shares[(shares > 1.0) & (shares <= 1.0 + RATING_ROUNDING)] = 1.0
    k = int(np.argmax(shares))
    worst, use = float(abs(torque[k])), float(shares[k])
    limit = float(curve.limit(speed[k : k + 1])[0])
    check = Check(
        "motor torque at speed", channel, worst, limit, view.unit(channel), float(view.t[k]),
        use <= 1.0, finite_or_none(use), channel,
    )  # fmt: skip
    return Judgement(check)


def _judge(view: RunView, name: str, channel: str, load: float, rating: float) -> Judgement:
    at, ok = float(view.t[-1]), load <= rating
    use = share(load, rating)
    return Judgement(Check(name, channel, load, rating, view.unit(channel), at, ok, use, channel))
