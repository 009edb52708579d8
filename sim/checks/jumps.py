"""Continuity of the drives at corners: positions and velocities must not jump."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sim.checks.judgement import Judgement
from sim.checks.motion_rates import ROUNDINGS, SOLVED_FOR, prescribed_joints
from sim.checks.run_view import RunView

UNBOUNDED = "a jump requires infinite torque or force; use a transition of finite duration"
MISSING = "the run has no stored values on both sides of each corner; run the scenario again"


def jumps(view: RunView) -> Iterator[Judgement]:
    """Check for jumps of prescribed positions and velocities at corners.

    Between both sides of a corner a curve may change by its rate times the time, up to rounding. An
    acceleration may jump, and the torque with it. Nothing is judged without corners.

    Raises
    ------
    RecordingError
        If a row of the run's corners has no position, velocity or acceleration.
    """
    corners = np.asarray(view.run.settings.corners, dtype=np.float64)
    if not corners.size:
        return
    t = view.t_between
    after = np.flatnonzero(np.isin(t[1:], corners)) + 1
    after = after[t[after] - t[after - 1] < view.dt]
    missing, at, channel = corners.size - after.size, float(corners[0]), f"q.{view.row_names[0]}"
    yield Judgement.of_number(
        "samples at corners", channel, float(missing), 0.0, "1", at, note=MISSING
    )
    if not after.size:
        return
    for joint in prescribed_joints(view):
        for name, group, rate in (
            ("jump of position", "q", "qd"),
            ("jump of velocity", "qd", "qdd"),
        ):
            yield _jump(view, name, f"{group}.{joint}", f"{rate}.{joint}", after)


def _jump(view: RunView, name: str, channel: str, rate: str, after: NDArray[np.intp]) -> Judgement:
    """Check the largest jump of a curve, beyond the change due to its rate."""
    values, speed, t = view.between(channel), np.abs(view.between(rate)), view.t_between
    h = t[after] - t[after - 1]
    change = np.abs(values[after] - values[after - 1])
    jump = np.maximum(change - h * (speed[after] + speed[after - 1]), 0.0)
    k = int(np.argmax(jump))
    worst, limit = float(jump[k]), SOLVED_FOR + ROUNDINGS * view.peak(channel)
    unit, at, note = view.unit(channel), float(t[after][k]), "" if worst <= limit else UNBOUNDED
    return Judgement.of_number(name, channel, worst, limit, unit, at, note=note)
