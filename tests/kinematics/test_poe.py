import numpy as np
import pytest
from hypothesis import given

from sim.errors import ModelError
from sim.kinematics.poe import body_jacobian, forward, screws_of, space_jacobian
from sim.maths import inverse_pose, log_pose
from sim.robots import load_robot, read_urdf
from tests.helpers.axes_robot import PALLETIZER
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_worlds import worlds

CLOSE = 1e-12  # [m] and entries of rotations, on robots of a few metres


def homogeneous(motion):
    T = np.zeros((4, 4, motion.shape[1]))
    T[:3, :3], T[:3, 3], T[3, 3] = motion[:9].reshape(3, 3, -1), motion[9:12], 1.0
    return T


@given(worlds())
def test_every_frame_of_any_tree_is_where_pinocchio_puts_it(world):
    oracle = PinocchioModel(world.robot, world.gravity)
    for link in world.robot.links:
        expected = homogeneous(oracle.frame_motion(link.name, world.q, world.qd))
        found = forward(screws_of(world.robot, link.name), world.q)
        np.testing.assert_allclose(found, expected, rtol=0, atol=CLOSE * 10)


def test_the_screws_of_the_papers_palletizer_are_the_printed_ones():
    screws = screws_of(read_urdf(PALLETIZER))
    axes = [[0, 0, 1], [1, 0, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 1]]
    points = [[0, 0, 0], [0, 0.26, 0.7425], *[[0, 0.26, 1.6875]] * 2, [0, 1.285, 1.6875]]
    points.append([0, 1.505, 1.47])
    expected = np.hstack([np.cross(points, axes), axes]).T
    np.testing.assert_allclose(screws.xi, expected, rtol=0, atol=1e-15)
    np.testing.assert_allclose(screws.T_0e[:3, 3], [0, 1.505, 1.47], rtol=0, atol=1e-15)
    assert screws.joints == (
        "axis_1",
        "axis_2",
        "plate_level",
        "axis_3",
        "wrist_level",
        "axis_4",
    )
    np.testing.assert_array_equal(screws.coupling[2], [0, -1, 0, 0])


def numerical_twists(screws, q, h=1e-6):
    """Spatial and body Jacobian by central differences of the logarithm, error about 1e-10."""
    space, body = [], []
    for j in range(len(q)):
        step = np.zeros_like(q)
        step[j] = h
        ahead, behind, here = (forward(screws, q + x) for x in (step, -step, 0 * step))
        for results, pairs in ((space, False), (body, True)):
            moved = []
            for T in (ahead, behind):
                by, to = (inverse_pose(here), T) if pairs else (T, inverse_pose(here))
                moved.append(log_pose(np.einsum("abN,bcN->acN", by, to)))
            results.append((moved[0] - moved[1]) / (2 * h))
    return np.stack(space, axis=1), np.stack(body, axis=1)


@pytest.mark.parametrize("robot", [load_robot("ur10"), read_urdf(PALLETIZER)], ids=lambda r: r.name)
def test_both_jacobians_are_the_derivatives_of_the_exponentials(robot):
    screws = screws_of(robot)
    q = np.random.default_rng(2).uniform(-2, 2, (len(robot.joint_names), 6))
    space, body = numerical_twists(screws, q)
    np.testing.assert_allclose(space_jacobian(screws, q), space, rtol=0, atol=2e-9)
    np.testing.assert_allclose(body_jacobian(screws, q), body, rtol=0, atol=2e-9)


def test_the_root_link_has_no_screws():
    robot = load_robot("ur10").mounted((1, 2, 3), (0.1, 0.2, 0.3))
    screws = screws_of(robot, "base_link")
    assert screws.joints == ()
    T = forward(screws, np.zeros((6, 2)))
    np.testing.assert_array_equal(T[..., 1], robot.T_0b)
    assert not space_jacobian(screws, np.zeros((6, 2))).any()


def test_an_unknown_frame_is_named_with_those_there_are():
    with pytest.raises(ModelError, match=r"'gripper' is not in robot 'ur10'.*tool0"):
        screws_of(load_robot("ur10"), "gripper")
