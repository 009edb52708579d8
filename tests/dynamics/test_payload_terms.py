"""The torque of a body by its ten numbers, against the body written into the robot."""

import numpy as np
import pytest

from sim.dynamics.newton_euler import inverse_dynamics
from sim.dynamics.payload_terms import body_numbers, payload_terms
from sim.robots import load_robot
from tests.helpers.small_robots import pendulum

GRAVITY = (1.0, -2.0, -9.0)
INERTIA = np.array([[0.3, 0.02, 0.01], [0.02, 0.4, 0.03], [0.01, 0.03, 0.5]])


def added(robot, mass, com, inertia, motion, frame=None):
    """What the body adds by Newton–Euler, with the body as a link."""
    heavier = robot.with_payload(mass, com, inertia, frame)
    return inverse_dynamics(heavier, *motion, GRAVITY) - inverse_dynamics(robot, *motion, GRAVITY)


@pytest.mark.parametrize("inertia", [None, INERTIA])
def test_ten_numbers_give_the_torque_of_the_body(inertia):
    robot = load_robot("ur10").mounted((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    motion = np.random.default_rng(1).normal(size=(3, 6, 9))
    com = np.array([0.1, -0.2, 0.3])
    theta = body_numbers(7.0, com, inertia)
    wanted = added(robot, 7.0, com, inertia, motion)
    found = np.tensordot(theta, payload_terms(robot, *motion, GRAVITY), 1)
    # rounding of two sweeps over torques of 100 N·m
    assert np.abs(found - wanted).max() <= 1e-12 * np.abs(wanted).max()


def test_a_point_mass_on_a_pendulum_by_hand():
    q, qd, qdd = (np.array([[x]]) for x in (0.3, 0.5, -0.7))
    rows = payload_terms(pendulum(1.0, 1.0), q, qd, qdd, (0.0, 0.0, -9.81), "bob")
    # 2 kg at 0.8 m below the hinge: m l² qdd + m g l sin q
    theta = body_numbers(2.0, np.array([0.0, 0.0, -0.8]))
    wanted = 2.0 * 0.64 * -0.7 + 2.0 * 9.81 * 0.8 * np.sin(0.3)
    assert np.tensordot(theta, rows, 1)[0, 0] == pytest.approx(wanted, rel=1e-13)


def test_gravity_sees_no_second_moment():
    q = np.random.default_rng(2).normal(size=(6, 5))
    rows = payload_terms(load_robot("ur10"), q, 0 * q, 0 * q, GRAVITY)
    assert np.abs(rows[:4]).max() > 1.0
    assert not rows[4:].any()
