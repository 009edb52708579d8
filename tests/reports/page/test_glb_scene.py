import json

import numpy as np
import pytest
import trimesh

import sim
from sim.errors import RecordingError
from sim.reports.page import shapes
from sim.reports.page.glb import read_glb
from sim.reports.page.glb_scene import GlbScene, positions, scene_of
from sim.robots import read_urdf
from tests.helpers.page_runs import arm_scene, chunks, good_run
from tests.helpers.short_runs import arm
from tests.helpers.small_robots import joint, lift, link, robot

SHIPPED = ("ur10", "kr210", "weld5", "irb460")


@pytest.mark.parametrize("name", SHIPPED)
def test_another_reader_finds_every_link_where_the_robot_has_it_at_zero(name, tmp_path):
    # Oracle: trimesh reads the GLB's tree; the products of the URDF's origins.
    machine = sim.load_robot(name)
    path = tmp_path / "scene.glb"
    path.write_bytes(scene_of(machine))
    graph = trimesh.load(path).graph
    tree, _ = chunks(path.read_bytes())
    wanted = {machine.links[0].name: machine.T_0b}
    for one in machine.joints:
        wanted[one.child] = wanted[one.parent] @ one.T_pc
    seen = 0
    for node in tree["nodes"]:
        extras = node.get("extras", {})
        if "link" in extras and node["name"] in graph.nodes:
            T, _ = graph.get(node["name"])
            assert np.abs(T - wanted[extras["link"]]).max() < 1e-9  # [m]; rounding of quaternions
            seen += 1
    assert seen == len(machine.links)
    still = good_run().recorded[["ke"]]  # no joint has moved
    for name_of, T in GlbScene.read(path.read_bytes()).poses(still, [0]).items():
        assert np.abs(T[:, :, 0] - wanted[name_of]).max() < 1e-9


def test_poses_at_samples_are_those_that_the_engine_recorded():
    # Oracle: the tool pose that Bullet reports.
    table = good_run().recorded
    samples = [0, 77, 150, 299, len(table) - 1]
    T = arm_scene().poses(table, samples)[arm().tool]
    recorded = table[["tool.x", "tool.y", "tool.z"]].to_numpy()[samples].T
    assert np.abs(T[:3, 3] - recorded).max() < 1e-9  # [m]


def test_a_slide_moves_along_its_axis():
    scene = GlbScene.read(scene_of(lift(2.0, axis="0 1 0")))
    table = good_run().recorded.assign(**{"q.slide": 0.25})
    T = scene.poses(table, [3])["load"][:, :, 0]
    assert T[:3, 3].tolist() == [0, 0.25, 0]


def test_masses_centres_and_axes_are_in_the_extras():
    tree, _ = chunks(scene_of(arm()))
    extras = {n["extras"]["link"]: n["extras"] for n in tree["nodes"] if "extras" in n}
    assert {name: e["mass"] for name, e in extras.items() if "mass" in e} == {
        one.name: one.inertia.mass for one in arm().links if one.inertia
    }
    moving = {e["joint"]: (e["kind"], e["axis"]) for e in extras.values() if "joint" in e}
    assert moving == {j.name: (j.kind, j.axis.tolist()) for j in arm().tree_joints}


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_robot_fits_into_a_page(name):
    assert len(scene_of(sim.load_robot(name))) < 1_500_000  # [byte], before compression


def test_a_robot_without_shapes_is_still_seen():
    bare = robot(link("arm", 1.0, "0 0 0.5"), joint("hinge", "revolute", "ground", "arm", "0 1 0"))
    tree, _ = chunks(scene_of(bare))
    assert any("mesh" in node for node in tree["nodes"])


ARM = (
    '<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>'
    '<origin xyz="0 0 0.4"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    '<visual><geometry><mesh filename="{mesh}"/></geometry></visual>{more}</link>'
    '<link name="tip"><visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual></link>'
    '<joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>'
    '<joint name="k" type="fixed"><parent link="arm"/><child link="tip"/>'
    '<origin xyz="0.3 0 0"/></joint></robot>'
)
ROUND = '<collision><geometry><sphere radius="0.5"/></geometry></collision>'
OTHER = '<visual><geometry><sphere radius="0.5"/></geometry></visual>'


