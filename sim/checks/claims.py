"""What a source says of a run, judged; a claim that fails does not fail the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from sim.checks.peaks import peak_times
from sim.recording import Recording


@dataclass(frozen=True)
class ClaimResult:
    """One claim on one channel.

    Parameters
    ----------
    text, source, channel : str
    found, expected : float
        In `unit`; `within` is how far `found` may be from `expected`, or None where `expected`
        is an upper limit.
    ok : bool
        Whether this run shows what is claimed.
    at : float or None
        Time of a peak that is judged by its size [s].
    """

    text: str
    source: str
    channel: str
    found: float
    expected: float
    within: float | None
    unit: str
    ok: bool
    at: float | None = None


def judge_claims(recording: Recording) -> tuple[ClaimResult, ...]:
    """Every claim of the scenario on every channel it names."""
    return tuple(
        result for claim in recording.info["claims"] for result in _results(recording, claim)
    )


def _results(recording: Recording, claim: Mapping[str, Any]) -> Iterator[ClaimResult]:
    efforts = {joint["name"]: joint["effort"] for joint in recording.info["robot"]["joints"]}
    t = recording.recorded.index.to_numpy(dtype=np.float64)
    for channel in recording.recorded.columns:
        if not fnmatchcase(channel, claim["channel"]):
            continue
        values = recording.recorded[channel].to_numpy(dtype=np.float64)
        said = (claim["text"], claim["source"], channel)
        if claim["statistic"] in ("peak_within_rating", "peak_below"):
            below = claim["statistic"] == "peak_below"
            limit = claim["value"] if below else efforts.get(channel.removeprefix("tau."))
            if limit is not None:
                k = int(np.argmax(np.abs(values)))
                found, unit = float(np.abs(values[k])), recording.units[channel]
                ok = found <= limit
                yield ClaimResult(*said, found, float(limit), None, unit, ok, float(t[k]))
            continue
        expected, within = float(claim["value"]), float(claim["within"])
        if claim["statistic"] == "time_of_peak":
            times = peak_times(t, values)
            found, unit = float(times[np.argmin(np.abs(times - expected))]), "s"
        else:
            found = float(values[np.argmin(np.abs(t - float(claim["time"])))])
            unit = recording.units[channel]
        ok = abs(found - expected) <= within
        yield ClaimResult(*said, found, expected, within, unit, ok)
