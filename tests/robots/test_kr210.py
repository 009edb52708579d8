import math

import numpy as np
import pytest

from sim.kinematics import frame_pose
from sim.maths import pose, rotation_from_rpy
from sim.robots import load_robot

BOTH = [load_robot("kr210"), load_robot("kr210_paper")]

# The successor's link inertials, typed here a second time: mass, trace of the tensor.
MASSES = [225.96, 363.07, 232.06, 190.33, 42.411794929, 16.991732133, 6.6]
PRINCIPAL = [
    (12.8309, 9.012, 14.2959),
    (13.2088588047575, 31.4949853249961, 33.8838908182464),
    (57.7957098112911, 5.63272995683345, 58.559845591006),
    (3.46995402943128, 21.1713007283949, 22.2067749058774),
    (0.161324366141546, 1.3645139545175, 1.39158127634524),
    (0.200111908543801, 0.120553626775201, 0.220956494925724),
    (0.0114565, 0.0114565, 0.014535),
]


def kuka_chain(A, d1, a3, d6):
    """Pose of the flange by the successor's description, its joint frames with these lengths.

    A are the axis angles of the controller [rad]; the flange frame has z out of it.
    """
    half = math.pi / 2
    origins = [
        ((0, 0, 0), (-math.pi, 0, 0)),
        ((0.35, 0, -d1), (half, 0, 0)),
        ((1.15, 0, 0), (0, 0, -half)),
        ((a3, 0, 0), (half, 0, 0)),
        ((0, 0, -1.2), (-half, 0, 0)),
        ((0, 0, 0), (half, 0, 0)),
    ]
    T, frames = np.eye(4), []
    for (xyz, rpy), angle in zip(origins, A, strict=True):
        T = T @ pose(rotation_from_rpy(rpy), xyz) @ pose(rotation_from_rpy((0, 0, angle)))
        frames.append(T)
    return T @ pose(rotation_from_rpy((math.pi, 0, 0)), (0, 0, -d6)), frames


def controller_angles(q):
    """Axis angles A of the controller for the variables of the D-H table [rad]."""
    shift = np.radians([0, -90, 90, 0, 0, 0])
    return np.array([-1, 1, 1, -1, 1, -1]) * q + shift


@pytest.mark.parametrize(
    ("robot", "lengths"), [(BOTH[0], (0.675, -0.041, 0.215)), (BOTH[1], (0.435, 0, 0.415))]
)
def test_the_joint_variables_map_to_the_angles_of_the_controller(robot, lengths):
    for q in np.random.default_rng(0).uniform(-3, 3, (30, 6)):
        flange, frames = kuka_chain(controller_angles(q), *lengths)
        found = frame_pose(robot, q[:, None])[..., 0]
        np.testing.assert_allclose(found, flange, rtol=0, atol=1e-12)
        for k, frame in enumerate(frames):  # so the printed inertials stand in their own frames
            link = frame_pose(robot, q[:, None], f"link_{k + 1}")[..., 0]
            np.testing.assert_allclose(link, frame, rtol=0, atol=1e-12)


@pytest.mark.parametrize("robot", BOTH, ids=lambda r: r.name)
def test_the_ranges_are_those_of_the_controller(robot):
    lower = np.array([-185, -140, -120, -350, -125, -350])
    upper = np.array([185, -5, 155, 350, 125, 350])
    limits = np.array([[j.limits.lower, j.limits.upper] for j in robot.independent_joints]).T
    mapped = np.degrees([controller_angles(end) for end in limits])
    np.testing.assert_allclose(mapped.min(axis=0), lower, rtol=0, atol=1e-12)
    np.testing.assert_allclose(mapped.max(axis=0), upper, rtol=0, atol=1e-12)


@pytest.mark.parametrize("robot", BOTH, ids=lambda r: r.name)
def test_masses_and_moments_are_the_successors(robot):
    bodies = [link.inertia for link in robot.links if link.inertia is not None]
    assert [body.mass for body in bodies] == MASSES
    assert sum(MASSES) == pytest.approx(1077.42, abs=0.005)  # [kg]
    for body, moments in zip(bodies, PRINCIPAL, strict=True):
        found = np.linalg.eigvalsh(body.tensor)
        np.testing.assert_allclose(found, np.sort(moments), rtol=1e-12)


@pytest.mark.parametrize("robot", BOTH, ids=lambda r: r.name)
def test_the_card_says_that_the_inertials_are_a_surrogate(robot):
    assumed = [line for line in robot.card.assumptions() if "inertials" in line]
    assert len(assumed) == 1
    assert "surrogate" in assumed[0]
    assert robot.card.ik == "spherical_wrist"


def test_the_two_robots_differ_in_three_lengths_only():
    data, paper = (robot.card.dh for robot in BOTH)
    np.testing.assert_allclose(np.subtract(data.d, paper.d), [0.24, 0, 0, 0, 0, -0.2], atol=1e-15)
    np.testing.assert_array_equal(np.subtract(data.a, paper.a), [0, 0, -0.041, 0, 0, 0])
    assert (data.alpha, data.theta) == (paper.alpha, paper.theta)
