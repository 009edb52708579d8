"""A run against what another program computed for the same scenario."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from sim.checks.judgement import Judgement, share
from sim.checks.run_view import RunView
from sim.recording.recording import Recording
from sim.recording.schema.verdicts import Check
from sim.reference.alignment import at_samples, samples_at
from sim.reference.limits import Allowed, allowed_error, allowed_rms
from sim.robots.coordinate import rotations_of


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
    if table is None or facts is None or facts.measured is not None:
        return
    t = table.index.to_numpy(dtype=np.float64)
    k = samples_at(view.t, t)
    groups = view.run.quaternions, rotations_of(view.tree_coordinates)
    for one in at_samples(view.t, view.recorded_values, table, facts.digits, *groups):
        channel, unit, beyond = one.channel, view.unit(one.channel), one.beyond
        may = _largest(allowed_error(each.channel, each.theirs, facts) for each in one.every)
        judgement = Judgement.of_errors("reference", channel, unit, t, beyond, may.limit)
        between = np.zeros_like(view.t)  # where nothing was printed nothing is wrong
        between[k] = beyond
        reason = "" if facts.own is None else facts.own.reason
        yield replace(judgement, error=between, note=may.in_words(unit, reason))
        rms, at = float(np.sqrt(np.mean(one.excess**2))), float(t[np.argmax(one.excess)])
        may = _largest(allowed_rms(each.channel, each.theirs, facts) for each in one.every)
        ok, used = rms <= may.limit, share(rms, may.limit)
        check = Check("reference RMS", channel, rms, may.limit, unit, at, ok, used, channel)
        yield Judgement(check, note=may.in_words(unit, reason))


def _largest(every: Iterable[Allowed]) -> Allowed:
    """Allowance of the curve that may differ most: the three of a rotation are judged as one."""
    return max(every, key=lambda one: one.limit)
