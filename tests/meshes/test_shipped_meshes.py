"""The files in the repository: small, closed, within reach, and coloured where they are shown."""

from pathlib import Path

import numpy as np
import pybullet
import pytest
import trimesh

import sim
from sim.engines.bullet.suppress_c_output import suppress_c_output
from sim.robots import load_robot, shipped_robots
from sim.shapes import collisions
from sim.shapes.palette import PALETTE, rgb
from sim.shapes.surface import surface
from sim.shapes.visuals import visuals
from sim.shapes.wavefront import read_obj
from tools.meshes.model import zero_poses

MESHES = Path(__file__).parents[2] / "meshes"
BUDGET = 600_000  # [bytes] a robot, on the average


def hull_of(visual):
    """The hull as another reader finds it."""
    return trimesh.load_mesh(visual.path, process=False)


def test_all_meshes_together_are_small():
    files = [path for path in MESHES.rglob("*") if path.suffix in (".obj", ".mtl", ".png")]
    assert sum(path.stat().st_size for path in files) < BUDGET * len(shipped_robots())


def test_no_file_is_left_over():
    used = {MESHES / "palette.png"}
    for name in shipped_robots():
        robot = load_robot(name)
        used |= {each.path.resolve() for each in (*visuals(robot), *collisions(robot))}
    there = {path for path in MESHES.rglob("*") if path.suffix in (".obj", ".png")}
    assert there == used


@pytest.mark.parametrize("name", shipped_robots())
def test_a_hull_is_closed_convex_of_few_faces_and_close_around_its_link(name):
    robot = load_robot(name)
    for shown, hull in zip(visuals(robot), collisions(robot), strict=True):
        mesh = hull_of(hull)
        assert mesh.is_watertight, hull.path
        assert mesh.is_winding_consistent, hull.path
        assert mesh.volume > 0, hull.path
        assert len(mesh.faces) <= 140, hull.path
        planes = np.einsum("ij,ij->i", mesh.face_normals, mesh.triangles_center)[:, None]
        assert (mesh.face_normals @ mesh.vertices.T - planes).max() < 2e-5, hull.path  # [m] convex
        vertices = surface(shown).vertices
        np.testing.assert_allclose(
            mesh.bounds, [vertices.min(axis=0), vertices.max(axis=0)], rtol=0, atol=2e-4
        )  # [m], two roundings
        # A polyhedron that touches a body in 70 directions cannot cut off more than a little.
        size = np.ptp(vertices, axis=0).max()
        assert (mesh.face_normals @ vertices.T - planes).max() < 0.1 * size, hull.path


@pytest.mark.rotates(3)
@pytest.mark.parametrize("path", sorted(MESHES.rglob("*.obj")), ids=lambda path: path.stem)
def test_each_body_of_a_mesh_is_closed_and_no_face_is_there_twice(path):
    """As trimesh counts: two faces at each edge, run opposite ways; no body exceeds its hull."""
    triangles = read_obj(path.read_bytes(), path.parent)
    mesh = trimesh.Trimesh(triangles.vertices, triangles.faces, process=False)
    assert mesh.unique_faces().all()
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    volumes = []
    for body in mesh.split(only_watertight=False, repair=False):
        assert body.is_watertight
        assert 0 < body.volume <= body.convex_hull.volume * (1 + 1e-6)  # rounding of a convex one
        volumes.append(body.volume)
    united = sim.inertia_of(path)
    assert united.bodies == len(volumes)
    assert max(volumes) <= united.volume * (1 + 1e-9)
    assert united.volume + united.counted_twice == pytest.approx(sum(volumes), rel=1e-9)


