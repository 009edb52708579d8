from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.dynamics import newton_euler
from sim.dynamics.loop_forces import forward_dynamics, inverse_dynamics
from sim.errors import ModelError
from sim.kinematics import frame_motion
from sim.robots import Loop, load_robot, read_urdf
from tests.helpers import small_robots
from tests.helpers.loop_robots import FourBar, slider_crank

G = 9.81
GRAVITY = (0.0, 0.0, -G)
ROUNDING = 1e-11  # of the largest value
BARS = FourBar()
IRB = load_robot("irb460")


def turning(samples=200):
    """The four-bar's crank goes round, once, unevenly: a, ad, add."""
    t = np.linspace(0.0, 1.0, samples)
    return 6.3 * t + 0.3 * np.sin(5 * t), 6.3 + 1.5 * np.cos(5 * t), -7.5 * np.sin(5 * t)


def working(samples=60, seed=1):
    """States of the palletizer with all parallelograms open: q, qd, qdd."""
    rng = np.random.default_rng(seed)
    lower, upper = np.radians([[-165, -60, -50, -300], [165, 30, 20, 300]])[:, :, None]
    shape = (4, samples)
    return rng.uniform(lower, upper, shape), rng.uniform(-2, 2, shape), rng.uniform(-5, 5, shape)


def close(got, wanted, scale=None):
    scale = np.abs(wanted).max() if scale is None else scale
    np.testing.assert_allclose(got, wanted, rtol=0, atol=ROUNDING * scale)


def test_the_torque_of_a_four_bar_is_that_of_its_energy():
    """m(a) add + m'(a) ad²/2 + V'(a) with T = m ad²/2, differences of the closed form."""
    a, ad, add = turning()
    h = 1e-4  # [rad]; two differences leave h⁴, about 1e-13 of the tenth derivatives' size

    def slope(function):
        one, two = (function(a + k * h) - function(a - k * h) for k in (1, 2))
        return (8 * one - two) / (12 * h)

    inertia = 2 * BARS.energies(a, 1 + 0 * a, G)[0]
    wanted = inertia * add + slope(lambda x: BARS.energies(x, ad, G)[0])
    wanted += slope(lambda x: BARS.energies(x, ad, G)[1])
    found = inverse_dynamics(BARS.robot(), *BARS.motion(a, ad, add), GRAVITY)
    np.testing.assert_allclose(found.tau[0], wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())
    np.testing.assert_array_equal(found.tau[1:], 0)


def test_a_four_bar_at_rest_is_held_by_its_pins_as_by_hand():
    """Upright parallelogram: half the coupler's weight on each pin, no torque anywhere."""
    bars = FourBar(ground=0.5, crank=0.3, coupler=0.5, rocker=0.3, masses=(1.0, 2.0, 3.0))
    q = np.array([[0.0], [0.0], [np.pi / 2]])
    found = inverse_dynamics(bars.robot(), q, 0 * q, 0 * q, GRAVITY)
    np.testing.assert_allclose(found.force[0, :3, 0], [0, 0, -G], rtol=0, atol=1e-13)  # on rocker
    assert abs(found.tau[0, 0]) < 1e-13
    held = dict(zip(bars.robot().joint_names, found.reaction[..., 0], strict=True))
    # In the joint frames at rest: crank and rocker stand upright, the coupler's frame is level.
    np.testing.assert_allclose(held["crank_joint"], [0, 0, (1 + 1) * G, 0, 0, 0], atol=1e-13)
    np.testing.assert_allclose(held["rocker_joint"], [0, 0, (3 + 1) * G, 0, 0, 0], atol=1e-13)
    np.testing.assert_allclose(held["coupler_joint"], [-G, 0, 0, 0, 0, 0], atol=1e-13)


def test_a_loop_without_normal_gives_the_same_torque_and_the_smallest_forces():
    motion = BARS.motion(*turning())
    with_normal, without = (
        inverse_dynamics(BARS.robot(n), *motion, GRAVITY) for n in ((0.0, 1.0, 0.0), None)
    )
    close(without.tau, with_normal.tau)
    close(without.force, with_normal.force)


