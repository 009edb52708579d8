"""compare: channel by channel, how far two runs are apart and when they begin to differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Protocol

import numpy as np

from sim.errors import RecordingError
from sim.maths.arrays import Array
from sim.maths.sampling import SAME_TIME
from sim.recording.channels import group_of, scale_of
from sim.recording.description import Conditions, Run

if TYPE_CHECKING:
    import pandas as pd

# Two runs of one model on two machines differ by rounding, 1e-10 of the peak; the method itself
# is good to 2e-6. What moves a channel by more than this is a change, not noise.
RTOL = 1e-6  # of the largest magnitude in the channel's group
ATOL = 1e-9  # in the channel's unit; for groups that stay at zero


class Compared(Protocol):
    """What is compared: a table of channels, and the conditions that it comes from."""

    @property
    def recorded(self) -> pd.DataFrame:
        """One column a channel, index t [s]."""
        ...

    @property
    def run(self) -> Conditions:
        """What was simulated, and how."""
        ...


@dataclass(frozen=True)
class Difference:
    """How far one channel is from its reference.

    Parameters
    ----------
    channel : str
    worst, limit : float
        Largest magnitude of the difference, and what is allowed, in `unit`.
    unit : str
    at : float
        Time of the worst [s].
    diverges : float or None
        First time at which the limit is passed [s].
    ok : bool
    """

    channel: str
    worst: float
    limit: float
    unit: str
    at: float
    diverges: float | None
    ok: bool


@dataclass(frozen=True)
class Comparison:
    """The outcome of a comparison.

    Parameters
    ----------
    differences : tuple of Difference
        Worst relative to its limit first.
    missing, new : tuple of str
        Channels that only the reference, or only the run has.
    notes : tuple of str
        Settings in which the two differ.
    ok : bool
        The same channels on both sides and all inside their limits, over one duration, and the run
        has not failed its own checks.
    """

    differences: tuple[Difference, ...]
    missing: tuple[str, ...]
    new: tuple[str, ...]
    notes: tuple[str, ...]
    ok: bool

    @property
    def diverges(self) -> float | None:
        """First time at which any channel passes its limit [s]."""
        times = [d.diverges for d in self.differences if d.diverges is not None]
        return min(times, default=None)


def compare(run: Compared, reference: Compared) -> Comparison:
    """Every channel of `run` against `reference`, at the reference's times.

    Raises
    ------
    RecordingError
        If the two have no time in common.
    """
    mine, theirs = _channels(run.recorded), _channels(reference.recorded)
    common = [channel for channel in theirs if channel in mine]
    t = reference.recorded.index.to_numpy(dtype=np.float64)
    end = float(run.recorded.index[-1])
    t = t[t <= end * (1 + 1e-12)]
    if t.size == 0 or not common:
        raise RecordingError("The two runs have no time or no channel in common")
    scales = _scales(reference.recorded, common)
    tolerances = {**reference.run.settings.tolerances, **run.run.settings.tolerances}
    values = _at_times(run.recorded[common], t)
    differences = []
    for channel in common:
        wanted = reference.recorded[channel].to_numpy(dtype=np.float64)[: t.size]
        limit = _limit(channel, scales[scale_of(channel)], tolerances)
        unit = reference.run.units.get(channel, "1")
        differences.append(_difference(channel, t, values[channel] - wanted, limit, unit))
    differences.sort(key=lambda d: (d.ok, -d.worst / d.limit))
    missing = tuple(channel for channel in theirs if channel not in mine)
    new = tuple(channel for channel in mine if channel not in theirs)
    notes, same_length = _notes(run, reference)
    # A run that its own checks refuse is the same as nothing, however near its numbers are.
    failed = isinstance(run.run, Run) and run.run.verdict == "fail"
    if failed:
        notes = ("the run's own verdict is fail", *notes)
    ok = all(d.ok for d in differences) and not missing and not new and same_length and not failed
    return Comparison(tuple(differences), missing, new, notes, ok)


def _channels(table: pd.DataFrame) -> list[str]:
    return [channel for channel in table.columns if group_of(channel).is_compared]


def _scales(table: pd.DataFrame, channels: list[str]) -> dict[str, float]:
    peaks: dict[str, float] = {}
    for channel in channels:
        values = table[channel].to_numpy(dtype=np.float64)
        peak = float(np.max(np.abs(values), where=np.isfinite(values), initial=0.0))
        peaks[scale_of(channel)] = max(peak, peaks.get(scale_of(channel), 0.0))
    return peaks


def _limit(channel: str, peak: float, tolerances: Mapping[str, float]) -> float:
    for pattern, tolerance in tolerances.items():
        if fnmatchcase(channel, pattern):
            return float(tolerance)
    return RTOL * peak + ATOL


def _at_times(table: pd.DataFrame, t: Array) -> dict[str, Array]:
    """Columns at the times `t`: the samples themselves where they are there, else cubic between."""
    own = table.index.to_numpy(dtype=np.float64)
    nearest = np.clip(np.searchsorted(own, t - SAME_TIME), 0, own.size - 1)
    if np.max(np.abs(own[nearest] - t)) <= SAME_TIME:
        return {c: table[c].to_numpy(dtype=np.float64)[nearest] for c in table.columns}
    from scipy.interpolate import CubicSpline

    recorded = table.to_numpy(dtype=np.float64)
    sound = np.isfinite(recorded).all(axis=0)
    values = np.full((t.size, recorded.shape[1]), np.nan)
    values[:, sound] = CubicSpline(own, recorded[:, sound], axis=0)(t)
    return {channel: values[:, k] for k, channel in enumerate(table.columns)}


def _difference(channel: str, t: Array, delta: Array, limit: float, unit: str) -> Difference:
    size = np.where(np.isnan(delta), np.inf, np.abs(delta))
    k = int(np.argmax(size))
    beyond = np.flatnonzero(size > limit)
    first = float(t[beyond[0]]) if beyond.size else None
    return Difference(channel, float(size[k]), limit, unit, float(t[k]), first, first is None)


def _notes(run: Compared, reference: Compared) -> tuple[tuple[str, ...], bool]:
    """Settings that differ, in words, and whether the durations are the same."""
    notes = []
    mine, theirs = _settings(run.run), _settings(reference.run)
    for name in {**theirs, **mine}:
        if mine.get(name) != theirs.get(name):
            notes.append(f"{name}: {mine.get(name)}, reference {theirs.get(name)}")
    apart = abs(run.run.settings.duration - reference.run.settings.duration)
    return tuple(notes), apart <= SAME_TIME


def _settings(run: Conditions) -> dict[str, object]:
    return {
        "method": run.method,
        "engine": run.engine,
        "duration": run.settings.duration,
        "dt": run.settings.dt,
        "gravity": list(run.settings.gravity),
        "urdf": run.robot.urdf_sha256[:12],
        **run.parameters,
    }
