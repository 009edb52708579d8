"""Time and value of a curve's maximum, which may be a plateau."""

from __future__ import annotations

import numpy as np

from sim.checks.run_view import RunView
from sim.maths.arrays import Array
from sim.recording.held_tables import as_held

FLAT = 1e-6  # relative to the peak: values within this distance count as the peak


def peak_times(t: Array, values: Array) -> Array:
    """Return all sample times at which the magnitude of `values` is at its maximum.

    A plateau gives all its times, since rounding determines which value is the largest. Values that
    are not finite count as maxima, so that they are seen.

    Parameters
    ----------
    t, values : ndarray, shape (N,)
    """
    size = np.abs(values)
    highest = np.max(size, where=np.isfinite(size), initial=0.0)
    return t[~(size < (1 - FLAT) * highest)]


def peak_of(view: RunView, channel: str) -> tuple[float, float]:
    """Return time [s] and value of a channel's largest magnitude, including between samples.

    The maximum of the samples is used unless the model exceeds it by more than `FLAT`: a drive that
    reaches its rating at a sample does not exceed it by errors of the engine or rounding. NaN
    exceeds any value.
    """
    k, highest = view.largest(channel, analytic=False)
    between = as_held(view.recording, "between")
    if between is not None and channel in between:
        size = np.abs(view.between(channel))
        more = int(np.argmax(size))
        if not size[more] <= (1 + FLAT) * highest:
            return float(view.t_between[more]), float(size[more])
    return float(view.t[k]), highest
