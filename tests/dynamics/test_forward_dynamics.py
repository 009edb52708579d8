"""mass_matrix, coriolis, gravity and forward_dynamics of `sim` itself, against Pinocchio."""

import numpy as np
import pytest

import sim
from sim.errors import ModelError
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.small_robots import pendulum

GRAVITY = (0.5, -1.0, -9.0)


def test_each_term_is_pinocchios():
    robot = sim.load_robot("ur10").with_payload(mass=10.0, com=(0.05, -0.02, 0.1))
    other = PinocchioModel(robot, GRAVITY)
    q, qd, qdd = np.random.default_rng(3).uniform(-3, 3, (3, 6, 20))
    M, g = other.mass_matrix(q), other.gravity_torque(q)
    np.testing.assert_allclose(sim.mass_matrix(robot, q), M, rtol=0, atol=1e-12 * M.max())
    np.testing.assert_allclose(sim.gravity(robot, q, GRAVITY), g, rtol=0, atol=1e-11)
    spin = np.einsum("ijN,jN->iN", sim.coriolis(robot, q, qd), qd)
    expected = np.einsum("ijN,jN->iN", other.coriolis_matrix(q, qd), qd)
    np.testing.assert_allclose(spin, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    found = sim.forward_dynamics(robot, q, qd, other.torque(q, qd, qdd), GRAVITY)
    np.testing.assert_allclose(found, qdd, rtol=0, atol=1e-10)  # 1e-14 of the torque, over M


def test_a_joint_that_moves_no_inertia_is_named():
    with pytest.raises(ModelError, match=r"Joint 'hinge' of robot .* moves no inertia"):
        sim.forward_dynamics(pendulum(0.0, 1.0), [0.0], [0.0], [1.0])
