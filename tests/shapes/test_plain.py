import numpy as np
import pytest

from sim.kinematics import body_poses, tree_of
from sim.robots import load_robot, shipped_robots
from sim.shapes.plain import SLENDERNESS, SMALLEST, length_of, skeleton
from tests.helpers.small_robots import double_pendulum, joint, lift, link, pendulum, robot

ROUNDING = 1e-15


def in_world(plant, shape):
    """Pose of a shape in the world at q = 0."""
    tree = tree_of(plant)
    poses = body_poses(tree, np.zeros((tree.n, 1)))
    body, T_bl = tree.frames[shape.link]
    T = np.eye(4)
    T[:3, :3] = poses.rotation(body, T_bl[:3, :3])[:, :, 0]
    T[:3, 3] = poses.point(body, T_bl[:3, 3])[:, 0]
    return T @ shape.T_lv


def test_the_length_of_a_robot_is_that_of_its_longest_chain():
    assert length_of(double_pendulum(1, 1, 0.5, 0.7)) == pytest.approx(1.2, abs=ROUNDING)
    forked = robot(
        link("short", 1.0, "0.1 0 0"),
        link("long", 1.0, "0 0.3 0.4"),
        joint("a", "revolute", "ground", "short", "0 0 1", '<origin xyz="0.2 0 0"/>'),
        joint("b", "revolute", "ground", "long", "0 0 1", '<origin xyz="0 0 -1"/>'),
    )
    assert length_of(forked) == pytest.approx(1.5, abs=ROUNDING)


def test_a_double_pendulum_is_a_foot_two_bars_two_hubs_and_a_bob():
    arm = double_pendulum(1, 1, 0.5, 0.7)
    foot, hub_1, bar_1, hub_2, bar_2, bob = skeleton(arm)
    assert [s.shape for s in (foot, hub_1, bar_1, hub_2, bar_2)] == ["cylinder"] * 5
    assert bob.shape == "sphere"
    assert bar_1.size[1] == pytest.approx(0.5, abs=ROUNDING)
    assert bar_2.size[1] == pytest.approx(0.7, abs=ROUNDING)
    heights = [in_world(arm, s)[2, 3] for s in (bar_1, hub_2, bar_2, bob)]
    np.testing.assert_allclose(heights, [-0.25, -0.5, -0.85, -1.2], atol=ROUNDING)
    for hub in (hub_1, hub_2):  # both hinges turn about y
        np.testing.assert_allclose(np.abs(in_world(arm, hub)[:3, 2]), [0, 1, 0], atol=ROUNDING)
    for bar in (bar_1, bar_2):
        np.testing.assert_allclose(np.abs(in_world(arm, bar)[:3, 2]), [0, 0, 1], atol=ROUNDING)


def test_a_slide_is_a_box_and_a_robot_without_offsets_can_be_seen():
    foot, box = skeleton(lift(1.0, axis="1 0 0"))[:2]
    assert box.shape == "box"
    np.testing.assert_allclose(in_world(lift(1.0, axis="1 0 0"), box)[:3, 2], [1, 0, 0])
    assert foot.size[0] == pytest.approx(2 * SLENDERNESS * SMALLEST)


@pytest.mark.parametrize("name", shipped_robots())
def test_a_bar_reaches_from_each_joint_to_the_next_and_each_has_a_shape_of_its_own(name):
    arm = load_robot(name)
    shapes = skeleton(arm)
    for one in arm.joints:
        end = one.T_pc[:3, 3]
        length = np.linalg.norm(end)
        if length > 0:
            bars = [s for s in shapes if s.link == one.parent and s.shape == "cylinder"]
            ends = [(s.T_lv @ [0, 0, s.size[1] / 2, 1])[:3] for s in bars]
            assert any(np.allclose(found, end) for found in ends)
        if not one.is_movable:
            balls = [s for s in shapes if s.link == one.parent and s.shape == "sphere"]
            assert any(np.allclose(s.T_lv[:3, 3], end) for s in balls)


@pytest.mark.parametrize("name", shipped_robots())
def test_every_joint_that_turns_has_a_drum_about_its_axis(name):
    arm = load_robot(name)
    thickest = max(s.size[0] for s in skeleton(arm) if s.shape == "sphere")
    drums = [s for s in skeleton(arm) if s.shape == "cylinder" and s.size[0] > 1.1 * thickest]
    for one in arm.tree_joints:
        mine = [s for s in drums if s.link == one.child and np.allclose(s.T_lv[:3, 3], 0)]
        assert [np.allclose(s.T_lv[:3, 2], one.axis) for s in mine] == [True]


def test_a_last_link_is_drawn_to_its_mass_centre():
    balls = [s for s in skeleton(pendulum(1.0, 0.7)) if s.shape == "sphere" and s.link == "bob"]
    assert any(np.allclose(s.T_lv[:3, 3], [0, 0, -0.7]) for s in balls)


@pytest.mark.parametrize("robot_name", [n for n in shipped_robots() if load_robot(n).loops])
def test_a_link_is_drawn_to_where_a_loop_holds_it(robot_name):
    plant = load_robot(robot_name)
    shapes = skeleton(plant)
    for loop in plant.loops:
        for name, point in ((loop.link_a, loop.point_a), (loop.link_b, loop.point_b)):
            balls = [s.T_lv[:3, 3] for s in shapes if s.link == name and s.shape == "sphere"]
            assert any(np.allclose(ball, point) for ball in balls)


@pytest.mark.parametrize("name", shipped_robots())
def test_every_shape_has_a_link_and_a_size_and_all_lie_between_the_joints(name):
    plant = load_robot(name)
    shapes = skeleton(plant)
    links = {link.name for link in plant.links}
    assert {shape.link for shape in shapes} <= links
    assert all(min(shape.size) > 0 for shape in shapes)
    reach = length_of(plant)
    assert all(np.linalg.norm(in_world(plant, shape)[:3, 3]) <= reach for shape in shapes)


@pytest.mark.parametrize("name", shipped_robots())
def test_neighbouring_links_differ_in_colour(name):
    arm = load_robot(name)
    colours = {shape.link: shape.rgba for shape in skeleton(arm)}
    pairs = [(j.parent, j.child) for j in arm.joints if {j.parent, j.child} <= colours.keys()]
    assert pairs
    assert all(colours[parent] != colours[child] for parent, child in pairs)
