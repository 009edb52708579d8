"""List of distinct solutions of a pose, with the nearest to the start marked."""

from __future__ import annotations

import numpy as np

from sim.kinematics.inverse.branches import SINGULAR, moving_joints
from sim.kinematics.inverse.numerical import PoseFit
from sim.kinematics.inverse.pose_error import TOLERANCE
from sim.kinematics.inverse.shortfall import shortfall
from sim.kinematics.inverse.solution import InverseKinematics, Solution
from sim.kinematics.inverse.travel import TAU, inside_limits, nearest_copy, shortest_index, turns
from sim.kinematics.jacobian import distance_from_singularity, jacobian
from sim.maths.arrays import Array
from sim.robots.robot import Robot

_SAME = 1e-6  # rad and m; solutions that differ by less are the same, as where branches meet


def distinct_columns(robot: Robot, q: Array, columns: list[int]) -> list[int]:
    """Return the `columns` of q (n, m) without those that repeat an earlier one."""
    whole = np.where(turns(robot), TAU, 0.0)[:, None]
    distinct: list[int] = []
    for column in columns:
        difference = q[:, distinct] - q[:, column, None]
        difference -= whole * np.rint(difference / TAU)
        if not (np.abs(difference).max(axis=0) < _SAME).any():
            distinct.append(column)
    return distinct


def listed_answer(
    family: str, solutions: list[Solution], start: Array, weight: Array, is_complete: bool = False
) -> InverseKinematics:
    """Return a result with the shortest way among the solutions inside the limits."""
    inside = [k for k, solution in enumerate(solutions) if solution.inside_limits]
    nearest = None
    if inside:
        nearest = inside[shortest_index(np.array([solutions[k].q for k in inside]), start, weight)]
    return InverseKinematics(family, tuple(solutions), nearest, is_complete=is_complete)


def answer_of_fit(
    robot: Robot,
    frame: str | None,
    family: str,
    fit: PoseFit,
    start: Array,
    weight: Array,
    free: list[tuple[str, ...]],
    *,
    turns_freely: bool = False,
) -> InverseKinematics:
    """Return the distinct attempts that reach the pose, the shortest way first.

    Parameters
    ----------
    free : list of tuple of str
        Joints that each attempt leaves free.
    turns_freely : bool
        Whether any orientation will do.
    """
    met = np.flatnonzero(fit.error.residual <= TOLERANCE)
    if not met.size:
        return InverseKinematics(family, (), None, shortfall(robot, frame, fit.q, fit.error))
    copies, residual = nearest_copy(robot, fit.q[:, met], start), fit.error.residual[met]
    order = np.argsort(weight @ np.abs(copies - start[:, None]), kind="stable").tolist()
    inside = inside_limits(robot, copies)
    J = jacobian(robot, copies, frame)[:, moving_joints(robot, frame)]
    singular = distance_from_singularity(J[:3] if turns_freely else J) < SINGULAR
    solutions = [
        Solution(
            copies[:, k],
            float(residual[k]),
            bool(inside[k]),
            family,
            ("chain",) if singular[k] else (),
            free[met[k]],
        )
        for k in distinct_columns(robot, copies, order)
    ]
    return listed_answer(family, solutions, start, weight)
