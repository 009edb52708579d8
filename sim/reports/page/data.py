"""Curves and paths in space of a page, as plain values and one block of bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import msgspec
import numpy as np
from numpy.typing import NDArray

from sim.checks import Judgement
from sim.maths.arrays import Array, Mask, largest_finite
from sim.recording.files.table_files import Table, numbers_in
from sim.recording.held_tables import analytic_of, recorded_of
from sim.recording.recording import Recording
from sim.reports.page.at_times import both_at_times, straight_between
from sim.reports.page.plotted_channels import channels_of, limit_of, ratings_of
from sim.reports.page.quantising import (
    Codes,
    encode_steps,
    planes,
    step_of_differences,
    step_of_values,
)
from sim.reports.page.thinning import intervals, samples_to_keep
from sim.robots.coordinate import rotation_channels

MOST = 1000  # points
APART = 1e-4  # [m]; paths with smaller differences are not distinguishable


class PathFacts(msgspec.Struct, frozen=True):
    """Points in space: their position in the block, their number, and the sampling stride."""

    at: int
    count: int
    every: int


def tool_ways(
    recording: Recording, others: Sequence[Table], block: bytes
) -> tuple[dict[str, PathFacts], bytes]:
    """Return the paths by name, evenly thinned, and the block with their points appended.

    ``tool`` and ``target`` are those of the run, as are ``nearest_a`` and ``nearest_b``, the
    nearest points of two links, and ``contact_point.<name>`` of contacts; ``over0``, ``over1``, …
    are those of the other runs' tools at the same times, where distinguishable. After the end of
    another run, its tool remains at its last position.
    """
    count = len(recorded_of(recording))
    stride = -(-count // MOST)
    rows = np.r_[0 : count - 1 : stride, count - 1]
    touching = dict.fromkeys(
        name.rpartition(".")[0]
        for name in map(str, recorded_of(recording).columns)
        if name.startswith("contact_point.")
    )
    ways = {
        name: way
        for name in ("tool", "target", "nearest_a", "nearest_b", *touching)
        if (way := _way(recorded_of(recording), name, rows)) is not None
    }
    own = ways.get("tool")
    for k, other in enumerate(others):
        if own is None or (way := _way(other, "tool")) is None or not np.isfinite(way).all():
            continue
        t = other.index.to_numpy(dtype=np.float64)
        theirs = np.column_stack([np.interp(recording.t[rows], t, x) for x in way.T])
        if np.nanmax(np.linalg.norm(theirs - own, axis=1), initial=0.0) > APART:
            ways[f"over{k}"] = theirs
    described: dict[str, PathFacts] = {}
    for name, points in ways.items():
        described[name] = PathFacts(len(block), len(points), stride)
        block += points.astype("<f4").tobytes()
    return described, block


def _way(table: Table, frame: str, rows: NDArray[np.intp] | slice = slice(None)) -> Array | None:
    """Return the positions of a frame of a table, shape (N, 3) [m]; None without the frame."""
    columns = [f"{frame}.{c}" for c in "xyz"]
    if not set(columns) <= set(table.columns):
        return None
    return np.column_stack([numbers_in(table, column)[rows] for column in columns])


class CurveFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A curve, in the form that the page's script reads.

    Parameters
    ----------
    id, label, unit, group : str
    n : int
        Number of kept samples.
    steps : list of int
        Exponents of the quantisation steps 2**k, in the curve's unit: of the recorded values, the
        error, and the difference from each other run.
    derived : bool
        Whether the curve is computed by the checks alone and has no analytic model.
    scale : float
        Largest magnitude of all curves of its group and unit.
    over : list of int
        Other runs that have the curve.
    over_limits : list of float or None
        Half the width of the tolerance band of each of these, if it is a reference.
    limit : float or None
        Half the width of the tolerance band about the model.
    ratings : list of (str, float)
        Limit lines.
    fails : list of (float, float)
        First and last time of each interval of failing samples [s].
    checks : list of int
        Checks that are shown on the curve.
    allowed : float or None
        Half the width of the tolerance band about the run that this one is compared with.
    """

    id: str
    label: str
    unit: str
    group: str
    n: int
    steps: list[int]
    derived: bool
    scale: float
    over: list[int]
    over_limits: list[float | None]
    limit: float | None
    ratings: list[tuple[str, float]]
    fails: list[tuple[float, float]]
    checks: list[int]
    allowed: float | None


