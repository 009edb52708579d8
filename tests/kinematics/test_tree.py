import numpy as np
import pytest
from hypothesis import given

from sim.kinematics.tree import tree_of
from sim.maths import pose, rotation_from_rpy
from sim.robots import load_robot
from tests.helpers.random_worlds import robots
from tests.helpers.small_robots import double_pendulum, joint, link, robot

ROUNDING = 1e-14


def branched():
    """ground - one ─ plate (fixed) ─ two; one ─ three."""
    return robot(
        link("one", 1.0, "0 0 1"),
        joint("a", "revolute", "ground", "one", "0 0 1"),
        link("plate", 2.0, "0.1 0 0"),
        joint("weld", "fixed", "one", "plate", "1 0 0", '<origin xyz="0 0 3"/>'),
        link("two", 3.0),
        joint("b", "prismatic", "plate", "two", "0 1 0", '<origin xyz="4 0 0"/>'),
        link("three", 4.0),
        joint("c", "revolute", "one", "three", "1 0 0"),
    )


def bodies():
    """Body of each moving joint of the branched robot, by the joint's name."""
    return {each.name: body for body, each in enumerate(branched().tree_joints)}


def test_bodies_are_the_moving_joints_with_parents_first():
    tree, body = tree_of(branched()), bodies()
    assert tree.n == len(body) == 3
    parents = {name: tree.parent[index] for name, index in body.items()}
    assert parents == {"a": -1, "b": body["a"], "c": body["a"]}
    assert {name for name, index in body.items() if tree.prismatic[index]} == {"b"}


def test_ancestors_run_from_the_root_to_the_body_itself():
    tree, body = tree_of(branched()), bodies()
    assert tree.ancestors(-1) == ()
    assert tree.ancestors(body["a"]) == (body["a"],)
    for name in ("b", "c"):
        assert tree.ancestors(body[name]) == (body["a"], body[name])


def test_links_joined_rigidly_ride_on_one_body():
    tree, body = tree_of(branched()), bodies()
    carriers = {"ground": -1, "one": body["a"], "plate": body["a"]}
    carriers |= {"two": body["b"], "three": body["c"]}
    assert {name: index for name, (index, _) in tree.frames.items()} == carriers
    np.testing.assert_array_equal(tree.frames["plate"][1], pose(position=(0, 0, 3)))
    plate = next(mass for mass in tree.masses if mass.link == "plate")
    assert (plate.body, plate.mass, plate.com.tolist()) == (body["a"], 2.0, [0.1, 0.0, 3.0])
    assert sorted(mass.link for mass in tree.masses) == ["one", "plate", "three", "two"]


def test_links_that_cannot_move_and_links_without_mass_are_no_masses():
    base = link("base", 5.0), joint("bolt", "fixed", "ground", "base", "1 0 0")
    arm = link("arm", 1.0), joint("hinge", "revolute", "base", "arm", "0 1 0")
    tip = '<link name="tip"/>', joint("weld", "fixed", "arm", "tip", "1 0 0")
    tree = tree_of(robot(*base, *arm, *tip))
    assert [mass.link for mass in tree.masses] == ["arm"]
    assert set(tree.frames) == {"ground", "base", "arm", "tip"}


def test_a_plain_robot_keeps_plain_numbers():
    tree = tree_of(double_pendulum(1.0, 1.0, 0.5, 0.5))
    assert set(np.abs(tree.R_ji).ravel().tolist()) == {0.0, 1.0}
    assert set(np.abs(tree.T_pi).ravel().tolist()) == {0.0, 0.5, 1.0}


@given(robots(mimic=True))
def test_the_z_axis_of_every_body_is_the_axis_of_its_joint(found):
    tree = tree_of(found)
    for joint_of_body, R_ji in zip(found.tree_joints, tree.R_ji, strict=True):
        np.testing.assert_allclose(R_ji[:, 2], joint_of_body.axis, rtol=0, atol=ROUNDING)
        np.testing.assert_allclose(R_ji @ R_ji.T, np.eye(3), rtol=0, atol=ROUNDING)
        assert np.linalg.det(R_ji) > 0


@given(robots())
def test_parents_come_before_children_and_nothing_is_lost(found):
    tree = tree_of(found)
    assert all(parent < body for body, parent in enumerate(tree.parent))
    assert set(tree.frames) == {each.name for each in found.links}
    moving = [name for name, (body, _) in tree.frames.items() if body >= 0]
    weights = {each.name: each.inertia.mass for each in found.links if each.inertia}
    assert {mass.link: mass.mass for mass in tree.masses} == {
        name: weights[name] for name in moving if name in weights
    }


@given(robots())
def test_links_at_rest_stand_where_the_urdf_puts_them(found):
    """T_0l at q = 0 is the product of the joints' origins, whatever the body frames are."""
    tree = tree_of(found)
    bodies = []
    for parent, T_pi in zip(tree.parent, tree.T_pi, strict=True):
        bodies.append((bodies[parent] if parent >= 0 else np.eye(4)) @ T_pi)
    places = {found.links[0].name: found.T_0b}
    for each in found.joints:
        places[each.child] = places[each.parent] @ each.T_pc
    for name, (body, T_bl) in tree.frames.items():
        T_0l = T_bl if body < 0 else bodies[body] @ T_bl
        np.testing.assert_allclose(T_0l, places[name], rtol=0, atol=1e-13)


@given(robots())
def test_a_tensor_turned_into_a_body_frame_keeps_its_principal_moments(found):
    for mass in tree_of(found).masses:
        original = found.link(mass.link).inertia
        np.testing.assert_allclose(
            np.linalg.eigvalsh(mass.tensor), np.linalg.eigvalsh(original.tensor), atol=1e-14
        )


def test_a_mounted_robot_stands_on_its_mounting():
    mounted = load_robot("ur10").mounted((1, 2, 3), (0.1, 0.2, 0.3))
    T_0b = pose(rotation_from_rpy((0.1, 0.2, 0.3)), (1, 2, 3))
    np.testing.assert_array_equal(tree_of(mounted).frames["base_link"][1], T_0b)
    plain, moved = tree_of(load_robot("ur10")), tree_of(mounted)
    np.testing.assert_allclose(moved.T_pi[0], T_0b @ plain.T_pi[0], rtol=0, atol=ROUNDING)
    np.testing.assert_array_equal(moved.T_pi[1:], plain.T_pi[1:])


def test_the_tree_of_a_robot_is_made_once_and_cannot_be_changed():
    ur10 = load_robot("ur10")
    tree = tree_of(ur10)
    assert tree_of(ur10) is tree
    with pytest.raises(ValueError, match="read-only"):
        tree.T_pi[0, 0, 0] = 2.0
