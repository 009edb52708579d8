"""Curves of another program and of a run at the same times, and how far they differ.

Times are theirs. Where all of them are samples of the run, `at_samples` takes the samples; anywhere
else `between_samples` reads ours, cubic, and gives it a band where it has a corner.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sim.errors import RecordingError
from sim.maths.arrays import Array
from sim.maths.print_rounding import half_unit
from sim.maths.rotations import signs_towards
from sim.maths.sampling import SAME_TIME
from sim.recording.schema.corners import samples_near

if TYPE_CHECKING:
    import pandas as pd

    from sim.foreign.map_curves import MappedCurve

ORIENTATION = tuple(f"tool.q{c}" for c in "xyzw")


@dataclass(frozen=True, eq=False)
class AlignedCurve:
    """One of their curves with ours at the same times.

    Parameters
    ----------
    channel : str
    t : ndarray, shape (N,)
        [s]
    mine, theirs : ndarray, shape (N,)
        In the channel's unit.
    print_width : ndarray, shape (N,)
        How far theirs may be from what was computed there, because it is printed.
    low, high : ndarray, shape (N,)
        The band that ours is in: `mine` itself, but wider at a corner between samples.
    """

    channel: str
    t: Array
    mine: Array
    theirs: Array
    print_width: Array
    low: Array
    high: Array

    @property
    def apart(self) -> Array:
        """How far theirs are outside our band, sample by sample."""
        return np.maximum(np.maximum(self.low - self.theirs, self.theirs - self.high), 0.0)

    @property
    def beyond(self) -> Array:
        """How far theirs are outside our band and their own print, sample by sample."""
        return np.maximum(self.apart - self.print_width, 0.0)


def samples_at(t: Array, wanted: Array) -> NDArray[np.intp]:
    """Index of the sample at each wanted time.

    Parameters
    ----------
    t : ndarray, shape (N,)
        Ascending sample times of a run [s].
    wanted : ndarray, shape (M,)
        [s]

    Raises
    ------
    RecordingError
        If the run has no sample at one of them; names the first.
    """
    nearest = np.clip(np.searchsorted(t, wanted - SAME_TIME), 0, t.size - 1)
    off = np.abs(t[nearest] - wanted) > SAME_TIME
    if off.any():
        raise RecordingError(
            f"The reference has a sample at t = {wanted[np.argmax(off)]:.9g} s and the run has "
            f"none, from {t[0]:.9g} to {t[-1]:.9g} s in steps of {t[1] - t[0]:.9g} s"
        )
    return nearest


def at_samples(
    own: Array,
    column: Callable[[str], Array],
    table: pd.DataFrame,
    digits: int,
    quaternions: Sequence[Sequence[str]] = (),
) -> list[AlignedCurve]:
    """The curves of a table whose times are all samples of ours.

    Parameters
    ----------
    own : ndarray, shape (N,)
        Our sample times [s].
    column : callable
        Our values of a channel, shape (N,).
    table : pandas.DataFrame
        One column a channel, index ``t`` [s].
    digits : int
        Significant digits with which its numbers were printed.
    quaternions : sequence of four channels each
        Besides the tool's, of which the sign is ours.

    Raises
    ------
    RecordingError
        If ours lacks a channel or a sample time of the table.
    """
    t = table.index.to_numpy(dtype=np.float64)
    k = samples_at(own, t)
    curves = []
    for channel in map(str, table.columns):
        printed = table[channel].to_numpy(dtype=np.float64)
        printed = np.where(np.isfinite(printed), printed, np.nan)  # which fails any limit
        mine = column(channel)[k]
        width = half_unit(printed, digits)
        curves.append(AlignedCurve(channel, t, mine, printed, width, mine, mine))
    return _with_our_signs(curves, quaternions)


def between_samples(
    own: Array,
    column: Callable[[str], Array],
    curves: Sequence[MappedCurve],
    corners: Sequence[float] = (),
    step: float = 0.0,
    quaternions: Sequence[Sequence[str]] = (),
) -> list[AlignedCurve]:
    """Curves at their own times, with ours read between its samples.

    Ours is cubic between samples. Where it has a corner, all values from the sample before to the
    one after are ours.

    Parameters
    ----------
    own : ndarray, shape (N,)
        Our sample times [s].
    column : callable
        Our values of a channel, shape (N,).
    curves : sequence of MappedCurve
    corners : sequence of float
        Where ours may jump [s].
    step : float
        Of our samples [s].
    quaternions : sequence of four channels each
        Besides the tool's, of which the sign is ours.
    """

    def align(curve: MappedCurve) -> AlignedCurve:
        values, t = column(curve.channel), curve.t
        mine = cubic(own, values, t)
        low, high = mine.copy(), mine.copy()
        for k in np.flatnonzero(samples_near(corners, t, 2 * step)):
            near = values[np.abs(own - t[k]) <= step + SAME_TIME]
            low[k], high[k] = min(low[k], near.min()), max(high[k], near.max())
        slope = np.interp(t, own, np.gradient(values, own)) if own.size > 1 else 0 * mine
        width = curve.rounding + np.abs(slope) * curve.t_rounding
        return AlignedCurve(curve.channel, t, mine, curve.values, width, low, high)

    return _with_our_signs([align(curve) for curve in curves], quaternions)


def cubic(own: Array, values: Array, t: Array) -> Array:
    """The samples where they are there; between them the cubic through the nearest four."""
    if own.size < 4:
        return np.interp(t, own, values)
    first = np.clip(np.searchsorted(own, t, side="right") - 2, 0, own.size - 4)
    nodes = [own[first + j] for j in range(4)]
    result = np.zeros(t.size)
    for j in range(4):
        weight = np.ones(t.size)
        for i in range(4):
            if i != j:
                weight *= (t - nodes[i]) / (nodes[j] - nodes[i])
        result += weight * values[first + j]
    nearest = np.clip(np.searchsorted(own, t - SAME_TIME), 0, own.size - 1)
    return np.where(np.abs(own[nearest] - t) <= SAME_TIME, values[nearest], result)


def _with_our_signs(
    curves: list[AlignedCurve], quaternions: Sequence[Sequence[str]]
) -> list[AlignedCurve]:
    """The same with the sign of our quaternions: q and -q are the same rotation."""
    for channels in (ORIENTATION, *quaternions):
        curves = _with_our_sign(curves, channels)
    return curves


def _with_our_sign(curves: list[AlignedCurve], channels: Sequence[str]) -> list[AlignedCurve]:
    """The same with the sign of one quaternion, where all of it is there at the same times."""
    parts = {one.channel: one for one in curves if one.channel in channels}
    times = [one.t for one in parts.values()]
    if len(parts) < 4 or not all(np.array_equal(t, times[0]) for t in times):
        return curves
    signs = signs_towards(
        np.stack([parts[c].mine for c in channels]),
        np.stack([parts[c].theirs for c in channels]),
    )
    return [
        replace(one, theirs=signs * one.theirs) if one.channel in parts else one for one in curves
    ]
