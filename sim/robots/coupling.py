"""Joints that follow others, as one linear map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sim.maths.arrays import Array, frozen
from sim.robots.joint import Joint


def coupling(tree_joints: Sequence[Joint]) -> tuple[Array, Array]:
    """S and q_0 of ``q_tree = S q + q_0``, with every chain of ``<mimic>`` multiplied out.

    A joint with several leaders has a number for each in its row, as the motors of a wrist whose
    bevel gears couple two axes.

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
        if joint.mimic is None:  # a ball neither follows nor leads
            S[number, independent.index(row.name)] = 1.0
            continue
        followed, q_0[number] = _follow_leaders(joint, by_name)
        for leader, scale in followed.items():
            S[number, independent.index(leader)] = scale
    return frozen(S), frozen(q_0)


def _follow_leaders(joint: Joint, by_name: Mapping[str, Joint]) -> tuple[dict[str, float], float]:
    """Rates of a joint per independent one, and its position where they are at zero."""
    if joint.mimic is None:
        return {joint.name: 1.0}, 0.0
    rates: dict[str, float] = {}
    at = 0.0
    for one in joint.mimic.each:
        leaders, offset = _follow_leaders(by_name[one.joint], by_name)
        at += one.multiplier * offset + one.offset
        for name, scale in leaders.items():
            rates[name] = rates.get(name, 0.0) + one.multiplier * scale
    return rates, at