@pytest.mark.parametrize(
    ("mesh", "more", "low", "high", "text"),
    [
        ("lost.obj", "", (0, None, 0), (0.3, None, 0.4), "'lost.obj' does not exist; a box of"),
        ("broken.obj", "", (0, None, 0), (0.3, None, 0.4), "; a box of"),
        ("lost.obj", ROUND, (-0.5, -0.5, -0.5), (0.5, 0.5, 0.5), "a box of 1000 × 1000 × 1000 mm"),
        ("lost.obj", OTHER, (-0.5, -0.5, -0.5), (0.5, 0.5, 0.5), "its other shapes are drawn"),
    ],
)
def test_a_mesh_that_cannot_be_read_is_named_and_a_box_is_drawn(
    tmp_path, mesh, more, low, high, text
):
    (tmp_path / "broken.obj").write_bytes(b"\x00\x01 this is no mesh")
    scene = GlbScene.read(scene_of(read_urdf(ARM.format(mesh=mesh, more=more), folder=tmp_path)))
    (note,) = scene.facts.notes
    assert "link 'arm'" in note and mesh in note and text in note
    corners, _, faces = scene.shapes()["arm"]
    for axis, (a, b) in enumerate(zip(low, high, strict=True)):
        ends = corners[:, axis].min(), corners[:, axis].max()
        if a is None:  # nothing extends it: as thick as a bar, about its middle
            assert ends[1] == -ends[0] > 0.005  # m
        else:
            np.testing.assert_allclose(ends, (a, b), atol=1e-4)  # m, of the grid of corners
    assert (len(faces) == 12) == (more != OTHER)
    assert len(scene.shapes()["tip"][2]) == 12  # all else is drawn as the file has it


def test_names_from_a_urdf_do_no_harm():
    odd = 'a"b</script><script>alert(1)</script>'
    text = scene_of(
        read_urdf(
            f'<robot name="r"><link name={json.dumps("base")}/>'
            "<link name='a&quot;b&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;'>"
            '<inertial><mass value="1"/>'
            '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            '<joint name="j" type="continuous"><parent link="base"/>'
            "<child link='a&quot;b&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;'/></joint>"
            "</robot>"
        )
    )
    assert odd in {node["extras"]["link"] for node in GlbScene.read(text).nodes if "extras" in node}


def test_the_same_robot_gives_the_same_bytes():
    assert scene_of(sim.load_robot("ur10")) == scene_of(sim.load_robot("ur10"))


def test_positions_that_are_no_numbers_stay_where_they_were():
    table = good_run().recorded.copy()
    q = table["q.elbow"].to_numpy().copy()
    q[5:9] = np.nan
    table["q.elbow"] = q
    assert np.all(positions(table, "elbow")[5:9] == q[4])


@pytest.mark.parametrize("spoil", [lambda b: b[:50], lambda b: b"GIF89a" + b[6:], lambda b: b""])
def test_a_damaged_scene_is_a_clear_error(spoil):
    with pytest.raises(RecordingError, match=r"my\.glb cannot be read as GLB"):
        GlbScene.read(spoil(scene_of(arm())), "my.glb")


def test_someone_elses_scene_is_a_clear_error():
    foreign = trimesh.Scene([trimesh.creation.box()]).export(file_type="glb")
    assert read_glb(foreign, "box").tree["nodes"]
    with pytest.raises(RecordingError, match="box is no scene of a robot"):
        GlbScene.read(foreign, "box")


def test_a_run_without_scene_has_none(tmp_path):
    assert GlbScene.beside(tmp_path) is None


def test_beyond_many_faces_links_are_rods_and_the_scene_says_which(monkeypatch):
    monkeypatch.setattr(shapes, "MOST_FACES", 2)
    box = '<visual><geometry><box size="1 1 1"/></geometry></visual></link>'
    parts = [link(name, 1.0).replace("</link>", box) for name in ("a", "b")]
    joints = joint("j", "revolute", "ground", "a", "0 0 1"), joint("k", "fixed", "a", "b", "1 0 0")
    scene = GlbScene.read(scene_of(robot(*parts, *joints)))
    assert scene.facts.notes == [
        "drawn as rods, after 12 faces of other links, where 2 are enough: b"
    ]
