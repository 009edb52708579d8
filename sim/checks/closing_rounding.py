"""Rounding of the positions of passive joints, which are solved from the loop equations."""

from __future__ import annotations

import numpy as np

from sim.checks.acceleration_rounding import some_samples
from sim.checks.limits import EPS
from sim.kinematics.forward import body_poses
from sim.kinematics.loop_equations import loop_equations, loop_frames, passive_joints
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array
from sim.maths.newton import pseudo_inverse
from sim.robots.robot import Robot


def closing_rounding(robot: Robot, q: Array) -> dict[str, float]:
    """Return |J_p⁺| EPS s, the rounding of each tree joint that closed loops determine.

    J_p is the gradient of the loop equations by the passive joints. A residual is a difference of
    terms of size s: the distance of the loop's point from the world's origin, or one for an angle.
    Such a joint may rest near zero, where its own position has nearly no rounding.

    Parameters
    ----------
    robot : Robot
        With its loops.
    q : ndarray, shape (n, N)
        Positions of the independent joints [rad or m].

    Returns
    -------
    dict of str to float
        By the name of a row of the tree [rad or m]; the largest of some samples.
    """
    passive = passive_joints(robot)
    if not passive.any():
        return {}
    (q,) = some_samples(q)
    q_tree, of_passive = robot.q_tree(q), robot.coupling[0][:, passive]
    equations, poses = loop_equations(robot, q_tree), body_poses(tree_of(robot), q_tree)
    places = [one.relative_pose(poses, q_tree)[1] for one in loop_frames(robot)]
    distances = np.stack([np.linalg.norm(place, axis=0) for place in places])
    sizes = np.where(equations.are_turns[:, None], 1.0, distances[list(equations.loop)])
    J = np.nan_to_num(np.einsum("rjN,jp->rpN", equations.J, of_passive), posinf=0.0, neginf=0.0)
    solved = np.einsum("prN,rN->pN", np.abs(pseudo_inverse(J)), EPS * sizes).max(axis=1)
    rows = (row.name for row in robot.tree_coordinates)
    return dict(zip(rows, (np.abs(of_passive) @ solved).tolist(), strict=True))
