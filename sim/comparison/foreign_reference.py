"""foreign_reference: curves of another program as the reference of a run."""

from __future__ import annotations

import glob

import numpy as np

from sim.comparison.against_foreign import common_parts, cubic, is_near_corner, limits_of
from sim.foreign.mapped_curves import MappedTable
from sim.maths.arrays import Array
from sim.maths.sampling import SAME_TIME
from sim.recording.recording import Recording
from sim.recording.reference import Reference

ALL_DIGITS = 17  # what print rounds away stands in the tolerances, curve by curve


def foreign_reference(recording: Recording, theirs: MappedTable, rtol: float) -> Reference:
    """Their curves at samples of the run, each with its own tolerance.

    A reference has times that the run has too. Where theirs are others, each of their curves is
    read, cubic, at the sample that is nearest to each of their times; not where the run has a
    corner, across which no cubic reaches.

    Parameters
    ----------
    recording : Recording
    theirs : MappedTable
    rtol : float
        Tolerance, of the largest magnitude of each of their curves; half a unit of the last digit
        that they print is added.

    Raises
    ------
    ForeignError
        If `rtol` is no positive number, or a curve has fewer than two times in common with the run.
    """
    import pandas as pd

    parts = common_parts(theirs, recording.t)
    limits = limits_of(parts, rtol)
    wanted = np.unique(np.concatenate([part.t for part in parts]))
    first, last = max(float(p.t[0]) for p in parts), min(float(p.t[-1]) for p in parts)
    samples, moved = _samples(recording, wanted[(wanted >= first) & (wanted <= last)])
    samples = samples[(samples >= first - SAME_TIME) & (samples <= last + SAME_TIME)]
    values: dict[str, Array] = {}
    tolerances: dict[str, float] = {}
    for part in parts:
        values[part.channel] = cubic(part.t, part.values, samples)
        width = part.rounding + part.t_rounding * np.abs(np.gradient(part.values, part.t))
        # a name is no pattern, even one with brackets in it
        tolerances[glob.escape(part.channel)] = limits[part.channel] + float(width.max())
    source = theirs.source
    if moved:
        source += f", at the nearest samples of the run ({moved * 1e3:.2g} ms)"
    return Reference(
        source=source,
        table=pd.DataFrame(values, index=pd.Index(samples, name="t")),
        digits=ALL_DIGITS,
        tolerances=tolerances,
        peer=theirs.source,
        peer_tolerances=tolerances,
    )


def _samples(recording: Recording, wanted: Array) -> tuple[Array, float]:
    """Times of the samples nearest to some times, and how far the farthest is [s]."""
    own = recording.t
    right = np.clip(np.searchsorted(own, wanted), 1, own.size - 1)
    left_is_nearer = wanted - own[right - 1] <= own[right] - wanted
    nearest = np.where(left_is_nearer, own[right - 1], own[right])
    moved = float(np.max(np.abs(nearest - wanted), initial=0.0))
    if moved <= SAME_TIME:
        return np.unique(nearest), 0.0
    return np.unique(nearest[~is_near_corner(recording.run, nearest)]), moved
