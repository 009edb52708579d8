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
from tests.helpers.small_robots import double_pendulum, geared, joint, link, robot

ROUNDING = 1e-13  # [m], [m/s] on robots of a few metres


def columns(*values):
    return np.array([[x] for x in values], dtype=float)


def test_the_elbow_and_tip_of_a_double_pendulum_are_where_trigonometry_puts_them():
    l1, l2 = 0.6, 0.9
    tip = (
        link("tip", 1.0),
        joint("end", "fixed", "fore", "tip", "1 0 0", '<origin xyz="0 0 -0.9"/>'),
    )
    arm = robot(
        link("upper", 1.0),
        joint("shoulder", "revolute", "ground", "upper", "0 1 0"),
        link("fore", 1.0),
        joint("elbow", "revolute", "upper", "fore", "0 1 0", '<origin xyz="0 0 -0.6"/>'),
        *tip,
    )
    q, qd = np.random.default_rng(0).uniform(-3, 3, (2, 2, 9))
    a, b, zero = q[0], q[0] + q[1], np.zeros(9)
    ad, bd = qd[0], qd[0] + qd[1]
    found = frame_motion(arm, "tip", q, qd)
    x, z = -l1 * np.sin(a) - l2 * np.sin(b), -l1 * np.cos(a) - l2 * np.cos(b)
    np.testing.assert_allclose(found.p, [x, zero, z], atol=ROUNDING)
    vx = -l1 * ad * np.cos(a) - l2 * bd * np.cos(b)
    vz = l1 * ad * np.sin(a) + l2 * bd * np.sin(b)
    np.testing.assert_allclose(found.v, [vx, zero, vz], atol=ROUNDING)
    np.testing.assert_allclose(found.w, [zero, bd, zero], atol=ROUNDING)
    turned = [[np.cos(b), zero, np.sin(b)], [zero, zero + 1, zero], [-np.sin(b), zero, np.cos(b)]]
    np.testing.assert_allclose(found.R, turned, atol=ROUNDING)


def test_ur10_stands_where_its_denavit_hartenberg_table_puts_it():
    ur10 = load_robot("ur10")
    dh = ur10.card.dh
    q = np.random.default_rng(1).uniform(-3, 3, (6, 5))
    found = frame_motion(ur10, "tool0", q, np.zeros_like(q))
    for k in range(q.shape[1]):
        T = np.eye(4)
        for theta, d, a, alpha in zip(q[:, k] + dh.theta, dh.d, dh.a, dh.alpha, strict=True):
            ct, st, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
            T = T @ [
                [ct, -st * ca, st * sa, a * ct],
                [st, ct * ca, -ct * sa, a * st],
                [0, sa, ca, d],
                [0, 0, 0, 1],
            ]
        np.testing.assert_allclose(found.p[:, k], T[:3, 3], rtol=0, atol=1e-12)
        np.testing.assert_allclose(found.R[:, :, k], T[:3, :3], rtol=0, atol=1e-12)


def test_a_slide_moves_along_its_axis_and_turns_nothing():
    slope = robot(link("load", 1.0), joint("slide", "prismatic", "ground", "load", "0.6 0 0.8"))
    found = frame_motion(slope, "load", columns(2.0), columns(-3.0))
    np.testing.assert_allclose(found.p[:, 0], [1.2, 0, 1.6], atol=ROUNDING)
    np.testing.assert_allclose(found.v[:, 0], [-1.8, 0, -2.4], atol=ROUNDING)
    np.testing.assert_array_equal(found.w, np.zeros((3, 1)))
    np.testing.assert_allclose(found.R[:, :, 0], np.eye(3), atol=ROUNDING)


def test_the_root_link_stays_where_it_is_mounted():
    mounted = load_robot("ur10").mounted((1, 2, 3), (0, 0, np.pi / 2))
    found = frame_motion(mounted, "base_link", np.ones((6, 4)), np.ones((6, 4)))
    np.testing.assert_array_equal(found.p, np.tile([[1.0], [2.0], [3.0]], 4))
    np.testing.assert_allclose(found.R[:, 0], np.tile([[0.0], [1.0], [0.0]], 4), atol=ROUNDING)
    assert not found.v.any()
    assert not found.w.any()


def test_a_follower_turns_by_its_ratio_from_its_offset():
    found = frame_motion(geared(0.1, 0.1, -3.0), "wheel_2", columns(0.4), columns(2.0))
    angle = -3.0 * 0.4 + 0.3
    wanted = [np.cos(angle), np.sin(angle), 0]
    np.testing.assert_allclose(found.R[:, 0, 0], wanted, atol=ROUNDING)
    np.testing.assert_allclose(found.w[:, 0], [0, 0, -6.0], atol=ROUNDING)


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


@given(worlds(mimic=True, states=3))
def test_rotations_are_rotations(world):
    S, q_0 = world.robot.coupling
    poses = body_poses(tree_of(world.robot), S @ world.q + q_0[:, None])
    R = np.moveaxis(poses.R, -1, 1)
    unit = np.broadcast_to(np.eye(3), R.shape)
    np.testing.assert_allclose(R @ np.swapaxes(R, -1, -2), unit, rtol=0, atol=ROUNDING)
    assert (np.linalg.det(R) > 0).all()


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
