"""Comparison of a run with another program's results for the same scenario."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from msgspec.structs import replace

from sim.checks.judgement import Judgement
from sim.checks.run_view import RunView
from sim.recording.recording import Recording
from sim.recording.schema.verdicts import Check
from sim.reference.alignment import at_samples, samples_at
from sim.reference.limits import Allowed, allowed_error, allowed_rms
from sim.robots.coordinate import rotations_of


def judge_reference(recording: Recording) -> tuple[Check, ...]:
    """Run the checks of `against_reference` only.

    Raises
    ------
    RecordingError
        If the run lacks a channel or a sample time of the reference.
    """
    return tuple(judged.check for judged in against_reference(RunView(recording)))


def against_reference(view: RunView) -> Iterator[Judgement]:
    """Check each channel of the reference twice; nothing if the run has no reference.

    ``reference`` is the largest difference from the printed values, beyond the rounding of the
    print. Its limit is the sum of our tolerance, which is relative to the curve, and the error of
    the source itself. ``reference RMS`` is the root mean square of the whole difference; its limit
    is the tolerance in the other program's own tests, relative to the curve too.

    Raises
    ------
    RecordingError
        If the run lacks a channel or a sample time of the reference.
    """
    table, facts = view.recording.reference, view.run.reference
    if table is None or facts is None or facts.measured is not None:
        return
    t = table.index.to_numpy(dtype=np.float64)
    k = samples_at(view.t, t)
    groups = view.run.quaternions, rotations_of(view.tree_coordinates)
    for one in at_samples(view.t, view.recorded_values, table, facts.digits, *groups):
        channel, unit, beyond = one.channel, view.unit(one.channel), one.beyond
        may = _largest_allowance(
            allowed_error(each.channel, each.theirs, facts) for each in one.every
        )
        judgement = Judgement.of_errors("reference", channel, unit, t, beyond, may.limit)
        between = np.zeros_like(view.t)  # no error at samples without a printed value
        between[k] = beyond
        reason = "" if facts.own is None else facts.own.reason
        yield replace(judgement, error=between, note=may.in_words(unit, reason))
        rms, at = float(np.sqrt(np.mean(one.excess**2))), float(t[np.argmax(one.excess)])
        may = _largest_allowance(
            allowed_rms(each.channel, each.theirs, facts) for each in one.every
        )
        note = may.in_words(unit, reason)
        yield Judgement.of_number("reference RMS", channel, rms, may.limit, unit, at, note=note)


def _largest_allowance(every: Iterable[Allowed]) -> Allowed:
    """Return the largest allowance; the three curves of a rotation are judged together."""
    return max(every, key=lambda one: one.limit)
