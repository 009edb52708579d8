"""against_foreign: a run against the curves of another program or a machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sim.comparison.difference import Compared
from sim.comparison.likely_causes import Pair, likely_causes
from sim.comparison.outcome import Comparison, Difference
from sim.errors import ForeignError
from sim.foreign.mapped_curves import MappedCurve, MappedTable
from sim.foreign.matching import shortened
from sim.maths.arrays import Array, Mask
from sim.maths.sampling import SAME_TIME
from sim.recording.channels import scale_of
from sim.recording.corners import samples_near
from sim.recording.description import Conditions, Run

# Integrators of other programs are set to about 1e-3 (the ERROR of ADAMS's GSTIFF), and plots are
# read no closer. Whoever knows a file to be better says so with --rtol.
FOREIGN_RTOL = 1e-3  # of the largest magnitude of their curve
# A curve that is nothing beside its kind (the torque of a wrist that carries itself) is noise.
NOISE = 1e-6  # of the largest magnitude among their curves of that kind
FLOOR = 1e-9  # in the channel's unit; for kinds that stay at zero

ORIENTATION = tuple(f"tool.q{c}" for c in "xyzw")


@dataclass(frozen=True, eq=False)
class _Beside:
    """One of their curves with ours at the same times; `mine` is a band where ours has a corner."""

    curve: MappedCurve
    mine: Array
    low: Array
    high: Array
    slope: Array

    @property
    def beyond(self) -> Array:
        """How far theirs are outside our band and their own print, sample by sample."""
        theirs = self.curve.values
        apart = np.maximum(np.maximum(self.low - theirs, theirs - self.high), 0.0)
        print_width = self.curve.rounding + np.abs(self.slope) * self.curve.t_rounding
        return np.maximum(apart - print_width, 0.0)


def compare_with_foreign(
    run: Compared, theirs: MappedTable, rtol: float = FOREIGN_RTOL
) -> Comparison:
    """Each of their curves against the run's, at their times.

    Ours is cubic between samples. Where it has a corner, all values from the sample before to the
    one after are ours. What their print rounds away does not count.

    Parameters
    ----------
    run : Compared
    theirs : MappedTable
    rtol : float
        Largest difference, of the largest magnitude of each of their curves.

    Raises
    ------
    ForeignError
        If `rtol` is no positive number, or there is no time in common.
    """
    own = run.recorded.index.to_numpy(dtype=np.float64)
    common = common_parts(theirs, own)
    limits = limits_of(common, rtol)
    beside = _aligned([_beside(run, own, curve) for curve in common])
    differences = [
        _difference(one, limits[one.curve.channel], run.run.units.get(one.curve.channel, "1"), rtol)
        for one in beside
    ]
    limit = f"limit: {rtol:g} of the largest magnitude of each of their curves (--rtol)"
    notes = [*reading_notes(theirs, own), limit]
    failed = isinstance(run.run, Run) and run.run.verdict == "fail"
    if failed:
        notes.insert(0, "the run's own verdict is fail")
    if not all(d.ok for d in differences):
        pairs = [
            Pair(one.curve.channel, d.unit, one.curve.t, one.mine, one.curve.values, d.limit)
            for one, d in zip(beside, differences, strict=True)
        ]
        recorded = {c.channel: _column(run, c.channel) for c in theirs.curves}
        notes += likely_causes(pairs, own, recorded, theirs.start)
    differences.sort(key=lambda d: (d.ok, -d.used))
    ok = all(d.ok for d in differences) and not failed
    return Comparison(
        differences=tuple(differences),
        missing=(),
        new=(),
        notes=tuple(notes),
        ok=ok,
        level="tolerance" if ok else "outside",
    )


def _column(run: Compared, channel: str) -> Array:
    return run.recorded[channel].to_numpy(dtype=np.float64)


def _peak(values: Array) -> float:
    return float(np.max(np.abs(values)))


def common_parts(theirs: MappedTable, own: Array) -> list[MappedCurve]:
    """The parts of their curves that lie in the time of a run.

    Parameters
    ----------
    theirs : MappedTable
    own : ndarray, shape (N,)
        Sample times of the run [s].

    Raises
    ------
    ForeignError
        If one has fewer than two times there.
    """
    return [_common(curve, own, theirs) for curve in theirs.curves]


def _common(curve: MappedCurve, own: Array, theirs: MappedTable) -> MappedCurve:
    inside = (curve.t >= own[0] - SAME_TIME) & (curve.t <= own[-1] + SAME_TIME)
    if inside.sum() < 2:
        first = float(curve.t[0]) + theirs.start
        many = "one" if inside.any() else "no"
        remedy = f"; if the run begins at its first time, --start {first:.9g}" if first else ""
        raise ForeignError(
            f"{theirs.source}: {curve.channel} has {many} time in common with the run: from "
            f"{curve.t[0]:.9g} to {curve.t[-1]:.9g} s there, from {own[0]:.9g} to {own[-1]:.9g} s "
            f"here{remedy}"
        )
    return replace(
        curve,
        t=np.clip(curve.t[inside], own[0], own[-1]),
        values=curve.values[inside],
        rounding=curve.rounding[inside],
        t_rounding=curve.t_rounding[inside],
    )


def limits_of(curves: Sequence[MappedCurve], rtol: float) -> dict[str, float]:
    """What is allowed in each channel, in its unit.

    Raises
    ------
    ForeignError
        If `rtol` is no positive number.
    """
    if not (np.isfinite(rtol) and rtol > 0):
        raise ForeignError(f"the relative tolerance must be a positive number, got {rtol!r}")
    peaks: dict[str, float] = {}
    for curve in curves:
        kind = scale_of(curve.channel)
        peaks[kind] = max(peaks.get(kind, 0.0), _peak(curve.values))
    return {
        curve.channel: max(
            rtol * _peak(curve.values), NOISE * peaks[scale_of(curve.channel)] + FLOOR
        )
        for curve in curves
    }


def _beside(run: Compared, own: Array, curve: MappedCurve) -> _Beside:
    values = _column(run, curve.channel)
    mine = cubic(own, values, curve.t)
    low, high = mine.copy(), mine.copy()
    for k in np.flatnonzero(is_near_corner(run.run, curve.t)):
        step = run.run.settings.dt
        near = values[np.abs(own - curve.t[k]) <= step + SAME_TIME]
        low[k], high[k] = min(low[k], near.min()), max(high[k], near.max())
    slope = np.interp(curve.t, own, np.gradient(values, own)) if own.size > 1 else 0 * mine
    return _Beside(curve, mine, low, high, slope)


def is_near_corner(run: Conditions, t: Array) -> Mask:
    """Where the four samples of a cubic, or the sides of a jump, reach across a corner."""
    return samples_near(run.settings.corners, t, 2 * run.settings.dt)


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


def _aligned(beside: list[_Beside]) -> list[_Beside]:
    """Theirs with the sign of our quaternions: q and -q are the same rotation."""
    parts = {one.curve.channel: one for one in beside if one.curve.channel in ORIENTATION}
    times = [one.curve.t for one in parts.values()]
    if len(parts) < 4 or not all(np.array_equal(t, times[0]) for t in times):
        return beside
    turned = sum((one.mine * one.curve.values for one in parts.values()), np.zeros(1)) < 0
    return [
        replace(one, curve=replace(one.curve, values=np.where(turned, -v, v)))
        if one.curve.channel in parts
        else one
        for one in beside
        for v in [one.curve.values]
    ]


def _difference(one: _Beside, limit: float, unit: str, rtol: float) -> Difference:
    """The one place in which a difference from another program is put together."""
    size = np.where(np.isnan(one.beyond), np.inf, one.beyond)
    k = int(np.argmax(size))
    over = np.flatnonzero(size > limit)
    first = float(one.curve.t[over[0]]) if over.size else None
    return Difference(
        channel=one.curve.channel,
        worst=float(size[k]),
        limit=limit,
        unit=unit,
        at=float(one.curve.t[k]),
        diverges=first,
        ok=first is None,
        rule=f"{rtol:.3g} of the peak",
    )


def _naming_notes(theirs: MappedTable) -> Iterator[str]:
    """Which column was taken for which channel, in which unit, and which for none."""
    by_unit: dict[str, list[str]] = {}
    for curve in theirs.curves:
        same = curve.title == curve.channel
        by_unit.setdefault(curve.unit, []).append(
            curve.channel if same else f"{curve.channel} = {curve.title!r}"
        )
    yield from (f"{unit}: {', '.join(names)}" for unit, names in by_unit.items())
    if theirs.left_out:
        yield f"left out, because no channel has such a name: {shortened(list(theirs.left_out))}"


def reading_notes(theirs: MappedTable, own: Array) -> Iterator[str]:
    """What was taken for what, over which time, in words.

    Parameters
    ----------
    theirs : MappedTable
    own : ndarray, shape (N,)
        Sample times of the run [s].
    """
    common = common_parts(theirs, own)
    yield from _naming_notes(theirs)
    if theirs.start:
        yield f"the run begins at {theirs.start:.9g} s of their time"
    spans = dict.fromkeys((float(c.t[0]), float(c.t[-1]), c.t.size) for c in common)
    for first, last, count in spans:
        if first > own[0] + SAME_TIME or last < own[-1] - SAME_TIME:
            yield (
                f"compared at {count} times from {first:.9g} to {last:.9g} s; the run lasts from "
                f"{own[0]:.9g} to {own[-1]:.9g} s, and theirs says nothing of the rest"
            )
    cut = [c for c, full in zip(common, theirs.curves, strict=True) if c.t.size < full.t.size]
    if cut:
        yield f"theirs goes beyond the run in {len(cut)} of {len(common)} curves; that is left out"
    if any(c.rounding.any() or c.t_rounding.any() for c in common):
        shares = {c.channel: float(c.rounding.max()) / (_peak(c.values) or 1.0) for c in common}
        channel = max(shares, key=lambda name: shares[name])
        yield (
            "a difference counts from half a unit of their last printed digit on: at most "
            f"{shares[channel]:.2g} of the peak ({channel})"
        )
