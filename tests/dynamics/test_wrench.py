import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.dynamics.wrench import AppliedWrench, body_wrenches, joint_torque
from sim.errors import ModelError
from sim.kinematics import frame_pose
from sim.robots import load_robot
from tests.helpers.random_worlds import worlds
from tests.helpers.random_wrenches import random_wrenches
from tests.helpers.small_robots import joint, link, pendulum, robot


def push(link, force, torque=(0, 0, 0), point=(0, 0, 0)):
    """A wrench that stays the same at all times."""
    columns = (np.array(rows, dtype=float)[:, None] for rows in (force, torque))
    return AppliedWrench(link, np.array(point, dtype=float), *columns)


def test_wrenches_on_the_ground_move_nothing():
    ground = [push("ground", (1, 2, 3), (4, 5, 6))]
    assert not joint_torque(pendulum(1.0, 0.7), np.ones((1, 2)), ground).any()
    assert not body_wrenches(pendulum(1.0, 0.7), np.ones((1, 2)), ground).any()


def test_a_wrench_on_a_body_is_moved_to_its_origin_and_turned_into_its_axes():
    arm = robot(link("arm", 1.0), joint("turn", "revolute", "ground", "arm", "0 0 1"))
    q = np.array([[np.pi / 2]])
    found = body_wrenches(arm, q, [push("arm", (0, 0, 2.0), (0, 3.0, 0), (0.5, 0, 0))])
    # The point lies at (0, 0.5, 0) in the world, where the force's moment is (1, 0, 0). The body's
    # x is the world's y, its y the world's -x.
    np.testing.assert_allclose(found[0, :, 0], [0, 0, 2.0, 3.0, -1.0, 0], rtol=0, atol=1e-15)


@given(worlds(mimic=True), st.integers(0, 2**32 - 1))
def test_the_torque_times_the_speed_is_the_power_of_the_wrenches(world, seed):
    """By a difference of each point's place and of each link's turn in time."""
    wrenches = random_wrenches(world.robot, world.q.shape[1], seed)
    h = 1e-3  # [s]; 4th order leaves 1e-11 of the motion, rounding 1e-12
    times = (h, -h, 2 * h, -2 * h)

    def rate(after, before, far_after, far_before):
        return (8 * (after - before) - (far_after - far_before)) / (12 * h)

    power = np.zeros(world.q.shape[1])
    for wrench in wrenches:
        poses = [frame_pose(world.robot, world.q + t * world.qd, wrench.link) for t in times]
        pose_rate = rate(*poses)
        velocity = np.einsum("abN,b->aN", pose_rate, np.append(wrench.point, 1.0))[:3]
        now = frame_pose(world.robot, world.q, wrench.link)
        turn = np.einsum("abN,cbN->acN", pose_rate[:3, :3], now[:3, :3])  # [ω]×
        power += (velocity * wrench.force).sum(axis=0)
        power += turn[2, 1] * wrench.torque[0] + turn[0, 2] * wrench.torque[1]
        power += turn[1, 0] * wrench.torque[2]
    tau = joint_torque(world.robot, world.q, wrenches)
    scale = 1 + np.abs(tau * world.qd).sum()
    np.testing.assert_allclose((tau * world.qd).sum(axis=0), power, rtol=0, atol=1e-9 * scale)


def test_an_unknown_link_is_refused_with_those_there_are():
    with pytest.raises(ModelError, match=r"Frame 'tip' is not in robot 'small'.*ground, bob"):
        joint_torque(pendulum(1.0, 0.7), np.zeros((1, 1)), [push("tip", (1, 0, 0))])


def test_arrays_of_another_shape_are_refused_by_link():
    column, flat = np.zeros((3, 1)), np.zeros(3)
    with pytest.raises(
        ValueError, match=r"force on link 'bob' must have shape \(3, N\); got \(3,\)"
    ):
        AppliedWrench("bob", flat, flat, column)
    with pytest.raises(ValueError, match=r"torque on link 'bob' must have .* got \(2, 4\)"):
        AppliedWrench("bob", flat, column, np.zeros((2, 4)))
    wrench = AppliedWrench("bob", flat, np.zeros((3, 5)), column)
    for function in (joint_torque, body_wrenches):
        with pytest.raises(ValueError, match=r"on link 'bob' has 5 samples, the motion 7; one or"):
            function(pendulum(1.0, 0.7), np.zeros((1, 7)), [wrench])


def test_a_wrench_cannot_be_changed_afterwards():
    force = np.ones((3, 2))
    wrench = AppliedWrench("tool0", np.zeros(3), force, force)
    force[:] = 7.0
    assert (wrench.force == 1.0).all()
    with pytest.raises(ValueError, match="read-only"):
        wrench.torque[0] = 2.0
    assert joint_torque(load_robot("ur10"), np.zeros((6, 2)), [wrench]).shape == (6, 2)
