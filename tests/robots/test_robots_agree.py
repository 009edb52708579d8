"""The D-H table of a card, the URDF and the product of exponentials are one robot."""

import numpy as np
import pytest

from sim.kinematics import dh, frame_pose, poe
from sim.robots import load_robot, shipped_robots

CLOSE = 1e-12  # [m] and entries of rotations
WITH_TABLE = [name for name in shipped_robots() if load_robot(name).card.dh is not None]


@pytest.fixture(params=WITH_TABLE)
def robot(request):
    return load_robot(request.param)


def states(robot, n=500):
    rng = np.random.default_rng(7)
    return rng.uniform(-2 * np.pi, 2 * np.pi, (len(robot.joint_names), n))


def test_the_four_serial_robots_ship_with_a_table():
    assert set(WITH_TABLE) >= {"kr210", "kr210_paper", "ur10", "weld5"}


def test_the_table_gives_the_pose_of_the_urdf(robot):
    q = states(robot)
    np.testing.assert_allclose(
        dh.forward(dh.table_of(robot), q), frame_pose(robot, q), rtol=0, atol=CLOSE
    )


def test_the_product_of_exponentials_gives_the_pose_of_the_urdf(robot):
    q = states(robot)
    np.testing.assert_allclose(
        poe.forward(poe.screws_of(robot), q), frame_pose(robot, q), rtol=0, atol=CLOSE
    )


def test_the_table_gives_the_jacobian_of_the_screws(robot):
    """Axis i of a standard table is the z axis of frame i - 1."""
    q = states(robot, 50)
    A = dh.transforms(dh.table_of(robot), q)
    J = poe.space_jacobian(poe.screws_of(robot), q)
    T = np.repeat(np.eye(4)[:, :, None], q.shape[1], axis=2)
    for i, A_i in enumerate(A):
        z, p = T[:3, 2], T[:3, 3]
        moment = np.cross(p, z, axis=0)
        np.testing.assert_allclose(J[:, i], np.concatenate([moment, z]), rtol=0, atol=CLOSE)
        T = np.einsum("abN,bcN->acN", T, A_i)


def test_card_and_urdf_have_the_same_ranges_and_ratings(robot):
    card = robot.card
    for index, joint in enumerate(robot.independent_joints):
        limits = joint.limits
        assert limits.lower == pytest.approx(card.range.lower[index], abs=1e-15)
        assert limits.upper == pytest.approx(card.range.upper[index], abs=1e-15)
        speed = np.inf if card.speed is None else card.speed.values[index]
        assert limits.velocity == pytest.approx(speed, abs=1e-15)
        torque = np.inf if card.torque is None else card.torque.values[index]
        assert limits.effort == torque


def test_every_named_pose_is_inside_the_range(robot):
    for name in robot.card.poses:
        q = robot.pose(name)
        assert np.all(q >= robot.card.range.lower), name
        assert np.all(q <= robot.card.range.upper), name