@pytest.mark.parametrize("name", shipped_robots())
def test_the_drawing_ends_at_the_tool_and_stays_within_reach(name):
    robot = load_robot(name)
    T_0 = zero_poses(robot)
    reach = (robot.card.reach or load_robot("kr210").card.reach).value
    places = []
    for each in visuals(robot):
        T = T_0[each.link]
        places.append(surface(each).vertices @ T[:3, :3].T + T[:3, 3])
    tool = T_0[robot.tool][:3, 3]
    # [m]; the flange of the palletizer has a bore where its tool frame is
    assert np.linalg.norm(places[-1] - tool, axis=1).min() < 0.031
    # it stands on the floor, which is 0.3 m under the axes of the welding arm
    assert places[0][:, 2].min() == pytest.approx(-0.3 if name == "weld5" else 0, abs=1e-4)
    x, y, z = np.concatenate(places).T
    assert np.hypot(x, y).max() < reach + 0.1
    assert z.max() < reach + 0.3


def test_mass_centres_that_the_maker_prints_are_inside_the_picture():
    robot = load_robot("ur10")
    for each in visuals(robot):
        vertices = surface(each).vertices
        com = robot.link(each.link).inertia.com
        assert (vertices.min(axis=0) <= com).all(), each.link
        assert (com <= vertices.max(axis=0)).all(), each.link


def test_a_rod_of_the_palletizer_reaches_both_of_its_pins():
    robot = load_robot("irb460")
    meshes = {each.link: surface(each).vertices for each in visuals(robot)}
    assert len(robot.loops) == 3
    for loop in robot.loops:
        for end in (np.zeros(3), loop.point_a):  # the rod hangs on one pin and closes on the other
            across = (meshes[loop.link_a] - end)[:, 1:]
            eye = across[np.linalg.norm(across, axis=1) < 0.06]
            assert len(eye) > 40, loop.name
            np.testing.assert_allclose(
                (eye.max(axis=0) + eye.min(axis=0)) / 2, 0, atol=0.03, err_msg=loop.name
            )
        pin = (meshes[loop.link_b] - loop.point_b)[:, 1:]
        assert np.linalg.norm(pin, axis=1).min() < 0.03, loop.name


@pytest.fixture
def picture():
    """Pixels of a robot at home in PyBullet's own software renderer, shape (N, 3)."""
    client = pybullet.connect(pybullet.DIRECT)

    def draw(name):
        robot = load_robot(name)
        path = str(robot.folder / f"{name}.urdf")
        with suppress_c_output():
            body = pybullet.loadURDF(path, useFixedBase=True, physicsClientId=client)
        for index in range(pybullet.getNumJoints(body, physicsClientId=client)):
            joint = pybullet.getJointInfo(body, index, physicsClientId=client)[1].decode()
            if joint in robot.joint_names:
                q = robot.pose("home")[robot.joint_names.index(joint)]
                pybullet.resetJointState(body, index, q, physicsClientId=client)
        view = pybullet.computeViewMatrixFromYawPitchRoll((0, 0.3, 0.8), 4, 120, -20, 0, 2)
        lens = pybullet.computeProjectionMatrixFOV(40, 4 / 3, 0.1, 10)
        shot = pybullet.getCameraImage(
            160, 120, view, lens, renderer=pybullet.ER_TINY_RENDERER, physicsClientId=client
        )
        return np.reshape(shot[2], (-1, 4))[:, :3]

    yield draw
    pybullet.disconnect(client)


@pytest.mark.parametrize(
    ("name", "colour"),
    [
        ("ur10", "cap blue"),
        ("kr210", "cast orange"),
        ("irb460", "arm orange"),
        ("weld5", "yellow"),
        ("weld5", "graphite"),
    ],
)
def test_pybullet_shows_the_colours_of_the_palette(picture, name, colour):
    """Lit faces keep the ratios of red, green and blue."""
    pixels = picture(name).astype(float)
    seen = pixels[pixels.min(axis=1) < 250]
    hues = seen / np.maximum(seen.max(axis=1, keepdims=True), 1)
    wanted = np.array(rgb(colour)) / max(rgb(colour))
    assert (np.abs(hues - wanted).max(axis=1) < 0.03).sum() > 20
    others = [np.array(rgb(each)) / max(rgb(each)) for each in PALETTE if each != colour]
    assert min(np.abs(wanted - other).max() for other in others) > 0.01
