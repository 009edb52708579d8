"""The drawings: the same each time, on the joints of the URDF, nothing loose."""

import hashlib
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from manifold3d import Manifold

from sim.kinematics import frame_pose
from sim.robots import load_robot, read_urdf
from sim.shapes.wavefront import read_obj
from tools.meshes.files import ROBOTS, SHARED, drawn, texts, write
from tools.meshes.model import Model, zero_poses

ROOT = Path(__file__).parents[2]
TOUCH = 0.012  # [m]: two links are no further apart than the widest seal between them


@cache
def whole(name):
    """Each link of a robot as one body in its own frame."""
    robot = load_robot(name)
    model = ROBOTS[name](robot)
    return {link: Manifold.compose([b for b, _ in model.in_link(link)]) for link in model.bodies}


def hashes(folder):
    return {
        path.relative_to(folder): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*.*")
    }


def test_the_same_dimensions_give_the_same_bytes(tmp_path):
    """In another process with other hashes of strings, so that no order is left to chance."""
    command = [sys.executable, "-m", "tools.meshes", "weld5", "--out", str(tmp_path / "a")]
    environment = {"PYTHONHASHSEED": "7", "PYTHONPATH": str(ROOT)}
    said = subprocess.run(
        command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    )
    write(["weld5"], tmp_path / "b")
    assert hashes(tmp_path / "a") == hashes(tmp_path / "b")
    assert len(said.stdout.splitlines()) == len(hashes(tmp_path / "a")) == 14


@pytest.mark.rotates(2)
@pytest.mark.parametrize("name", ROBOTS)
def test_the_shipped_files_are_those_of_the_shipped_robots(name):
    """Their extents, to what is left after rounding; the cut into triangles may change."""
    links = drawn(name)
    assert {path.name for path in (ROOT / "meshes" / name).iterdir()} == set(texts(name))
    for link, bodies in links.items():
        path = ROOT / "meshes" / name / f"{link}.obj"
        vertices = read_obj(path.read_bytes(), path.parent).vertices
        low, high = np.split(np.array(Manifold.compose([b for b, _ in bodies]).bounding_box()), 2)
        np.testing.assert_allclose(vertices.min(axis=0), low, rtol=0, atol=5.1e-5)  # [m]
        np.testing.assert_allclose(vertices.max(axis=0), high, rtol=0, atol=5.1e-5)  # [m]


def test_a_robot_draws_only_the_links_that_differ_from_the_one_it_shares_with():
    assert SHARED == {"irb460_paper": "irb460", "kr210_paper": "kr210"}
    assert set(drawn("kr210_paper")) == {"base_link", "link_1", "link_3", "link_6"}
    used = load_robot("kr210_paper").text
    for link in ("link_2", "link_4", "link_5"):
        assert f"../meshes/kr210/{link}.obj" in used
    own = {"swing_base", "crank", "upper_arm", "link_plate", "wrist"}
    assert set(drawn("irb460_paper")) == own
    assert "../meshes/irb460/parallel_rod.obj" in load_robot("irb460_paper").text


@pytest.mark.parametrize("name", ROBOTS)
def test_poses_at_zero_are_those_of_the_kinematics(name):
    robot = load_robot(name)
    found = zero_poses(robot)
    q = np.zeros((len(robot.independent_joints), 1))
    for link in robot.links:
        wanted = frame_pose(robot, q, link.name)[..., 0]
        np.testing.assert_allclose(found[link.name], wanted, rtol=0, atol=1e-15, err_msg=link.name)


@pytest.mark.parametrize("name", ROBOTS)
def test_no_part_of_a_link_is_loose(name):
    model = ROBOTS[name](load_robot(name))
    for link, painted in model.bodies.items():
        bodies = [body for body, _ in painted]
        reached, waiting = set(), {0}
        while waiting:
            here = waiting.pop()
            reached.add(here)
            near = (k for k in range(len(bodies)) if k not in reached | waiting)
            waiting |= {k for k in near if bodies[here].min_gap(bodies[k], 0.01) < 1e-3}
        assert reached == set(range(len(bodies))), link


def turned(axis, angle):
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    T = np.eye(4)
    T[:3, :3] += np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
    return T


@pytest.mark.parametrize("name", ROBOTS)
def test_neighbours_stay_together_however_their_joint_turns(name):
    bodies = whole(name)
    for joint in load_robot(name).tree_joints:
        for angle in (0.0, 0.7, 1.6, -2.3):
            T_pl = joint.T_pc @ turned(joint.axis, angle)
            child = bodies[joint.child].transform(T_pl[:3])
            assert bodies[joint.parent].min_gap(child, 0.1) < TOUCH, (joint.name, angle)


@pytest.mark.parametrize("name", ROBOTS)
def test_parts_are_closed_bodies(name):
    for body, _ in (pair for bodies in drawn(name).values() for pair in bodies):
        assert not body.is_empty()
        assert body.volume() > 0


def test_a_longer_arm_gets_a_longer_mesh():
    text = load_robot("ur10").text.replace('xyz="-0.612 0 0"', 'xyz="-0.8 0 0"')
    longer: Model = ROBOTS["ur10"](read_urdf(text))
    body = Manifold.compose([b for b, _ in longer.in_link("upper_arm_link")])
    before = whole("ur10")["upper_arm_link"].bounding_box()
    assert before[0] - body.bounding_box()[0] == pytest.approx(0.188, abs=1e-6)  # [m]
