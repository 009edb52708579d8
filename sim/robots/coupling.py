"""Joints that follow others, as one linear map."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.maths.arrays import Array, frozen
from sim.robots.joint import Joint


def coupling(tree_joints: Sequence[Joint]) -> tuple[Array, Array]:
    """S and q_0 of ``q_tree = S q + q_0``, with every chain of ``<mimic>`` multiplied out.

    Returns
    -------
    S : ndarray, shape (n_tree, n)
    q_0 : ndarray, shape (n_tree,)
    """
    by_name = {joint.name: joint for joint in tree_joints}
    independent = [joint.name for joint in tree_joints if joint.mimic is None]
    S = np.zeros((len(tree_joints), len(independent)))
    q_0 = np.zeros(len(tree_joints))
    for row, joint in enumerate(tree_joints):
        scale, offset, leader = 1.0, 0.0, joint
        while leader.mimic is not None:
            offset += scale * leader.mimic.offset
            scale *= leader.mimic.multiplier
            leader = by_name[leader.mimic.joint]
        S[row, independent.index(leader.name)] = scale
        q_0[row] = offset
    return frozen(S), frozen(q_0)
