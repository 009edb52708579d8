import math

import numpy as np
import pinocchio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.robots import load_robot

UR10 = load_robot("ur10")
MODEL = pinocchio.buildModelFromXML(UR10.text)

# The published numbers, typed here a second time: a, d [m], alpha [rad].
DH = [
    (0, 0.1273, math.pi / 2),
    (-0.612, 0, 0),
    (-0.5723, 0, 0),
    (0, 0.163941, math.pi / 2),
    (0, 0.1157, -math.pi / 2),
    (0, 0.0922, 0),
]
# Masses [kg] and mass centres in the D-H frames [m], by another source than the URDF's.
MASSES = [7.1, 12.7, 4.27, 2.0, 2.0, 0.365]
COMS = [(0.021, 0, 0.027), (0.38, 0, 0.158), (0.24, 0, 0.068), (0, 0.007, 0.018)]
COMS += [(0, 0.007, 0.018), (0, 0, -0.026)]
# Tensors about the mass centre along the axes of the D-H frames: xx, xy, xz, yy, yz, zz [kg·m²].
TENSORS = [
    (0.03408, 0.00002, -0.00425, 0.03529, 0.00008, 0.02156),
    (0.02814, 0.00005, -0.01561, 0.77068, 0.00002, 0.76943),
    (0.01014, 0.00008, 0.00916, 0.30928, 0, 0.30646),
    (0.00296, -0.00001, 0, 0.00222, -0.00024, 0.00258),
    (0.00296, -0.00001, 0, 0.00222, -0.00024, 0.00258),
    (0.00040, 0, 0, 0.00041, 0, 0.00034),
]
angles = st.lists(st.floats(-2 * math.pi, 2 * math.pi), min_size=6, max_size=6).map(np.array)


def dh_frames(q):
    """Poses of the D-H frames 1 to 6 in the base frame."""
    T, frames = np.eye(4), []
    for theta, (a, d, alpha) in zip(q, DH, strict=True):
        ct, st_, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
        T = T @ np.array(
            [
                [ct, -st_ * ca, st_ * sa, a * ct],
                [st_, ct * ca, -ct * sa, a * st_],
                [0, sa, ca, d],
                [0, 0, 0, 1],
            ]
        )
        frames.append(T)
    return frames


@given(angles)
def test_masses_stand_and_turn_as_in_the_dh_frames(q):
    data = MODEL.createData()
    pinocchio.forwardKinematics(MODEL, data, q)
    for T, body, mass, com, moments, joint in zip(
        dh_frames(q),
        list(MODEL.inertias)[1:],
        MASSES,
        COMS,
        TENSORS,
        list(data.oMi)[1:],
        strict=True,
    ):
        tensor = np.zeros((3, 3))
        tensor[np.triu_indices(3)] = moments
        tensor += np.triu(tensor, 1).T
        assert body.mass == mass
        np.testing.assert_allclose(
            joint.act(body.lever), T[:3, :3] @ com + T[:3, 3], rtol=0, atol=1e-12
        )  # [m]
        R = joint.rotation
        np.testing.assert_allclose(
            R @ body.inertia @ R.T, T[:3, :3] @ tensor @ T[:3, :3].T, rtol=0, atol=1e-13
        )  # [kg·m²]


def test_the_moving_links_weigh_28_435_kg_and_the_base_4():
    masses = [link.inertia.mass for link in UR10.links if link.inertia is not None]
    assert masses[0] == 4
    assert sum(masses[1:]) == pytest.approx(28.435, abs=1e-12)  # [kg]


def test_the_base_is_a_solid_cylinder():
    m, r, h = 4.0, 0.075, 0.038
    across, along = m * (3 * r**2 + h**2) / 12, m * r**2 / 2
    base = UR10.link("base_link").inertia
    np.testing.assert_allclose(base.tensor, np.diag([across, across, along]), rtol=0, atol=1e-16)


def test_the_card_has_the_dh_table_of_the_urdf():
    dh = UR10.card.dh
    np.testing.assert_array_equal(np.transpose([dh.a, dh.d, dh.alpha]), DH)
    assert not any(dh.theta)


def test_card_and_urdf_have_the_same_published_limits():
    card = UR10.card
    assert card.torque.values == (330, 330, 150, 56, 56, 56)
    np.testing.assert_allclose(np.degrees(card.speed.values), [120, 120, 180, 180, 180, 180])
    np.testing.assert_allclose(np.degrees(card.range.upper), [360] * 6)
    for index, joint in enumerate(UR10.tree_joints):
        assert joint.limits.lower == card.range.lower[index] == -card.range.upper[index]
        assert joint.limits.upper == card.range.upper[index]
        assert joint.limits.velocity == card.speed.values[index]
        assert joint.limits.effort == card.torque.values[index]
    assert (card.payload.value, card.reach.value, card.ik) == (10, 1.3, "ur")


def test_the_start_pose_keeps_the_papers_turns_inside_the_range():
    start = np.degrees(UR10.pose("upright"))
    np.testing.assert_allclose(start, [-36, -90, 0, -90, 0, -40], rtol=0, atol=1e-13)
    turns = np.array([396, 360, 360, 350, 360, 400])  # areas under the paper's rate drives [deg]
    assert np.all(start + turns <= 360 + 1e-9)
    assert np.all(start >= -360)


def test_the_home_pose_points_straight_up():
    tool = dh_frames(UR10.pose("home"))[3]
    np.testing.assert_allclose(tool[:3, 3], [0, -0.163941, 0.1273 + 0.612 + 0.5723], atol=1e-12)
