"""Comparison of a run with the curves of another program or a machine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from msgspec.structs import replace

from sim.comparison.difference import Compared
from sim.comparison.likely_causes import CurvePair, likely_causes
from sim.comparison.outcome import Comparison, Difference
from sim.foreign.map_curves import MappedTable
from sim.maths.arrays import Array
from sim.maths.sampling import SAME_TIME
from sim.recording.schema.description import Run
from sim.reference.alignment import AlignedCurve, between_samples
from sim.reference.foreign_curves import common_parts, reading_notes
from sim.reference.limits import FOREIGN_RTOL, allowed_shares, shared_by_rotations
from sim.robots.coordinate import rotations_of
from sim.showing.one_line import shorten_list

NAMES = ("psi", "theta", "phi")
ALIGNED = 1e-4  # rad; for θ this close to 0 or π, ψ and φ turn about one axis
SAME = 1e-9  # rad

_ANGLE = re.compile(r"(part\..*)\.(psi|theta|phi)")


def compare_with_foreign(
    run: Compared, theirs: MappedTable, rtol: float = FOREIGN_RTOL
) -> Comparison:
    """Compare each foreign curve with the run's, at the foreign times.

    The run's curve is interpolated cubically between samples. At a corner, all values from the
    sample before to the one after count as the run's. Rounding of the printed foreign values is
    allowed for.

    Parameters
    ----------
    run : Compared
    theirs : MappedTable
    rtol : float
        Largest difference, relative to the largest magnitude of each foreign curve.

    Raises
    ------
    ForeignError
        If `rtol` is not positive, or there is no time in common.
    """
    t_run = run.recorded.index.to_numpy(dtype=np.float64)
    common = common_parts(theirs, t_run)
    settings, rotations = run.run.settings, rotations_of(run.run.robot.tree_coordinates)
    limits = allowed_shares({curve.channel: curve.values for curve in common}, rtol)
    limits = shared_by_rotations(limits, rotations)
    groups = run.run.quaternions, rotations
    aligned = between_samples(
        t_run, partial(_column, run), common, settings.corners, settings.dt, *groups
    )
    aligned, of_angles = same_orientations(aligned)
    differences = [
        _difference(one, limits[one.channel], run.run.units.get(one.channel, "1"), rtol)
        for one in aligned
    ]
    limit = f"limit: {rtol:g} of the peak of each external curve (--rtol)"
    notes = [*reading_notes(theirs, t_run), *of_angles, limit]
    failed = isinstance(run.run, Run) and run.run.verdict == "fail"
    if failed:
        notes.insert(0, "the run itself failed its checks")
    if not all(d.ok for d in differences):
        pairs = [
            CurvePair(one.channel, d.unit, one.t, one.mine, one.theirs, d.limit)
            for one, d in zip(aligned, differences, strict=True)
        ]
        recorded = {c.channel: _column(run, c.channel) for c in theirs.curves}
        causes = list(likely_causes(pairs, t_run, recorded, theirs.start))
        notes += causes or _differences_at_start(aligned, limits, run)
    return Comparison.of_curves(differences, notes, failed=failed)


def _differences_at_start(
    aligned: Sequence[AlignedCurve], limits: Mapping[str, float], run: Compared
) -> Iterator[str]:
    """Yield notes on curves that differ at the start: another model, or a wrong column."""
    differences = []
    for one in aligned:
        at_start = abs(one.t[0]) <= SAME_TIME
        if at_start and one.beyond[0] > limits[one.channel]:
            unit = run.run.units.get(one.channel, "1")
            differences.append(f"{one.channel} {one.theirs[0]:.6g} {unit} (run {one.mine[0]:.6g})")
    if differences:
        yield (
            f"difference at t = 0: external {shorten_list(differences, 4)}; the file is of "
            "a different model, or a column is assigned to the wrong curve"
        )


def _column(run: Compared, channel: str) -> Array:
    return run.recorded[channel].to_numpy(dtype=np.float64)


def _difference(one: AlignedCurve, limit: float, unit: str, rtol: float) -> Difference:
    """Assemble the difference of a curve from another program."""
    beyond = one.beyond
    size = np.where(np.isnan(beyond), np.inf, beyond)
    k = int(np.argmax(size))
    over = np.flatnonzero(size > limit)
    first = float(one.t[over[0]]) if over.size else None
    return Difference(
        channel=one.channel,
        worst=float(size[k]),
        limit=limit,
        unit=unit,
        at=float(one.t[k]),
        diverges=first,
        ok=first is None,
        rule=f"{rtol:.3g} of the peak",
    )


def same_orientations(
    aligned: Sequence[AlignedCurve],
) -> tuple[list[AlignedCurve], tuple[str, ...]]:
    """Return foreign angles of equal orientation nearest to ours, and a note on each part.

    Only parts with all three angles at the same times are treated.
    """
    by_channel = {one.channel: one for one in aligned}
    matches = (_ANGLE.fullmatch(channel) for channel in by_channel)
    changed: list[str] = []
    for part in dict.fromkeys(match[1] for match in matches if match):
        three = [by_channel.get(f"{part}.{name}") for name in NAMES]
        some = [one for one in three if one is not None]
        if len(some) < 3 or not all(np.array_equal(one.t, some[0].t) for one in some):
            continue
        mine, theirs = (np.stack([getattr(one, of) for one in some]) for of in ("mine", "theirs"))
        near = _nearest_angles(mine, theirs)
        if np.max(np.abs(near - theirs)) > SAME:
            changed.append(part)
        by_channel |= {
            one.channel: replace(one, theirs=row) for one, row in zip(some, near, strict=True)
        }
    notes = [
        f"{part}: external psi, theta and phi are converted to the equivalent angles closest to "
        "that are wrapped, or not determined where theta is 0 or 180 degrees, are other numbers"
        for part in changed
    ]
    return list(by_channel.values()), tuple(notes)


def _nearest_angles(mine: Array, theirs: Array) -> Array:
    """Return angles (3, N) of the orientations `theirs` that are nearest to `mine`."""
    psi, theta, phi = theirs
    other = np.stack([psi + np.pi, -theta, phi + np.pi])
    first, second = (mine + _wrap(one - mine) for one in (theirs, other))
    far = [np.sum(np.abs(one - mine), axis=0) for one in (first, second)]
    nearest = np.where(far[0] <= far[1], first, second)
    sign = np.where(np.cos(theta) > 0, 1.0, -1.0)
    about_one = np.stack([mine[0], theta, phi + sign * (psi - mine[0])])
    about_one = mine + _wrap(about_one - mine)
    is_aligned = (np.abs(np.sin(theta)) < ALIGNED) & (np.abs(np.sin(mine[1])) < ALIGNED)
    return np.where(is_aligned, about_one, nearest)


def _wrap(angle: Array) -> Array:
    return np.asarray(angle - 2 * np.pi * np.round(angle / (2 * np.pi)))
