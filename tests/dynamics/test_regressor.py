import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.dynamics import (
    change_of_frame,
    inertial_parameters,
    lagrange,
    newton_euler,
    parameters_of,
    pseudo_inertia,
    regressor,
)
from sim.maths import pose, rotation_from_rpy
from sim.robots import load_robot
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_worlds import worlds

ROUNDING = 1e-12  # of the largest entry: sums of a few hundred products


@given(worlds(mimic=True))
def test_torques_are_the_regressor_times_the_parameters(world):
    """By Lagrange's equations, which share no line with the sweeps; mimic and slides too."""
    state = (world.q, world.qd, world.qdd, world.gravity)
    Y, theta = regressor(world.robot, *state), inertial_parameters(world.robot)
    assert Y.shape == (len(world.q), theta.size, world.q.shape[1])
    tau = lagrange.inverse_dynamics(world.robot, *state)
    np.testing.assert_allclose(
        np.einsum("npN,p->nN", Y, theta), tau, rtol=0, atol=ROUNDING * (1 + np.abs(tau).max())
    )


@given(worlds())
def test_every_column_is_that_of_pinocchio(world):
    own = PinocchioModel(world.robot, world.gravity)
    own_bodies = [list(own.model.inertias)[joint] for joint in own.joints]
    ten = [10 * (joint - 1) + k for joint in own.joints for k in range(10)]
    q, qd, qdd = (np.empty_like(world.q) for _ in range(3))
    for theirs, ours in ((q, world.q), (qd, world.qd), (qdd, world.qdd)):
        theirs[own.order] = ours
    columns = [
        pin.computeJointTorqueRegressor(own.model, own.data, q[:, k], qd[:, k], qdd[:, k])
        for k in range(q.shape[1])
    ]
    theirs = np.stack(columns, axis=-1)[np.ix_(own.order, ten)]
    Y = regressor(world.robot, world.q, world.qd, world.qdd, world.gravity)
    np.testing.assert_allclose(Y, theirs, rtol=0, atol=ROUNDING * (1 + np.abs(theirs).max()))
    theta = np.concatenate([body.toDynamicParameters() for body in own_bodies])
    np.testing.assert_allclose(
        inertial_parameters(world.robot), theta, rtol=0, atol=ROUNDING * (1 + np.abs(theta).max())
    )


def test_time_stands_where_the_states_have_it():
    ur10 = load_robot("ur10")
    states = np.random.default_rng(1).normal(size=(3, 6, 405))  # beyond one pass
    Y = regressor(ur10, *states)
    close = {"rtol": 0, "atol": ROUNDING * np.abs(Y).max()}
    np.testing.assert_allclose(regressor(ur10, *states[:, :, 402]), Y[:, :, 402], **close)
    time_first = regressor(ur10, *np.swapaxes(states, 1, 2))
    np.testing.assert_allclose(time_first, np.moveaxis(Y, -1, 0), **close)
    with pytest.raises(ValueError, match="qd and q must have one shape"):
        regressor(ur10, states[0], states[1, :, :3], states[2])


@given(st.integers(0, 2**32 - 1))
def test_a_body_has_the_same_energy_seen_from_another_frame(seed):
    """P' = T P Tᵀ, against Pinocchio's change of frame of a spatial inertia."""
    rng = np.random.default_rng(seed)
    R, p = rotation_from_rpy(rng.normal(size=3)), rng.normal(size=3)
    body = pin.Inertia.Random()
    moved = pin.SE3(R, p).act(body).toDynamicParameters()
    found = change_of_frame(pose(R, p)) @ body.toDynamicParameters()
    np.testing.assert_allclose(found, moved, rtol=0, atol=1e-12 * np.abs(moved).max())
    np.testing.assert_allclose(parameters_of(pseudo_inertia(found)), found, rtol=0, atol=1e-13 * 9)


def test_the_torques_of_a_robot_are_those_before_its_parameters_were_taken_apart():
    """A payload adds its own columns: the regressor of the bare arm is that of the loaded one."""
    bare = load_robot("ur10")
    loaded = bare.with_payload(3.0, (0.1, 0.02, 0.05), np.diag([0.02, 0.03, 0.04]))
    states = np.random.default_rng(2).normal(size=(3, 6, 7))
    tau = newton_euler.inverse_dynamics(loaded, *states)
    found = np.einsum("npN,p->nN", regressor(bare, *states), inertial_parameters(loaded))
    np.testing.assert_allclose(found, tau, rtol=0, atol=ROUNDING * np.abs(tau).max())
