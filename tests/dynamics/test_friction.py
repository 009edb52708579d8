import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sim.dynamics.friction import friction_torque
from sim.robots import load_robot
from tests.small_robots import geared, joint, link, robot


def two_joints():
    rough = '<dynamics damping="0.5" friction="2.0"/>'
    slick = '<dynamics damping="3.0" friction="0"/>'
    return robot(
        link("arm", 1.0),
        joint("hinge", "revolute", "ground", "arm", "0 0 1", rough),
        link("load", 1.0),
        joint("slide", "prismatic", "arm", "load", "1 0 0", slick),
    )


def test_friction_is_viscous_plus_coulomb_along_the_motion_and_zero_at_rest():
    qd = np.array([[4.0, -4.0, 0.0], [4.0, -4.0, 0.0]])
    wanted = [[0.5 * 4 + 2, -(0.5 * 4 + 2), 0.0], [12.0, -12.0, 0.0]]
    np.testing.assert_array_equal(friction_torque(two_joints(), qd), wanted)


def test_a_robot_without_friction_in_its_urdf_has_none():
    assert not friction_torque(load_robot("ur10"), np.ones((6, 3))).any()


def test_followers_rub_too():
    pair = geared(0.1, 0.1, 2.0, '<dynamics damping="0.5"/>')
    torque = friction_torque(pair, np.array([[1.0], [2.0]]))
    np.testing.assert_array_equal(torque, [[0.5], [0.0]])


@given(arrays(float, (2, 5), elements=st.floats(-100, 100)))
def test_friction_takes_energy_and_never_gives_any(qd):
    torque = friction_torque(two_joints(), qd)
    assert torque.shape == qd.shape
    assert (torque * qd >= 0).all()
    np.testing.assert_array_equal(friction_torque(two_joints(), -qd), -torque)
