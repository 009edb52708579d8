"""Curves of another program's file for a run: their common part, and their use as reference."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from sim.errors import ForeignError
from sim.foreign.unit_names import SMALL_TIMES
from sim.maths.arrays import Array
from sim.maths.rotation_vectors import at_other_times
from sim.maths.sampling import SAME_TIME
from sim.recording.recording import Recording
from sim.recording.schema.corners import samples_near
from sim.reference.alignment import cubic
from sim.reference.limits import allowed_shares, peak, shared_by_rotations
from sim.reference.reference import Reference
from sim.robots.coordinate import rotations_of

if TYPE_CHECKING:
    from sim.foreign.map_curves import MappedCurve, MappedTable

SAME_SPAN = 0.5, 2.0  # ratio of the durations of two records of the same motion
ALL_DIGITS = 17  # the rounding of the print is part of the tolerances, curve by curve


def common_parts(theirs: MappedTable, t_run: Array, ours: str = "the run") -> list[MappedCurve]:
    """Return the parts of their curves within the time of a run.

    Parameters
    ----------
    theirs : MappedTable
    t_run : ndarray, shape (N,)
        Sample times of the run [s].
    ours : str
        Name of the run, or of another table.

    Raises
    ------
    ForeignError
        If a curve has fewer than two times there.
    """
    return [_common(curve, t_run, theirs, ours) for curve in theirs.curves]


def _common(curve: MappedCurve, t_run: Array, theirs: MappedTable, ours: str) -> MappedCurve:
    inside = (curve.t >= t_run[0] - SAME_TIME) & (curve.t <= t_run[-1] + SAME_TIME)
    if inside.sum() < 2:
        first = float(curve.t[0]) + theirs.start
        many = "one" if inside.any() else "no"
        remedy = _other_unit(theirs.source, float(np.ptp(curve.t)), ours, float(np.ptp(t_run)))
        if first and not remedy:
            remedy = f"; if {ours} begins at its first time, --start {first:.15g}"
        raise ForeignError(
            f"{theirs.source}: {curve.channel} has {many} time in common with {ours}: from "
            f"{curve.t[0]:.9g} to {curve.t[-1]:.9g} s there, from {t_run[0]:.9g} to "
            f"{t_run[-1]:.9g} s here{remedy}"
        )
    return replace(
        curve,
        t=np.clip(curve.t[inside], t_run[0], t_run[-1]),
        values=curve.values[inside],
        rounding=curve.rounding[inside],
        t_rounding=curve.t_rounding[inside],
    )


def _other_unit(source: str, theirs: float, ours: str, duration: float) -> str:
    """Return a question on the unit of times, if one is a thousand times as long as the other."""
    for many, unit in SMALL_TIMES.items():
        for ratio, whose in (
            (theirs / (many * duration), source),
            (duration / (many * theirs or 1), ours),
        ):
            if SAME_SPAN[0] < ratio < SAME_SPAN[1]:
                return f"; are the times of {whose} in {unit}? Set --unit TIME={unit}"
    return ""


def foreign_reference(recording: Recording, theirs: MappedTable, rtol: float) -> Reference:
    """Return foreign curves at samples of the run, each with its own tolerance.

    A reference has the times of samples. Where theirs differ, each of their curves is interpolated
    cubically at the sample nearest to each of their times, except at corners of the run, across
    which no cubic is valid.

    Parameters
    ----------
    recording : Recording
    theirs : MappedTable
    rtol : float
        Tolerance, relative to the largest magnitude of each of their curves; half a unit of the
        last printed digit is added.

    Raises
    ------
    ForeignError
        If `rtol` is not positive, or a curve has fewer than two times in common with the run.
    """
    import pandas as pd

    parts = common_parts(theirs, recording.t)
    rotations = rotations_of(recording.run.robot.tree_coordinates)
    limits = allowed_shares({part.channel: part.values for part in parts}, rtol)
    limits = shared_by_rotations(limits, rotations)
    times = np.unique(np.concatenate([part.t for part in parts]))
    first, last = max(float(p.t[0]) for p in parts), min(float(p.t[-1]) for p in parts)
    samples, farthest = _samples(recording, times[(times >= first) & (times <= last)])
    samples = samples[(samples >= first - SAME_TIME) & (samples <= last + SAME_TIME)]
    values = _values_at(parts, samples, rotations)
    tolerances: dict[str, float] = {}
    for part in parts:
        width = part.rounding + part.t_rounding * np.abs(np.gradient(part.values, part.t))
        # a name is not a pattern, even one with brackets
        tolerances[glob.escape(part.channel)] = limits[part.channel] + float(width.max())
    source = theirs.source
    if farthest:
        source += f", at the nearest samples of the run ({farthest * 1e3:.2g} ms)"
    return Reference(
        source=source,
        table=pd.DataFrame(values, index=pd.Index(samples, name="t")),
        digits=ALL_DIGITS,
        tolerances=tolerances,
        peer=theirs.source,
        peer_tolerances=tolerances,
    )


def _values_at(
    parts: Sequence[MappedCurve], samples: Array, rotations: Sequence[Sequence[str]]
) -> dict[str, Array]:
    """Interpolate foreign curves cubically at given times, rotations by their quaternions."""
    values = {part.channel: cubic(part.t, part.values, samples) for part in parts}
    curves = {part.channel: part for part in parts}
    for three in rotations:
        some = [curves[channel] for channel in three if channel in curves]
        if len(some) == 3 and all(np.array_equal(one.t, some[0].t) for one in some):
            t, vectors = some[0].t, np.stack([one.values for one in some])
            rows = at_other_times(vectors, partial(_cubic_of, t, samples))
            values |= dict(zip(three, rows, strict=True))
    return values


def _cubic_of(t: Array, samples: Array, values: Array) -> Array:
    return cubic(t, values, samples)


def _samples(recording: Recording, times: Array) -> tuple[Array, float]:
    """Return times of the samples nearest to given times, and the largest distance [s]."""
    t = recording.t
    right = np.clip(np.searchsorted(t, times), 1, t.size - 1)
    left_is_nearer = times - t[right - 1] <= t[right] - times
    nearest = np.where(left_is_nearer, t[right - 1], t[right])
    farthest = float(np.max(np.abs(nearest - times), initial=0.0))
    if farthest <= SAME_TIME:
        return np.unique(nearest), 0.0
    settings = recording.run.settings
    near = samples_near(settings.corners, nearest, 2 * settings.dt)
    return np.unique(nearest[~near]), farthest


def _naming_notes(theirs: MappedTable) -> Iterator[str]:
    """Yield notes on the channel and unit assumed for each column, and on unused columns."""
    by_unit: dict[str, list[str]] = {}
    for curve in theirs.curves:
        same = curve.title == curve.channel
        by_unit.setdefault(curve.unit, []).append(
            curve.channel if same else f"{curve.channel} = {curve.title!r}"
        )
    from sim.showing.one_line import shorten_list

    yield from (f"{unit}: {shorten_list(names)}" for unit, names in by_unit.items())
    if theirs.left_out:
        yield f"ignored, no channel has this name: {shorten_list(list(theirs.left_out))}"


def reading_notes(theirs: MappedTable, t_run: Array, ours: str = "the run") -> Iterator[str]:
    """Yield notes on the columns used and their time range.

    Parameters
    ----------
    theirs : MappedTable
    t_run : ndarray, shape (N,)
        Sample times of the run [s].
    ours : str
        Name of the run, or of another table.
    """
    common = common_parts(theirs, t_run, ours)
    yield from _naming_notes(theirs)
    if theirs.start:
        yield f"{ours} begins at {theirs.start:.9g} s of the external time"
    spans = dict.fromkeys((float(c.t[0]), float(c.t[-1]), c.t.size) for c in common)
    for first, last, count in spans:
        if first > t_run[0] + SAME_TIME or last < t_run[-1] - SAME_TIME:
            yield (
                f"compared at {count} times from {first:.9g} to {last:.9g} s; {ours} lasts from "
                f"{t_run[0]:.9g} to {t_run[-1]:.9g} s, and the file does not cover the rest"
            )
    cut = [c for c, full in zip(common, theirs.curves, strict=True) if c.t.size < full.t.size]
    if cut:
        yield (
            f"{len(cut)} of {len(common)} external curves extend beyond {ours}; the excess is "
            "ignored"
        )
    if any(c.rounding.any() or c.t_rounding.any() for c in common):
        shares = {c.channel: float(c.rounding.max()) / (peak(c.values) or 1.0) for c in common}
        channel = max(shares, key=lambda name: shares[name])
        yield (
            "rounding of the file (½ last digit) is allowed for: at most "
            f"{shares[channel]:.2g} of the peak ({channel})"
        )
