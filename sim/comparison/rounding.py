"""Rounding of a channel: its own noise, and values that cancel in it.

Below this two runs are the same. It is measured on the accepted curve, never on the one that is
judged: a noisy run does not loosen its own limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb, hypot, sqrt
from typing import TYPE_CHECKING

import numpy as np

from sim.maths.arrays import Array
from sim.recording.files.table_files import Table, numbers_in
from sim.recording.schema.channels import group_of, scale_of

if TYPE_CHECKING:
    from sim.recording.schema.description import Conditions

# Of the channel's own peak: the order in which a processor adds. 2e-12 was seen after a change of
# a mass by 1e-12, 1e-10 between machines.
SUMS = 1e-10

# Of the largest channel of the same scale, for one that is small because others cancel in it.
CANCELLING = 1e-12

# Motion that is none: the engine's solver leaves 4e-11 rad/s² in a joint that does not accelerate.
# In the unit of a position, a velocity or an acceleration; forces have no such floor.
AT_REST = 1e-9
MOTION = frozenset({"q", "qd", "qdd", "tool", "target"})

# In any unit: below it nothing is left that a processor separates from zero.
LEAST = 1e-300

# Differences of this order leave of a curve that is smooth for its step only the noise.
ORDER = 8
# A peak of the difference of two noisy curves, in standard deviations of one.
PEAK = 10.0
# A curve that jitters more than this is bent, not noisy: of its peak, at a step of 1 ms. Second
# differences make the noise grow with 1/h²; 3e-8 is what it is at 1 ms.
MOST_NOISE = 1e-7
STEP = 1e-3  # [s]


def noise(curve: Array, dt: float) -> float:
    """Largest difference by noise between two runs of one curve, in its unit.

    Parameters
    ----------
    curve : ndarray, shape (N,)
    dt : float
        Step of the samples [s].
    """
    if curve.size < 3 * ORDER or not np.isfinite(curve).all():
        return 0.0
    spread = float(np.median(np.abs(np.diff(curve, ORDER)))) / sqrt(comb(2 * ORDER, ORDER))
    # 0.6745: the median of a normal distribution's magnitude
    return min(PEAK * spread / 0.6745, most_noise(float(np.max(np.abs(curve))), dt))


def most_noise(peak: float, dt: float) -> float:
    """The most that is taken for noise of a curve with this peak, sampled in steps of `dt` [s]."""
    return MOST_NOISE * max(1.0, (STEP / dt) ** 2) * peak


def noises(table: Table, dt: float) -> dict[str, float]:
    """The noise of each channel of a table, in its unit; of a vector, that of its noisiest part.

    The axes of a reaction turn with a link: where a component is nothing, others leave theirs.
    """
    by_channel = {c: noise(numbers_in(table, c), dt) for c in map(str, table.columns)}
    return _of_vectors(by_channel)


def clip_noise(
    noise: Mapping[str, float], peaks: Mapping[str, float], dt: float
) -> dict[str, float]:
    """Noises that a baseline contains, none larger than curves with these peaks can have."""
    return {
        channel: min(noise.get(channel, 0.0), most_noise(peak, dt))
        for channel, peak in _of_vectors(peaks).items()
    }


def _of_vectors(sizes: Mapping[str, float]) -> dict[str, float]:
    """Largest size among the components of each channel's vector."""

    def vector(channel: str) -> str:
        return channel[:-1] if group_of(channel).components else channel

    largest: dict[str, float] = {}
    for channel, size in sizes.items():
        largest[vector(channel)] = max(size, largest.get(vector(channel), 0.0))
    return {channel: largest[vector(channel)] for channel in sizes}


def roundings(
    peaks: Mapping[str, float], noise: Mapping[str, float], run: Conditions
) -> dict[str, float]:
    """Difference that rounding may make in each channel, in its unit.

    Where nothing is left of any reaction, their scale is the robot's weight, which cancels in
    them; of a moment, at a lever of one metre.

    Parameters
    ----------
    peaks, noise : mapping of str to float
        Largest magnitude and noise of each channel in the accepted run.
    run : Conditions
        Of the accepted run.
    """
    weight = sum(run.robot.masses.values()) * hypot(*run.settings.gravity)
    highest: dict[str, float] = {}
    for channel, peak in peaks.items():
        highest[scale_of(channel)] = max(peak, highest.get(scale_of(channel), 0.0))
    return {
        channel: SUMS * peak
        + CANCELLING * max(highest[scale_of(channel)], weight if _is_wrench(channel) else 0.0)
        + (AT_REST if channel.partition(".")[0] in MOTION else 0.0)
        + noise.get(channel, 0.0)
        + LEAST
        for channel, peak in peaks.items()
    }


def _is_wrench(channel: str) -> bool:
    """True of a component of a force and moment in a joint, a loop or at a point."""
    return group_of(channel).ends_in_component
