"""Screening of the pairs of large catalogues by a lower bound of each pair's largest used share.

The torque at the shaft, times the ratio, is a sum of five curves of the joint's motion with factors
of the pair (`sim.sizing.shaft`): its torque at rest, while the motor drives and while it is driven,
the sign of its speed, and its acceleration. Mean squares are a quadratic form of the factors, and a
peak is at least the value at any one sample. All other quantities depend on motor or gear alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.errors import ScenarioError
from sim.maths.arrays import Array
from sim.sizing.pair import Pair
from sim.sizing.parts import Gear, Motor
from sim.sizing.shaft import COLD, COPPER, JointDuty

MOST_PAIRS = 4_000_000
AT_ONCE = 100_000  # pairs per batch
PROBES = 64  # pairs whose peaks select the samples at which all are bounded
ROUNDING = 1e-9  # of a share, by which the bound may exceed it


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of two catalogues in ascending order.

    Parameters
    ----------
    motors, gears : sequence
    motor, gear : ndarray of int, shape (P,)
        Indices of the motor and the gear of each pair.
    """

    motors: Sequence[Motor]
    gears: Sequence[Gear]
    motor: NDArray[np.intp]
    gear: NDArray[np.intp]

    @classmethod
    def in_order(cls, motors: Sequence[Motor], gears: Sequence[Gear], *, by_mass: bool) -> Pairs:
        """Return the pairs by mass and then by torque, or by torque alone.

        Raises
        ------
        ScenarioError
            If there are too many.
        """
        if len(motors) * len(gears) > MOST_PAIRS:
            raise ScenarioError(
                f"{len(motors)} motors and {len(gears)} gears are more than {MOST_PAIRS} pairs; "
                "remove parts from the catalogues"
            )
        torque = np.add.outer(np.zeros(len(motors)), _of(gears, "torque_peak"))
        torque += np.outer(_of(motors, "torque_continuous"), np.abs(_of(gears, "ratio")))
        keys = [torque.ravel()]
        if by_mass:
            keys.append(np.add.outer(_of(motors, "mass"), _of(gears, "mass")).ravel())
        order = np.lexsort(keys)
        return cls(motors, gears, *np.divmod(order, len(gears)))

    def __len__(self) -> int:
        return self.motor.size

    def __getitem__(self, k: int) -> Pair:
        return Pair(self.motors[self.motor[k]], self.gears[self.gear[k]])

    def least_shares(
        self, duty: JointDuty, inertia: float | None, ratio_limit: float | None
    ) -> Array:
        """Return a lower bound of each pair's largest used share of a rating, (P,)."""
        curves, t = _curves(duty), duty.t
        weights = np.convolve(np.diff(t), (0.5, 0.5)) / (t[-1] - t[0])  # trapezoidal rule
        sampled = curves[:, : t.size]
        gram = (sampled * weights) @ sampled.T
        samples = self._samples_to_look_at(curves)
        speed = np.abs(duty.qd)
        gear_mean = 0.0
        if way := duty.way:
            worn = np.abs(duty.qd * duty.tau**3)[: t.size]
            gear_mean = float(np.cbrt(np.trapezoid(worn, t) / way))
        motion = _Motion(
            float(speed.max()), float(speed[: t.size] @ weights), float(np.abs(duty.tau).max()),
            gear_mean, gram, samples,
        )  # fmt: skip
        parts = [
            self._lower_bound(motion, slice(k, k + AT_ONCE), inertia, ratio_limit)
            for k in range(0, len(self), AT_ONCE)
        ]
        return np.concatenate(parts) * (1.0 - ROUNDING)

    def _samples_to_look_at(self, curves: Array) -> Array:
        """Return the curves at the samples where some of the pairs have their peaks, (5, S)."""
        some = np.unique(np.linspace(0, len(self) - 1, PROBES).astype(np.intp))
        totals = np.abs(self._factors(some) @ curves)
        return curves[:, np.unique([*totals.argmax(axis=1), *np.abs(curves).argmax(axis=1)])]

    def _factors(self, which: slice | NDArray[np.intp]) -> Array:
        """Return factors of the five curves, (P, 5)."""
        inertia = _of(self.motors, "inertia")[self.motor[which]]
        parts = {
            name: _of(self.gears, name)[self.gear[which]]
            for name in ("ratio", "inertia", "efficiency", "efficiency_back", "friction")
        }
        back = np.where(
            np.isnan(parts["efficiency_back"]), parts["efficiency"], parts["efficiency_back"]
        )
        ratio = parts["ratio"]
        dry = np.abs(ratio) * np.nan_to_num(parts["friction"])
        total = ratio**2 * (inertia + parts["inertia"])
        return np.stack([np.ones(ratio.size), 1.0 / parts["efficiency"], back, dry, total], axis=1)

    def _lower_bound(
        self, motion: _Motion, which: slice, inertia: float | None, ratio_limit: float | None
    ) -> Array:
        factors = self._factors(which)
        motor = {
            name: _of(self.motors, name)[self.motor[which]]
            for name in (
                "torque_continuous", "torque_peak", "torque_standstill", "speed_rated",
                "highest_speed", "resistance", "torque_constant", "thermal_winding_housing",
                "thermal_housing_ambient", "temperature_max",
            )
        }  # fmt: skip
        gear = {
            name: _of(self.gears, name)[self.gear[which]]
            for name in ("ratio", "torque_peak", "torque_average", "speed_peak", "speed_average")
        }
        ratio = np.abs(gear["ratio"])
        peak = np.abs(factors @ motion.samples).max(axis=1) / ratio
        square = np.maximum(np.einsum("pi,ij,pj->p", factors, motion.gram, factors), 0.0) / ratio**2
        mean_speed = ratio * motion.mean_speed
        rest = motor["torque_standstill"]
        share = np.minimum(mean_speed / motor["speed_rated"], 1.0)
        lasting = np.where(
            np.isnan(rest),
            motor["torque_continuous"],
            rest + share * (motor["torque_continuous"] - rest),
        )
        warm = motor["temperature_max"] - COLD
        thermal = motor["thermal_winding_housing"] + motor["thermal_housing_ambient"]
        loss = square / motor["torque_constant"] ** 2 * motor["resistance"] * (1.0 + COPPER * warm)
        bounds = [
            peak / motor["torque_peak"],
            np.sqrt(square) / lasting,
            ratio * motion.peak_speed / motor["highest_speed"],
            mean_speed / motor["speed_rated"],
            loss * thermal / warm,
            motion.gear_peak / gear["torque_peak"],
            motion.gear_mean / gear["torque_average"],
            ratio * motion.peak_speed / gear["speed_peak"],
            mean_speed / gear["speed_average"],
        ]
        if inertia is not None and ratio_limit is not None:
            bounds.append(inertia / factors[:, -1] / ratio_limit)
        return np.asarray(np.fmax.reduce(bounds))  # the share of an unknown rating is ignored


@dataclass(frozen=True, eq=False)
class _Motion:
    """Quantities of a joint's motion common to all pairs."""

    peak_speed: float
    mean_speed: float
    gear_peak: float
    gear_mean: float
    gram: Array
    samples: Array


def _curves(duty: JointDuty) -> Array:
    """Return the five curves, (5, M)."""
    sense = np.where(np.abs(duty.qd) > duty.slow, np.sign(duty.qd), 0.0)
    driving = duty.tau * sense > 0
    still = sense == 0
    return np.stack([
        np.where(still, duty.tau, 0.0),
        np.where(driving & ~still, duty.tau, 0.0),
        np.where(driving | still, 0.0, duty.tau),
        sense,
        duty.qdd,
    ])  # fmt: skip


def _of(parts: Sequence[Motor] | Sequence[Gear], name: str) -> Array:
    """Return a property of all parts; NaN where it is unknown."""
    return np.array([getattr(part, name) for part in parts], dtype=np.float64)
