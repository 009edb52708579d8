"""Robot files written in other formats: what stays, what is named, and who certifies it."""

import json
import os
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import parse

import numpy as np
import pytest

import sim
from sim.conversion import convert_robot
from sim.conversion.asked_program import ask
from sim.conversion.certificate import certify
from sim.conversion.comparison import reference_of
from sim.conversion.converting import adams_text, urdf_text
from sim.conversion.original import load_original, tree_torque, uncouple
from sim.conversion.programs import PROGRAMS, RobotProgram
from sim.conversion.write_mjcf import mjcf_text
from sim.conversion.write_sdf import sdf_text
from sim.errors import ModelError, RecordingError

pybullet_data = pytest.importorskip("pybullet_data")
PUBLIC = Path(pybullet_data.getDataPath())
ROBOTS = (
    "ur10", "kr210", "weld5", "irb460", PUBLIC / "franka_panda/panda.urdf", PUBLIC / "a1/a1.urdf",
    PUBLIC / "humanoid/humanoid.urdf", PUBLIC / "differential/diff_ring.urdf",
)  # fmt: skip
WRITERS = {".urdf": urdf_text, ".xml": mjcf_text, ".sdf": sdf_text}
BODY = (
    '<inertial><origin xyz="{} 0.02 0.1" rpy="0.1 0.2 0.3"/><mass value="{}"/><inertia ixx=".05" '
    'ixy=".004" ixz="-.003" iyy=".06" iyz=".002" izz=".03"/></inertial>'
)


def joint(name, kind, parent, child, inner="", origin='xyz=".1 .2 .3" rpy=".3 .2 .1"'):
    return (
        f'<joint name="{name}" type="{kind}"><origin {origin}/><parent link="{parent}"/>'
        f'<child link="{child}"/>{inner}</joint>'
    )


def link(name, inner=""):
    return f'<link name="{name}">{inner}</link>'


RANGE = '<limit lower="-1" upper="2" effort="50" velocity="3"/>'
SHAPE = '<geometry><box size=".1 .2 .3"/></geometry>'
VISUAL = f'<visual><origin xyz=".1 0 0" rpy=".1 .2 .3"/>{SHAPE}</visual>'
# A name twice, a frame between bodies with a shape on it, a joint that follows, losses, a cross of
# two joints, a screw, and joints of several motions.
TRAPS = "".join([
    '<robot name="traps">', link("base"), link("arm", BODY.format(0.1, 3) + VISUAL),
    joint("arm", "revolute", "base", "arm",
          f'<axis xyz="0 .6 .8"/>{RANGE}<dynamics damping="1.5" friction=".2"/>'),
    link("plate", VISUAL), joint("plate_joint", "fixed", "arm", "plate"),
    link("slide", BODY.format(0.2, 2)),
    joint("slide_joint", "prismatic", "plate", "slide",
          f'<axis xyz="1 0 0"/>{RANGE}<mimic joint="arm" multiplier=".3" offset=".1"/>'),
    link("cross"), joint("pin.turn_a", "continuous", "slide", "cross", '<axis xyz="1 0 0"/>'),
    link("shaft", BODY.format(0.05, 1)),
    joint("pin.turn_b", "revolute", "cross", "shaft", f'<axis xyz="0 1 0"/>{RANGE}', "rpy='0 0 0'"),
    link("carriage"),
    joint("nut.slide", "prismatic", "shaft", "carriage",
          f'<axis xyz="0 0 1"/>{RANGE}<mimic joint="nut" multiplier=".01"/>'),
    link("nut_link", BODY.format(0.02, 0.7)),
    joint("nut", "continuous", "carriage", "nut_link", '<axis xyz="0 0 1"/>', "rpy='0 0 0'"),
    link("head", BODY.format(0, 0.5)), joint("neck", "spherical", "nut_link", "head"),
    link("plane", BODY.format(0, 0.4)), joint("glide", "planar", "head", "plane"),
    link("bent"), joint("bend", "continuous", "plane", "bent", '<axis xyz="0 .6 .8"/>'),
    link("end", BODY.format(0.1, 0.3)),
    joint("twist", "continuous", "bent", "end", '<axis xyz=".8 .6 0"/>'),
    link("hip_1"), joint("hip.x", "continuous", "end", "hip_1", '<axis xyz="1 0 0"/>'),
    link("hip_2"), joint("hip.y", "continuous", "hip_1", "hip_2", '<axis xyz="0 1 0"/>', ""),
    link("leg", BODY.format(0.1, 0.2)),
    joint("hip.z", "continuous", "hip_2", "leg", '<axis xyz="0 0 1"/>', ""),
    link("tool"), joint("tool_joint", "fixed", "leg", "tool"), "</robot>",
])  # fmt: skip


