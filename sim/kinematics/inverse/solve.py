"""Inverse kinematics of one pose, by closed form where there is one."""

from __future__ import annotations

from dataclasses import replace

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
from sim.kinematics.inverse.family import Angles, Family
from sim.kinematics.inverse.general import free_joints, solve_poses
from sim.kinematics.inverse.numerical import Fit, search
from sim.kinematics.inverse.pose_error import (
    TOLERANCE,
    PoseError,
    check_poses,
    error_between,
    pose_error,
)
from sim.kinematics.inverse.recognition import NUMERICAL, family_of
from sim.kinematics.inverse.shortfall import shortfall
from sim.kinematics.inverse.six_joints import SixJoints, six_joints_of
from sim.kinematics.inverse.solution import InverseKinematics, Solution
from sim.kinematics.inverse.travel import (
    TAU,
    check_position,
    check_weights,
    inside_limits,
    nearest_copy,
    shortest,
    turns,
)
from sim.kinematics.jacobian import distance_from_singularity, jacobian
from sim.kinematics.loop_equations import passive_joints
from sim.maths.arrays import Array
from sim.robots.robot import Robot

GENERAL = "general"  # family of six joints without a closed form

_SAME = 1e-6  # rad and m; solutions that differ by less are one, as where two branches meet
_ROUNDED = 1e-5  # rad and m; a larger deviation than printed digits leave is a geometry's own
_BRANCH = 1e-5  # rad and m; a solution nearer than this to a branch is that branch
_CLEAR = 1e3  # times the deviation of a geometry is far
_MOST = 16  # solutions of a numerical search


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
        chain = six_joints_of(robot, frame)
        if chain is not None:
            return _general(robot, chain, frame, T, start, weight)
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
    is_complete = _is_decided(family, angles, residual)
    chain = six_joints_of(robot, frame) if family.deviation > _ROUNDED else None
    if chain is not None:
        met = residual <= TOLERANCE
        branches = q[:, met], [labels[k] for k in np.flatnonzero(met)]
        return _general(robot, chain, frame, T, start, weight, branches)
    if residual.min() > TOLERANCE:
        short = shortfall(robot, frame, q, error, (family, angles))
        return InverseKinematics(family.name, (), None, short, is_complete)
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
    return _answer(family.name, solutions, start, weight, is_complete)


def _is_decided(family: Family, angles: Angles, residual: Array) -> bool:
    """Whether the branches are all, of axes that miss their family's geometry by a deviation.

    An exact geometry has no others. Otherwise each branch has to meet the pose or to miss it by
    far more than the deviation, and none may be near a singularity, where more can branch off.
    """
    if family.deviation <= EXACT:
        return True
    met = residual <= TOLERANCE
    missed = family.each(angles.gap) > _CLEAR * family.deviation
    near = [
        family.each(values)[met].min(initial=np.inf) < _CLEAR * family.deviation
        for name, values in angles.margins.items()
        if name != "elbow"
    ]
    return bool((met | missed).all()) and not any(near)


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


def _general(
    robot: Robot,
    chain: SixJoints,
    frame: str | None,
    T: Array,
    start: Array,
    weight: Array,
    branches: tuple[Array, list[str]] | None = None,
) -> InverseKinematics:
    """All solutions of a six-joint chain; those of a search, too, where the count is short.

    Parameters
    ----------
    branches : ndarray of shape (n, B) and list of str, optional
        Solutions with names; those of a closed form that the axes miss.
    """
    found = solve_poses(chain.arm, chain.displacements(T[..., None]))[1][0]
    q = chain.positions(found.q, start)
    free = [
        _names(robot, chain, x) if is_free else ()
        for x, is_free in zip(found.q, found.is_free, strict=True)
    ]
    fit = Fit(q, pose_error(robot, frame, q, T[:, :, None]))
    is_complete = found.is_complete and bool((fit.error.residual <= TOLERANCE).all())
    if not is_complete or not len(found.q):
        fit = _joined(fit, search(robot, frame, T, start))
        free += [()] * (fit.q.shape[1] - len(free))
    answer = _listed(robot, frame, GENERAL, fit, start, weight, free)
    solutions = answer.solutions
    if branches is not None:
        solutions = tuple(_named(robot, solution, *branches) for solution in solutions)
    return replace(
        answer,
        solutions=solutions,
        is_complete=is_complete and len(answer.solutions) == len(found.q),
        root_count=found.count,
        degree=found.degree,
    )


