"""PUMA 560: what the Robotics Toolbox prints of it, by the model and by both engines.

Printed with four decimals; half a digit is 5e-5.
"""

import numpy as np
import pytest

import sim
from sim.dynamics import LagrangianDynamics, drive_trains_of, lagrange
from sim.engines import EngineDynamics
from sim.engines.opening import open_engine
from sim.kinematics import frame_pose

PUMA = sim.load_robot("puma560")
HALF_A_DIGIT = 5e-5
QN = PUMA.pose("nominal")[:, None]
STILL = np.zeros((6, 1))

GRAVLOAD = [0, 31.6399, 6.0351, 0, 0.0283, 0]  # N·m
DIAGONAL = [3.6594, 4.4137, 0.9378, 0.1925, 0.1713, 0.1941]  # kg·m², rotors included
BESIDE = {(0, 1): -0.4044, (0, 2): 0.1006, (1, 2): 0.3509}
ITORQUE = [3.1500, 9.4805, 3.6189, 0.1901, 0.3519, 0.5823]  # N·m, at these accelerations
ACCELERATIONS = np.array([[1.0, 2.0, 3.0, 1.0, 2.0, 3.0]]).T


def by_model(gravity, q, qdd):
    return LagrangianDynamics(PUMA, gravity).hybrid_dynamics(q, 0 * q, qdd, HELD, 0 * q)[1]


def by_engine(kind):
    def efforts(gravity, q, qdd):
        with open_engine(kind, PUMA, gravity) as engine:
            return EngineDynamics(engine).hybrid_dynamics(q, 0 * q, qdd, HELD, 0 * q, ())[1]

    return efforts


HELD = np.ones(6, dtype=bool)
WAYS = {"model": by_model, "bullet": by_engine("bullet"), "mujoco": by_engine("mujoco")}


@pytest.mark.parametrize("way", WAYS)
def test_gravity_mass_matrix_and_inertia_torque_are_as_printed(way):
    efforts = WAYS[way]
    weight = efforts((0.0, 0.0, -9.81), QN, STILL)[:, 0]
    np.testing.assert_allclose(weight, GRAVLOAD, rtol=0, atol=HALF_A_DIGIT)
    every = np.tile(QN, 7)
    accelerations = np.concatenate([np.eye(6), ACCELERATIONS], axis=1)
    found = efforts((0.0, 0.0, 0.0), every, accelerations)
    M, inertial = found[:, :6], found[:, 6]
    np.testing.assert_allclose(np.diag(M), DIAGONAL, rtol=0, atol=HALF_A_DIGIT)
    for place, printed in BESIDE.items():
        assert M[place] == pytest.approx(printed, abs=HALF_A_DIGIT)
    np.testing.assert_allclose(inertial, ITORQUE, rtol=0, atol=HALF_A_DIGIT)
    np.testing.assert_allclose(M, lagrange.mass_matrix(PUMA, QN)[..., 0], rtol=0, atol=1e-9)


def test_most_of_the_inertia_is_in_the_rotors():
    share = PUMA.rotor_inertia / np.diag(lagrange.mass_matrix(PUMA, QN)[..., 0])
    np.testing.assert_allclose(share, [0.21, 0.53, 0.62, 0.99, 0.997, 1.0], rtol=0, atol=0.005)
    np.testing.assert_allclose(
        PUMA.rotor_inertia, [0.784, 2.325, 0.577, 0.191, 0.171, 0.194], rtol=0, atol=5e-4
    )


def test_friction_of_the_motors_is_another_each_way_at_the_joints():
    trains = drive_trains_of(PUMA)
    forwards, backwards = trains.dry
    half = np.array([0.05, 0.05, 0.05, 0.005, 0.005, 0.005])  # a digit
    assert (np.abs(forwards - [24.7, 13.6, 7.1, 0.85, 0.67, 0.30]) <= half).all()
    assert (np.abs(backwards - [27.2, 7.7, 5.6, 1.29, 1.04, 0.81]) <= half).all()
    taken = trains.taken(STILL, STILL + 1.0)[:, 0] - forwards
    ratio, viscous = trains.ratio, [1.48e-3, 0.817e-3, 1.38e-3, 71.2e-6, 82.6e-6, 36.7e-6]
    np.testing.assert_allclose(taken, ratio**2 * viscous, rtol=1e-12)


def test_the_stretched_arm_reaches_as_far_as_the_card_says():
    card = PUMA.card
    upper, fore = card.dh.a[1], np.hypot(card.dh.a[2], card.dh.d[3])
    assert card.reach.value == pytest.approx(np.hypot(upper + fore, card.dh.d[2]), abs=1e-4)
    flat = [0.0, 0.0, -np.pi / 2 + np.arctan2(card.dh.a[2], card.dh.d[3]), 0.0, 0.0, 0.0]
    tool = frame_pose(PUMA, np.array(flat)[:, None])[:3, 3, 0]
    assert np.hypot(tool[0], tool[1]) == pytest.approx(card.reach.value, abs=1e-4)


def test_two_bodies_are_taken_as_they_are_printed():
    assert [repair.part for repair in PUMA.repairs] == ["link 'link_1'", "link 'link_3'"]
    np.testing.assert_array_equal(
        np.diag(PUMA.link("link_6").inertia.tensor), [1.5e-4, 1.5e-4, 4e-5]
    )
