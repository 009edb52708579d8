import re
import sys

import mujoco
import numpy as np
import pytest
import trimesh

from sim import shipped
from sim.robots import load_robot
from tests.helpers.round_meshes import box, together

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"><visual><geometry><mesh filename="cad/foot.stl" scale="0.001 0.001 0.001"/>
    </geometry></visual></link>
  <link name="beam"><visual><origin xyz="0 0 0.25" rpy="0 0 0.5"/>
    <geometry><mesh filename="cad/beam.stl"/></geometry></visual></link>
  <link name="hand"><inertial><mass value="0.7"/>
    <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial>
    <collision><geometry><sphere radius="0.05"/></geometry></collision></link>
  <link name="tool0"/>
  <joint name="lift" type="revolute"><parent link="base"/><child link="beam"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="90" velocity="2"/></joint>
  <joint name="bend" type="revolute"><parent link="beam"/><child link="hand"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="90" velocity="2"/></joint>
  <joint name="end" type="fixed"><parent link="hand"/><child link="tool0"/></joint>
</robot>
"""


@pytest.fixture
def arm(tmp_path):
    """A folder with ``arm.urdf``, its foot in millimetres, its beam of two bars that overlap."""
    (tmp_path / "cad").mkdir()
    (tmp_path / "new").mkdir()
    trimesh.Trimesh(*box((200, 200, 100))).export(tmp_path / "cad" / "foot.stl")
    beam = together(box((0.0625, 0.03125, 0.5)), box((0.03125, 0.0625, 0.5)))  # as floats exact
    trimesh.Trimesh(*beam, process=False).export(tmp_path / "cad" / "beam.stl")
    (tmp_path / "arm.urdf").write_text(ARM)
    return tmp_path


def test_a_robot_is_compared_with_its_shapes(sim_command):
    done = sim_command("mass", "ur10")
    assert (done.status, done.err) == (0, "")
    rows = dict(re.findall(r"^ *(\w+_link) +([\d.]+)", done.out, re.M))
    # manifold3d by itself, of all bodies of the link
    assert rows["upper_arm_link"] == "12.97"
    assert len(rows) == 7
    assert max(map(len, done.out.splitlines())) <= 80


def test_without_manifold3d_it_says_what_to_install(sim_command, monkeypatch):
    monkeypatch.setitem(sys.modules, "manifold3d", None)
    done = sim_command("mass", "ur10")
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert "this requires manifold3d: pip install 'sim[meshes]'" in done.err


def test_a_density_that_no_arm_has_is_marked(sim_command):
    out = sim_command("mass", "weld5").out
    assert [line.split()[0] for line in out.splitlines() if "density?" in line] == ["link_5"]


def test_links_without_a_mass_get_one_and_the_others_keep_theirs(sim_command, arm):
    done = sim_command("mass", "arm.urdf", "--material", "pla", "--material", "base=steel",
                       "--out", "new/arm.urdf")  # fmt: skip
    assert (done.status, done.err) == (0, "")
    assert "masses from shapes 2, kept 1" in done.out
    robot = load_robot(arm / "new" / "arm.urdf")
    assert robot.link("base").inertia.mass == pytest.approx(7850 * 0.004, rel=1e-6)
    assert robot.link("hand").inertia.mass == 0.7
    beam = robot.link("beam").inertia
    area = 2 * 0.0625 * 0.03125 - 0.03125**2
    assert beam.mass == pytest.approx(1240 * 0.5 * area, rel=1e-11)
    np.testing.assert_allclose(beam.com, [0, 0, 0.25], rtol=0, atol=1e-12)
    text = (arm / "new" / "arm.urdf").read_text("utf-8")
    head = (
        r"<!-- written by sim [\d.]+: masses from geometry of base, beam; from robot arm, sha256 "
    )
    assert re.search(head, text)
    assert re.search(r"<!-- pla, 1240 kg/m³, solid; beam.stl sha256 [0-9a-f]{16} -->", text)
    assert 'filename="../cad/beam.stl"' in text
    assert arm.joinpath("arm.urdf").read_text() == ARM


def test_mujoco_weighs_the_written_robot_alike(sim_command, arm):
    """It reads the file by itself, and weighs the foot's mesh by itself too."""
    assert sim_command("mass", "arm.urdf", "--material", "2700", "--out", "out.urdf").status == 0
    model = mujoco.MjModel.from_xml_path(str(arm / "out.urdf"))
    robot = load_robot(arm / "out.urdf")
    beam = robot.link("beam").inertia
    assert model.body("beam").mass[0] == pytest.approx(beam.mass, rel=1e-9)
    wanted = np.sort(np.linalg.eigvalsh(beam.tensor))
    np.testing.assert_allclose(np.sort(model.body("beam").inertia), wanted, rtol=1e-9)


