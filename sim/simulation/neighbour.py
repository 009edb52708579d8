"""neighbour_of: the motion of a start a little aside, where engine and model have parted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim.maths.arrays import Array
from sim.recording.files.table_files import Table, numbers_in
from sim.recording.schema.facts import NeighbourFacts
from sim.recording.schema.horizon import ASIDE
from sim.simulation.model_answer import solved_motion
from sim.simulation.problem import Problem

INSTANTS = 400  # of the run at which the two motions are compared


def neighbour_of(problem: Problem, recorded: Table, analytic: Table) -> NeighbourFacts | None:
    """How the model's motion departs from one that starts `ASIDE`; None where it is not needed.

    It is solved for only where the engine's motion is farther from the model's than the method
    allows: an engine that is wrong looks so, and so does a motion that makes much of rounding. The
    neighbour is independent of the engine, and distinguishes the two.
    """
    limits = problem.method.limits_at(problem.scenario.dt, has_free_joints=True)
    free = problem.path.free
    if not (problem.method.solves_motion and free.any()):
        return None
    names = [name for name, is_free in zip(problem.robot.row_names, free, strict=True) if is_free]

    def values(table: Table, group: str) -> Array:
        return np.stack([numbers_in(table, f"{group}.{name}") for name in names])

    allowed = {"q": limits.position, "qd": limits.velocity}
    if all(
        np.max(np.abs(values(recorded, group) - values(analytic, group))) <= limit
        for group, limit in allowed.items()
    ):
        return None
    aside = np.where(free, ASIDE * np.maximum(1.0, np.abs(problem.path.q0)), 0.0)
    moved = solved_motion(
        problem, replace(problem.broken_path, q0=problem.path.q0 + aside), problem.t
    )
    position, velocity = (
        np.maximum.accumulate(np.max(np.abs(rows[free] - values(analytic, group)), axis=0))
        for group, rows in (("q", moved.q), ("qd", moved.qd))
    )
    if position[-1] <= limits.position and velocity[-1] <= limits.velocity:
        return None
    k = np.unique(np.linspace(0, problem.t.size - 1, INSTANTS).round().astype(int))
    times, *apart = (tuple(row[k].tolist()) for row in (problem.t, position, velocity))
    return NeighbourFacts(aside=ASIDE, t=times, position=apart[0], velocity=apart[1])