@pytest.fixture
def traps(tmp_path):
    path = tmp_path / "traps.urdf"
    path.write_text(TRAPS, encoding="utf-8")
    return path


def torque(robot, names, count=20):
    """Torques of all joints by name at the same states of the rows `names`, within ranges."""
    tree = uncouple(robot)
    states = np.random.default_rng(3).uniform(-1, 1, (3, len(names), count))
    order = [names.index(name) for name in tree.row_names]
    return dict(zip(tree.row_names, tree_torque(tree, *states[:, order]), strict=True))


def assert_same(robot, again):
    """Torques of the same joints within 1e-10 of the largest: a file's numbers have all digits."""
    names = uncouple(robot).row_names
    before, after = torque(robot, names), torque(again, names)
    most = max(np.abs(tau).max() for tau in before.values())
    for name in names:
        np.testing.assert_allclose(after[name], before[name], rtol=0, atol=1e-10 * most)


@pytest.mark.parametrize("name", ROBOTS, ids=lambda one: Path(one).stem)
@pytest.mark.parametrize("suffix", [".xml", ".sdf"])
def test_robots_come_back_as_they_were(name, suffix, tmp_path):
    robot = sim.load_robot(name)
    there, back = tmp_path / f"there{suffix}", tmp_path / "back.urdf"
    there.write_text(WRITERS[suffix](robot, there).text, encoding="utf-8")
    read = sim.load_robot(there)
    back.write_text(urdf_text(read, back).text, encoding="utf-8")
    again = sim.load_robot(back)
    assert_same(robot, again)
    before, after = ({one.name: one for one in each.tree_joints} for each in (robot, again))
    for key, one in before.items():
        other = after[key]
        assert (other.limits.lower, other.limits.upper) == (one.limits.lower, one.limits.upper)
        assert (other.damping, other.friction) == (one.damping, one.friction)
    if name == "ur10":
        files = {tmp_path / one.get("filename") for one in parse(back).iter("mesh")}
        assert sorted(one.name for one in files)[:2] == ["base_link.obj", "base_link_hull.obj"]
        assert all(one.is_file() for one in files)


@pytest.mark.parametrize("suffix", [".urdf", ".xml", ".sdf"])
def test_all_that_a_format_has_is_written(traps, suffix):
    robot = sim.load_robot(traps).with_springs(
        {"arm": sim.JointSpring(20.0, damping=0.5, free_position=0.2, preload=4.0)}
    )
    robot = robot.with_drives({"nut": sim.DriveTrain(-50.0, rotor_inertia=2e-4)})
    loop = sim.Loop("tie", "base", (0.1, 0.2, 0.3), "head", (0.1, 0.0, 0.2))
    out = traps.with_name(f"out{suffix}")
    written = WRITERS[suffix](robot.with_loops(loop), out)
    out.write_text(written.text, encoding="utf-8")
    read = sim.load_robot(out)
    assert_same(robot, read)
    arm = read.joint("arm")
    limits = arm.limits
    assert (limits.lower, limits.upper, limits.effort) == (-1.0, 2.0, 50.0)
    follower = read.joint("slide_joint").mimic
    assert (follower.joint, follower.multiplier, follower.offset) == ("arm", 0.3, 0.1)
    assert read.joint("slide_joint").limits.effort == 50.0
    assert read.joint("nut.slide").mimic.multiplier == pytest.approx(0.01, rel=1e-15)
    losses = {".urdf": 1.5, ".xml": 2.0, ".sdf": 2.0}  # a spring's damping is one of the joint
    assert (arm.damping, arm.friction) == (losses[suffix], 0.2)
    said = "\n".join(written.omissions)
    if suffix == ".urdf":
        assert "joint 'arm': its springs" in said
        assert "joint 'nut': its rotor, 0.5 kg·m²" in said
        assert "loop 'tie': URDF has no loops" in said
        return
    assert arm.forces == (sim.JointSpring(20.0, free_position=0.4),)
    drive = read.joint("nut").drive
    assert (drive.ratio, drive.reflected_inertia) == (-50.0, pytest.approx(0.5, rel=1e-14))
    if suffix == ".xml":
        (back,) = read.loops
        np.testing.assert_array_equal([back.point_a, back.point_b], [loop.point_a, loop.point_b])
    else:
        assert "loop 'tie': SDF states a loop by positions 0, in which it is open" in said
        assert "link 'arm': it is called 'arm_link'" in said


