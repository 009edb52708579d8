"""Curves of another program and of a run at the same times, and their differences.

The times are the foreign ones. If all of them are samples of the run, `at_samples` uses the
samples; otherwise `between_samples` interpolates ours cubically, with a band at corners.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from sim.errors import RecordingError
from sim.maths.arrays import Array
from sim.maths.print_rounding import half_unit
from sim.maths.rotation_vectors import at_other_times, steady_quaternions, turns_between
from sim.maths.rotations import signs_towards
from sim.maths.sampling import SAME_TIME
from sim.recording.schema.corners import samples_near

if TYPE_CHECKING:
    import pandas as pd

    from sim.foreign.map_curves import MappedCurve

SIDES = ("mine", "theirs")
ORIENTATION = tuple(f"tool.q{c}" for c in "xyzw")


class AlignedCurve(Struct, frozen=True, eq=False):
    """A foreign curve with ours at the same times.

    Parameters
    ----------
    channel : str
    t : ndarray, shape (N,)
        [s]
    mine, theirs : ndarray, shape (N,)
        In the channel's unit.
    print_width : ndarray, shape (N,)
        Possible rounding of the printed foreign values.
    low, high : ndarray, shape (N,)
        The band of ours: `mine` itself, but wider at a corner between samples.
    others : tuple of AlignedCurve
        The other two of the three channels of a rotation, whose difference is an angle.
    """

    channel: str
    t: Array
    mine: Array
    theirs: Array
    print_width: Array
    low: Array
    high: Array
    others: tuple[AlignedCurve, ...] = ()

    @property
    def every(self) -> tuple[AlignedCurve, ...]:
        """Curves that are judged as one: three for a rotation, else this one."""
        return (self, *self.others)

    @property
    def excess(self) -> Array:
        """Return the excess of theirs over our band, sample by sample; for a rotation the angle."""
        return _size([each._outside for each in self.every])

    @property
    def _outside(self) -> Array:
        return np.maximum(np.maximum(self.low - self.theirs, self.theirs - self.high), 0.0)

    @property
    def beyond(self) -> Array:
        """Return the excess of theirs over our band and their own rounding, sample by sample."""
        return np.maximum(self.excess - _size([each.print_width for each in self.every]), 0.0)


def _size(parts: Sequence[Array]) -> Array:
    """Return √Σ x² sample by sample; of a single part the part itself."""
    return parts[0] if len(parts) == 1 else np.asarray(np.linalg.norm(parts, axis=0))


def samples_at(t: Array, times: Array) -> NDArray[np.intp]:
    """Return the index of the sample at each given time.

    Parameters
    ----------
    t : ndarray, shape (N,)
        Ascending sample times of a run [s].
    times : ndarray, shape (M,)
        [s]

    Raises
    ------
    RecordingError
        If the run has no sample at one of them; the message names the first.
    """
    nearest = np.clip(np.searchsorted(t, times - SAME_TIME), 0, t.size - 1)
    off = np.abs(t[nearest] - times) > SAME_TIME
    if off.any():
        raise RecordingError(
            f"The reference has a sample at t = {times[np.argmax(off)]:.9g} s, where the run has "
            f"none, from {t[0]:.9g} to {t[-1]:.9g} s in steps of {t[1] - t[0]:.9g} s"
        )
    return nearest


def at_samples(
    t_own: Array,
    column: Callable[[str], Array],
    table: pd.DataFrame,
    digits: int,
    quaternions: Sequence[Sequence[str]] = (),
    rotations: Sequence[Sequence[str]] = (),
) -> list[AlignedCurve]:
    """Align the curves of a table whose times are all samples of ours.

    Parameters
    ----------
    t_own : ndarray, shape (N,)
        Our sample times [s].
    column : callable
        Our values of a channel, shape (N,).
    table : pandas.DataFrame
        One column per channel, index ``t`` [s].
    digits : int
        Significant digits of its printed numbers.
    quaternions : sequence of four channels each
        In addition to the tool's; their signs become ours.
    rotations : sequence of three channels each
        Rotation vectors, which differ by the angle between the rotations.

    Raises
    ------
    RecordingError
        If ours lacks a channel or a sample time of the table.
    """
    t = table.index.to_numpy(dtype=np.float64)
    k = samples_at(t_own, t)
    curves = []
    for channel in map(str, table.columns):
        printed = table[channel].to_numpy(dtype=np.float64)
        printed = np.where(np.isfinite(printed), printed, np.nan)  # which violates any limit
        mine = column(channel)[k]
        width = half_unit(printed, digits)
        curves.append(AlignedCurve(channel, t, mine, printed, width, mine, mine))
    return _with_rotations(_with_our_signs(curves, quaternions), rotations)


def between_samples(
    t_own: Array,
    column: Callable[[str], Array],
    curves: Sequence[MappedCurve],
    corners: Sequence[float] = (),
    step: float = 0.0,
    quaternions: Sequence[Sequence[str]] = (),
    rotations: Sequence[Sequence[str]] = (),
) -> list[AlignedCurve]:
    """Align curves at their own times, with ours interpolated between its samples.

    Ours is cubic between samples, a rotation by the cubics of its quaternion. At a corner, all
    values from the sample before to the one after count as ours.

    Parameters
    ----------
    t_own : ndarray, shape (N,)
        Our sample times [s].
    column : callable
        Our values of a channel, shape (N,).
    curves : sequence of MappedCurve
    corners : sequence of float
        Possible jumps of ours [s].
    step : float
        Step of our samples [s].
    quaternions : sequence of four channels each
        In addition to the tool's; their signs become ours.
    rotations : sequence of three channels each
        Rotation vectors of ours, which differ by the angle between the rotations.
    """
    of = {channel: three for three in rotations for channel in three}

    def align(curve: MappedCurve) -> AlignedCurve:
        values, t = column(curve.channel), curve.t
        if (three := of.get(curve.channel)) is not None:
            vectors = np.stack([column(one) for one in three])
            if np.isfinite(vectors).all():
                return _aligned_rotation(t_own, vectors, curve, three, corners, step)
        mine = cubic(t_own, values, t)
        low, high = mine.copy(), mine.copy()
        for k in np.flatnonzero(samples_near(corners, t, 2 * step)):
            near = values[np.abs(t_own - t[k]) <= step + SAME_TIME]
            low[k], high[k] = min(low[k], near.min()), max(high[k], near.max())
        slope = np.interp(t, t_own, np.gradient(values, t_own)) if t_own.size > 1 else 0 * mine
        width = curve.rounding + np.abs(slope) * curve.t_rounding
        return AlignedCurve(curve.channel, t, mine, curve.values, width, low, high)

    return _with_rotations(
        _with_our_signs([align(curve) for curve in curves], quaternions), rotations
    )


def _aligned_rotation(
    t_own: Array,
    vectors: Array,
    curve: MappedCurve,
    three: Sequence[str],
    corners: Sequence[float],
    step: float,
) -> AlignedCurve:
    """Align one of a rotation's three channels with our vectors (3, N)."""
    t, row = curve.t, list(three).index(curve.channel)
    mine = at_other_times(vectors, lambda values: cubic(t_own, values, t))
    low, high = mine[row].copy(), mine[row].copy()
    for k in np.flatnonzero(samples_near(corners, t, 2 * step)):
        near = vectors[:, np.abs(t_own - t[k]) <= step + SAME_TIME]
        away = turns_between([slice(0, 3)], np.repeat(mine[:, [k]], near.shape[1], axis=1), near)
        low[k] += min(away[row].min(), 0.0)
        high[k] += max(away[row].max(), 0.0)
    width = curve.rounding
    if t_own.size > 1 and curve.t_rounding.any():
        speed = 2 * np.linalg.norm(np.gradient(steady_quaternions(vectors), t_own, axis=1), axis=0)
        width = width + np.interp(t, t_own, speed) * curve.t_rounding
    return AlignedCurve(curve.channel, t, mine[row], curve.values, width, low, high)


