"""Data: the curves of a page, thinned for the eye, with every sample that fails a check.

Of each bucket of samples the lowest and the highest stay, so that a plot looks as it would with
all of them. Verdicts and times of the worst come from all samples.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.recording import Recording
from sim.reports.page.channels import UNITS, Channel, channels_of, limit_of
from sim.reports.page.judged import failing_samples, own_curves, plotted_channel
from sim.spatial import Array, Mask

Indices = NDArray[np.int64]

EASY = 1200  # samples that need no thinning
BUCKETS = (480, 1000)  # least and most: a bucket a pixel, and room to come nearer in long runs
BUCKET = 20  # samples, between those two
MOST_FAILING = 400_000  # failing samples kept in all; beyond, their buckets' ends and extremes
MOST_INTERVALS = 200  # strips a plot can show
# What a curve is rounded to, relative to its largest value: a plot shows less, and the rest of the
# digits of an error is noise that does not compress.
FINE, COARSE = 2.0**-19, 2.0**-12


@dataclass(frozen=True, eq=False)
class Curves:
    """What the page's script reads.

    Parameters
    ----------
    meta : mapping
        Plain values: channels with their verdicts, and the layout of `block`.
    block : bytes
        All curves: the bytes of float32 by place, then those of uint16 steps between samples.
    """

    meta: Mapping[str, Any]
    block: bytes


def curves(recording: Recording, others: Sequence[Any] = ()) -> Curves:
    """The curves of a run, and how far other runs are from them.

    Parameters
    ----------
    recording : Recording
        Judged: its description holds ``checks``.
    others : sequence of Recording or Baseline
        Their ``recorded`` tables are laid over the run's.
    """
    channels = channels_of(recording)
    t = recording.recorded.index.to_numpy(dtype=np.float64)
    apart = [_differences(recording, other, t) for other in others]
    checks: list[Mapping[str, Any]] = list(recording.info.get("checks", ()))
    failing = _failing_by_channel(recording, checks)
    limits = {c.name: limit for c in channels if (limit := limit_of(checks, c.name)) is not None}
    kept = _kept(channels, limits, failing, apart, t.size)
    scales: dict[tuple[str, str], float] = {}
    for c in channels:
        scales[c.group, c.unit] = max(scales.get((c.group, c.unit), 0.0), _peak(c.recorded))
    described, floats, steps = [], [], []
    for channel, indices in zip(channels, kept, strict=True):
        bad = failing.get(channel.name)
        over = [name_to[channel.name] for name_to in apart if channel.name in name_to]
        floats.append(rounded(channel.recorded, FINE)[indices])
        floats += [rounded(values, COARSE)[indices] for values in (channel.error, *over)]
        steps.append(np.diff(indices, prepend=0))
        described.append(
            {
                "id": channel.name,
                "label": channel.label,
                "unit": channel.unit,
                "group": channel.group,
                "n": int(indices.size),
                "derived": channel.name in UNITS,
                "scale": scales[channel.group, channel.unit],
                "over": [k for k, name_to in enumerate(apart) if channel.name in name_to],
                "limit": limits.get(channel.name),
                "ratings": _ratings(checks, channel.name),
                "fails": [] if bad is None else intervals(t, bad),
                "checks": [k for k, c in enumerate(checks) if plotted_channel(c) == channel.name],
            }
        )
    block, layout = _packed(floats, steps)
    times, block = _times(t, block)
    path, block = _paths(recording, block)
    total = sum(int(bad.sum()) for bad in failing.values())
    meta = {"channels": described, "layout": layout, "t": times, "path": path, "failing": total}
    return Curves(meta, block)


def intervals(t: Array, bad: Mask) -> list[list[float]]:
    """First and last time of each row of samples that are bad; the nearest rows joined."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], bad, [False]])))
    start, end = t[edges[::2]], t[edges[1::2] - 1]
    if start.size > MOST_INTERVALS:
        gaps = start[1:] - end[:-1]
        widest = np.sort(np.argsort(gaps, kind="stable")[-(MOST_INTERVALS - 1) :])
        start = np.concatenate([start[:1], start[widest + 1]])
        end = np.concatenate([end[widest], end[-1:]])
    return [[float(a), float(b)] for a, b in zip(start, end, strict=True)]


def _failing_by_channel(
    recording: Recording, checks: Sequence[Mapping[str, Any]]
) -> dict[str, Mask]:
    """Failing samples of each channel that has any; values that are no numbers fail too."""
    own = own_curves(recording)
    failing: dict[str, Mask] = {}
    for check in checks:
        if check["ok"] or check["name"] == "finite numbers":
            continue
        channel = plotted_channel(check)
        bad = failing_samples(recording, check, own)
        failing[channel] = failing[channel] | bad if channel in failing else bad
    for name in recording.recorded.columns:
        tables = (recording.recorded, recording.analytic)
        strange = np.any([~np.isfinite(table[name].to_numpy(float)) for table in tables], axis=0)
        if strange.any():
            failing[name] = failing.get(name, strange) | strange
    return failing


