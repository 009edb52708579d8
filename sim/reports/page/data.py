"""Data: the curves of a page in plain values and one block of bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import msgspec
import numpy as np

from sim.checks import Judgement
from sim.maths.arrays import Array, Mask
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
from sim.reports.page.thinning import intervals, peak, samples_to_keep
from sim.reports.page.tool_ways import PathFacts, tool_ways
from sim.robots.coordinate import rotation_channels


class CurveFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A curve, as the page's script receives it.

    Parameters
    ----------
    id, label, unit, group : str
    n : int
        Samples that were kept.
    steps : list of int
        Of what is recorded, its error, and how far each other run is from it: they are kept in
        whole steps of 2 to the power of this, in its unit.
    derived : bool
        It has no model: only the checks compute it.
    scale : float
        Largest magnitude of all curves of its group and unit.
    over : list of int
        The other runs that have it too.
    over_limits : list of float or None
        For each of these half the width of the band about it; the reference has one.
    limit : float or None
        Half the width of the band about the model.
    ratings : list of (str, float)
        Lines that it should not cross.
    fails : list of (float, float)
        First and last time of each row of failing samples [s].
    checks : list of int
        The checks that are seen on it.
    allowed : float or None
        Half the width of the band about the run that this one is compared with.
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
    """The sample times [s]: even ones, or where their list begins in the block."""

    count: int
    first: float
    last: float
    at: int | None = None


class CurvesMeta(msgspec.Struct, frozen=True):
    """The curves of a page in plain values.

    Parameters
    ----------
    channels : list of CurveFacts
    layout : mapping of str to int
        How many ``values``, each of how many bytes (``width``), the block holds; then how many
        differences between ``samples``, each of ``sample_width``.
    t : TimeFacts
    path : mapping of str to PathFacts
        Of ``tool`` and ``target``, where the run has them, and ``over0`` … of other runs' tools.
    failing : int
        Failing samples of all curves together.
    """

    channels: list[CurveFacts]
    layout: dict[str, int]
    t: TimeFacts
    path: dict[str, PathFacts]
    failing: int


@dataclass(frozen=True, eq=False)
class Curves:
    """Curves of a run, as the page's script reads them.

    Parameters
    ----------
    meta : CurvesMeta
        Channels with their verdicts, and the layout of `block`.
    block : bytes
        All curves: the bytes of their codes (`quantising.encode`) by place, then those of the
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
    """The curves of a run, and how far other runs are from them.

    Parameters
    ----------
    recording : Recording
    judgements : sequence of Judgement
        Of the run.
    others : sequence of pandas.DataFrame
        Recorded tables that are laid over the run's.
    allowed : mapping of str to float
        By channel, how far the run may be from the one that it is compared with.
    slack : sequence of mapping of str to float or ndarray
        Of each of `others` by channel, within what its values are the same as the run's.
    reference : int, optional
        Which of `others` is another program's result that the run is judged by.
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
    for channel in channels_of(recording):  # one after the other: their curves are long
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
        scales[group] = max(scales.get(group, 0.0), peak(recorded))
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
    """Failing samples of each channel that has any; values that are no numbers fail too."""
    failing: dict[str, Mask] = {}

    def add(channel: str, bad: Mask) -> None:
        failing[channel] = failing[channel] | bad if channel in failing else bad

    for judged in judgements:
        if not judged.check.ok:
            add(judged.check.plot, judged.failing_samples(recording.t))
    tables = (recorded_of(recording), analytic_of(recording))
    for name in recorded_of(recording).columns:
        strange = np.any([~np.isfinite(numbers_in(table, name)) for table in tables], axis=0)
        if strange.any():
            add(str(name), strange)
    return failing


def _difference(
    recording: Recording, other: Table, slack: Mapping[str, float | Array], name: str
) -> Array:
    """How far another run's curve is from this one's, at this one's times; NaN beyond its ends.

    The difference is taken at the times of the run with fewer samples, and is straight between.
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
    """All curves in one block, and where in it they are."""
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
    """How the page finds the time of a sample: from the step where it is even, else from a list."""
    even = np.linspace(t[0], t[-1], t.size)
    count, first, last = int(t.size), float(t[0]), float(t[-1])
    if np.max(np.abs(t - even)) <= 1e-6 * (last - first) / count:
        return TimeFacts(count, first, last), block
    planes = np.ascontiguousarray(t, dtype="<f8").view("u1").reshape(-1, 8).T
    return TimeFacts(count, first, last, len(block)), block + planes.tobytes()
