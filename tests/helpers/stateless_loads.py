"""Loads by a Python function, without state variables."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.dynamics import ElementSum, ForceElement


@dataclass(frozen=True, eq=False)
class _Law(ForceElement):
    law: Any

    def joint_efforts(self, at):
        names, efforts = at.robot.tree_row_names, np.zeros_like(at.kinematics.on_tree[0])
        rows = [names.index(name) for name in at.robot.row_names]
        efforts[rows] = self.law(at.t, at.q, at.qd)[0]
        return efforts

    def wrenches(self, at):
        return self.law(at.t, at.q, at.qd)[1]


def loads_by(robot, law):
    """Loads by a law: times (N,), q, qd (n, N) -> torques on the joints (n, N), wrenches."""
    return ElementSum(robot, (_Law(law),))
