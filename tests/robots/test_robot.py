import dataclasses

import numpy as np
import pinocchio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.errors import ModelError
from sim.robots import Inertia, Joint, Link, Mimic, Robot, load_robot, read_urdf
from tests.helpers.random_robots import random_urdf


def chain(*mimics: Mimic | None) -> Robot:
    """Joints a, b, c, ... one behind the other, each with its mimic."""
    joints = [
        Joint(
            name,
            "revolute",
            name.upper(),
            chr(ord(name) + 1).upper(),
            np.eye(4),
            (0, 0, 1),
            mimic=m,
        )
        for name, m in zip("abcdefg", mimics, strict=False)
    ]
    links = [Link("A"), *(Link(joint.child) for joint in joints)]
    return Robot("chain", tuple(links), tuple(joints), "")


def test_a_follower_of_a_follower_multiplies_and_adds():
    # b = 2 a + 1, c = 3 b - 0.5 = 6 a + 2.5, d free, e = -d.
    robot = chain(None, Mimic("a", 2, 1), Mimic("b", 3, -0.5), None, Mimic("d", -1))
    S, q_0 = robot.coupling
    assert robot.joint_names == ("a", "d")
    assert S.tolist() == [[1, 0], [2, 0], [6, 0], [0, 1], [0, -1]]
    assert q_0.tolist() == [0, 1, 2.5, 0, 0]


def test_a_leader_may_come_after_its_follower():
    robot = chain(Mimic("b", 0.5, 3), None)
    S, q_0 = robot.coupling
    assert robot.joint_names == ("b",)
    assert S.tolist() == [[0.5], [1]]
    assert q_0.tolist() == [3, 0]


@given(st.integers(0, 2**32), st.integers(1, 12))
def test_the_coupled_positions_satisfy_every_mimic(seed, n):
    rng = np.random.default_rng(seed)
    robot = read_urdf(random_urdf(rng, n, mimic=True))
    S, q_0 = robot.coupling
    q = rng.uniform(-3, 3, len(robot.joint_names))
    q_tree = dict(zip((joint.name for joint in robot.tree_joints), S @ q + q_0, strict=True))
    for name, value in zip(robot.joint_names, q, strict=True):
        assert q_tree[name] == value
    for joint in robot.tree_joints:
        if joint.mimic is not None:
            followed = joint.mimic.multiplier * q_tree[joint.mimic.joint] + joint.mimic.offset
            # Chains of 11 factors of 2 multiply the last bit.
            assert q_tree[joint.name] == pytest.approx(followed, rel=1e-12, abs=1e-12)


def test_without_mimic_joints_the_coupling_is_the_identity():
    S, q_0 = load_robot("ur10").coupling
    np.testing.assert_array_equal(S, np.eye(6))
    assert not q_0.any()


def test_fixed_joints_are_not_in_the_coordinates():
    robot = load_robot("ur10")
    assert len(robot.joints) == 7
    assert [joint.name for joint in robot.tree_joints] == list(robot.joint_names)
    assert "tool0_joint" not in robot.joint_names


def test_an_unknown_link_joint_or_pose_is_refused_with_those_there_are():
    robot = load_robot("ur10")
    with pytest.raises(ModelError, match=r"Link 'hand' is not in robot 'ur10'; .*: base_link, "):
        robot.link("hand")
    with pytest.raises(ModelError, match=r"Joint 'knee' .*shoulder_pan_joint, .*tool0_joint"):
        robot.joint("knee")
    with pytest.raises(ModelError, match=r"Pose 'folded' .*available: zero, home, upright"):
        robot.pose("folded")
    with pytest.raises(ModelError, match=r"available: zero$"):
        chain(None).pose("home")


def test_the_pose_zero_needs_no_card():
    assert chain(None, None, Mimic("a")).pose("zero").tolist() == [0, 0]


def test_a_mounted_robot_stands_where_it_is_told():
    robot = load_robot("ur10").mounted((1, 2, 3), (0.4, -0.5, 0.6))
    oracle = pinocchio.SE3(pinocchio.rpy.rpyToMatrix(0.4, -0.5, 0.6), np.array([1.0, 2, 3]))
    np.testing.assert_allclose(robot.T_0b, oracle.homogeneous, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(load_robot("ur10").T_0b, np.eye(4))
    for xyz in ((0, 0, np.inf), (0, 0)):
        with pytest.raises(ModelError, match="Mounting of robot 'ur10' takes three finite numbers"):
            robot.mounted(xyz)


def test_values_cannot_be_changed_from_outside():
    com, tensor = np.zeros(3), np.eye(3)
    inertia = Inertia(1.0, com, tensor)
    com[0] = tensor[0, 0] = 7
    assert inertia.com[0] == 0
    assert inertia.tensor[0, 0] == 1
    robot = load_robot("ur10")
    for array in (
        inertia.com,
        robot.T_0b,
        robot.joints[0].axis,
        robot.coupling[0],
        robot.pose("home"),
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        robot.name = "another"


@pytest.mark.parametrize("shape", [(2,), (3, 1)])
def test_a_vector_of_another_shape_is_refused(shape):
    with pytest.raises(ValueError, match=r"expected shape \(3,\)"):
        Inertia(1.0, np.zeros(shape), np.eye(3))
