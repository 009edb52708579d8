"""Corners of a drive, at which a sample may be on either side of a jump."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sim.maths.arrays import Array, Mask
from sim.maths.sampling import SAME_TIME
from sim.recording.schema.description import Conditions


def corner_samples(run: Conditions, t: Array) -> Mask:
    """Return the samples whose central difference crosses a corner, in a discretised run only.

    A run lists as corners the times at which an acceleration jumps, or bends between two samples. A
    bend on a sample is excluded: its effect is of first order in the step and removed by the
    extrapolation.
    """
    if not run.solved_by.is_discretised:
        return np.zeros(t.size, dtype=bool)
    return samples_near(run.settings.corners, t, run.settings.dt)


def samples_near(times: Iterable[float], t: Array, dt: float) -> Mask:
    """Return samples within one step of any of `times`: one if that is on a sample, else two."""
    return np.asarray(distances(t, np.fromiter(times, np.float64)) < dt - SAME_TIME)


def samples_since(time: float, t: Array) -> Mask:
    """Return the mask of samples at and after `time`."""
    return t >= time - SAME_TIME


def are_on_samples(times: Array, t: Array) -> Mask:
    """Return which of `times` are sample times."""
    return np.asarray(distances(times, t) <= SAME_TIME)


def distances(times: Array, others: Array) -> Array:
    """Return the distance of each of `times` from the closest of `others`, in O(n log n)."""
    if not others.size:
        return np.full(times.size, np.inf)
    others = np.sort(others)
    behind = np.searchsorted(others, times)  # index of the first that is not before
    before, after = others[np.maximum(behind - 1, 0)], others[np.minimum(behind, others.size - 1)]
    return np.minimum(np.abs(times - before), np.abs(times - after))


def distance(recorded: Array, analytic: Array, corner: Mask) -> Array:
    """Return the distance of recorded from analytic values at each sample.

    At a corner sample it is the distance from a band: it spans the analytic values of that sample
    and its two neighbours, and the linear extrapolations of the curve from the left and from the
    right, and is widened by a quarter of its width on both sides. A central difference gives values
    inside the band, and extrapolation from two of them at most an eighth outside. An error larger
    than the jump itself is still detected.
    """
    error = np.abs(recorded - analytic)
    k = np.flatnonzero(corner)
    if k.size == 0:
        return error
    last = analytic.size - 1
    far, before, here, after, beyond = (analytic[np.clip(k + j, 0, last)] for j in range(-2, 3))
    around = np.stack([before, here, after, 2 * before - far, 2 * after - beyond])
    low, high = around.min(axis=0), around.max(axis=0)
    slack = 0.25 * (high - low)
    inside = np.maximum(low - slack - recorded[k], recorded[k] - high - slack)
    error[k] = np.where(np.isnan(inside), np.nan, np.maximum(inside, 0.0))
    return error
