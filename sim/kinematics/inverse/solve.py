"""Inverse kinematics of one pose, in closed form if available."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ModelError
from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse.branches import (
    CLOSE,
    EXACT,
    ROUNDED,
    SINGULAR,
    arm_angles,
    moving_joints,
    polish,
)
from sim.kinematics.inverse.family import Angles, Family
from sim.kinematics.inverse.listing import distinct_columns, listed_answer
from sim.kinematics.inverse.pose_error import TOLERANCE, PoseError, check_poses, error_between
from sim.kinematics.inverse.recognition import family_of
from sim.kinematics.inverse.shortfall import shortfall
from sim.kinematics.inverse.solution import InverseKinematics, Solution
from sim.kinematics.inverse.travel import check_position, check_weights, inside_limits, nearest_copy
from sim.kinematics.loop_equations import passive_joints
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.maths.rotations import pose
from sim.robots.robot import Robot

_CLEAR = 1e3  # multiple of a geometry's deviation that counts as far


@checked
def inverse_kinematics(
    robot: Robot,
    T_0e: ArrayLike,
    *,
    near: ArrayLike | None = None,
    frame: str | None = None,
    weights: ArrayLike | None = None,
) -> InverseKinematics:
    """Return all joint positions that bring a frame to a pose, and the nearest to the start.

    Closed form for the families of `recognition.FITS`, each branch verified by forward kinematics;
    any other chain is solved numerically. Of each solution the copy by whole turns is returned that
    is inside the limits and nearest to `near`.

    Parameters
    ----------
    T_0e : array_like, shape (4, 4) or (3,)
        Pose of the frame in the world, or its position alone, in any orientation [m].
    near : array_like, shape (n,), optional
        Position from which distances are measured, and which free joints keep [rad or m] (default:
        zero, moved into the limits).
    frame : str, optional
        Name of the link (default: the tool frame).
    weights : array_like, shape (n,), optional
        Weights of the joints in the distance Σ wᵢ |qᵢ - nearᵢ| (default: 1 of hinges, and of slides
        1 per length of the chain).

    Raises
    ------
    ModelError
        If the robot has no such link, no moving joint, or joints determined by loops.
    ScenarioError
        If the pose, `near` or `weights` cannot be used.
    """
    if not robot.joint_names:
        raise ModelError(f"robot {robot.name!r} has no joint that moves: it has only one pose")
    robot.require_no_balls("inverse kinematics supports hinges and slides only")
    _require_no_passive_joints(robot)
    is_place = np.shape(T_0e) == (3,)
    T = check_poses(pose(None, T_0e) if is_place else T_0e, 2)
    start = check_position(robot, near)
    weight = check_weights(robot, weights, frame)
    if is_place:
        from sim.kinematics.inverse.open_form import searched_answer

        return searched_answer(robot, frame, T, start, weight, turns_freely=True)
    family = family_of(robot, frame)
    if family is None:
        from sim.kinematics.inverse.open_form import open_answer

        return open_answer(robot, frame, T, start, weight)
    return _solve_closed_form(robot, frame, family, T, start, weight)


def _require_no_passive_joints(robot: Robot) -> None:
    """Refuse passive joints: a solution for the tree would open the loops by moving them."""
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
    if family.deviation > ROUNDED:
        from sim.kinematics.inverse.open_form import general_answer
        from sim.kinematics.inverse.six_joints import six_joints_of

        chain = six_joints_of(robot, frame)
        if chain is not None:
            met = residual <= TOLERANCE
            branches = q[:, met], [labels[k] for k in np.flatnonzero(met)]
            return general_answer(robot, chain, frame, T, start, weight, branches)
    if residual.min() > TOLERANCE:
        short = shortfall(robot, frame, q, error, (family, angles))
        return InverseKinematics(family.name, (), None, short, is_complete)
    copies = nearest_copy(robot, q, start)
    inside = inside_limits(robot, copies)
    margin = max(SINGULAR, family.deviation)
    singular = {name: family.each(values) < margin for name, values in angles.margins.items()}
    free = {family.joint(angle): family.each(where) for angle, where in angles.free}
    distinct = distinct_columns(robot, copies, np.flatnonzero(residual <= TOLERANCE).tolist())
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
    return listed_answer(family.name, solutions, start, weight, is_complete)


def _is_decided(family: Family, angles: Angles, residual: Array) -> bool:
    """Whether the branches are complete for axes that deviate from their family's geometry.

    An exact geometry has no others. Otherwise each branch must reach the pose or miss it by far
    more than the deviation, and none may be near a singularity, where more can branch off.
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
    """Return the branches as columns (n, B) and their errors, polished where that helps."""
    target = T[:, :, None]
    error = error_between(frame_pose(robot, q[..., 0].T, frame), target)
    close = (error.residual > TOLERANCE) & (error.residual < CLOSE)
    if rough or close.any():
        chosen = np.full(len(q), True) if rough else close
        polished = q[chosen]
        polish(robot, frame, target, polished)
        q[chosen] = polished
        error = error_between(frame_pose(robot, q[..., 0].T, frame), target)
    return q[..., 0].T, error
