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
    rows = [(joint, row) for joint in tree_joints for row in joint.coordinates]
    independent = [row.name for joint, row in rows if joint.mimic is None]
    S = np.zeros((len(rows), len(independent)))
    q_0 = np.zeros(len(rows))
    for number, (joint, row) in enumerate(rows):
        scale, offset, leader = 1.0, 0.0, joint
        while leader.mimic is not None:
            offset += scale * leader.mimic.offset
            scale *= leader.mimic.multiplier
            leader = by_name[leader.mimic.joint]
        followed = row.name if leader is joint else leader.name  # a ball neither follows nor leads
        S[number, independent.index(followed)] = scale
        q_0[number] = offset
    return frozen(S), frozen(q_0)
