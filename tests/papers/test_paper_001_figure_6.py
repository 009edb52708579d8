"""Paper 001, figure 6: the force and the moment at each of the UR10's six joints over 10 s.

The figure plots what ADAMS measures at the joints, one panel a joint, and the text concludes that
all of it is within the torques of table 2. The paper prints none of the values, nor the start pose,
the payload and the friction that they depend on, and its plots cannot be read in the copy at hand:
the curves themselves cannot be compared. What is tested is that the forces and moments of the same
motion are right, by another library and by the weights, and that the conclusion holds for every
start and payload tried, of the drive's torque as of the whole moment.

Friction does not change them, but for the share of the drive: it acts inside the joint.
"""

from functools import cache

import numpy as np
import pytest

from sim.dynamics import joint_reaction
from sim.motion import JointMotion
from sim.robots import load_robot
from tests.helpers.pinocchio_model import PinocchioModel
from tests.papers.test_paper_001 import GRAVITY, RATED, STARTS, drives

PAYLOADS = (0, 5, 10)  # kg, points at the flange
CASES = [(start, mass) for start in STARTS for mass in PAYLOADS]


@cache
def moved(start, mass):
    """Robot, q, qd and qdd each 20 ms."""
    robot = load_robot("ur10").with_payload(mass=mass)
    t = np.linspace(0.0, 10.0, 501)
    path = JointMotion.velocity(drives(), q0=np.radians(STARTS[start])).on(robot, 10.0).at(t)
    return robot, path.q, path.qd, path.qdd


@cache
def reactions(start, mass):
    """Force [N] and moment [N·m] at each joint, shape (6, 6, N)."""
    robot, *motion = moved(start, mass)
    return np.stack(
        [joint_reaction(robot, name, *motion, GRAVITY).rows for name in robot.joint_names]
    )


@pytest.mark.parametrize(("start", "mass"), CASES)
def test_the_forces_and_moments_of_the_six_joints_are_those_of_pinocchio(start, mass):
    robot, *motion = moved(start, mass)
    wanted = PinocchioModel(robot, GRAVITY).reactions(*motion)
    for part in (slice(0, 3), slice(3, 6)):
        found, reference = reactions(start, mass)[:, part], wanted[:, part]
        size = np.abs(reference).max()
        np.testing.assert_allclose(found, reference, rtol=0, atol=1e-10 * size)


@pytest.mark.parametrize(("start", "mass"), CASES)
def test_the_moments_stay_within_the_torques_of_table_2(start, mass):
    """The whole moment of a joint, with the bending that its bearings take."""
    whole = np.linalg.norm(reactions(start, mass)[:, 3:], axis=1).max(axis=1)
    assert np.all(whole <= RATED)