class TimeFacts(msgspec.Struct, frozen=True, omit_defaults=True):
    """Sample times [s]: a constant step, or the position of their list in the block."""

    count: int
    first: float
    last: float
    at: int | None = None


class CurvesMeta(msgspec.Struct, frozen=True):
    """Curves of a page as plain values.

    Parameters
    ----------
    channels : list of CurveFacts
    layout : mapping of str to int
        Number of ``values`` in the block and their size in bytes (``width``), then the number of
        differences between ``samples`` and their ``sample_width``.
    t : TimeFacts
    path : mapping of str to PathFacts
        Paths ``tool`` and ``target``, where the run has them, and ``over0`` … of other runs' tools.
    failing : int
        Number of failing samples of all curves.
    """

    channels: list[CurveFacts]
    layout: dict[str, int]
    t: TimeFacts
    path: dict[str, PathFacts]
    failing: int


class Curves(msgspec.Struct, frozen=True, eq=False):
    """Curves of a run, in the form that the page's script reads.

    Parameters
    ----------
    meta : CurvesMeta
        Channels with their check results, and the layout of `block`.
    block : bytes
        Codes of all curves (`quantising.encode`) grouped by byte position, then those of the
        differences between samples.
    """

    meta: CurvesMeta
    block: bytes


def curves(
    recording: Recording,
    judgements: Sequence[Judgement],
    others: Sequence[Table] = (),
    allowed: Mapping[str, float] = MappingProxyType({}),
    slack: Sequence[Mapping[str, float | Array]] = (),
    reference: int | None = None,
) -> Curves:
    """Return the curves of a run, and the differences of other runs from them.

    Parameters
    ----------
    recording : Recording
    judgements : sequence of Judgement
        Judgements of the run.
    others : sequence of pandas.DataFrame
        Recorded tables that are overlaid.
    allowed : mapping of str to float
        Tolerance of each channel with respect to the compared run.
    slack : sequence of mapping of str to float or ndarray
        For each of `others`, by channel, the quantisation error within which values are equal.
    reference : int, optional
        Index in `others` of another program's result that the run is checked against.
    """
    t = recording.t
    of_reference = {
        j.check.channel: j.check.limit for j in judgements if j.check.name == "reference"
    }
    laid_over = list(zip(others, [*slack, *[{}] * len(others)], strict=False))
    failing = _failing_by_channel(recording, judgements)
    total = sum(int(bad.sum()) for bad in failing.values())
    scales: dict[tuple[str, str], float] = {}
    described: list[CurveFacts] = []
    codes: list[Codes] = []
    samples: list[Codes] = []
    for channel in channels_of(recording):  # one by one: their curves are long
        name, bad, limit = (
            channel.name,
            failing.get(channel.name),
            limit_of(judgements, channel.name),
        )
        recorded, error = channel.curves()
        has = [
            k for k, (theirs, _) in enumerate(laid_over) if name in theirs and not channel.is_own
        ]
        over = [_difference(recording, *laid_over[k], name) for k in has]
        indices = samples_to_keep(
            [recorded, *([] if limit is None else [error]), *over], error, bad, total
        )
        bands = [of_reference.get(name) if k == reference else None for k in has]
        beside = [limit, *(allowed.get(name) if half is None else half for half in bands)]
        seen = [half for half in (limit, *bands) if half is not None and half > 0.0]
        steps = [step_of_values(recorded, min(seen, default=None))]
        steps += [
            step_of_differences(values, half)
            for values, half in zip((error, *over), beside, strict=True)
        ]
        codes += [
            encode_steps(values[indices], step)
            for values, step in zip((recorded, error, *over), steps, strict=True)
        ]
        samples.append(np.diff(indices, prepend=0).astype(np.uint64))
        group = (channel.group, channel.unit)
        scales[group] = max(scales.get(group, 0.0), largest_finite(recorded))
        described.append(
            CurveFacts(
                id=name,
                label=channel.label,
                unit=channel.unit,
                group=channel.group,
                n=int(indices.size),
                steps=steps,
                derived=channel.is_own,
                scale=0.0,
                over=has,
                over_limits=bands,
                limit=limit,
                ratings=ratings_of(judgements, name),
                fails=[] if bad is None else intervals(t, bad),
                checks=[k for k, one in enumerate(judgements) if one.check.plot == name],
                allowed=allowed.get(name),
            )
        )
    described = [msgspec.structs.replace(c, scale=scales[c.group, c.unit]) for c in described]
    block, layout = _pack(codes, samples)
    times, block = _times(t, block)
    path, block = tool_ways(recording, others, block)
    return Curves(CurvesMeta(described, layout, times, path, total), block)


