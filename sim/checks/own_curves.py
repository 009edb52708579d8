"""Curves computed for checks only: energy balance and tool deviations."""

from __future__ import annotations

from sim.checks.energy_balance import energies_of
from sim.checks.run_view import RunView
from sim.checks.tool_agreement import distance_from_path, tool_error
from sim.maths.arrays import Array
from sim.recording.recording import Recording


def own_curves(recording: Recording) -> dict[str, Array]:
    """Return the curves that `Check.plot` may name but no table has, shape (N,).

    These are ``balance``, signed [J], ``tool.error`` and ``path.error`` [m]; those whose channels
    were not recorded are omitted.
    """
    view = RunView(recording)
    curves = {}
    of_joints = (f"{group}.{joint}" for group in ("work", "loss") for joint in view.row_names)
    if view.has("ke", "pe", *of_joints):
        curves["balance"] = energies_of(view).balance
    if view.has("tool.x"):
        curves["tool.error"] = tool_error(view)
        if view.has("target.x"):
            curves["path.error"] = distance_from_path(view)
    return curves
