"""What springs leave of accelerations at rest, by hand and with the model's own mass matrix."""

import numpy as np
import pytest

import sim
from sim import JointSpring
from sim.checks.stiff_joints import LEFT_PLACE, LEFT_SPEED, _mass_matrix, stiff_noise
from sim.robots import load_robot
from sim.simulation.run_description import robot_facts
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.small_robots import geared, lift


def test_a_slide_feels_its_spring_and_dampers_over_its_mass():
    robot = lift(3.0, more='<dynamics damping="20"/>').with_springs({"slide": JointSpring(6e3, 40)})
    (noise,) = stiff_noise(robot_facts(robot), robot, *np.zeros((2, 1)), ("slide",))
    assert noise == pytest.approx((6e3 * LEFT_PLACE + 60 * LEFT_SPEED) / 3.0)
    assert stiff_noise(robot_facts(robot), robot, *np.zeros((2, 1)), ()) == [0.0]
    bare = lift(3.0)
    assert stiff_noise(robot_facts(bare), bare, *np.zeros((2, 1)), ("slide",)) == [0.0]


def test_a_force_on_a_link_is_felt_as_one_in_the_joint_and_a_contact_is_not():
    robot = lift(3.0)
    load, base = sim.Marker("load", "load"), sim.Marker("base", "ground")
    law = "-6e3 * DZ(load, base) - 40 * VZ(load, base)"
    spring = sim.VForce("beam", load, base, (0.0, 0.0, law), (0.0, 0.0, 0.0))
    contact = sim.GroundContact("load", stiffness=1e9)
    forces = spring, contact
    (noise,) = stiff_noise(robot_facts(robot), robot, *np.zeros((2, 1)), ("slide",), forces)
    assert noise == pytest.approx((6e3 * LEFT_PLACE + 40 * LEFT_SPEED) / 3.0, rel=1e-6)
    nowhere = np.full((2, 1), np.nan)
    assert stiff_noise(robot_facts(robot), robot, *nowhere, ("slide",), forces) == [0.0]


ROBOTS = {"ur10": load_robot("ur10"), "gear": geared(0.1, 0.2, -3.0)}


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_its_mass_matrix_is_that_of_pinocchio(robot):
    q, S = np.linspace(-1, 1, len(robot.joint_names)), robot.coupling[0]
    model = PinocchioModel(robot, (0, 0, -9.81))
    expected = model.mass_matrix(robot.q_tree(q[:, None]))[..., 0]
    np.testing.assert_allclose(_mass_matrix(robot, q), S.T @ expected @ S, rtol=0, atol=1e-12)