def test_a_slider_crank_lifts_its_weight_by_virtual_work():
    r, length, mass = 0.3, 0.8, 2.0
    robot = slider_crank(r, length).mounted(rpy=(0, -np.pi / 2, 0))  # x points up
    a = np.linspace(0.1, 6.2, 50)
    names = robot.joint_names
    q = np.zeros((3, a.size))
    tilt = np.pi - np.arcsin(r * np.cos(a) / length)  # of the rod, from the crank's zero
    q[names.index("crank_joint")] = a
    q[names.index("rod_joint")] = np.pi / 2 + np.arcsin(r * np.cos(a) / length) - a
    q[names.index("slider_joint")] = r * np.sin(a) - length * np.cos(tilt)
    found = inverse_dynamics(robot, q, 0 * q, 0 * q, GRAVITY)
    slope = r * np.cos(a) + r**2 * np.sin(a) * np.cos(a) / np.sqrt(length**2 - (r * np.cos(a)) ** 2)
    # the rod's middle rises with the mean of its ends, the crank's with half of its tip
    weight = G * (1.0 * r * np.cos(a) / 2 + 0.8 * (r * np.cos(a) + slope) / 2 + mass * slope)
    close(found.tau[names.index("crank_joint")], weight)


def test_the_palletizers_torques_are_those_of_the_coupled_model():
    motion = working()
    robot = IRB.with_payload(110.0, (0.1, 0.05, -0.4), np.diag([4.0, 5.0, 6.0]))
    found = inverse_dynamics(robot, *motion, GRAVITY)
    close(found.tau, newton_euler.inverse_dynamics(robot, *motion, GRAVITY))


def test_hinges_without_a_drive_carry_no_torque_and_drives_carry_theirs():
    for robot, motion in ((IRB, working()), (BARS.robot(), BARS.motion(*turning()))):
        found = inverse_dynamics(robot, *motion, GRAVITY)
        scale = np.abs(found.reaction).max()
        for joint, reaction in zip(robot.tree_joints, found.reaction, strict=True):
            about_axis = np.einsum("a,aN->N", joint.axis, reaction[3:])
            drive = np.zeros_like(about_axis)
            if joint.name in robot.joint_names:
                drive = found.tau[robot.joint_names.index(joint.name)]
            close(about_axis, drive, scale)


def test_every_rod_obeys_newton_under_its_weight_and_the_forces_at_its_two_pins():
    q, qd, qdd = working(samples=30)
    found = inverse_dynamics(IRB, q, qd, qdd, GRAVITY)
    h = 1e-4  # [s]
    for loop, force in zip(IRB.loops, found.force, strict=True):
        rod = IRB.link(loop.link_a).inertia

        def velocity(time, loop=loop, rod=rod):
            there = q + qd * time + 0.5 * qdd * time**2
            motion = frame_motion(IRB, loop.link_a, there, qd + qdd * time)
            arm = np.einsum("abN,b->aN", motion.R, rod.com)
            return motion.v + np.cross(motion.w, arm, axis=0), motion.R

        one, two = (velocity(k * h)[0] - velocity(-k * h)[0] for k in (1, 2))
        acceleration = (8 * one - two) / (12 * h)
        names = [joint.child for joint in IRB.tree_joints]
        pin = found.reaction[names.index(loop.link_a), :3]
        pin = np.einsum("abN,bN->aN", velocity(0.0)[1], pin)  # joint frame = link frame
        left = pin - force[:3] + rod.mass * (np.array(GRAVITY)[:, None] - acceleration)
        np.testing.assert_allclose(left, 0, rtol=0, atol=1e-7 * np.abs(force).max())


