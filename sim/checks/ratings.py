"""Motion against the ranges and ratings of the joints, at the samples and between them.

Drive trains are judged by peak and continuous torque of the motor, peak and mean of the gear: the
torque against the motor's curve (`sim.robots.motor_curve`) at the speed of each sample. Continuous
torque is the root mean square of the motor torque over the run, taken as one cycle. The mean torque
of a gear is cubic and weighted by speed, which determines the wear of bearings and teeth of strain
wave gears:

    T = (∫ |qd| |tau|³ dt / ∫ |qd| dt)^(1/3)

References
----------
maxon academy, Formulae Handbook (J. Braun), chapter 6; Harmonic Drive, catalogue CSF/CSG, selection
procedure, average output torque.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from msgspec import structs
from msgspec.structs import replace

from sim.checks.judgement import Judgement, finite_or_none, share
from sim.checks.limits import RANGE_ROUNDING, RATING_ROUNDING
from sim.checks.peaks import peak_of
from sim.checks.robot_by_description import drive_of
from sim.checks.run_view import RunView
from sim.recording.schema.verdicts import Check
from sim.recording.schema.watched_facts import WatchedFacts
from sim.robots.coordinate import Coordinate, Limits
from sim.robots.motor_curve import MotorCurve


def ratings(view: RunView) -> Iterator[Judgement]:
    """Judge both ends of each range, rated speeds, and efforts of joints that follow no other.

    Of a watched loop, a range is not judged where the engine's soft stops may be leant on, nor an
    effort behind a rotor: the engine's actuators have a range, and its inertia comes on top.
    """
    watched = view.run.watched if isinstance(view.run.watched, WatchedFacts) else None
    soft = watched.soft_stops if watched else ()
    for row in view.tree_coordinates:
        limits = row.limits
        for name, sign, end in (
            ("lower position limit", -1.0, limits.lower),
            ("upper position limit", 1.0, limits.upper),
        ):
            if math.isfinite(end) and row.joint not in soft:
                yield _range(view, row, name, sign, end)
        if math.isfinite(limits.velocity):
            yield judge_rating(view, "rated speed", f"qd.{row.name}", limits.velocity)
        is_behind_rotor = watched is not None and view.has(f"motor_tau.{row.name}")
        if math.isfinite(limits.effort) and row.name in view.row_names and not is_behind_rotor:
            yield judge_rating(view, "rated torque", f"tau.{row.name}", limits.effort)


def judge_rating(view: RunView, name: str, channel: str, rating: float) -> Judgement:
    """Check the largest magnitude of a channel, including between samples, against a rating."""
    size = np.abs(view.recorded_values(channel))
    size[(size > rating) & (size <= rating * (1 + RATING_ROUNDING))] = rating
    judgement = view.judge_errors(name, channel, size, rating, bounds="magnitude")
    at, worst = peak_of(view, channel)
    if rating < worst <= rating * (1 + RATING_ROUNDING):
        worst = rating
    check = structs.replace(
        judgement.check, worst=worst, ok=worst <= rating, at=at, used=share(worst, rating)
    )
    return replace(judgement, check=check)


def _range(view: RunView, row: Coordinate, name: str, sign: float, end: float) -> Judgement:
    """Check the travel of a joint towards an end of its range, and beyond."""
    channel = f"q.{row.name}"
    t, q = (
        np.concatenate(parts)
        for parts in (
            (view.t, view.t_between),
            (view.recorded_values(channel), view.between(channel)),
        )
    )
    k = int(np.argmax(sign * q))
    beyond, worst = sign * (q - end), float(q[k])
    ok = bool(beyond[k] <= RANGE_ROUNDING)
    use = _share_of_range(worst, end, row.limits, sign, ok=ok)
    check = Check(name, channel, worst, end, view.unit(channel), float(t[k]), ok, use, channel)
    return Judgement(check, beyond[: view.t.size], "end", RANGE_ROUNDING)


def _share_of_range(
    worst: float, end: float, limits: Limits, sign: float, *, ok: bool
) -> float | None:
    """Return the travel from the middle of a range over half its width; 0 inside a one-sided range.

    In a range of zero width, return the excess over its end in units of the allowed rounding.
    """
    if not limits.has_range:
        return 0.0 if ok else None
    middle = (limits.lower + limits.upper) / 2
    half = end - middle
    if half == 0:
        beyond = worst - end if sign > 0 else end - worst
        return finite_or_none(max(beyond, 0.0) / RANGE_ROUNDING)
    return finite_or_none((worst - middle) / half)


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
    unit, at = view.unit(channel), float(view.t[-1])
    return Judgement.of_number(name, channel, load, rating, unit, at)
