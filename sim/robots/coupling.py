"""Joints that follow others, as one linear map."""

from __future__ import annotations

import numpy as np

from sim.robots.model import Robot
from sim.spatial import Array, frozen


def coupling(robot: Robot) -> tuple[Array, Array]:
    """S and q_0 of ``q_tree = S q + q_0``, with every chain of ``<mimic>`` multiplied out.

    Returns
    -------
    S : ndarray, shape (n_tree, n)
    q_0 : ndarray, shape (n_tree,)
    """
    S = np.zeros((len(robot.tree_joints), len(robot.independent_joints)))
    q_0 = np.zeros(len(robot.tree_joints))
    for row, joint in enumerate(robot.tree_joints):
        scale, offset, leader = 1.0, 0.0, joint
        while leader.mimic is not None:
            offset += scale * leader.mimic.offset
            scale *= leader.mimic.multiplier
            leader = robot.joint(leader.mimic.joint)
        S[row, robot.joint_names.index(leader.name)] = scale
        q_0[row] = offset
    return frozen(S), frozen(q_0)
