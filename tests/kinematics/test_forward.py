import numpy as np
import pytest
from hypothesis import given

from sim.errors import ModelError
from sim.kinematics.forward import body_poses, frame_motion, point_jacobian
from sim.kinematics.tree import tree_of
from sim.maths import skew
from sim.maths.rotations import cross
from sim.robots import load_robot
from tests.helpers.random_worlds import worlds
from tests.helpers.small_robots import double_pendulum

ROUNDING = 1e-13  # [m], [m/s] on robots of a few metres


def columns(*values):
    return np.array([[x] for x in values], dtype=float)


def test_the_root_link_stays_where_it_is_mounted():
    mounted = load_robot("ur10").mounted((1, 2, 3), (0, 0, np.pi / 2))
    found = frame_motion(mounted, "base_link", np.ones((6, 4)), np.ones((6, 4)))
    np.testing.assert_array_equal(found.p, np.tile([[1.0], [2.0], [3.0]], 4))
    np.testing.assert_allclose(found.R[:, 0], np.tile([[0.0], [1.0], [0.0]], 4), atol=ROUNDING)
    assert not found.v.any()
    assert not found.w.any()


@given(worlds(most=8, mimic=True, states=2))
def test_twists_are_the_rates_of_the_poses(world):
    h = 1e-3  # [s]; the 6th-order difference leaves 1e-13, rounding 1e-12
    stencil = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
    name = world.robot.links[-1].name

    def at(time):
        return frame_motion(world.robot, name, world.q + time * world.qd, world.qd)

    found = at(0.0)
    pairs = [(weight / h, at(k * h), at(-k * h)) for k, weight in stencil.items()]
    p_rate = sum(weight * (after.p - before.p) for weight, after, before in pairs)
    R_rate = sum(weight * (after.R - before.R) for weight, after, before in pairs)
    scale = 1 + np.abs(found.v).max() + np.abs(found.w).max()
    np.testing.assert_allclose(p_rate, found.v, rtol=0, atol=1e-9 * scale)
    for k in range(R_rate.shape[2]):
        spin = R_rate[:, :, k] @ found.R[:, :, k].T  # Ṙ = [ω]× R
        np.testing.assert_allclose(spin, skew(found.w[:, k]), rtol=0, atol=1e-9 * scale)


def test_jacobian_columns_of_joints_that_do_not_move_the_point_are_left_out():
    arm = double_pendulum(1.0, 1.0, 0.6, 0.9)
    tree = tree_of(arm)
    poses = body_poses(tree, columns(0.0, 0.0))
    point = poses.point(0, np.array([0.1, 0.0, -0.2]))
    joints, Jv, Jw = point_jacobian(tree, poses, 0, point)
    assert joints == (0,)
    # y × (x, 0, z) = (z, 0, -x) of the point (in a frame whose z is the axis)
    np.testing.assert_allclose(Jv[0], cross(np.array([[0.0], [1.0], [0.0]]), point), atol=1e-15)
    np.testing.assert_allclose(Jw[0, :, 0], [0, 1, 0], atol=1e-15)
    assert point_jacobian(tree, poses, -1, point)[0] == ()


def test_cross_is_the_cross_product():
    a, b = np.random.default_rng(2).normal(size=(2, 3, 7))
    np.testing.assert_array_equal(cross(a, b), np.cross(a, b, axis=0))


def test_an_unknown_frame_is_refused_with_the_frames_there_are():
    with pytest.raises(ModelError, match=r"'flange2' is not in robot 'ur10'.*base_link.*tool0"):
        frame_motion(load_robot("ur10"), "flange2", np.zeros((6, 1)), np.zeros((6, 1)))
