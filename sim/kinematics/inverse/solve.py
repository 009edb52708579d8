"""Inverse kinematics of one pose, by closed form where there is one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ModelError
from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse.branches import (
    CLOSE,
    EXACT,
    SINGULAR,
    arm_angles,
    moving_joints,
    polish,
)
from sim.kinematics.inverse.family import Family
from sim.kinematics.inverse.numerical import search
from sim.kinematics.inverse.pose_error import TOLERANCE, PoseError, check_poses, error_between
from sim.kinematics.inverse.recognition import NUMERICAL, family_of
from sim.kinematics.inverse.shortfall import shortfall
from sim.kinematics.inverse.solution import InverseKinematics, Solution
from sim.kinematics.inverse.travel import (
    check_position,
    check_weights,
    inside_limits,
    nearest_copy,
    shortest,
    turns,
)
from sim.kinematics.jacobian import distance_from_singularity, jacobian
from sim.kinematics.loop_equations import passive_joints
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.robots.robot import Robot

_SAME = 1e-6  # rad and m; solutions that differ by less are one, as where two branches meet
_MOST = 16  # solutions of a numerical search


@checked
def inverse_kinematics(
    robot: Robot,
    T_0e: ArrayLike,
    *,
    near: ArrayLike | None = None,
    frame: str | None = None,
    weights: ArrayLike | None = None,
) -> InverseKinematics:
    """All joint positions that bring a frame to a pose, and the shortest way among them.

    Closed form for the families of `recognition.FITS`, each branch verified by forward
    kinematics; any other chain is solved numerically. Each solution is given by the copy by whole
    turns that is inside the limits and nearest to `near`.

    Parameters
    ----------
    T_0e : array_like, shape (4, 4)
        Pose of the frame in the world [m].
    near : array_like, shape (n,), optional
        Position from which the way is measured, and which a free joint keeps [rad or m]; zero
        without it, moved into the limits.
    frame : str, optional
        Name of the link; the tool frame without it.
    weights : array_like, shape (n,), optional
        Of the joints in the way Σ wᵢ |qᵢ - nearᵢ|; one each without it.

    Raises
    ------
    ModelError
        If the robot has no such link, no joint that moves, or joints that its loops position.
    ScenarioError
        If the pose, `near` or `weights` cannot be used.
    """
    if not robot.joint_names:
        raise ModelError(f"robot {robot.name!r} has no joint that moves: it has only one pose")
    robot.require_no_balls("inverse kinematics takes hinges and slides only")
    _require_no_passive_joints(robot)
    T = check_poses(T_0e, 2)
    start = check_position(robot, near)
    weight = check_weights(robot, weights)
    family = family_of(robot, frame)
    if family is None:
        return _numerical(robot, frame, T, start, weight)
    return _solve_closed_form(robot, frame, family, T, start, weight)


def _require_no_passive_joints(robot: Robot) -> None:
    """A tree's answer would open the loops: it moves joints that have no motor."""
    passive = [
        name
        for name, is_passive in zip(robot.joint_names, passive_joints(robot), strict=True)
        if is_passive
    ]
    if passive:
        raise ModelError(
            f"robot {robot.name!r}: its loops position {', '.join(passive)}, and inverse "
            "kinematics does not close loops; where they are parallelograms, write these joints "
            "as <mimic>"
        )


def _solve_closed_form(
    robot: Robot, frame: str | None, family: Family, T: Array, start: Array, weight: Array
) -> InverseKinematics:
    moving = moving_joints(robot, frame)
    labels = family.labels
    angles = arm_angles(family, T[:, :, None], start[moving, None])
    q = np.repeat(start[None, :, None], len(labels), axis=0)
    family.joint_positions(angles.a, q.reshape(*family.shape, len(start), 1), moving)
    q, error = _verify(robot, frame, T, q, family.deviation > EXACT)
    residual = error.residual
    if residual.min() > TOLERANCE:
        short = shortfall(robot, frame, q, error, (family, angles))
        return InverseKinematics(family.name, (), None, short)
    copies = nearest_copy(robot, q, start)
    inside = inside_limits(robot, copies)
    margin = max(SINGULAR, family.deviation)
    singular = {name: family.each(values) < margin for name, values in angles.margins.items()}
    free = {family.joint(angle): family.each(where) for angle, where in angles.free}
    distinct = _distinct(robot, copies, np.flatnonzero(residual <= TOLERANCE).tolist())
    solutions = [
        Solution(
            copies[:, branch],
            float(residual[branch]),
            bool(inside[branch]),
            labels[branch],
            tuple(name for name, where in singular.items() if where[branch]),
            tuple(
                robot.joint_names[moving[joint]] for joint, where in free.items() if where[branch]
            ),
        )
        for branch in distinct
    ]
    return _answer(family.name, solutions, start, weight)


def _verify(
    robot: Robot, frame: str | None, T: Array, q: Array, rough: bool
) -> tuple[Array, PoseError]:
    """The branches as columns (n, B) and their errors, polished where that helps."""
    wanted = T[:, :, None]
    error = error_between(frame_pose(robot, q[..., 0].T, frame), wanted)
    close = (error.residual > TOLERANCE) & (error.residual < CLOSE)
    if rough or close.any():
        chosen = np.full(len(q), True) if rough else close
        polished = q[chosen]
        polish(robot, frame, wanted, polished)
        q[chosen] = polished
        error = error_between(frame_pose(robot, q[..., 0].T, frame), wanted)
    return q[..., 0].T, error


def _numerical(
    robot: Robot, frame: str | None, T: Array, start: Array, weight: Array
) -> InverseKinematics:
    fit = search(robot, frame, T, start)
    met = np.flatnonzero(fit.error.residual <= TOLERANCE)
    if not met.size:
        return InverseKinematics(NUMERICAL, (), None, shortfall(robot, frame, fit.q, fit.error))
    copies, residual = nearest_copy(robot, fit.q[:, met], start), fit.error.residual[met]
    order = np.argsort(weight @ np.abs(copies - start[:, None]), kind="stable").tolist()
    distinct = _distinct(robot, copies, order)[:_MOST]
    inside = inside_limits(robot, copies)
    J = jacobian(robot, copies, frame)[:, moving_joints(robot, frame)]
    singular = distance_from_singularity(J) < SINGULAR
    solutions = [
        Solution(
            copies[:, k],
            float(residual[k]),
            bool(inside[k]),
            NUMERICAL,
            ("chain",) if singular[k] else (),
        )
        for k in distinct
    ]
    return _answer(NUMERICAL, solutions, start, weight)


def _distinct(robot: Robot, q: Array, columns: list[int]) -> list[int]:
    """The `columns` of q (n, m) without those that repeat an earlier one."""
    whole = np.where(turns(robot), 2 * np.pi, 0.0)[:, None]
    kept: list[int] = []
    for column in columns:
        apart = q[:, kept] - q[:, column, None]
        apart -= whole * np.rint(apart / (2 * np.pi))
        if not (np.abs(apart).max(axis=0) < _SAME).any():
            kept.append(column)
    return kept


def _answer(
    family: str, solutions: list[Solution], start: Array, weight: Array
) -> InverseKinematics:
    inside = [k for k, solution in enumerate(solutions) if solution.inside_limits]
    nearest = None
    if inside:
        nearest = inside[shortest(np.array([solutions[k].q for k in inside]), start, weight)]
    return InverseKinematics(family, tuple(solutions), nearest)
