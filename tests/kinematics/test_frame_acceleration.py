import numpy as np
import pytest
from hypothesis import given
from scipy.interpolate import CubicSpline

from sim.errors import ModelError
from sim.kinematics.forward import frame_motion
from sim.kinematics.jacobian import frame_acceleration
from sim.robots import load_robot
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_worlds import worlds
from tests.helpers.small_robots import geared, joint, lift, link, robot

CLOSE = 1e-12  # of the largest entry: roundings of a dozen joints


def state(*columns):
    return tuple(np.array(column, dtype=float)[:, None] for column in columns)


@given(worlds())
def test_accelerations_of_any_tree_are_those_of_pinocchio(world):
    oracle = PinocchioModel(world.robot, world.gravity)
    states = (world.q, world.qd, world.qdd)
    for each in world.robot.links:
        wanted = oracle.frame_acceleration(each.name, *states)
        found = frame_acceleration(world.robot, each.name, *states)
        scale = CLOSE * (1 + np.abs(wanted).max())
        np.testing.assert_allclose(found, wanted, rtol=0, atol=scale)


@given(worlds(mimic=True, most=6, states=1))
def test_accelerations_are_the_rates_of_the_velocities(world):
    """By a spline through the velocities around each state; 1e-3 s apart it is good to 1e-7."""
    t = np.arange(-4, 5) * 1e-3
    q = world.q + world.qd * t + world.qdd * t**2 / 2
    qd = world.qd + world.qdd * t
    for each in (world.robot.links[1].name, world.robot.links[-1].name):
        motion = frame_motion(world.robot, each, q, qd)
        rates = CubicSpline(t, np.concatenate([motion.v, motion.w]), axis=1)(0.0, 1)
        found = frame_acceleration(world.robot, each, world.q, world.qd, world.qdd)[:, 0]
        np.testing.assert_allclose(found, rates, rtol=0, atol=1e-5 * (1 + np.abs(rates).max()))


def test_a_point_on_a_wheel_has_tangential_and_centripetal_acceleration():
    rim = '<origin xyz="0.4 0 0"/>'
    wheel = robot(
        link("wheel", 1.0),
        joint("hub", "revolute", "ground", "wheel", "0 0 1"),
        link("rim", 1.0),
        joint("weld", "fixed", "wheel", "rim", "0 0 1", rim),
    )
    found = frame_acceleration(wheel, "rim", *state([0.0], [3.0], [2.0]))
    np.testing.assert_allclose(found[:, 0], [-0.4 * 9, 0.4 * 2, 0, 0, 0, 2], rtol=0, atol=1e-15)


def test_a_bead_on_a_turning_spoke_feels_coriolis():
    spoke = link("spoke", 1.0), joint("turn", "revolute", "ground", "spoke", "0 0 1")
    bead = link("bead", 2.0), joint("slide", "prismatic", "spoke", "bead", "1 0 0")
    r, rd, rdd, w, wd = 0.5, 3.0, -1.0, 2.0, 0.7
    found = frame_acceleration(robot(*spoke, *bead), "bead", *state([0, r], [w, rd], [wd, rdd]))
    wanted = [rdd - r * w**2, r * wd + 2 * rd * w, 0, 0, 0, wd]
    np.testing.assert_allclose(found[:, 0], wanted, rtol=0, atol=1e-14)


def test_two_turning_axes_make_an_angular_acceleration_by_themselves():
    """A wheel that spins about an axis which is itself turned: ω₁ × ω₂."""
    gyro = robot(
        link("frame", 1.0),
        joint("precession", "revolute", "ground", "frame", "0 0 1"),
        link("wheel", 1.0, moments="1 1 1"),
        joint("spin", "revolute", "frame", "wheel", "1 0 0"),
    )
    found = frame_acceleration(gyro, "wheel", *state([0, 0], [2, 5], [0, 0]))
    np.testing.assert_allclose(found[3:, 0], [0, 2 * 5, 0], rtol=0, atol=1e-14)


def test_a_follower_accelerates_with_its_ratio_and_a_lift_along_its_axis():
    found = frame_acceleration(geared(0.1, 0.1, -3.0), "wheel_2", *state([0.2], [1.0], [2.0]))
    np.testing.assert_allclose(found[:, 0], [0, 0, 0, 0, 0, -6.0], rtol=0, atol=1e-15)
    found = frame_acceleration(lift(1.0, "0.6 0 0.8"), "load", *state([0.2], [1.0], [2.0]))
    np.testing.assert_allclose(found[:, 0], [1.2, 0, 1.6, 0, 0, 0], rtol=0, atol=1e-15)


def test_the_tool_frame_is_meant_where_none_is_named():
    ur10 = load_robot("ur10")
    states = np.random.default_rng(2).uniform(-2, 2, (3, 6, 4))
    named = frame_acceleration(ur10, ur10.tool, *states)
    np.testing.assert_array_equal(frame_acceleration(ur10, None, *states), named)


def test_an_unknown_frame_and_a_wrong_shape_are_refused():
    ur10, right = load_robot("ur10"), np.zeros((6, 2))
    with pytest.raises(ModelError, match=r"'flange9' is not in robot 'ur10'; available: .*tool0"):
        frame_acceleration(ur10, "flange9", right, right, right)
    with pytest.raises(ValueError, match=r"qdd and q must have one shape"):
        frame_acceleration(ur10, None, right, right, np.zeros((6, 3)))
