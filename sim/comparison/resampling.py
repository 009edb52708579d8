"""Cubic interpolation of a run's curve between the corners and bends of its drives."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.maths.arrays import Array
from sim.maths.sampling import SAME_TIME
from sim.recording.schema.corners import corner_samples
from sim.recording.schema.description import Conditions

FEWEST = 4  # samples that a cubic spline needs


class Resampling(Struct, frozen=True, eq=False, dict=True):
    """Curves of a run with samples at `t_own` (N,), read at other times `t` (M,), ascending [s].

    A spline across a bend oscillates on both sides, so that each piece between two breaks has its
    own spline. A sample at a jump belongs to its right side, or is a mixture and belongs to none;
    the curve is extrapolated to the jump from the samples next to it. Pieces with fewer than four
    samples are read from a spline through all samples.
    """

    run: Conditions
    t_own: Array
    t: Array

    def of(self, values: Array) -> Array:
        """Return the curve with these values (N,) at the times, shape (M,)."""
        from scipy.interpolate import CubicSpline

        result: Array = CubicSpline(self.t_own, values)(self.t)
        for samples, at in self._pieces:
            result[at] = CubicSpline(self.t_own[samples], values[samples])(self.t[at])
        return result

    @cached_property
    def _pieces(self) -> tuple[tuple[NDArray[np.intp], slice], ...]:
        """Samples of each piece, and the slice of the times in it."""
        return tuple(self._with_samples())

    def _with_samples(self) -> Iterator[tuple[NDArray[np.intp], slice]]:
        settings, t_own, t = self.run.settings, self.t_own, self.t
        mixed = corner_samples(self.run, t_own)
        jumps = np.array(settings.corners)
        breaks = np.unique([*settings.corners, *settings.bends])
        inside = breaks[(breaks > t_own[0] + SAME_TIME) & (breaks < t_own[-1] - SAME_TIME)]
        for begin, end in pairwise([t_own[0], *inside, t_own[-1]]):
            is_last, is_jump = end == t_own[-1], np.any(np.abs(jumps - end) <= SAME_TIME)
            side = -SAME_TIME if is_jump and not is_last else SAME_TIME
            first, after = np.searchsorted(t_own, [begin - SAME_TIME, end + side])
            samples = np.arange(first, after)
            samples = samples[~mixed[samples]]
            if samples.size >= FEWEST:
                start, stop = np.searchsorted(t, [begin - SAME_TIME, end - SAME_TIME])
                yield samples, slice(int(start), t.size if is_last else int(stop))
