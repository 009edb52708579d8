import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.dynamics.newton_euler import CHUNK, inverse_dynamics, wrenches
from sim.dynamics.wrench import AppliedWrench
from sim.robots import load_robot
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_worlds import worlds
from tests.helpers.random_wrenches import random_wrenches
from tests.helpers.small_robots import joint, link, robot

ROUNDING = 1e-12  # of the largest entry; closed forms and model differ by roundings only


def state(*columns):
    return tuple(np.array([[x] for x in column], dtype=float) for column in columns)


@given(worlds(), st.integers(0, 2**32 - 1))
def test_torques_and_reactions_under_external_wrenches_agree_with_pinocchio(world, seed):
    external = random_wrenches(world.robot, world.q.shape[1], seed)
    state = (world.q, world.qd, world.qdd)
    found = wrenches(world.robot, *state, world.gravity, external)
    torque, reaction = PinocchioModel(world.robot, world.gravity).loaded(*state, external)
    scale = {"rtol": 0, "atol": 1e-10 * (1 + np.abs(reaction).max())}
    np.testing.assert_allclose(found.tau, torque, **scale)
    np.testing.assert_allclose(found.reaction, reaction, **scale)


def test_a_force_at_the_tip_loads_every_joint_that_carries_it_and_no_other():
    fork = robot(
        link("trunk", 1.0),
        joint("root", "prismatic", "ground", "trunk", "0 0 1"),
        link("left", 1.0),
        joint("a", "revolute", "trunk", "left", "0 1 0"),
        link("right", 1.0),
        joint("b", "revolute", "trunk", "right", "0 1 0"),
    )
    lift_left = AppliedWrench("left", np.zeros(3), np.c_[[0.0, 0, 7.0]], np.zeros((3, 1)))
    still = state([0] * 3, [0] * 3, [0] * 3)
    found = wrenches(fork, *still, (0, 0, 0), [lift_left]).reaction
    np.testing.assert_allclose(found[:, 2, 0], [-7, -7, 0], atol=1e-15)


def test_samples_of_external_wrenches_stay_with_the_samples_of_the_motion():
    ur10 = load_robot("ur10")
    q, qd, qdd = np.random.default_rng(3).uniform(-3, 3, (3, 6, CHUNK + 7))
    external = random_wrenches(ur10, q.shape[1], 5)
    whole = wrenches(ur10, q, qd, qdd, external=external).reaction
    for k in (0, CHUNK - 1, CHUNK, CHUNK + 6):
        one = slice(k, k + 1)
        then = [wrench.during(one) for wrench in external]
        alone = wrenches(ur10, q[:, one], qd[:, one], qdd[:, one], external=then).reaction
        np.testing.assert_allclose(whole[..., one], alone, rtol=0, atol=ROUNDING * 1000)


def test_samples_do_not_depend_on_how_many_are_asked_for():
    ur10 = load_robot("ur10")
    q, qd, qdd = np.random.default_rng(3).uniform(-3, 3, (3, 6, 2 * CHUNK + 1))
    whole = wrenches(ur10, q, qd, qdd)
    assert whole.tau.shape == q.shape
    assert whole.reaction.shape == (6, 6, q.shape[1])
    for k in (0, CHUNK - 1, CHUNK, 2 * CHUNK):
        one = slice(k, k + 1)
        alone = wrenches(ur10, q[:, one], qd[:, one], qdd[:, one])
        np.testing.assert_allclose(whole.tau[:, one], alone.tau, atol=ROUNDING * 300)
        np.testing.assert_allclose(whole.reaction[..., one], alone.reaction, atol=ROUNDING * 1000)


def test_no_samples_give_no_samples():
    empty = np.empty((6, 0))
    assert wrenches(load_robot("ur10"), empty, empty, empty).reaction.shape == (6, 6, 0)


def test_one_call_leaves_the_next_and_its_arguments_alone():
    ur10 = load_robot("ur10")
    q, qd, qdd = np.random.default_rng(4).uniform(-3, 3, (3, 6, 5))
    given_values = [x.copy() for x in (q, qd, qdd)]
    first = wrenches(ur10, q, qd, qdd)
    kept = first.tau.copy(), first.reaction.copy()
    wrenches(ur10, 2 * q, 3 * qd, 4 * qdd)
    np.testing.assert_array_equal(first.tau, kept[0])
    np.testing.assert_array_equal(first.reaction, kept[1])
    np.testing.assert_array_equal((q, qd, qdd), given_values)


@pytest.mark.parametrize("function", [inverse_dynamics, wrenches])
def test_arrays_of_another_shape_are_refused_by_name(function):
    right, wrong = np.zeros((6, 2)), np.zeros((6, 3))
    with pytest.raises(ValueError, match=r"q must have shape \(6.*got \(5, 3\)"):
        function(load_robot("ur10"), right[1:, [0, 0, 0]], right, right)
    with pytest.raises(ValueError, match=r"qdd and q must have one shape; got \(6, 3\) and"):
        function(load_robot("ur10"), right, right, wrong)
