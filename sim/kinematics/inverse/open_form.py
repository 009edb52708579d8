"""Inverse kinematics of chains without a closed form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim.kinematics.inverse.general import free_joints, solve_poses
from sim.kinematics.inverse.listing import answer_of_fit
from sim.kinematics.inverse.numerical import PoseFit, search
from sim.kinematics.inverse.pose_error import TOLERANCE, PoseError, pose_error
from sim.kinematics.inverse.recognition import NUMERICAL
from sim.kinematics.inverse.redundant import seven_joints_of, sweep
from sim.kinematics.inverse.six_joints import SixJoints, six_joints_of
from sim.kinematics.inverse.solution import InverseKinematics, Solution
from sim.kinematics.inverse.travel import TAU, turns
from sim.maths.arrays import Array
from sim.robots.robot import Robot

GENERAL = "general"  # family of six joints without a closed form
SHOULDER = "spherical_shoulder"  # family of seven joints with one
_BRANCH = 1e-5  # rad and m; solutions closer than this to a branch belong to it
_MOST = 16  # number of solutions of a numerical search


def open_answer(
    robot: Robot, frame: str | None, T: Array, start: Array, weight: Array
) -> InverseKinematics:
    """Return solutions of any chain; all of them for six joints.

    For seven joints, all at one position of a locked joint; otherwise those that a search finds.
    """
    chain = six_joints_of(robot, frame)
    if chain is not None:
        return general_answer(robot, chain, frame, T, start, weight)
    seven = seven_joints_of(robot, frame)
    swept = None if seven is None else sweep(robot, seven, T, start)
    if seven is not None and swept is not None:
        q, roots = swept
        fit = PoseFit(q, pose_error(robot, frame, q, T[:, :, None]))
        family = SHOULDER if roots is None else GENERAL
        answer = answer_of_fit(robot, frame, family, fit, start, weight, [()] * q.shape[1])
        answer = replace(answer, locked=robot.joint_names[seven.moving[seven.locked]])
        if roots is None:
            return answer
        return replace(answer, root_count=roots.count, degree=roots.degree)
    return searched_answer(robot, frame, T, start, weight)


def searched_answer(
    robot: Robot,
    frame: str | None,
    T: Array,
    start: Array,
    weight: Array,
    *,
    turns_freely: bool = False,
) -> InverseKinematics:
    """Return the solutions that a search finds, of any orientation if the frame turns freely."""
    fit = search(robot, frame, T, start, turns_freely=turns_freely)
    free: list[tuple[str, ...]] = [()] * fit.q.shape[1]
    answer = answer_of_fit(
        robot, frame, NUMERICAL, fit, start, weight, free, turns_freely=turns_freely
    )
    return replace(answer, solutions=answer.solutions[:_MOST])


def general_answer(
    robot: Robot,
    chain: SixJoints,
    frame: str | None,
    T: Array,
    start: Array,
    weight: Array,
    branches: tuple[Array, list[str]] | None = None,
) -> InverseKinematics:
    """Return all solutions of a six-joint chain, including a search's if the count is incomplete.

    Parameters
    ----------
    branches : ndarray of shape (n, B) and list of str, optional
        Named solutions of a closed form from which the axes deviate.
    """
    roots = solve_poses(chain.arm, chain.displacements(T[..., None]))[1][0]
    q = chain.positions(roots.q, start)
    free = [
        _names(robot, chain, x) if is_free else ()
        for x, is_free in zip(roots.q, roots.is_free, strict=True)
    ]
    fit = PoseFit(q, pose_error(robot, frame, q, T[:, :, None]))
    is_complete = roots.is_complete and bool((fit.error.residual <= TOLERANCE).all())
    if not is_complete or not len(roots.q):
        fit = _join(fit, search(robot, frame, T, start))
        free += [()] * (fit.q.shape[1] - len(free))
    answer = answer_of_fit(robot, frame, GENERAL, fit, start, weight, free)
    solutions = answer.solutions
    if branches is not None:
        solutions = tuple(_with_branch(robot, solution, *branches) for solution in solutions)
    return replace(
        answer,
        solutions=solutions,
        is_complete=is_complete and len(answer.solutions) == len(roots.q),
        root_count=roots.count,
        degree=roots.degree,
    )


def _with_branch(robot: Robot, solution: Solution, q: Array, names: list[str]) -> Solution:
    """Return the solution with the name of its branch."""
    whole = np.where(turns(robot), TAU, 0.0)[:, None]
    step = q - solution.q[:, None]
    near = np.abs(step - whole * np.rint(step / TAU)).max(axis=0) < _BRANCH
    return replace(solution, branch=names[int(near.argmax())]) if near.any() else solution


def _names(robot: Robot, chain: SixJoints, q: Array) -> tuple[str, ...]:
    free = chain.moving[free_joints(chain.arm, q)]
    return tuple(robot.joint_names[joint] for joint in free)


def _join(first: PoseFit, second: PoseFit) -> PoseFit:
    p, w = (
        np.hstack(pair)
        for pair in ((first.error.p, second.error.p), (first.error.w, second.error.w))
    )
    return PoseFit(np.hstack([first.q, second.q]), PoseError(p, w))
