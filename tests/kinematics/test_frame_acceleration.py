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

CLOSE = 1e-12  # of the largest entry: roundings of a dozen joints


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
