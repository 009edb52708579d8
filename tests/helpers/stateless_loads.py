"""Loads by a Python function, without state variables."""

import numpy as np

from sim.dynamics import ElementSum, ForceElement


class _Law(ForceElement):
    def __init__(self, law):
        self.law = law

    def joint_efforts(self, at):
        efforts = np.zeros_like(at.kinematics.on_tree[0])
        rows = [*map(at.robot.tree_row_names.index, at.robot.row_names)]
        efforts[rows] = self.law(at.t, at.q, at.qd)[0]
        return efforts

    def wrenches(self, at):
        return self.law(at.t, at.q, at.qd)[1]


def loads_by(robot, law):
    """Loads by a law: times (N,), q, qd (n, N) -> torques on the joints (n, N), wrenches."""
    return ElementSum(robot, (_Law(law),))