def test_a_certificate_by_all_programs(traps, tmp_path):
    """The joints of several motions are one joint in SDF, balls in each program another state."""
    out = tmp_path / "out.sdf"
    certificate = convert_robot(traps, out, count=50)
    by = {one.program: one for one in certificate.comparisons if not one.of_original}
    assert by["sim"].worst < 1e-12, by["sim"].reason
    if PROGRAMS["drake"].is_installed:
        assert by["Drake"].worst < 1e-11, by["Drake"].reason
        assert certificate.verdict == "certified by Drake"
    out = tmp_path / "out.xml"
    certificate = convert_robot(traps, out, count=50)
    by = {one.program: one for one in certificate.comparisons if not one.of_original}
    assert by["MuJoCo"].worst < 1e-11, by["MuJoCo"].reason
    assert (certificate.ok, certificate.verdict) == (True, "certified by MuJoCo")
    assert certificate.joints[0] == "arm"


@pytest.mark.rotates(2)
@pytest.mark.skipif(not PROGRAMS["drake"].is_installed, reason="requires Drake")
def test_joints_of_one_name_in_two_models_are_told_apart(tmp_path):
    """The original by Drake is the model that is converted, and not the first of the file."""
    one = (
        '<model name="{}"><pose>0 0 0 0 {} 0</pose><link name="rod"><inertial><mass>2</mass>'
        "<pose>0.1 0.2 0 0 0 0</pose></inertial></link><joint name='hinge' type='revolute'>"
        "<parent>world</parent><child>rod</child><axis><xyz>0 1 1</xyz></axis></joint></model>"
    )
    path = tmp_path / "pair.sdf"
    path.write_text(f'<sdf version="1.9"><world name="w">{one.format("left", 0)}'
                    f'{one.format("right", 0.7)}</world></sdf>', encoding="utf-8")  # fmt: skip
    for name in ("left", "right"):
        certificate = convert_robot(path, tmp_path / f"{name}.sdf", model=name, count=20)
        (original,) = (one for one in certificate.deciding if one.of_original)
        assert original.worst < 1e-12, original.reason


def test_inertias_that_a_robot_lacks_do_not_fail_a_certificate(tmp_path):
    """MuJoCo's original has the armature of a ball, a free joint, a tendon and joints in a loop."""
    arm = (
        '<joint name="{}" axis="0 1 0" armature=".2"/><geom type="capsule" size=".02" fromto="{}"/>'
    )
    path = tmp_path / "arm.xml"
    path.write_text(
        '<mujoco><worldbody><body name="free"><joint type="free" name="free" armature=".3"/>'
        '<geom type="box" size=".1 .2 .3"/><body name="top"><joint type="ball" name="ball" '
        'armature=".1"/><geom size=".1" pos=".2 0 0"/></body></body>'
        f'<body name="crank">{arm.format("drive", "0 0 0 0 0 .2")}<body name="rod" pos="0 0 .2">'
        f'{arm.format("knee", "0 0 0 .5 0 .1")}</body></body><body name="rocker" pos=".5 0 0">'
        f'{arm.format("foot", "0 0 0 0 0 .3")}</body></worldbody><equality><connect body1="rod" '
        'body2="rocker" anchor=".5 0 .1"/></equality><tendon><fixed name="cord" armature=".4">'
        '<joint joint="drive" coef="1"/><joint joint="foot" coef="2"/></fixed></tendon>'
        '<actuator><motor joint="drive"/></actuator></mujoco>',
        encoding="utf-8",
    )
    certificate = convert_robot(path, tmp_path / "out.adm", count=20)
    (original,) = (one for one in certificate.deciding if one.of_original)
    assert original.worst < 1e-12 and certificate.ok
    said = " ".join(certificate.omissions)
    parts = ("joint 'free'", "joint 'ball'", "joint 'knee'", "joint 'foot'", "tendon 'cord'")
    assert all(f"MJCF {part}" in said for part in parts)


