import numpy as np
import pytest
from hypothesis import given

from sim.errors import ModelError
from sim.kinematics.forward import frame_motion, frame_pose
from sim.kinematics.jacobian import (
    distance_from_singularity,
    jacobian,
    jacobian_and_rate,
    jacobian_rate,
    manipulability,
    twist,
)
from sim.kinematics.poe import body_jacobian, screws_of, space_jacobian
from sim.maths.screws import adjoint
from sim.robots import load_robot
from tests.helpers.random_worlds import worlds
from tests.helpers.small_robots import double_pendulum, joint, link, robot

CLOSE = 1e-12


@given(worlds(mimic=True))
def test_jacobians_of_any_tree_are_those_of_its_product_of_exponentials(world):
    for frame in (world.robot.links[-1].name, world.robot.links[1].name):
        screws = screws_of(world.robot, frame)
        for kind, expected in (("spatial", space_jacobian), ("body", body_jacobian)):
            found = jacobian(world.robot, world.q, frame, kind)
            np.testing.assert_allclose(found, expected(screws, world.q), rtol=0, atol=CLOSE * 100)


@given(worlds(mimic=True))
def test_the_geometric_twist_is_the_velocity_of_the_frame(world):
    frame = world.robot.links[-1].name
    motion = frame_motion(world.robot, frame, world.q, world.qd)
    found = twist(world.robot, world.q, world.qd, frame)
    np.testing.assert_allclose(
        found, np.concatenate([motion.v, motion.w]), rtol=0, atol=CLOSE * 100
    )


@given(worlds(mimic=True))
def test_the_three_twists_are_one_motion_seen_from_three_frames(world):
    frame = world.robot.links[-1].name
    T = frame_pose(world.robot, world.q, frame)
    geometric, spatial, body = (
        twist(world.robot, world.q, world.qd, frame, kind)
        for kind in ("geometric", "spatial", "body")
    )
    carried = np.einsum("abN,bN->aN", adjoint(T), body)
    np.testing.assert_allclose(carried, spatial, rtol=0, atol=CLOSE * 100)
    turned = np.einsum("abN,kbN->kaN", T[:3, :3], body.reshape(2, 3, -1)).reshape(6, -1)
    np.testing.assert_allclose(turned, geometric, rtol=0, atol=CLOSE * 100)


@pytest.mark.parametrize("kind", ["geometric", "spatial", "body"])
def test_the_rate_is_the_derivative_of_the_jacobian_along_the_motion(kind):
    ur10 = load_robot("ur10").mounted((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    q, qd = np.random.default_rng(0).uniform(-2, 2, (2, 6, 8))
    h = 1e-5  # error of the central difference: h² times a third derivative, about 1e-9
    ahead, behind = (jacobian(ur10, q + x * qd, kind=kind) for x in (h, -h))
    np.testing.assert_allclose(
        jacobian_rate(ur10, q, qd, kind=kind), (ahead - behind) / (2 * h), rtol=0, atol=1e-8
    )


@pytest.mark.parametrize("kind", ["geometric", "spatial", "body"])
def test_both_at_once_are_the_two_to_the_bit(kind):
    ur10 = load_robot("ur10")
    q, qd = np.random.default_rng(1).uniform(-2, 2, (2, 6, 8))
    J, rate = jacobian_and_rate(ur10, q, qd, "wrist_2_link", kind)
    np.testing.assert_array_equal(J, jacobian(ur10, q, "wrist_2_link", kind))
    np.testing.assert_array_equal(rate, jacobian_rate(ur10, q, qd, "wrist_2_link", kind))


def test_manipulability_is_the_root_of_the_determinant():
    q = np.random.default_rng(1).uniform(-2, 2, (6, 20))
    J = jacobian(load_robot("ur10"), q)
    determinant = [np.linalg.det(J[..., k]) for k in range(20)]
    np.testing.assert_allclose(manipulability(J), np.abs(determinant), rtol=1e-10)


def test_the_distance_from_singularity_is_the_smallest_change_that_makes_it_singular():
    q = np.random.default_rng(3).uniform(-2, 2, (6, 1))
    J = jacobian(load_robot("ur10"), q)
    scaled = np.concatenate([J[:3] / 0.5, J[3:]])[..., 0]
    u, s, v = np.linalg.svd(scaled)
    distance = distance_from_singularity(J, length=0.5)[0]
    assert distance == pytest.approx(s[-1], rel=1e-12)
    nearest = scaled - distance * np.outer(u[:, -1], v[-1])
    assert np.linalg.matrix_rank(nearest, tol=1e-12) == 5
    rng = np.random.default_rng(4)
    for change in rng.normal(size=(200, 6, 6)):
        smaller = 0.99 * distance * change / np.linalg.norm(change, 2)
        assert np.linalg.matrix_rank(scaled + smaller, tol=1e-12) == 6


@pytest.mark.parametrize(
    "degrees", [(30, -45, 40, 20, 0, 10), (30, -45, 0, 20, 50, 10)], ids=["wrist", "elbow"]
)
def test_the_distance_is_zero_at_the_ur10s_singularities(degrees):
    q = np.radians(degrees)[:, None]
    assert distance_from_singularity(jacobian(load_robot("ur10"), q))[0] < 1e-15
    moved = q + 0.01
    assert distance_from_singularity(jacobian(load_robot("ur10"), moved))[0] > 1e-4


def test_joints_off_the_chain_have_zero_columns():
    arm = double_pendulum(1.0, 1.0, 0.5, 0.5)
    J = jacobian(arm, np.ones((2, 3)), "upper")
    assert not J[:, 1].any()
    assert J[:, 0].any()


def test_a_robot_without_a_tool_asks_for_a_frame():
    fork = robot(
        link("left", 1.0),
        link("right", 1.0),
        joint("a", "revolute", "ground", "left", "1 0 0"),
        joint("b", "revolute", "ground", "right", "1 0 0"),
    )
    with pytest.raises(
        ModelError, match="has no tool frame: its end links are left, right, none of"
    ):
        jacobian(fork, np.zeros((2, 1)))


def test_positions_and_velocities_must_have_one_shape():
    with pytest.raises(ValueError, match=r"qd and q must have one shape"):
        jacobian_rate(load_robot("ur10"), np.zeros((6, 3)), np.zeros((6, 4)))
