import numpy as np
import pytest

from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse.branches import arm_angles
from sim.kinematics.inverse.family import sides
from sim.kinematics.inverse.recognition import family_of
from sim.kinematics.inverse.wrists import one_wrist, opposite_angle
from sim.robots import load_robot

UR10 = load_robot("ur10")


def test_the_branches_of_a_family_are_named_shoulder_elbow_wrist():
    labels = family_of(UR10).labels
    assert len(labels) == len(set(labels)) == 8
    assert labels[0] == "shoulder right, elbow up, wrist unflipped"
    assert labels[-1] == "shoulder left, elbow down, wrist flipped"
    assert family_of(load_robot("weld5")).labels[3] == "shoulder back, elbow down"


@pytest.mark.parametrize("name", ["ur10", "kr210", "weld5"])
def test_the_arms_own_angles_are_linear_in_the_joints(name):
    """a = K q + k holds for the branch from which the pose was made."""
    robot = load_robot(name)
    family = family_of(robot)
    q = np.random.default_rng(0).uniform(-1, 1, (len(robot.joint_names), 1))
    angles = arm_angles(family, frame_pose(robot, q), np.zeros_like(q))
    expected = family.K @ q[:, 0] + family.k
    grid = np.array([family.each(a) for a in angles.a])
    apart = (grid - expected[:, None] + np.pi) % (2 * np.pi) - np.pi
    assert np.abs(apart).max(axis=0).min() < 1e-12


def test_sides_are_told_by_the_offset():
    assert sides(0.0) == ("shoulder front", "shoulder back")
    assert sides(0.1) == ("shoulder right", "shoulder left") == sides(-0.1)[::-1]


def test_the_opposite_angle_stays_within_half_a_turn():
    angles = np.array([0.0, 1.0, -1.0, np.pi, -np.pi])
    turned = opposite_angle(angles)
    assert (np.abs(turned) <= np.pi).all()
    np.testing.assert_allclose(np.cos(turned), -np.cos(angles), atol=1e-15)


def test_a_free_wrist_has_one_branch():
    angles = np.arange(8.0).reshape(2, 1, 2, 2)
    (merged,) = one_wrist((angles,), np.array([True, False]))
    np.testing.assert_array_equal(merged[:, :, 1, 0], angles[:, :, 0, 0])
    np.testing.assert_array_equal(merged[:, :, 1, 1], angles[:, :, 1, 1])