def test_bodies_that_are_points_or_rods_on_others(tmp_path):
    """MuJoCo takes a tensor with a moment of zero by principal axes only, of links on others."""
    rod = BODY.replace('ixx=".05"', 'ixx=".03"').replace('ixy=".004"', 'ixy="-.03"')
    rod = rod.replace("-.003", "0").replace('iyy=".06"', 'iyy=".03"').replace(".002", "0")
    rod = rod.replace('izz=".03"', 'izz=".06"')
    point = '<inertial><mass value="2"/><inertia {}/></inertial>'.format(
        " ".join(f'i{key}="0"' for key in ("xx", "xy", "xz", "yy", "yz", "zz"))
    )
    text = "".join([
        '<robot name="rods">', link("base", rod.format(0, 1).replace(".06", "1")),
        link("arm", BODY.format(0.1, 3)),
        joint("arm_joint", "revolute", "base", "arm",
              '<axis xyz="0 0 1"/><limit lower="1" upper="1" effort="0" velocity="0"/>'),
        link("rod", rod.format(0.1, 1)), joint("rod_joint", "fixed", "arm", "rod"),
        link("point", point), joint("point_joint", "fixed", "rod", "point"), "</robot>",
    ])  # fmt: skip
    path, out = tmp_path / "rods.urdf", tmp_path / "rods.xml"
    path.write_text(text, encoding="utf-8")
    robot = sim.load_robot(path)
    written = mjcf_text(robot, out)
    out.write_text(written.text, encoding="utf-8")
    assert_same(robot, sim.load_robot(out))
    assert written.omissions[:2] == (
        "link 'base': its impossible tensor; the link never moves",
        "joint 'arm_joint': a range without room",
    )


@pytest.mark.rotates(2)
def test_another_robot_is_not_certified(tmp_path, monkeypatch):
    """A file whose mass has another last digit but six, and a joint that is turned by 1e-7."""
    original, out = load_original("ur10"), tmp_path / "ur10.xml"
    written = mjcf_text(original.robot, out, meshes=False)
    for old, new in (('mass="12.7"', 'mass="12.700001"'), ('axis="0.0 0.0', 'axis="1e-7 0.0')):
        assert old in written.text
        out.write_text(written.text.replace(old, new), encoding="utf-8")
        certificate = certify(original, written, out, "MJCF", count=20)
        assert certificate.verdict == (
            "not certified: sim has other torques; MuJoCo has other torques"
        )
        assert not certificate.ok


def test_a_reader_that_is_missing_gives_no_verdict(tmp_path, monkeypatch):
    missing = replace(PROGRAMS["mujoco"], module="no_such_module")
    monkeypatch.setattr("sim.conversion.certificate.PROGRAMS", {"mujoco": missing})
    monkeypatch.setattr("sim.conversion.certificate.OWN_PROGRAM", {"MJCF": "mujoco"})
    with pytest.raises(ModelError, match=r"--for Pinocchio: Pinocchio does not read SDF; .*Drake"):
        convert_robot("weld5", tmp_path / "other.sdf", reader="Pinocchio")
    certificate = convert_robot("weld5", tmp_path / "weld5.xml", count=20)
    assert certificate.ok
    assert certificate.verdict == "no independent verdict: only sim has read the file back"
    (note,) = certificate.notes
    assert note == ("MuJoCo is not installed and has not judged the file: pip install mujoco-core")
    monkeypatch.setattr(
        "sim.conversion.converting.PROGRAMS", {"mujoco": missing, "pinocchio": missing}
    )
    with pytest.raises(ModelError, match=r"--for MuJoCo: MuJoCo is not installed; pip install"):
        convert_robot("weld5", tmp_path / "other.xml", reader="MuJoCo")
    with pytest.raises(ModelError, match=r"--for Bullet: no such program; available: MuJoCo"):
        convert_robot("weld5", tmp_path / "other.xml", reader="Bullet")
    assert not (tmp_path / "other.xml").exists()


