"""Time and size of a curve's maximum, which may be flat."""

from __future__ import annotations

import numpy as np

from sim.checks.run_view import RunView
from sim.maths.arrays import Array
from sim.recording.held_tables import as_held

FLAT = 1e-6  # of the peak; what is nearer to the peak than this counts as being there


def peak_times(t: Array, values: Array) -> Array:
    """All sample times at which the magnitude of `values` is at its largest.

    A plateau gives all its times: which of them is the largest depends on rounding. A value that
    is no number is at the top too, so that it is seen.

    Parameters
    ----------
    t, values : ndarray, shape (N,)
    """
    size = np.abs(values)
    highest = np.max(size, where=np.isfinite(size), initial=0.0)
    return t[~(size < (1 - FLAT) * highest)]


def largest(view: RunView, channel: str) -> tuple[float, float]:
    """Time [s] and size of the largest magnitude of a channel, samples and what is between them.

    That of the samples, unless the model goes beyond it by more than `FLAT`: a drive that touches
    its rating at a sample is not beyond it by what an engine or rounding has left. NaN is larger
    than any.
    """
    at, highest = _largest(view.t, view.recorded_values(channel))
    between = as_held(view.recording, "between")
    if between is not None and channel in between:
        at_between, more = _largest(view.t_between, view.between(channel))
        if not more <= (1 + FLAT) * highest:
            return at_between, more
    return at, highest


def _largest(t: Array, values: Array) -> tuple[float, float]:
    size = np.abs(values)
    k = int(np.argmax(size))
    return float(t[k]), float(size[k])
