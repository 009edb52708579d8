from dataclasses import replace

import numpy as np
from hypothesis import given

from sim.kinematics.loop_equations import (
    idle_joints,
    joint_equations,
    joints_on_loops,
    loop_bias,
    loop_equations,
    loop_error,
    passive_joints,
)
from sim.robots import load_robot
from tests.helpers.loop_robots import FourBar, looped
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.small_robots import geared

STEP = 1e-5  # [rad or m, s]; leaves STEP² of the size of third derivatives, about 1e-8
DIFFERENCE = 3e-8  # of the largest entry


def on_tree(robot, q, qd, qdd, t):
    """Tree positions and velocities along q + qd t + qdd t²/2."""
    S, q_0 = robot.coupling
    path = q[:, None] + qd[:, None] * t + 0.5 * qdd[:, None] * t**2
    return S @ path + q_0[:, None], S @ (qd[:, None] + qdd[:, None] * t)


def seen_from_a(robot, q_tree):
    """p_b - p_a in the frame of link a by Pinocchio, across the normal, shape (k, N)."""
    (loop,) = robot.loops
    oracle = PinocchioModel(robot, (0, 0, 0))
    places = []
    for name, point in ((loop.link_a, loop.point_a), (loop.link_b, loop.point_b)):
        rows = oracle.frame_motion(name, q_tree, np.zeros_like(q_tree))
        R = rows[:9].reshape(3, 3, -1)
        places.append((R, rows[9:12] + np.einsum("abN,b->aN", R, point)))
    (R_a, p_a), (_, p_b) = places
    apart = np.einsum("baN,bN->aN", R_a, p_b - p_a)
    if loop.normal is None:
        return apart
    return apart - np.outer(loop.normal, loop.normal) @ apart


@given(looped(mimic=True))
def test_a_loop_closed_at_one_state_is_closed_there_and_open_elsewhere(case):
    robot, q, qd, _ = case
    q_tree, _ = on_tree(robot, q, qd, 0 * q, np.array([0.0, 0.3, 1.0]))
    gap = loop_error(robot, q_tree)
    assert gap.shape == (1, 3)
    assert gap[0, 0] < 1e-13  # [m], beside arms of some metres
    wanted = np.sqrt(np.sum(seen_from_a(robot, q_tree) ** 2, axis=0))
    np.testing.assert_allclose(gap[0], wanted, rtol=0, atol=1e-13)  # [m]


@given(looped(mimic=True))
def test_the_gradient_of_the_equations_is_their_rate(case):
    robot, q, qd, qdd = case
    q_tree, qd_tree = on_tree(robot, q, qd, qdd, np.array([-STEP, 0.0, STEP]))
    found = loop_equations(robot, q_tree)
    rate = np.einsum("rnN,nN->rN", found.J, qd_tree)[:, 1]
    difference = (found.e[:, 2] - found.e[:, 0]) / (2 * STEP)
    scale = 1 + np.abs(found.J).max() * np.abs(qd_tree).max()
    np.testing.assert_allclose(rate, difference, rtol=0, atol=DIFFERENCE * scale)
    e, J = joint_equations(robot, q[:, None])
    np.testing.assert_allclose(e[:, 0], found.e[:, 1], rtol=0, atol=1e-14)  # [m]
    np.testing.assert_allclose(J[:, :, 0] @ qd, rate, rtol=0, atol=1e-13 * scale)


@given(looped(mimic=True))
def test_the_bias_is_the_second_rate_without_joint_accelerations(case):
    robot, q, qd, qdd = case
    q_tree, qd_tree = on_tree(robot, q, qd, qdd, np.array([-STEP, 0.0, STEP]))
    found = loop_equations(robot, q_tree)
    rate = np.einsum("rnN,nN->rN", found.J, qd_tree)
    S, _ = robot.coupling
    second = (rate[:, 2] - rate[:, 0]) / (2 * STEP)
    bias = loop_bias(robot, q_tree, qd_tree)[:, 1]
    scale = 1 + np.abs(found.J).max() * (np.abs(qd_tree).max() ** 2 + np.abs(S @ qdd).max())
    np.testing.assert_allclose(
        bias + found.J[:, :, 1] @ S @ qdd, second, rtol=0, atol=3 * DIFFERENCE * scale
    )


def test_the_directions_are_the_two_across_the_normal_in_the_world():
    robot = FourBar().robot()
    q = np.array([[0.3], [0.4], [0.5]])
    found = loop_equations(robot, q)
    assert found.loop == (0, 0)
    D = found.D[..., 0]
    np.testing.assert_allclose(D @ D.T, np.eye(2), atol=1e-15)
    np.testing.assert_allclose(D @ [0, 1, 0], 0, atol=1e-15)
    assert loop_equations(FourBar().robot(None), q).loop == (0, 0, 0)


def test_passive_joints_have_no_drive():
    robot = FourBar().robot()
    assert passive_joints(robot).tolist() == [False, True, True]
    assert idle_joints(robot).tolist() == [False, True, True]


def test_mimic_joints_on_a_loop_have_no_drive_and_others_do():
    irb = load_robot("irb460")
    idle = dict(zip([j.name for j in irb.tree_joints], idle_joints(irb), strict=True))
    drives = {"swing_joint", "lower_arm_joint", "crank_joint", "flange_joint"}
    assert {name for name, is_idle in idle.items() if not is_idle} == drives
    assert not passive_joints(irb).any()
    assert not idle_joints(geared(1.0, 2.0, 3.0)).any()


def test_a_robot_without_loops_has_no_equations():
    robot = load_robot("ur10")
    q = np.zeros((6, 4))
    found = loop_equations(robot, q)
    assert (found.e.shape, found.J.shape, found.D.shape) == ((0, 4), (0, 6, 4), (0, 3, 4))
    assert loop_bias(robot, q, q).shape == (0, 4)
    assert loop_error(robot, q).shape == (0, 4)


def test_each_loop_has_its_own_error():
    robot = load_robot("irb460")
    moved = replace(robot.loops[1], point_a=(0, 0.003, 0.945 + 0.004))
    robot = replace(robot, loops=(robot.loops[0], moved, robot.loops[2]))
    S, q_0 = robot.coupling
    gap = loop_error(robot, S @ robot.pose("paper")[:, None] + q_0[:, None])
    np.testing.assert_allclose(gap[:, 0], [0, 0.005, 0], rtol=0, atol=1e-14)  # [m]


def test_a_loop_closes_over_the_joints_that_carry_one_of_its_links_only():
    bars = FourBar().robot()
    np.testing.assert_array_equal(joints_on_loops(bars), [True, True, True])
    arm = load_robot("irb460")
    off = [joint.name for joint, on in zip(arm.tree_joints, joints_on_loops(arm), strict=True)
           if not on]  # fmt: skip
    assert off == ["swing_joint", "flange_joint"]
    np.testing.assert_array_equal(joints_on_loops(load_robot("ur10")), np.zeros(6, dtype=bool))
