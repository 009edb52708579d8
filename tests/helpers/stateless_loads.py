"""Loads by a Python function, without state variables."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.dynamics.element_sum import ElementSum
from sim.dynamics.force_element import ForceElement
from sim.dynamics.rough_joints import own_rows


@dataclass(frozen=True, eq=False)
class _Law(ForceElement):
    law: Any

    def joint_efforts(self, at):
        efforts = np.zeros((len(at.robot.tree_coordinates), at.t.size))
        efforts[own_rows(at.robot)] = self.law(at.t, at.q, at.qd)[0]
        return efforts

    def wrenches(self, at):
        return self.law(at.t, at.q, at.qd)[1]


def loads_by(robot, law):
    """Loads by a law: times (N,), q, qd (n, N) -> torques on the joints (n, N), wrenches."""
    return ElementSum(robot, (_Law(law),))
