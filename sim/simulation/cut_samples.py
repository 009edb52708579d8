"""The reactions of a run a second time, at some of its samples: each joint cut open and held."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sim.dynamics.cut_open import cut_reactions
from sim.dynamics.wrench import pin_wrenches
from sim.maths.arrays import Array
from sim.recording.columns import ColumnTable
from sim.recording.cut_instants import instants_to_cut
from sim.recording.table_files import Table, numbers_in
from sim.robots.robot import Robot
from sim.simulation.problem import Problem
from sim.simulation.table import STATE, WRENCH, loop_word, reaction_columns


def cut_samples(problem: Problem, analytic: Table) -> ColumnTable:
    """Reactions at the motion of the model's table by `sim.dynamics.cut_open`, one row an instant.

    Parameters
    ----------
    problem : Problem
    analytic : ColumnTable or StoredTable
        The model's answer.
    """
    rows = instants_to_cut(analytic, [joint.name for joint in problem.robot.tree_joints])

    def at_rows(group: str, names: Iterable[str]) -> Array:
        found = [numbers_in(analytic, f"{group}.{name}")[rows] for name in names]
        return np.stack(found) if found else np.empty((0, rows.size))

    t, robot = problem.t[rows], problem.robot
    q, qd, qdd = (at_rows(group, robot.row_names) for group in ("q", "qd", "qdd"))
    z = at_rows(STATE, map(str, range(problem.elements.states)))
    external = problem.elements.wrenches(problem.elements.at(t, q, qd, z))
    pins = [at_rows(f"loop.{loop_word(loop)}", WRENCH[:3]) for loop in robot.loops]
    rods = np.stack(pins) if pins else np.empty((0, 3, t.size))

    def kernel(robot: Robot, part: slice) -> tuple[Array]:
        here = [wrench.during(part) for wrench in external]
        here += pin_wrenches(robot, q[:, part], rods[..., part])
        return (cut_reactions(robot, q[:, part], qd[:, part], qdd[:, part], problem.gravity, here),)

    (reaction,) = problem.payloads.evaluate(t, kernel)
    return ColumnTable(t, reaction_columns(robot, reaction))