def test_a_shell_says_what_it_leaves_out(sim_command, arm):
    done = sim_command("mass", "arm.urdf", "--material", "base=steel", "--shell", "2mm", "--json")
    base = done.document["links"][0]["by_shapes"]
    assert base["mass"] == pytest.approx(7850 * 0.002 * (2 * 0.04 + 4 * 0.02), rel=1e-6)
    exact = 7850 * (0.004 - 0.196**2 * 0.096)
    assert base["mass"] / exact - 1 == pytest.approx(base["excess"], rel=0.1)
    assert (done.document["links"][1]["by_shapes"].get("mass"), base["thickness"]) == (None, 0.002)
    shown = sim_command("mass", "arm.urdf", "--material", "base=steel", "--shell", "2mm").out
    assert "up to 2.5 % too heavy" in shown


def test_masses_that_are_there_are_replaced_only_when_asked(sim_command, arm):
    options = ("mass", "arm.urdf", "--material", "hand=pla", "--out", "out.urdf")
    kept = sim_command(*options)
    assert (kept.status, kept.out) == (2, "")
    assert "every link with a shape and a material already has a mass" in kept.err
    assert not (arm / "out.urdf").exists()
    assert sim_command(*options, "--replace").status == 0
    ball = 1240 * 4 / 3 * np.pi * 0.05**3
    assert load_robot(arm / "out.urdf").link("hand").inertia.mass == pytest.approx(ball, rel=1e-11)
    assert "in the place of 0.7 kg" in (arm / "out.urdf").read_text("utf-8")


def test_a_mesh_with_a_fault_fails_and_nothing_is_written(sim_command, arm):
    vertices, faces = box((200, 200, 100))
    trimesh.Trimesh(vertices, faces[1:], process=False).export(arm / "cad" / "foot.stl")
    looked = sim_command("mass", "arm.urdf")
    assert looked.status == 1
    assert "not closed: 3 edges have a face on one side only" in looked.out
    wrote = sim_command("mass", "arm.urdf", "--material", "pla", "--out", "out.urdf")
    assert (wrote.status, wrote.out) == (2, "")
    assert "out.urdf is not written: link 'base'" in wrote.err
    assert not (arm / "out.urdf").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--material", "steal"), "Material 'steal' is not in the table; there are steel, "),
        (("--material", "7.85"), "7.85 g/cm³ are 7850"),
        (("--material", "elbow=pla"), "'elbow' is not in robot 'arm'"),
        (("--material", "tool0=pla"), "link 'tool0' has no shape;"),
        (("--material", "pla", "--material", "abs"), "--material pla and abs: only one material"),
        (("--material", "hand=pla", "--material", "hand=abs"), "link 'hand' is given twice"),
        (("--shell", "3mm"), "--shell requires --material"),
        (("--material", "pla", "--shell", "3"), "such as 3mm or 0.003m"),
        (("--material", "pla", "--shell", "0mm"), "must be a positive thickness"),
        (("--material", "pla", "--replace"), "--replace requires --out OUT.urdf"),
        (("--out", "out.urdf"), "--out requires --material"),
        (("--material", "pla", "--out", "no/out.urdf"), "no is not a folder"),
        (("--material", "pla", "--out", "arm.urdf"), "sim did not write it"),
    ],
)
def test_what_cannot_be_meant_is_one_line_and_nothing_is_written(
    sim_command, arm, options, message
):
    done = sim_command("mass", "arm.urdf", *options)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert message in done.err
    assert not (arm / "out.urdf").exists()