@given(st.integers(0, 2**32 - 1))
def test_accelerations_under_the_torques_of_a_motion_are_those_of_the_motion(seed):
    rng = np.random.default_rng(seed)
    state = rng.uniform([[-7], [-5], [-20]], [[7], [5], [20]], (3, 4))
    for robot, motion in (
        (BARS.robot(), BARS.motion(*state)),
        (BARS.robot(None), BARS.motion(*state)),
    ):
        q, qd, qdd = motion
        efforts = inverse_dynamics(robot, *motion, GRAVITY)
        got, force = forward_dynamics(robot, q, qd, efforts.tau, GRAVITY)
        np.testing.assert_allclose(got, qdd, rtol=0, atol=1e-9 * (1 + np.abs(qdd).max()))
        np.testing.assert_allclose(force, efforts.force, atol=1e-9 * (1 + np.abs(force).max()))


def test_coupled_joints_need_no_forces_from_their_loops_to_move_right():
    q, qd, qdd = working()
    tau = newton_euler.inverse_dynamics(IRB, q, qd, qdd, GRAVITY)
    got, force = forward_dynamics(IRB, q, qd, tau, GRAVITY)
    np.testing.assert_allclose(got, qdd, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(force, 0)


def test_what_the_hinges_spend_by_themselves_reaches_the_drive_by_virtual_work():
    q, qd, qdd = BARS.motion(*turning())
    robot = BARS.robot()
    spent = 0.7 * qd
    with_loss, without = (
        inverse_dynamics(robot, q, qd, qdd, GRAVITY, loss) for loss in (spent, None)
    )
    power = (spent * qd).sum(axis=0)
    close((with_loss.tau - without.tau)[0] * qd[0], power, np.abs(power).max())


def test_a_gear_that_is_not_on_a_loop_still_acts_on_its_drive():
    robot = small_robots.geared(0.2, 0.3, -2.5)
    far = Loop("post", "wheel_1", (0, 0, 0.1), "ground", (0, 0, 0.1))  # on the axis: always closed
    robot = replace(robot, loops=(far,))
    q, qd, qdd = np.array([[[0.3]], [[1.0]], [[2.0]]])
    found = inverse_dynamics(robot, q, qd, qdd, GRAVITY)
    assert found.tau[0, 0] == pytest.approx((0.2 + 2.5**2 * 0.3) * 2.0, rel=1e-13)


def test_a_robot_without_loops_has_the_torques_of_the_tree():
    robot = load_robot("ur10")
    motion = np.random.default_rng(0).uniform(-2, 2, (3, 6, 5))
    found = inverse_dynamics(robot, *motion, GRAVITY)
    reference = newton_euler.wrenches(robot, *motion, GRAVITY)
    close(found.tau, reference.tau)
    np.testing.assert_array_equal(found.reaction, reference.reaction)
    assert found.force.shape == (0, 6, 5)
    qdd, _ = forward_dynamics(robot, motion[0], motion[1], found.tau, GRAVITY)
    np.testing.assert_allclose(qdd, motion[2], rtol=0, atol=1e-9)


def test_a_joint_that_nothing_holds_is_named():
    robot = BARS.robot()
    text = robot.text.replace("</robot>", small_robots.link("flap", 1.0, "0.1 0 0") + "</robot>")
    hinge = small_robots.joint("flap_joint", "revolute", "ground", "flap", "0 1 0")
    (loop,) = robot.loops
    loop = replace(loop, passive=(*loop.passive, "flap_joint"))
    loose = replace(read_urdf(text.replace("</robot>", hinge + "</robot>")), loops=(loop,))
    q = np.zeros((4, 1))
    order = [loose.joint_names.index(name) for name in robot.joint_names]
    q[order] = BARS.motion(*np.array([[0.3], [0.0], [0.0]]))[0]
    with pytest.raises(ModelError, match=r"'flap_joint' .* has no drive and needs 0\.981 N·m"):
        inverse_dynamics(loose, q, 0 * q, 0 * q, GRAVITY)


@pytest.mark.parametrize("function", [inverse_dynamics, forward_dynamics])
def test_arrays_of_another_shape_are_refused_by_name(function):
    with pytest.raises(ValueError, match=r"q must have shape \(3, N\)"):
        function(BARS.robot(), np.zeros(3), np.zeros((3, 1)), np.zeros((3, 1)))
