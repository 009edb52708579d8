"""Step size against what the extrapolation needs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.checks.allowed_error import AllowedError
from sim.checks.judgement import Judgement
from sim.checks.run_view import RunView
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array
from sim.recording.held_tables import analytic_of
from sim.recording.schema.channels import joint_forces

# Of its peak: a curve that changes by less is the same all along, but for rounding.
SAME = 1e-6

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
    peaks, highest = view.peaks("tau", view.row_names)
    quiet = ~view.corner  # at a corner the two steps see different slopes
    for name in view.row_names:
        estimate = view.recorded_values(f"tau_error.{name}") * quiet
        estimate = _within(estimate, view.analytic(f"tau.{name}"))
        limit = AllowedError.of(
            halving=limits.halving * peaks[name],
            floor=limits.floor * highest,
            rounding=view.torque_rounding(name),
        )
        yield view.judge_errors("step halving", f"tau.{name}", estimate, limit)
    for joint in view.run.driven:
        yield _of_estimate(view, joint.name, highest)


def _of_estimate(view: RunView, joint: str, highest: float) -> Judgement:
    """An estimate below zero, or of zero throughout where the torque changes, is none.

    A whole step and two halves differ wherever the torque of what moves is not the same all along;
    where its branch moves evenly they need not: both have every state to the last digit. Friction
    and force elements are exact, and a force on a link may be all there is to a torque: then the
    acceleration shows whether anything changes.
    """
    channel = f"tau_error.{joint}"
    estimate = view.recorded_values(channel)
    useful = view.analytic(f"tau.{joint}") - view.analytic(f"friction.{joint}")
    for force in joint_forces(analytic_of(view.recording).columns, joint):
        useful = useful + view.analytic(force)
    is_pushed = bool(view.run.elements)
    changing = view.analytic(f"qdd.{joint}") if is_pushed else useful
    peak = float(np.max(np.abs(useful)))
    moves = np.ptp(changing) > SAME * max(float(np.max(np.abs(changing))), view.limits.floor)
    error = np.maximum(-estimate, 0.0) + 0.0 * estimate  # NaN stays NaN
    if moves and not _is_even(view, joint) and peak > SAME * highest and not np.any(estimate):
        error = np.abs(useful)
    return view.judge_errors("estimated error", channel, error, 0.0)


def _is_even(view: RunView, joint: str) -> bool:
    """Whether all joints keep their speed that carry a joint or are carried by it."""
    speeds = [view.analytic(f"qd.{name}") for name in _branch_of(view, joint)]
    return all(np.ptp(speed) <= SAME * np.max(np.abs(speed)) for speed in speeds)


def _branch_of(view: RunView, joint: str) -> list[str]:
    """Names of the tree joints from the base to a joint, and of those beyond it.

    Of all where loops or mimics couple branches.
    """
    names = list(view.tree_row_names)
    if view.run.robot.loops or len(names) > len(view.row_names):
        return names
    chains: list[set[int]] = []
    for row, parent in enumerate(tree_of(view.robot).parent):
        chains.append({row} | (chains[parent] if parent >= 0 else set()))
    target = names.index(joint)
    return [
        name for row, name in enumerate(names) if row in chains[target] or target in chains[row]
    ]


def _within(estimate: Array, tau: Array) -> Array:
    """The estimate without what the ends of the run put into it."""
    change = np.abs(np.diff(tau))[[0, -1]]
    estimate[[0, -1]] = np.maximum(estimate[[0, -1]] - AT_ENDS * change, 0.0)
    return estimate