def test_an_unknown_material_of_a_robot_without_shapes_is_refused_too(sim_command):
    done = sim_command("mass", str(shipped.scenarios() / "my_arm.urdf"), "--material", "steal")
    assert done.status == 2
    assert "Material 'steal' is not in the table" in done.err


@pytest.mark.parametrize("name", ["ur10", str(shipped.urdf() / ".." / "urdf" / "ur10.urdf")])
def test_published_masses_are_not_replaced(sim_command, arm, name):
    done = sim_command("mass", name, "--material", "pla", "--replace", "--out", "x.urdf")
    assert done.status == 2
    assert "they are compared, not replaced" in done.err


def test_a_robot_without_shapes_says_so(sim_command, tmp_path):
    text = re.sub(r"<(visual|collision)>.*?</\1>", "", ARM, flags=re.S)
    (tmp_path / "bare.urdf").write_text(text)
    done = sim_command("mass", "bare.urdf", "--material", "steel")
    says = "no link of robot 'arm' has a visual or collision shape"
    assert (done.status, done.out, done.err) == (0, f"{says}\n", "")
    done = sim_command("mass", "bare.urdf", "--material", "steel", "--out", "new.urdf")
    assert (done.status, done.out) == (2, "")
    assert done.err == f"sim: new.urdf is not written: {says}\n"
    assert not (tmp_path / "new.urdf").exists()


def test_meshes_of_a_package_are_found_from_where_the_urdf_is_written(sim_command, arm):
    package = arm / "src" / "my arm"
    (package / "urdf").mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>my arm</name></package>")
    (arm / "cad").rename(package / "cad")
    text = ARM.replace('filename="cad/', 'filename="package://my arm/cad/')
    (package / "urdf" / "arm.urdf").write_text(text)
    given = ("src/my arm/urdf/arm.urdf", "--material", "steel", "--out")
    for out, beam in (
        ("new/arm.urdf", "../src/my arm/cad/beam.stl"),
        ("src/my arm/urdf/new.urdf", "package://my arm/cad/beam.stl"),
    ):
        done = sim_command("mass", *given, out)
        assert (done.status, done.err) == (0, "")
        assert f'<mesh filename="{beam}"/>' in (arm / out).read_text("utf-8")
        assert sim_command("mass", out).status == 0


def test_meshes_in_another_unit_are_weighed_by_one_scale(sim_command, tmp_path):
    trimesh.Trimesh(*box((200, 100, 50))).export(tmp_path / "part.stl")
    mesh = '<visual><geometry><mesh filename="part.stl"/></geometry></visual>'
    path = tmp_path / "part.urdf"
    path.write_text(f'<robot name="part"><link name="part">{mesh}</link></robot>')
    assert sim_command("mass", str(path)).status == 1  # 200 m large
    given = ("mass", str(path), "--mesh-scale", "0.001", "--material", "2700")
    done = sim_command(*given, "--out", "out.urdf", "--json")
    (link,) = done.document["links"]
    assert link["by_shapes"]["volume"] == pytest.approx(0.2 * 0.1 * 0.05, rel=1e-6)  # [m³]
    (again,) = sim_command("mass", "out.urdf", "--json").document["links"]
    assert again["implied_density"] == pytest.approx(2700, rel=1e-6)


@pytest.mark.parametrize("scale", ["0", "-0.001", "nan", "inf", "mm", ""])
def test_a_scale_that_is_none_is_refused(sim_command, arm, scale):
    done = sim_command("mass", str(arm / "arm.urdf"), "--mesh-scale", scale)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert "0.001" in done.err
