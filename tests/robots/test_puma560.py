"""PUMA 560: its rotors, friction and reach; torques that are printed are cases of `sim verify`."""

import numpy as np
import pytest

import sim
from sim.dynamics import drive_trains_of, lagrange
from sim.kinematics import frame_pose

PUMA = sim.load_robot("puma560")
QN = PUMA.pose("nominal")[:, None]
STILL = np.zeros((6, 1))


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
    taken = trains.lost_torque(STILL, STILL + 1.0)[:, 0] - forwards
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
