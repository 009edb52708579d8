"""Results of judging a run, in its description.

A number that JSON does not have, NaN or infinite, is None when a description is read back.
"""

from __future__ import annotations

import msgspec

from sim.maths.quadrature import Estimate


class Check(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Result of a check.

    Parameters
    ----------
    name, channel : str
        Judged quantity and channel.
    worst, limit : float
        In `unit`; for a range, the extreme position and the closest end of the range.
    unit : str
    at : float
        Time of the worst value [s].
    ok : bool
    used : float or None
        Fraction of the limit, 1 at the limit; None if there is no such fraction.
    plot : str
        Curve that shows it: its channel, or one computed only for checks.
    """

    name: str
    channel: str
    worst: float | None
    limit: float | None
    unit: str
    at: float
    ok: bool
    used: float | None = None
    plot: str = ""


class ClaimResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Result of one claim on one channel.

    Parameters
    ----------
    text, source, channel : str
    found, expected : float
        In `unit`; `within` is the allowed difference, or None if `expected` is a limit.
    ok : bool
        Whether the claim is reproduced.
    at : float or None
        Time of a peak, or of a smallest value, that is judged by its size [s].
    is_least : bool
        `expected` is a lower limit; omitted in files otherwise.
    """

    text: str
    source: str
    channel: str
    found: float | None
    expected: float
    within: float | None
    unit: str
    ok: bool
    at: float | None = None
    is_least: bool | msgspec.UnsetType = msgspec.UNSET


class EnergyBalance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Energies of a run at its end, and their balance at every sample, all in [J].

    At every time ``motor_work + external_work + events - friction_loss = kinetic + potential +
    stored``, each relative to the start.

    Parameters
    ----------
    table : str
        ``recorded`` or ``analytic``.
    motor_work : float
        Work of all drives, including their friction losses.
    friction_loss : float
        Friction loss in all joints.
    external_work : float
        Work of the force elements, in joints, on links and of contact, minus the energy they store.
    events : float
        Kinetic and potential energy of payloads when picked up, minus that when set down.
    kinetic, potential, stored : float
        Changes of the energies; `stored` is that of the force elements.
    residual, at : float
        Largest imbalance, and its time [s].
    moved : float
        Energy moved, see `sim.checks.limits.energy_moved`.
    relative : float
        residual / moved
    limit : float
        Largest allowed residual.
    since : float or None
        First time at which the residual exceeds its limit [s].
    ok : bool
    """

    table: str
    motor_work: float | None
    friction_loss: float | None
    external_work: float | None
    events: float | None
    kinetic: float | None
    potential: float | None
    stored: float | None
    residual: float | None
    at: float
    moved: float | None
    relative: float | None
    limit: float | None
    since: float | None
    ok: bool


class Point(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One instant of a drive: torque [N·m or N], speed [rad/s or m/s] and power [W] at a time [s].

    The power is negative if the drive brakes.
    """

    t: float
    torque: float | None
    speed: float | None
    power: float | None


class Margin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Comparison of a rating with its use.

    Parameters
    ----------
    rated, used : float
        In the same unit.
    factor : float
        rated / used; infinite if nothing is used.
    percent : float
        Remaining part of the rating; negative if exceeded.
    """

    rated: float
    used: float | None
    factor: float | None
    percent: float | None


class DriveSizing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Loads of a run, taken as one cycle, on the drive of a joint.

    Peaks are those of the samples and of the model's values at corners and between samples; means
    and integrals are those of the samples. A plateau is represented by its point of largest power.
    Coupled joints count in the drive that they follow.

    Parameters
    ----------
    joint : str
    torque_unit, speed_unit : str
    duration : float
        Duration of the cycle [s].
    peak_torque, peak_speed : Point
        Points of largest magnitude.
    peak_power, least_power : Point
        Largest and smallest power; the latter is negative if the drive brakes.
    rms_torque, mean_torque, mean_abs_torque : Estimate
        Root mean square, mean, and mean magnitude over time.
    mean_power : Estimate
        [W]
    delivered, regenerated : Estimate
        ∫ max(P, 0) dt and ∫ max(-P, 0) dt of the cycle [J].
    torque_margin, rms_margin, speed_margin : Margin or None
        Peak torque, RMS torque and peak speed against the ratings; None if not rated.
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