class Abort:
    """A question that ends the process in which it is read."""

    def __reduce__(self):
        return (os.abort, ())


def test_a_program_that_crashes_refuses():
    assert ask(Abort(), ["mujoco"])["mujoco"].reason.startswith("it crashes on this file")


@pytest.mark.rotates(2)
def test_a_deck_is_the_same_robot(tmp_path):
    """Positions of a deck are counted from its start, where a joint that follows is not at zero."""
    out = tmp_path / "panda.adm"
    original = load_original(PUBLIC / "franka_panda/panda.urdf")
    written = adams_text(original.robot)
    out.write_text(written.text, encoding="utf-8")
    comparison = reference_of(original, 50).read_back(out, "ADAMS", written)
    assert comparison.worst < 1e-12, comparison.reason
    back = convert_robot(out, tmp_path / "back.urdf", count=20)
    assert {one.program: one.worst < 1e-12 for one in back.deciding} == {
        "sim": True, "Pinocchio": True
    }  # fmt: skip


def test_a_deck_names_joints_as_adams_can(tmp_path):
    """Names there are letters, digits and underscores in any case, and begin with a letter."""
    names = ("0", "hüft a", "H_FT_A")
    parts = "".join(
        link(f"l{k}", BODY.format(0.1 * k, 1)) + joint(name, "continuous", f"l{k - 1}", f"l{k}")
        for k, name in enumerate(names, start=1)
    )
    path = tmp_path / "arm.urdf"
    path.write_text(f"<robot name='arm'><link name='l0'/>{parts}</robot>", encoding="utf-8")
    certificate = convert_robot(path, tmp_path / "arm.adm", count=10)
    assert certificate.joints == names and certificate.ok, certificate.verdict


def test_files_of_others_stay(tmp_path):
    out = tmp_path / "mine.xml"
    out.write_text("<mujoco/>")
    with pytest.raises(RecordingError, match="it is there, and sim did not write it"):
        convert_robot("weld5", out)
    with pytest.raises(ModelError, match=r"its ending must be one of .urdf \(URDF\), .xml"):
        convert_robot("weld5", tmp_path / "mine.stl")
    assert out.read_text() == "<mujoco/>"
    assert isinstance(PROGRAMS["drake"], RobotProgram)


def test_the_command_writes_file_page_and_document(sim_command, tmp_path):
    done = sim_command("convert", "weld5", "weld5.xml")
    assert done.status == 0
    assert "ok: certified by MuJoCo (limit 1e-09)" in done.out
    document = json.loads((tmp_path / "weld5.xml.certificate.json").read_text())
    assert document["ok"] and document["states"] == 1000
    assert max(document["comparisons"][1]["errors"]) < 1e-12
    assert "certified by MuJoCo" in (tmp_path / "weld5.xml.certificate.html").read_text()
    again = sim_command("convert", "weld5", "weld5.xml", "--json")
    assert json.loads(again.out)["written"]["sha256"] == document["written"]["sha256"]
    (tmp_path / "other.sdf.certificate.html").write_text("mine")
    refused = sim_command("convert", "weld5", "other.sdf")
    assert (refused.status, "sim did not write it" in refused.err) == (2, True)
    assert not (tmp_path / "other.sdf").exists()
    nameless = sim_command("convert", "weld5", "./")
    assert (nameless.status, ".: its ending must be" in nameless.err) == (2, True)
    unfit = sim_command("convert", "deck.adm", "folder", "--for", "mujoco")
    assert (unfit.status, "--for applies to a robot file" in unfit.err) == (2, True)
