"""Loads of a joint's motion on the shaft of its motor and on the gear.

With the ratio N, J of rotor and gear at the shaft and tau of the joint (`sim.robots.drive_train`)::

    w = N qd,    tau_m = (tau + N² J qdd + gear loss) / N
    gear loss: (1/eta_f - 1) tau  where the motor drives,  -(1 - eta_b) tau  where it is driven

A run, rests included, is one cycle of T seconds::

    RMS            sqrt(1/T ∫ tau_m² dt)
    mean speed     1/T ∫ |w| dt
    regenerated    ∫ max(-tau_m w, 0) dt
    gear's mean    (∫ |qd| |tau|³ dt / ∫ |qd| dt)^(1/3)
    winding's heat 1/T ∫ (tau_m/k)² dt · R (1 + 0.0039 (T_max - 25)) of (T_max - 25)/(R_1 + R_2)

The heat is that of the copper alone, with the winding at its highest temperature in air of 25 °C; a
cycle must be short compared with the winding's time constant, some 20 to 40 s.

References
----------
maxon academy, Formulae Handbook (J. Braun), chapters 2, 3.4 and 6 (RMS, mean speed, heat);
Harmonic Drive, catalogue CSF/CSG, selection procedure (average output torque).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.dynamics.drive_trains import DriveTrains
from sim.maths.arrays import Array
from sim.maths.quadrature import Estimate, integral
from sim.sizing.pair import Pair
from sim.sizing.parts import Motor

COPPER, COLD = 0.0039, 25.0  # 1/K; °C of the stated resistances and of the air


@dataclass(frozen=True, eq=False)
class JointDuty:
    """Motion of a joint, and the torque of its gear on the link.

    Parameters
    ----------
    t : ndarray, shape (N,)
        Ascending [s].
    tau, qd, qdd : ndarray, shape (M,)
        At the N samples, then at any times between [N·m], [rad/s], [rad/s²], so that peaks are not
        missed. Means are of the samples.
    slow : float
        Largest speed that counts as rest, at which the gear locks [rad/s].
    """

    t: Array
    tau: Array
    qd: Array
    qdd: Array
    slow: float = 0.0

    @property
    def way(self) -> float:
        """Travel ∫ |qd| dt [rad]."""
        return float(np.trapezoid(np.abs(self.qd[: self.t.size]), self.t))


@dataclass(frozen=True, eq=False)
class ShaftMotion:
    """Torque [N·m], speed [rad/s] and power [W] at a motor's shaft, each of shape (M,)."""

    torque: Array
    speed: Array

    @property
    def power(self) -> Array:
        """Power, negative while the motor brakes."""
        return np.asarray(self.torque * self.speed)


def shaft_motion(duty: JointDuty, pair: Pair) -> ShaftMotion:
    """Return torque and speed at the shaft of a pair, by the law of drive trains."""
    train = pair.train
    law = DriveTrains(
        has_one=np.array([True]),
        ratio=np.array([train.ratio]),
        inertia=np.array([train.reflected_inertia]),
        viscous=np.zeros(1),
        dry=np.array(train.dry)[:, None],
        efficiency=np.array(train.efficiencies)[:, None],
    )
    moving = np.where(np.abs(duty.qd) > duty.slow, duty.qd, 0.0)
    losses = law.lost_torque(duty.tau[None], moving[None])[0]
    whole = duty.tau + train.reflected_inertia * duty.qdd + losses
    return ShaftMotion(whole / train.ratio, train.ratio * duty.qd)


@dataclass(frozen=True)
class ShaftLoad:
    """Load of a run on a motor and its gear.

    Parameters
    ----------
    peak_torque, mean_torque : float
        Largest magnitude, and signed mean [N·m].
    rms_torque : Estimate
        [N·m]
    peak_speed, mean_speed : float
        Magnitudes [rad/s].
    peak_power, least_power, mean_power : float
        [W]
    regenerated : Estimate
        Energy that flows back to the motor while it brakes [J].
    rotor_share : float
        Largest torque of the rotor's own inertia, relative to the peak torque.
    gear_peak, gear_mean : float
        At the output [N·m].
    heat : float or None
        Mean loss of the winding over its largest continuous loss; None if unknown.
    at_speed : float or None
        Largest share of the torque available at the speed; None without such a curve.
    """

    peak_torque: float
    rms_torque: Estimate
    mean_torque: float
    peak_speed: float
    mean_speed: float
    peak_power: float
    least_power: float
    mean_power: float
    regenerated: Estimate
    rotor_share: float
    gear_peak: float
    gear_mean: float
    heat: float | None
    at_speed: float | None = None


