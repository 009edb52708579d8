"""Whether the step is fine enough for the extrapolation to be trusted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.checks.judgement import Judgement
from sim.checks.run_view import RunView
from sim.maths.arrays import Array

# Of what the torque changes in the first and in the last step: twice the part of its jerk, since
# gravity may take away some of that change.
AT_ENDS = 1 / 6


def convergence(view: RunView) -> Iterator[Judgement]:
    """The estimated error of each torque at the full step; none where nothing is halved.

    At both ends of the run the path is run on by three terms of its series. Of a jerk j that leaves
    h j/6 in an acceleration at the full step and half of it at the half: the estimate there has a
    twelfth of what the jerk changes of the torque in a step, which extrapolation takes away.
    """
    limits = view.limits
    if limits.halving == 0.0:
        return
    peaks, highest = view.peaks("tau", view.own_joints)
    quiet = ~view.corner  # at a corner the two steps see different slopes
    for name in view.own_joints:
        estimate = view.recorded(f"tau_error.{name}") * quiet
        estimate = _within(estimate, view.analytic(f"tau.{name}"))
        limit = limits.halving * peaks[name] + limits.floor * highest + view.torque_rounding(name)
        yield view.judged("step halving", f"tau.{name}", estimate, limit)


def _within(estimate: Array, tau: Array) -> Array:
    """The estimate without what the ends of the run put into it."""
    change = np.abs(np.diff(tau))[[0, -1]]
    estimate[[0, -1]] = np.maximum(estimate[[0, -1]] - AT_ENDS * change, 0.0)
    return estimate
