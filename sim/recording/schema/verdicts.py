"""Results of judging a run, as its description keeps them.

A number that JSON does not have, NaN or infinite, is None when a description is read back.
"""

from __future__ import annotations

import msgspec

from sim.maths.quadrature import Estimate


class Check(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One quantity judged.

    Parameters
    ----------
    name, channel : str
        What was judged, and on which channel.
    worst, limit : float
        In `unit`; for a range, the extreme position and the end of the range it is nearest to.
    unit : str
    at : float
        Time of the worst [s].
    ok : bool
    used : float or None
        Share of its limit that the worst uses, 1 at the limit; None where there is no such share.
    plot : str
        The curve on which it is seen: its channel, or one that only judges compute.
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
    """One claim on one channel.

    Parameters
    ----------
    text, source, channel : str
    found, expected : float
        In `unit`; `within` is how far `found` may be from `expected`, or None where `expected`
        is a limit.
    ok : bool
        Whether this run shows what is claimed.
    at : float or None
        Time of a peak, or of a smallest value, that is judged by its size [s].
    is_least : bool
        `expected` is a lower limit; not in a file where it is an upper one or none.
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
    """Energies of a run at its end, and how well they balance at every sample, all in [J].

    At every time ``motor_work + external_work + events - friction_loss = kinetic + potential +
    stored``, each counted from the start.

    Parameters
    ----------
    table : str
        ``recorded`` or ``analytic``.
    motor_work : float
        Work of all drives, with what they spend on friction.
    friction_loss : float
        Spent on friction in all joints.
    external_work : float
        Work of the force elements, in joints, on links and of contact, less what they store.
    events : float
        Kinetic and potential energy that payloads brought when they were picked up, less what they
        took away when they were set down.
    kinetic, potential, stored : float
        Change of the energies; `stored` is that of the force elements.
    residual, at : float
        Largest imbalance, and its time [s].
    moved : float
        Energy moved, see `sim.checks.limits.energy_moved`.
    relative : float
        residual / moved
    limit : float
        Largest allowed residual.
    since : float or None
        First time at which the residual is beyond its limit [s].
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

    A negative power is given back: the drive brakes.
    """

    t: float
    torque: float | None
    speed: float | None
    power: float | None


class Margin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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
    used: float | None
    factor: float | None
    percent: float | None


class DriveSizing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Requirements of a run, taken as one cycle, on the drive of a joint.

    Peaks are the largest of the samples and of the model's values next to corners and between
    samples; means and integrals are those of the samples. Of a plateau, the one with the most power
    stands for all. Joints that follow by coupling count in the drive
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