def cubic(t_own: Array, values: Array, t: Array) -> Array:
    """Return the samples where available; otherwise the cubic through the nearest four."""
    if t_own.size < 4:
        return np.interp(t, t_own, values)
    first = np.clip(np.searchsorted(t_own, t, side="right") - 2, 0, t_own.size - 4)
    nodes = [t_own[first + j] for j in range(4)]
    result = np.zeros(t.size)
    for j in range(4):
        weight = np.ones(t.size)
        for i in range(4):
            if i != j:
                weight *= (t - nodes[i]) / (nodes[j] - nodes[i])
        result += weight * values[first + j]
    nearest = np.clip(np.searchsorted(t_own, t - SAME_TIME), 0, t_own.size - 1)
    return np.where(np.abs(t_own[nearest] - t) <= SAME_TIME, values[nearest], result)


def _with_rotations(
    curves: list[AlignedCurve], rotations: Sequence[Sequence[str]]
) -> list[AlignedCurve]:
    """Return curves in which rotations differ from ours by the rotation between them, same axes."""
    by_channel = {one.channel: one for one in curves}
    for three in rotations:
        parts = [by_channel[channel] for channel in three if channel in by_channel]
        if len(parts) < 3 or not all(np.array_equal(one.t, parts[0].t) for one in parts):
            continue
        mine, theirs = (np.stack([getattr(one, side) for one in parts]) for side in SIDES)
        if not np.isfinite([mine, theirs]).all():
            continue
        near = mine - turns_between([slice(0, 3)], theirs, mine)
        parts = [replace(one, theirs=row) for one, row in zip(parts, near, strict=True)]
        for k, one in enumerate(parts):
            by_channel[one.channel] = replace(one, others=(*parts[:k], *parts[k + 1 :]))
    return [by_channel[one.channel] for one in curves]


def _with_our_signs(
    curves: list[AlignedCurve], quaternions: Sequence[Sequence[str]]
) -> list[AlignedCurve]:
    """Return curves with the signs of our quaternions: q and -q are the same rotation."""
    for channels in (ORIENTATION, *quaternions):
        curves = _with_our_sign(curves, channels)
    return curves


def _with_our_sign(curves: list[AlignedCurve], channels: Sequence[str]) -> list[AlignedCurve]:
    """Return curves with the sign of one quaternion, if complete at the same times."""
    parts = {one.channel: one for one in curves if one.channel in channels}
    times = [one.t for one in parts.values()]
    if len(parts) < 4 or not all(np.array_equal(t, times[0]) for t in times):
        return curves
    signs = signs_towards(
        np.stack([parts[c].mine for c in channels]), np.stack([parts[c].theirs for c in channels])
    )
    return [
        replace(one, theirs=signs * one.theirs) if one.channel in parts else one for one in curves
    ]