def _kept(
    channels: Sequence[Channel],
    limits: Mapping[str, float],
    failing: Mapping[str, Mask],
    apart: Sequence[Mapping[str, Array]],
    count: int,
) -> list[Indices]:
    """Samples of each channel that the page keeps; an error has a say where it has a limit."""
    total = sum(int(bad.sum()) for bad in failing.values())
    found = []
    for channel in channels:
        limited = channel.name in limits
        series = [channel.recorded, channel.error] if limited else [channel.recorded]
        series += [name_to[channel.name] for name_to in apart if channel.name in name_to]
        keep = np.zeros(count, dtype=bool)
        if count <= EASY:
            keep[:] = True
        else:
            keep[[0, -1]] = True
            for values in series:
                keep[extremes(values, min(max(count // BUCKET, BUCKETS[0]), BUCKETS[1]))] = True
        bad = failing.get(channel.name)
        if bad is not None:
            keep |= bad if total <= MOST_FAILING else _sketched(bad, channel.error)
        found.append(np.flatnonzero(keep))
    return found


def _sketched(bad: Mask, error: Array) -> Mask:
    """Of too many failing samples: the ends of each row, and the extremes in narrow buckets."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], bad, [False]])))
    keep = np.zeros(bad.size, dtype=bool)
    if edges.size <= 4 * BUCKETS[0]:
        keep[edges[::2]] = keep[edges[1::2] - 1] = True
    keep[extremes(np.where(bad, error, 0.0), 4 * BUCKETS[0])] = True
    return keep & bad


def extremes(values: Array, buckets: int) -> Indices:
    """Sample of the lowest and of the highest value in each of at most `buckets` buckets."""
    width = -(-values.size // buckets)
    full = -(-values.size // width)
    padded = np.pad(values, (0, full * width - values.size), mode="edge").reshape(full, width)
    start = width * np.arange(full)
    low = start + np.argmin(padded, axis=1)
    high = start + np.argmax(padded, axis=1)
    return np.minimum(np.concatenate([low, high]), values.size - 1)


def rounded(values: Array, fraction: float) -> Array:
    """The values to the nearest power of two that is at most `fraction` of the largest."""
    peak = _peak(values)
    if fraction * peak < sys.float_info.min:
        return values
    step = 2.0 ** math.floor(math.log2(fraction * peak))
    return np.asarray(np.round(values / step) * step)


def _peak(values: Array) -> float:
    return float(np.max(np.abs(values), where=np.isfinite(values), initial=0.0))


def _differences(recording: Recording, other: Any, t: Array) -> dict[str, Array]:
    """How far another run's curves are from this one's, at this one's times; NaN beyond its ends.

    The difference is taken at the times of the run with fewer samples, and is straight between.
    """
    theirs = other.recorded.index.to_numpy(dtype=np.float64)
    until = min(t[-1], theirs[-1]) * (1 + 1e-12)
    at = t if t.size <= theirs.size else theirs
    at = at[at <= until]
    found = {}
    for name in recording.recorded.columns:
        if name in other.recorded:
            mine = np.interp(at, t, recording.recorded[name].to_numpy(dtype=np.float64))
            values = np.interp(at, theirs, other.recorded[name].to_numpy(dtype=np.float64))
            found[str(name)] = np.interp(t, at, values - mine)
            found[str(name)][(t > until) | (t < theirs[0])] = np.nan
    return found


def _ratings(checks: Sequence[Mapping[str, Any]], channel: str) -> list[list[Any]]:
    """Lines that a curve should not cross: name and value."""
    lines: list[list[Any]] = []
    for check in checks:
        if check["channel"] == channel:
            if check["name"] in ("rated speed", "rated torque"):
                lines += [[check["name"], check["limit"]], [check["name"], -check["limit"]]]
            elif check["name"].endswith("end of range"):
                lines.append([check["name"], check["limit"]])
    return lines


def _packed(floats: list[Array], steps: list[Indices]) -> tuple[bytes, dict[str, int]]:
    """All curves in one block, like bytes beside like, which compresses best."""
    values = np.concatenate([np.zeros(0), *floats]).astype("<f4")
    apart = np.concatenate([np.zeros(0, np.int64), *steps]).astype("<u4")
    block = (
        values.view("u1").reshape(-1, 4).T.tobytes() + apart.view("u1").reshape(-1, 4).T.tobytes()
    )
    return block, {"floats": values.size, "steps": apart.size}


def _times(t: Array, block: bytes) -> tuple[dict[str, Any], bytes]:
    """How the page finds the time of a sample: from the step where it is even, else from a list."""
    even = np.linspace(t[0], t[-1], t.size)
    count, first, last = int(t.size), float(t[0]), float(t[-1])
    described: dict[str, Any] = {"count": count, "first": first, "last": last}
    if np.max(np.abs(t - even)) <= 1e-6 * (last - first) / count:
        return described, block
    described["at"] = len(block)
    return described, block + np.ascontiguousarray(t, dtype="<f8").view("u1").reshape(
        -1, 8
    ).T.tobytes()


def _paths(recording: Recording, block: bytes) -> tuple[dict[str, Any], bytes]:
    """The tool's way and its target's, evenly thinned, as points in space."""
    described: dict[str, Any] = {}
    stride = -(-len(recording.recorded) // 1000)
    for name in ("tool", "target"):
        columns = [f"{name}.{c}" for c in "xyz"]
        if not set(columns) <= set(recording.recorded.columns):
            continue
        points = recording.recorded[columns].to_numpy(dtype="<f4")
        thinned = np.concatenate([points[:-1:stride], points[-1:]])
        described[name] = {"at": len(block), "count": len(thinned), "every": stride}
        block += thinned.tobytes()
    return described, block
