"""One rule for the shape of states: the time of the result is where that of q is."""

import numpy as np
import pandas as pd
import pytest

import sim

RNG = np.random.default_rng(5)
N, n = 9, 6
FUNCTIONS = {
    "frame_pose": 1, "jacobian": 1, "mass_matrix": 1, "gravity": 1, "coriolis": 2,
    "inverse_dynamics": 3, "forward_dynamics": 3,
}  # fmt: skip


@pytest.fixture(scope="module")
def robot():
    return sim.load_robot("ur10")


@pytest.mark.parametrize(("name", "count"), FUNCTIONS.items())
def test_time_of_the_result_is_where_that_of_the_states_is(robot, name, count):
    function = getattr(sim, name)
    states = RNG.normal(size=(count, n, N))
    expected = function(robot, *states)
    for k in range(N):  # one state: no axis of time
        np.testing.assert_allclose(
            function(robot, *states[..., k]), expected[..., k], rtol=1e-12, atol=1e-12
        )
    down = function(robot, *np.moveaxis(states, -1, 1))  # a table, time down the rows
    np.testing.assert_array_equal(down, np.moveaxis(expected, -1, 0))
    tables = [pd.DataFrame(state.T, columns=robot.joint_names) for state in states]
    np.testing.assert_array_equal(function(robot, *tables), down)
    lists = [state[:, 0].tolist() for state in states]
    np.testing.assert_allclose(function(robot, *lists), expected[..., 0], rtol=1e-12, atol=1e-12)


def test_as_many_samples_as_joints_are_read_with_time_last_but_for_a_table(robot):
    q = RNG.normal(size=(n, n))
    expected = np.stack([sim.gravity(robot, q[:, k]) for k in range(n)], axis=-1)
    np.testing.assert_allclose(sim.gravity(robot, q), expected, atol=1e-12)
    np.testing.assert_allclose(sim.gravity(robot, pd.DataFrame(q.T)), expected.T, atol=1e-12)


def test_states_may_be_named(robot):
    q, qd = RNG.normal(size=(2, n))
    np.testing.assert_array_equal(sim.coriolis(robot, qd=qd, q=q), sim.coriolis(robot, q, qd))
    pose = sim.frame_pose(robot, q=q, frame="forearm_link")
    np.testing.assert_array_equal(pose, sim.frame_pose(robot, q, "forearm_link"))


@pytest.mark.parametrize("q", [np.zeros(5), np.zeros((5, 7)), np.zeros((2, 6, 3)), 0.0])
def test_another_shape_is_refused_with_those_that_are_taken(robot, q):
    with pytest.raises(ValueError, match=r"q must have shape \(6,\) for one state, \(6, N\) with"):
        sim.gravity(robot, q)


def test_states_of_different_shapes_are_refused(robot):
    with pytest.raises(ValueError, match=r"qd and q must have one shape; got \(6, 2\) and \(6,\)"):
        sim.coriolis(robot, np.zeros(6), np.zeros((6, 2)))