def shaft_load(duty: JointDuty, pair: Pair) -> ShaftLoad:
    """Return the loads of a joint's motion on a pair of motor and gear."""
    shaft, t = shaft_motion(duty, pair), duty.t
    torque, speed, power = (x[: t.size] for x in (shaft.torque, shaft.speed, shaft.power))
    span = float(t[-1] - t[0])

    def mean(values: Array) -> float:
        return float(np.trapezoid(values, t)) / span

    squared = integral(torque**2, t).over(span)
    peak = float(np.abs(shaft.torque).max())
    J, curve = pair.train.rotor_inertia, pair.train.motor_curve
    rotor = float(np.abs(J * pair.gear.ratio * duty.qdd).max())
    worn = np.abs(duty.qd * duty.tau**3)[: t.size]
    way = duty.way
    return ShaftLoad(
        peak_torque=peak,
        rms_torque=squared.root(),
        mean_torque=mean(torque),
        peak_speed=float(np.abs(shaft.speed).max()),
        mean_speed=mean(np.abs(speed)),
        peak_power=float(shaft.power.max()),
        least_power=float(shaft.power.min()),
        mean_power=mean(power),
        regenerated=integral(np.maximum(-power, 0.0), t),
        rotor_share=rotor / peak if peak else 0.0,
        gear_peak=float(np.abs(duty.tau).max()),
        gear_mean=float(np.cbrt(np.trapezoid(worn, t) / way)) if way else 0.0,
        heat=_heat(pair.motor, squared.value or 0.0),
        at_speed=None if curve is None else float(curve.shares(shaft.torque, shaft.speed).max()),
    )


def _heat(motor: Motor, mean_square: float) -> float | None:
    """Return the winding's mean loss over its limit; `mean_square` of its torque [N²m²]."""
    R, k, hot = motor.resistance, motor.torque_constant, motor.temperature_max
    inner, outer = motor.thermal_winding_housing, motor.thermal_housing_ambient
    if R is None or k is None or hot is None or inner is None or outer is None:
        return None
    borne = (hot - COLD) / (inner + outer)
    return mean_square / k**2 * R * (1.0 + COPPER * (hot - COLD)) / borne


def shares(load: ShaftLoad, pair: Pair) -> dict[str, float]:
    """Return the used share of each known rating; above 1 the pair does not suffice."""
    motor, gear = pair.motor, pair.gear
    rms = load.rms_torque.value or 0.0
    loads = {
        "motor peak torque": (load.peak_torque, motor.torque_peak),
        "motor RMS torque": (rms, motor.continuous_at(load.mean_speed)),
        "motor torque at speed": (load.at_speed, 1.0),
        "motor peak speed": (load.peak_speed, motor.highest_speed),
        "motor mean speed": (load.mean_speed, motor.speed_rated),
        "winding heat": (load.heat, 1.0),
        "gear peak torque": (load.gear_peak, gear.torque_peak),
        "gear mean torque": (load.gear_mean, gear.torque_average),
        "gear peak speed": (load.peak_speed, gear.speed_peak),
        "gear mean speed": (load.mean_speed, gear.speed_average),
    }
    return {name: x / y for name, (x, y) in loads.items() if x is not None and y is not None}


def difference(one: ShaftLoad, other: ShaftLoad, torque: float, speed: float) -> float:
    """Return the largest difference of two loads' torques, speeds and powers, over their peaks.

    Peaks up to a `torque` [N·m] and a `speed` [rad/s] are what rounding leaves of none.
    """
    groups = {
        "peak_torque": (torque, ("peak_torque", "rms_torque", "mean_torque")),
        "peak_speed": (speed, ("peak_speed", "mean_speed")),
        "peak_power": (one.peak_torque * speed, ("peak_power", "least_power", "mean_power")),
    }
    shares = [0.0]
    for scale, (none, names) in groups.items():
        size = max(_value(one, scale), _value(other, scale))
        distance = max(abs(_value(one, name) - _value(other, name)) for name in names)
        shares.append(distance / size if size > none else 0.0)
    return max(shares)


def _value(load: ShaftLoad, name: str) -> float:
    value = getattr(load, name)
    return float((value.value if isinstance(value, Estimate) else value) or 0.0)
