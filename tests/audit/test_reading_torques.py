"""Differences of torques by a feature, beside closed forms of a rod on a hinge."""

import numpy as np
import pytest
from lxml.etree import fromstring

from sim.audit.file_features import features_in
from sim.audit.reading_torques import differences
from sim.audit.states import states_of
from sim.robots import read_urdf
from tools.readings.planted import PLANTED
from tools.readings.seen import SPHERE

G, ARM = 9.81, 0.4  # [m/s²], and of the second link from the hinge [m]


def _differences(text):
    robot = read_urdf(text)
    states = states_of(robot)
    return differences(robot, states, features_in(fromstring(text))), states


@pytest.mark.parametrize(
    ("key", "program", "torque"),
    [
        # PyBullet: 1 kg with the tensor 1 1 1 at the end of the rod
        ("bare-frame", "PyBullet", lambda q, v, a: (1 + ARM**2) * a - G * ARM * np.cos(q)),
        # MuJoCo: a ball of 1000 kg/m³ there
        (
            "shape-only",
            "MuJoCo",
            lambda q, v, a: SPHERE * ((0.4 * 0.1**2 + ARM**2) * a - G * ARM * np.cos(q)),
        ),
        ("damping", "MuJoCo", lambda q, v, a: 0.5 * v),
        ("friction", "MuJoCo", lambda q, v, a: 0.25 * np.sign(v)),
        # ten times the mass and the tensor
        ("mujoco-masses", "MuJoCo", lambda q, v, a: 9 * (0.07 * a - G * 0.2 * np.cos(q))),
    ],
)
def test_a_feature_changes_the_torque_of_the_hinge_as_in_closed_form(key, program, torque):
    sizes, states = _differences(PLANTED[key])
    expected = np.abs(torque(states.q[0], states.qd[0], states.qdd[0])).max()
    one = sizes[key, program]
    assert one.size == pytest.approx(expected, rel=1e-9)  # rounding of the program
    assert (one.unit, one.joint) == ("N·m", "hinge")


def test_a_leader_lacks_its_follower_in_all_programs():
    """The follower turns twice as fast, so that its own torque counts twice at the leader."""
    sizes, states = _differences(PLANTED["mimic"])
    q, qd, qdd = (rows[0] for rows in (states.q, states.qd, states.qdd))
    # of the second rod about its hinge, which is carried along by the first
    r, turned = 0.2, 2 * q
    own = 0.07 * 3 * qdd - G * r * np.cos(3 * q)
    own += ARM * r * (np.cos(turned) * qdd + np.sin(turned) * qd**2)
    expected = np.abs(2 * own).max()
    for program in ("PyBullet", "MuJoCo", "Pinocchio"):
        assert sizes["mimic", program].size == pytest.approx(expected, rel=1e-6), program


def test_a_tensor_of_the_file_is_replaced_by_that_of_shapes_alone():
    """Without shapes PyBullet is left with that of a box of its margin, 2 mm, at 1 kg."""
    text = PLANTED["root"].replace('<collision><geometry><sphere radius="0.1"/></geometry>', "")
    text = text.replace("</collision>", "")
    sizes, states = _differences(text)
    expected = np.abs(0.03 * states.qdd).max()
    assert sizes["tensor", "PyBullet"].size == pytest.approx(expected, rel=1e-4)


def test_a_file_that_a_program_refuses_has_no_difference_by_it():
    sizes, _ = _differences(PLANTED["bare-link"])
    assert ("bare-link", "PyBullet") in sizes
    assert not any(program == "MuJoCo" for _, program in sizes)
