from dataclasses import replace

import msgspec
import numpy as np
import pytest

from sim.errors import ModelError
from sim.kinematics.inverse import branches, inverse_kinematics
from sim.kinematics.inverse.recognition import family_of
from sim.maths import pose
from sim.robots import load_robot, read_urdf
from tests.helpers.axes_robot import PALLETIZER, urdf_of_axes
from tests.helpers.random_robots import random_urdf

NAMES = {"ur10": "ur", "kr210": "spherical_wrist", "kr210_paper": "spherical_wrist"}
NAMES["weld5"] = "five_axis"


def with_ik(robot, name):
    return replace(robot, card=msgspec.structs.replace(robot.card, ik=name))


@pytest.mark.parametrize("name", NAMES)
def test_card_and_geometry_name_the_same_family(name):
    robot = load_robot(name)
    assert robot.card.ik == NAMES[name]
    assert family_of(robot).name == NAMES[name]
    assert family_of(replace(robot, card=None)).name == NAMES[name]


def test_a_palletizer_is_recognised_by_its_coupling():
    assert family_of(read_urdf(PALLETIZER)).name == "palletizer"
    loose = PALLETIZER.replace('multiplier="-1"', 'multiplier="-0.9"')
    assert family_of(read_urdf(loose)) is None


def test_a_card_may_ask_for_the_numerical_solution():
    robot = with_ik(load_robot("ur10"), "numerical")
    assert family_of(robot) is None
    with pytest.raises(ModelError, match="no closed-form inverse kinematics"):
        branches(robot, np.eye(4)[..., None])


def test_a_card_that_names_no_family_is_refused_with_those_there_are():
    with pytest.raises(ModelError, match=r"ik 'scara' is no family.*ur, spherical_wrist"):
        family_of(with_ik(load_robot("ur10"), "scara"))


def test_a_card_that_names_another_family_than_the_axes_have_is_refused():
    with pytest.raises(ModelError, match=r"ik is 'spherical_wrist', but the axes.*'tool0'"):
        family_of(with_ik(load_robot("ur10"), "spherical_wrist"))


def test_a_frame_before_the_last_joint_is_no_family_and_is_solved_by_numbers():
    ur10 = load_robot("ur10")
    assert family_of(ur10, "wrist_2_link") is None
    q = np.array([0.3, -1.0, 1.2, 0.4, 0.8, 0.0])
    from sim.kinematics.forward import frame_pose

    T = frame_pose(ur10, q[:, None], "wrist_2_link")[..., 0]
    answer = inverse_kinematics(ur10, T, near=q, frame="wrist_2_link")
    assert answer.family == "numerical"
    np.testing.assert_allclose(answer.solutions[answer.nearest].q, q, rtol=0, atol=1e-8)


@pytest.mark.parametrize("seed", range(20))
def test_random_arms_are_no_family(seed):
    rng = np.random.default_rng(seed)
    robot = read_urdf(random_urdf(rng, 6, branching=False, prismatic=False))
    assert family_of(robot) is None


AXES = np.array([(0, 0, 1), (0, 1, 0), (0, 1, 0), (0, 1, 0), (0, 0, 1), (0, 1, 0)], float)
POINTS = np.array(
    [(0, 0, 0), (0, 0, 0.1), (0.6, 0, 0.1), (1.1, 0.1, 0.1), (1.1, 0.1, 0), (1.1, 0.2, 0)]
)
UR_LIKE = pose(None, (1.1, 0.3, 0.0))


def test_an_arm_like_a_ur_is_recognised_by_its_axes():
    assert family_of(read_urdf(urdf_of_axes(AXES, POINTS, UR_LIKE), tool="tool")).name == "ur"


@pytest.mark.parametrize(
    ("axis", "direction", "point"),
    [
        (1, (0, 0.8, 0.6), None),  # not square to axis 1
        (2, (0.1, 0.99498743710662, 0), None),  # not parallel to axis 2
        (3, (1, 0, 0), None),
        (4, (0, 0.6, 0.8), None),  # not square to axis 4
        (5, (0, 0.8, 0.6), None),  # not square to axis 5
        (5, (0, 1, 0), (1.15, 0.2, 0)),  # does not meet axis 5
        (2, (0, 1, 0), (0, 0, 0.1)),  # no upper arm
    ],
)
def test_an_arm_that_misses_one_condition_is_none(axis, direction, point):
    axes, points = AXES.copy(), POINTS.copy()
    axes[axis] = direction
    if point is not None:
        points[axis] = point
    assert family_of(read_urdf(urdf_of_axes(axes, points, UR_LIKE), tool="tool")) is None


@pytest.mark.parametrize("slide", range(6))
def test_a_sliding_joint_is_none(slide):
    kinds = "".join("p" if i == slide else "r" for i in range(6))
    robot = read_urdf(urdf_of_axes(AXES, POINTS, UR_LIKE, kinds), tool="tool")
    assert family_of(robot) is None


def test_an_unknown_frame_is_refused():
    with pytest.raises(ModelError, match="'gripper' is not in robot 'ur10'"):
        family_of(load_robot("ur10"), "gripper")
