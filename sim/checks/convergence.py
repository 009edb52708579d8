"""Check of the step size for the extrapolation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sim.checks.allowed_error import AllowedError
from sim.checks.judgement import Judgement
from sim.checks.run_view import RunView
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array
from sim.recording.held_tables import analytic_of
from sim.recording.schema.channels import joint_forces

# Relative to the peak: smaller changes of a curve are rounding.
SAME = 1e-6

# Relative to the change of the torque in the first and last step: twice the contribution of the
# jerk, since gravity may cancel part of that change.
AT_ENDS = 1 / 6


def convergence(view: RunView) -> Iterator[Judgement]:
    """Check the estimated error of each torque at the full step; nothing without step halving.

    At both ends of the run the path is extrapolated by three terms of its series. A jerk j then
    leaves h j/6 in an acceleration at the full step and half of that at the half step: the estimate
    there includes a twelfth of the torque change due to jerk in a step, removed by extrapolation.
    """
    limits = view.limits
    if limits.halving == 0.0:
        return
    peaks, highest = view.peaks("tau", view.row_names)
    quiet = ~view.corner  # at a corner the two step sizes see different slopes
    for name in view.row_names:
        estimate = view.recorded_values(f"tau_error.{name}") * quiet
        estimate = _without_ends(estimate, view.analytic(f"tau.{name}"))
        limit = AllowedError.of(
            halving=limits.halving * peaks[name],
            floor=limits.floor * highest,
            rounding=view.torque_rounding(name),
        )
        yield view.judge_errors("step halving", f"tau.{name}", estimate, limit)
    even = [n for n in view.tree_row_names if _is_even(view, n)]
    for joint in view.run.driven:
        yield _of_estimate(view, joint.name, highest, even)


def _of_estimate(view: RunView, joint: str, highest: float, even: Sequence[str]) -> Judgement:
    """Check that an error estimate is not negative, and not zero throughout for a varying torque.

    One step and two half steps differ wherever the torque of a moving joint varies; if its branch
    moves at constant speed they may be equal to the last digit. Friction and force elements are
    exact, and a torque may be due to a force on a link only: then the acceleration decides.
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
    turns = moves and not set(_branch_of(view, joint)).issubset(even)
    if turns and peak > SAME * highest and not np.any(estimate):
        error = np.abs(useful)
    return view.judge_errors("estimated error", channel, error, 0.0)


def _is_even(view: RunView, joint: str) -> bool:
    """Whether a joint has constant speed."""
    return bool(np.ptp(view.analytic(f"qd.{joint}")) <= SAME * view.peak(f"qd.{joint}"))


def _branch_of(view: RunView, joint: str) -> list[str]:
    """Return the names of the tree joints from the base to a joint, and of those beyond it.

    All joints if loops or mimics couple branches.
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


def _without_ends(estimate: Array, tau: Array) -> Array:
    """Return the estimate without the contributions of the ends of the run."""
    change = np.abs(np.diff(tau))[[0, -1]]
    estimate[[0, -1]] = np.maximum(estimate[[0, -1]] - AT_ENDS * change, 0.0)
    return estimate