def _failing_by_channel(recording: Recording, judgements: Sequence[Judgement]) -> dict[str, Mask]:
    """Return the failing samples of each channel that has any; NaN and inf fail too."""
    failing: dict[str, Mask] = {}

    def add(channel: str, bad: Mask) -> None:
        failing[channel] = failing[channel] | bad if channel in failing else bad

    for judged in judgements:
        if not judged.check.ok:
            add(judged.check.plot, judged.failing_samples(recording.t))
    if any(judged.check.name == "finite numbers" and judged.check.ok for judged in judgements):
        return failing  # reading all columns of a long run again takes seconds
    tables = (recorded_of(recording), analytic_of(recording))
    for name in recorded_of(recording).columns:
        strange = np.any([~np.isfinite(numbers_in(table, name)) for table in tables], axis=0)
        if strange.any():
            add(str(name), strange)
    return failing


def _difference(
    recording: Recording, other: Table, slack: Mapping[str, float | Array], name: str
) -> Array:
    """Return the difference of another run's curve at this run's times; NaN beyond its ends.

    It is evaluated at the times of the run with fewer samples, and interpolated linearly.
    """
    t, theirs = recording.t, other.index.to_numpy(dtype=np.float64)
    until = min(t[-1], theirs[-1]) * (1 + 1e-12)
    at = t if t.size <= theirs.size else theirs
    at = at[at <= until]
    rotations = rotation_channels(recording.run.robot.tree_coordinates)
    mine, values = both_at_times(at, name, recorded_of(recording), other, rotations)
    apart = values - mine
    same = slack.get(name, 0.0)
    same = np.interp(at, theirs, same) if isinstance(same, np.ndarray) else same
    apart = np.sign(apart) * np.maximum(np.abs(apart) - same, 0.0)
    error = straight_between(t, at, apart)
    error[(t > until) | (t < theirs[0])] = np.nan
    return error


def _pack(codes: list[Codes], samples: list[Codes]) -> tuple[bytes, dict[str, int]]:
    """Return all curves in one block, and its layout."""
    values, width = planes(codes)
    apart, sample_width = planes(samples)
    layout = {
        "values": sum(one.size for one in codes),
        "width": width,
        "samples": sum(one.size for one in samples),
        "sample_width": sample_width,
    }
    return values + apart, layout


def _times(t: Array, block: bytes) -> tuple[TimeFacts, bytes]:
    """Return the times of samples: by the step if it is constant, else as a list in the block."""
    even = np.linspace(t[0], t[-1], t.size)
    count, first, last = int(t.size), float(t[0]), float(t[-1])
    if np.max(np.abs(t - even)) <= 1e-6 * (last - first) / count:
        return TimeFacts(count, first, last), block
    planes = np.ascontiguousarray(t, dtype="<f8").view("u1").reshape(-1, 8).T
    return TimeFacts(count, first, last, len(block)), block + planes.tobytes()
