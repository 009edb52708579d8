"""A run against what another program computed for the same scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.checks.channels import column, times
from sim.checks.outcome import Check
from sim.recording import Recording
from sim.reference import samples_at, tolerance_of
from sim.spatial import Array

if TYPE_CHECKING:
    import pandas as pd

ORIENTATION = [f"tool.q{c}" for c in "xyzw"]


def judge_reference(recording: Recording) -> tuple[Check, ...]:
    """Two checks for each channel of the reference; none where the run has no reference.

    ``reference`` is the largest difference from what was printed there, beyond the rounding of the
    print, against our own tolerance. ``reference RMS`` is the root mean square of the whole
    difference, against the tolerance that another program's own tests have for it.

    Raises
    ------
    RecordingError
        If the run lacks a channel or a sample time of the reference.
    """
    if recording.reference is None:
        return ()
    info, t = recording.info["reference"], times(recording.reference)
    mine = recording.recorded.iloc[samples_at(times(recording.recorded), t)]
    theirs = {c: column(recording.reference, c) for c in recording.reference.columns}
    checks = []
    for channel, printed in _aligned(theirs, mine).items():
        error = np.abs(column(mine, channel) - printed)
        beyond = np.maximum(error - half_unit(printed, info["digits"]), 0.0)
        unit, limit = recording.units[channel], tolerance_of(channel, info["tolerances"])
        worst = Check.of_errors("reference", channel, unit, t, beyond, limit)
        rms = float(np.sqrt(np.mean(error**2)))
        limit = tolerance_of(channel, info["peer_tolerances"])
        at = float(t[np.argmax(error)])
        checks += [worst, Check("reference RMS", channel, rms, limit, unit, at, rms <= limit)]
    return tuple(checks)


def _aligned(theirs: dict[str, Array], mine: pd.DataFrame) -> dict[str, Array]:
    """The same with the sign of our quaternions: q and -q are the same rotation."""
    if not set(ORIENTATION) <= theirs.keys():
        return theirs
    turned = np.sum([column(mine, c) * theirs[c] for c in ORIENTATION], axis=0) < 0
    return theirs | {c: np.where(turned, -theirs[c], theirs[c]) for c in ORIENTATION}


def half_unit(printed: Array, digits: int) -> Array:
    """Half a unit of the last of `digits` significant digits; zero is exact.

    Parameters
    ----------
    printed : ndarray, shape (N,)
    """
    size = np.abs(printed)
    power = np.floor(np.log10(size, where=size > 0, out=np.zeros_like(size)))
    return np.where(size > 0, 0.5 * 10.0 ** (power - digits + 1), 0.0)
