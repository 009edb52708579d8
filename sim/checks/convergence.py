"""Whether the step is fine enough for the extrapolation to be trusted."""

from __future__ import annotations

from collections.abc import Iterator

from sim.checks.judgement import Judgement
from sim.checks.run_view import RunView


def convergence(view: RunView) -> Iterator[Judgement]:
    """The estimated error of each torque at the full step; none where nothing is halved."""
    limits = view.limits
    if limits.halving == 0.0:
        return
    peaks, highest = view.peaks("tau", view.own_joints)
    quiet = ~view.corner  # at a corner the two steps see different slopes
    for name in view.own_joints:
        estimate = view.recorded(f"tau_error.{name}") * quiet
        limit = limits.halving * peaks[name] + limits.floor * highest + view.torque_rounding(name)
        yield view.judged("step halving", f"tau.{name}", estimate, limit)
