import numpy as np
import pytest

from sim.engines.bullet.view.scene import Scene
from sim.engines.bullet.view.shown_urdf import shown_urdf
from sim.kinematics import body_poses, tree_of
from sim.maths import pose
from sim.robots import load_robot, read_urdf, shipped_robots
from sim.shapes import Visual, skeleton
from sim.shapes.visuals import visuals
from tests.helpers.small_robots import lift, pendulum

KEYS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
SINGLE = 2e-6  # m and 1; PyBullet keeps the frames of links in single precision


def shown_poses(plant, shapes, q_tree):
    """Pose of every moved link in PyBullet."""
    with Scene() as scene:
        shown = scene.add(plant, shapes)
        scene.place(shown, q_tree)
        p = scene.bullet
        found = {}
        for link, number in shown.links.items():
            if number >= 0:
                state = p.getLinkState(shown.body, number, computeForwardKinematics=1)
                T = np.eye(4)
                T[:3, :3] = np.reshape(p.getMatrixFromQuaternion(state[5]), (3, 3))
                T[:3, 3] = state[4]
                found[link] = T
    return found


@pytest.mark.parametrize("name", shipped_robots())
def test_every_link_is_shown_where_forward_kinematics_has_it(name):
    plant = load_robot(name).mounted((0.3, -0.2, 0.5), (0.4, -0.3, 1.0))
    tree = tree_of(plant)
    q_tree = np.random.default_rng(7).uniform(-1.5, 1.5, tree.n)
    poses = body_poses(tree, q_tree[:, None])
    found = shown_poses(plant, skeleton(plant), q_tree)
    assert set(found) == {link.name for link in plant.links[1:]}
    for link, T in found.items():
        body, T_bl = tree.frames[link]
        np.testing.assert_allclose(
            T[:3, :3], poses.rotation(body, T_bl[:3, :3])[:, :, 0], atol=SINGLE
        )
        np.testing.assert_allclose(T[:3, 3], poses.point(body, T_bl[:3, 3])[:, 0], atol=SINGLE)


def test_a_slide_goes_beyond_any_limit():
    found = shown_poses(lift(1.0), skeleton(lift(1.0)), np.array([7.5]))
    np.testing.assert_allclose(found["load"][:3, 3], [0, 0, 7.5], atol=SINGLE)


def test_no_name_of_a_user_reaches_the_file():
    evil = "&lt;/link&gt;'&amp;" + "x" * 150
    moments = " ".join(f'{key}="1"' if key[1] == key[2] else f'{key}="0"' for key in KEYS)
    inertial = f'<inertial><mass value="1"/><inertia {moments}/></inertial>'
    plant = read_urdf(
        f'''<robot name="r"><link name="a"/><link name="{evil}">{inertial}</link>
        <joint name="j{evil}" type="continuous"><parent link="a"/><child link="{evil}"/></joint>
        </robot>'''
    )
    assert "xxx" not in shown_urdf(plant, skeleton(plant))
    assert len(shown_poses(plant, skeleton(plant), np.array([0.1]))) == 1


def test_meshes_are_named_by_their_whole_path_and_nothing_is_left_without_a_colour():
    plant = load_robot("ur10")
    text = shown_urdf(plant, visuals(plant))
    paths = [line.split('"')[1] for line in text.splitlines() if "<mesh" in line]
    assert paths
    assert all(path.startswith("/") and ".." not in path for path in paths)
    assert text.count("<visual") == text.count("<material") == len(visuals(plant))


def test_a_mesh_without_a_path_is_a_slip_of_the_caller():
    with pytest.raises(ValueError, match="a mesh of link 'bob' has no path"):
        shown_urdf(pendulum(1, 1), [Visual("bob", pose(), "mesh")])
