"""A run against what another program computed for the same scenario."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sim.checks.judgement import Judgement, share
from sim.checks.run_view import RunView, column
from sim.maths.arrays import Array
from sim.recording.held_tables import recorded_of
from sim.recording.recording import Recording
from sim.recording.reference import samples_at
from sim.recording.reference_limits import allowed, allowed_rms
from sim.recording.verdicts import Check

if TYPE_CHECKING:
    import pandas as pd

    from sim.recording.facts import ReferenceFacts

ORIENTATION = [f"tool.q{c}" for c in "xyzw"]


def judge_reference(recording: Recording) -> tuple[Check, ...]:
    """The checks of `against_reference` alone.

    Raises
    ------
    RecordingError
        If the run lacks a channel or a sample time of the reference.
    """
    return tuple(judged.check for judged in against_reference(RunView(recording)))


def against_reference(view: RunView) -> Iterator[Judgement]:
    """Two checks for each channel of the reference; none where the run has no reference.

    ``reference`` is the largest difference from what was printed there, beyond the rounding of the
    print, against our own tolerance, which grows with the curve, and what the source is off by
    itself. ``reference RMS`` is the root mean square of the whole difference, against the tolerance
    that another program's own tests have for it, which grows as much.

    Raises
    ------
    RecordingError
        If the run lacks a channel or a sample time of the reference.
    """
    table, facts = view.recording.reference, view.run.reference
    if table is None or facts is None:
        return
    t = table.index.to_numpy(dtype=np.float64)
    k = samples_at(view.t, t)
    theirs = {str(channel): column(table, channel) for channel in table.columns}
    mine = {channel: view.recorded(channel)[k] for channel in theirs}
    for channel, printed in aligned(theirs, mine).items():
        unit, error = view.unit(channel), np.abs(mine[channel] - printed)
        beyond = np.maximum(error - half_unit(printed, facts.digits), 0.0)
        may = allowed(channel, printed, facts)
        judgement = Judgement.of_errors("reference", channel, unit, t, beyond, may.limit)
        between = np.zeros_like(view.t)  # where nothing was printed nothing is wrong
        between[k] = beyond
        reason = "" if facts.own is None else facts.own.reason
        yield replace(judgement, error=between, note=may.in_words(unit, reason))
        rms, at = float(np.sqrt(np.mean(error**2))), float(t[np.argmax(error)])
        may = allowed_rms(channel, printed, facts)
        ok, used = rms <= may.limit, share(rms, may.limit)
        check = Check("reference RMS", channel, rms, may.limit, unit, at, ok, used, channel)
        yield Judgement(check, note=may.in_words(unit, reason))


def aligned(theirs: dict[str, Array], mine: dict[str, Array]) -> dict[str, Array]:
    """The same with the sign of our quaternions: q and -q are the same rotation."""
    if not set(ORIENTATION) <= theirs.keys():
        return theirs
    turned = np.sum([mine[c] * theirs[c] for c in ORIENTATION], axis=0) < 0
    return theirs | {c: np.where(turned, -theirs[c], theirs[c]) for c in ORIENTATION}


def as_judged(
    recording: Recording, table: pd.DataFrame, facts: ReferenceFacts
) -> tuple[pd.DataFrame, dict[str, Array]]:
    """The reference of a run as it is judged by, and by channel what its print may be off, (N,).

    Raises
    ------
    RecordingError
        If the run lacks a channel or a sample time of the reference.
    """
    k = samples_at(recording.t, table.index.to_numpy(dtype=np.float64))
    theirs = {str(channel): column(table, channel) for channel in table.columns}
    mine = {channel: column(recorded_of(recording), channel)[k] for channel in theirs}
    printed = aligned(theirs, mine)
    return table.assign(**printed), {c: half_unit(v, facts.digits) for c, v in printed.items()}


def half_unit(printed: Array, digits: int) -> Array:
    """Half a unit of the last of `digits` significant digits; zero is exact.

    Parameters
    ----------
    printed : ndarray, shape (N,)
    """
    size = np.abs(printed)
    power = np.floor(np.log10(size, where=size > 0, out=np.zeros_like(size)))
    return np.where(size > 0, 0.5 * 10.0 ** (power - digits + 1), 0.0)