def _named(robot: Robot, solution: Solution, q: Array, names: list[str]) -> Solution:
    """The solution with the name of the branch that it is."""
    whole = np.where(turns(robot), TAU, 0.0)[:, None]
    step = q - solution.q[:, None]
    near = np.abs(step - whole * np.rint(step / TAU)).max(axis=0) < _BRANCH
    return replace(solution, branch=names[int(near.argmax())]) if near.any() else solution


def _names(robot: Robot, chain: SixJoints, q: Array) -> tuple[str, ...]:
    free = chain.moving[free_joints(chain.arm, q)]
    return tuple(robot.joint_names[joint] for joint in free)


def _joined(first: Fit, second: Fit) -> Fit:
    p, w = (
        np.hstack(pair)
        for pair in ((first.error.p, second.error.p), (first.error.w, second.error.w))
    )
    return Fit(np.hstack([first.q, second.q]), PoseError(p, w))


def _numerical(
    robot: Robot, frame: str | None, T: Array, start: Array, weight: Array
) -> InverseKinematics:
    fit = search(robot, frame, T, start)
    answer = _listed(robot, frame, NUMERICAL, fit, start, weight, [()] * fit.q.shape[1])
    return replace(answer, solutions=answer.solutions[:_MOST])


def _listed(
    robot: Robot,
    frame: str | None,
    family: str,
    fit: Fit,
    start: Array,
    weight: Array,
    free: list[tuple[str, ...]],
) -> InverseKinematics:
    """The attempts that meet the pose, each once, the shortest way first."""
    met = np.flatnonzero(fit.error.residual <= TOLERANCE)
    if not met.size:
        return InverseKinematics(family, (), None, shortfall(robot, frame, fit.q, fit.error))
    copies, residual = nearest_copy(robot, fit.q[:, met], start), fit.error.residual[met]
    order = np.argsort(weight @ np.abs(copies - start[:, None]), kind="stable").tolist()
    inside = inside_limits(robot, copies)
    J = jacobian(robot, copies, frame)[:, moving_joints(robot, frame)]
    singular = distance_from_singularity(J) < SINGULAR
    solutions = [
        Solution(
            copies[:, k],
            float(residual[k]),
            bool(inside[k]),
            family,
            ("chain",) if singular[k] else (),
            free[met[k]],
        )
        for k in _distinct(robot, copies, order)
    ]
    return _answer(family, solutions, start, weight)


def _distinct(robot: Robot, q: Array, columns: list[int]) -> list[int]:
    """The `columns` of q (n, m) without those that repeat an earlier one."""
    whole = np.where(turns(robot), TAU, 0.0)[:, None]
    kept: list[int] = []
    for column in columns:
        apart = q[:, kept] - q[:, column, None]
        apart -= whole * np.rint(apart / TAU)
        if not (np.abs(apart).max(axis=0) < _SAME).any():
            kept.append(column)
    return kept


def _answer(
    family: str, solutions: list[Solution], start: Array, weight: Array, is_complete: bool = False
) -> InverseKinematics:
    inside = [k for k, solution in enumerate(solutions) if solution.inside_limits]
    nearest = None
    if inside:
        nearest = inside[shortest(np.array([solutions[k].q for k in inside]), start, weight)]
    return InverseKinematics(family, tuple(solutions), nearest, is_complete=is_complete)
