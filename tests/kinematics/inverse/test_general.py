"""All solutions of six hinges, against Pinocchio and searches from many random starts.

Each arm is solved at 300 random poses, of which a run of the suite takes a part; all:
``pytest tests/kinematics/inverse/test_general.py``.
"""

import numpy as np
import pytest

from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse.general import solve_poses
from sim.kinematics.inverse.numerical import descend
from sim.kinematics.inverse.six_joints import six_joints_of
from tests.helpers.general_arms import SHIPPED, TABLES, general_arm
from tests.helpers.inverse_checks import apart
from tests.helpers.pinocchio_model import PinocchioModel

PARTS, POSES = 30, 10
STARTS = 200


def solve(robot, T):
    """Positions (6, m) and roots of each pose of T (4, 4, N)."""
    chain = six_joints_of(robot)
    _, found = solve_poses(chain.arm, chain.displacements(T))
    return [chain.positions(one.q, np.zeros(6)) for one in found], found


def pinocchio_poses(robot, q):
    rows = PinocchioModel(robot, (0, 0, 0)).frame_motion(robot.tool, q, 0 * q)
    return rows[:9].reshape(3, 3, -1), rows[9:12]


@pytest.mark.rotates(PARTS)
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", [*SHIPPED, *TABLES])
def test_every_solution_of_a_random_pose_is_there(name, part):
    robot = general_arm(name)
    rng = np.random.default_rng(part)
    q = rng.uniform(-np.pi, np.pi, (6, POSES))
    T = frame_pose(robot, q)
    positions, found = solve(robot, T)
    for k, (solutions, one) in enumerate(zip(positions, found, strict=True)):
        assert one.is_complete, (k, one.count)
        assert one.count == (8 if name in SHIPPED else 16)
        assert apart(solutions, q[:, k, None]).min() < 1e-6  # rad
        R, p = pinocchio_poses(robot, solutions)
        np.testing.assert_allclose(p, T[:3, 3, k, None] + 0 * p, rtol=0, atol=1e-12)  # m
        np.testing.assert_allclose(R, T[:3, :3, k, None] + 0 * R, rtol=0, atol=1e-12)
    starts = rng.uniform(-np.pi, np.pi, (6, STARTS))
    fit = descend(robot, None, T[:, :, :1], starts, bounded=False)
    met = fit.q[:, fit.error.residual <= 1e-10]
    assert met.size
    for column in met.T:
        assert apart(positions[0], column[:, None]).min() < 1e-5  # rad
