"""Rounding of a channel: its own noise, and cancelling values in it.

Two runs with smaller differences are the same. It is measured on the accepted curve, never on the
judged one: a noisy run does not widen its own limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb, hypot, sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from sim.maths.arrays import Array
from sim.recording.files.table_files import Table, numbers_in
from sim.recording.schema.channels import group_of, scale_of

if TYPE_CHECKING:
    from sim.recording.schema.description import Conditions

# Relative to the channel's peak: order of summation of a processor. 2e-12 was observed after a
# change of a mass by 1e-12, 1e-10 between machines.
SUMS = 1e-10

# Relative to the largest channel of the same scale, for channels that are small by cancellation.
CANCELLING = 1e-12

# Residual motion: the engine's solver leaves 4e-11 rad/s² in a joint that does not accelerate. In
# the unit of a position, a velocity or an acceleration; forces have no such floor.
AT_REST = 1e-9
MOTION = frozenset({"q", "qd", "qdd", "tool", "part", "target"})

# A point of the robot moves by a sum of joint motions, whose noise remains where the motions cancel
# (a tool that keeps its orientation). By the unit of its channels; at levers of one metre.
JOINTS_OF = MappingProxyType({"m/s": "qd", "rad/s": "qd", "m/s²": "qdd", "rad/s²": "qdd"})

# In any unit: smaller values cannot be distinguished from zero.
LEAST = 1e-300

# Order of the differences that leave only the noise of a smooth curve.
ORDER = 8
# Peak of the difference of two noisy curves, in standard deviations of one.
PEAK = 10.0
# Relative to the peak, at a step of 1 ms: a curve with more jitter is curved, not noisy. Second
# differences amplify the noise by 1/h²; 3e-8 is its value at 1 ms.
MOST_NOISE = 1e-7
STEP = 1e-3  # [s]


def noise(curve: Array, dt: float) -> float:
    """Return the largest difference by noise between two runs of one curve, in its unit.

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
    """Return the largest plausible noise of a curve with this peak at steps of `dt` [s]."""
    return MOST_NOISE * max(1.0, (STEP / dt) ** 2) * peak


def noises(table: Table, dt: float) -> dict[str, float]:
    """Return the noise of each channel, in its unit; of a vector, that of its noisiest part.

    The axes of a reaction turn with a link, so that other components leave noise in a zero one.
    """
    by_channel = {c: noise(numbers_in(table, c), dt) for c in map(str, table.columns)}
    return _of_vectors(by_channel)


def clip_noise(
    noise: Mapping[str, float], peaks: Mapping[str, float], dt: float
) -> dict[str, float]:
    """Return the noises for a baseline, none larger than plausible for these peaks."""
    return {
        channel: min(noise.get(channel, 0.0), most_noise(peak, dt))
        for channel, peak in _of_vectors(peaks).items()
    }


def _of_vectors(sizes: Mapping[str, float]) -> dict[str, float]:
    """Return the largest size among the components of each channel's vector."""

    def vector(channel: str) -> str:
        return channel[:-1] if group_of(channel).components else channel

    largest: dict[str, float] = {}
    for channel, size in sizes.items():
        largest[vector(channel)] = max(size, largest.get(vector(channel), 0.0))
    return {channel: largest[vector(channel)] for channel in sizes}


def roundings(
    peaks: Mapping[str, float], noise: Mapping[str, float], run: Conditions
) -> dict[str, float]:
    """Return the possible difference by rounding in each channel, in its unit.

    If all reactions vanish, their scale is the robot's weight, which cancels in them; for moments,
    at a lever of one metre. Velocities and accelerations of the tool and of parts have the noise of
    the joints too.

    Parameters
    ----------
    peaks, noise : mapping of str to float
        Largest magnitude and noise of each channel in the accepted run.
    run : Conditions
        Conditions of the accepted run.
    """
    weight = sum(run.robot.masses.values()) * hypot(*run.settings.gravity)
    highest: dict[str, float] = {}
    for channel, peak in peaks.items():
        highest[scale_of(channel)] = max(peak, highest.get(scale_of(channel), 0.0))
    of_joints = dict.fromkeys(JOINTS_OF.values(), 0.0)
    for channel, size in noise.items():
        if (group := channel.partition(".")[0]) in of_joints:
            of_joints[group] += size
    return {
        channel: SUMS * peak
        + CANCELLING * max(highest[scale_of(channel)], weight if _is_wrench(channel) else 0.0)
        + (AT_REST if channel.partition(".")[0] in MOTION else 0.0)
        + max(noise.get(channel, 0.0), of_joints.get(_joints_of(channel), 0.0))
        + LEAST
        for channel, peak in peaks.items()
    }


def _joints_of(channel: str) -> str:
    """Return the group of the joint motions that sum to this channel; empty for none."""
    group = group_of(channel)
    is_motion = group.name in ("tool", "part")
    return JOINTS_OF.get(group.component_of(channel).unit, "") if is_motion else ""


def _is_wrench(channel: str) -> bool:
    """Whether a channel is a component of a force or moment in a joint, a loop or at a point."""
    return group_of(channel).ends_in_component
