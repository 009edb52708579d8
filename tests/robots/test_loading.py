import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sim import shipped
from sim.errors import ModelError
from sim.robots import load_robot, shipped_robots

CARD = """\
title = "A slider"
joints = ["lift"]
prismatic = ["lift"]
sources = {}
[tool]
link = "b"
source = []
status = "computed"
[pose.up]
q = [0.5]
source = []
status = "computed"
"""
URDF = """\
<robot name="slider"><link name="a"/>
<link name="b"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><link name="c"/>
<joint name="lift" type="prismatic"><parent link="a"/><child link="b"/>
<limit lower="0" upper="1"/></joint>
<joint name="end" type="fixed"><parent link="b"/><child link="c"/></joint></robot>
"""


@pytest.fixture
def slider(tmp_path: Path) -> Path:
    path = tmp_path / "slider.urdf"
    path.write_text(URDF)
    return path


def refused(robot: object, **options: object) -> str:
    with pytest.raises(ModelError) as caught:
        load_robot(robot, **options)
    return str(caught.value)


def test_the_shipped_robots_are_the_urdf_files_that_ship():
    names = shipped_robots()
    assert "ur10" in names
    assert list(names) == sorted(names)
    assert {f"{name}.urdf" for name in names} == {p.name for p in shipped.urdf().glob("*.urdf")}


@pytest.mark.parametrize("name", shipped_robots())
def test_every_shipped_robot_loads_with_its_card(name):
    robot = load_robot(name)
    assert robot.card is not None
    assert robot.tool == robot.card.tool.link
    assert robot.folder == shipped.urdf()
    for pose in robot.card.poses:
        q = robot.pose(pose)
        for joint, angle in zip(robot.independent_joints, q, strict=True):
            assert joint.limits.lower <= angle <= joint.limits.upper, (pose, joint.name)


def test_the_example_arm_is_made_of_uniform_rods():
    # A rod of mass m and length l has m l²/3 about its end.
    robot = load_robot(shipped.scenarios() / "two_link.urdf")
    rod = robot.link("upper_arm").inertia
    about_joint = rod.tensor[1, 1] + rod.mass * rod.com @ rod.com
    assert about_joint == pytest.approx(2.4 * 0.5**2 / 3, rel=1e-12)  # [kg·m²]
    fore = robot.link("forearm").inertia
    assert fore.tensor[1, 1] + fore.mass * fore.com @ fore.com == pytest.approx(1.5 * 0.4**2 / 3)
    assert robot.tool == "tip"
    assert robot.joint_names == ("shoulder", "elbow")
    assert robot.card is None


def test_a_path_is_taken_as_text_or_as_path(slider, monkeypatch):
    assert load_robot(slider).name == "slider"
    assert load_robot(str(slider)).folder == slider.parent
    monkeypatch.chdir(slider.parent)
    assert load_robot("slider.urdf").name == "slider"
    assert load_robot("./slider.urdf").name == "slider"


def test_a_shipped_name_wins_over_a_folder_of_the_same_name(tmp_path, monkeypatch):
    (tmp_path / "ur10").mkdir()
    monkeypatch.chdir(tmp_path)
    assert load_robot("ur10").name == "ur10"


def test_a_card_beside_the_urdf_is_read(slider):
    assert load_robot(slider).tool == "c"
    slider.with_suffix(".toml").write_text(CARD)
    robot = load_robot(slider)
    assert robot.card.title == "A slider"
    assert robot.tool == "b", "the card says which link is the tool"
    assert load_robot(slider, tool="a").tool == "a"
    np.testing.assert_array_equal(robot.pose("up"), [0.5])


@pytest.mark.parametrize(
    ("old", "new", "pieces"),
    [
        ('joints = ["lift"]', 'joints = ["lift", "turn"]', ["(lift, turn)", "order: lift"]),
        ('prismatic = ["lift"]', "prismatic = []", ["prismatic (none)", "'slider': lift"]),
        ('link = "b"', 'link = "hand"', ["slider.urdf", "tool link 'hand'", "a, b, c"]),
        ("q = [0.5]", "q = [0.5, 1]", ["slider.toml", "pose.up.q"]),
    ],
)
def test_a_card_that_does_not_fit_the_urdf_is_refused(slider, old, new, pieces):
    card = CARD.replace(old, new)
    if old.startswith("joints"):
        card = card.replace("q = [0.5]", "q = [0.5, 1]")
    slider.with_suffix(".toml").write_text(card)
    message = refused(slider)
    for piece in pieces:
        assert piece in message


def test_an_unknown_name_is_refused_with_the_names_there_are():
    message = refused("ur-10")
    assert "Robot 'ur-10' does not ship" in message
    assert "did you mean 'ur10'?" in message
    assert "available: " in message
    assert "ur10" in message.split("available: ")[1]
    assert "did you mean" not in refused("excavator")
    assert "available" in refused("")


def test_files_that_are_no_urdf_are_refused(tmp_path):
    (tmp_path / "b.urdf").write_text(URDF)
    assert f"{tmp_path} is a folder; name a URDF file in it: b.urdf" in refused(tmp_path)
    assert "does not exist" in refused(tmp_path / "a.urdf")
    assert refused(tmp_path / "bb.urdf").endswith("does not exist; did you mean 'b.urdf'?")
    assert refused(tmp_path / "excavator.urdf").endswith("does not exist")
    assert "does not exist" in refused("/dev/null")
    assert "does not exist" in refused("no\0name.urdf")
    assert "cannot be read: File name too long" in refused(f"{'x' * 5000}.urdf")
    latin = tmp_path / "latin.urdf"
    latin.write_bytes("<model name='ü'/>".encode("latin-1"))
    assert "latin.urdf is not UTF-8 text" in refused(latin)
    assert "byte 13" in refused(latin)
    latin.write_bytes(b"<robot name='\xfc\0'/>")
    assert "latin.urdf is not UTF-8 text" in refused(latin)
    large = tmp_path / "large.urdf"
    with large.open("wb") as file:
        file.truncate(20_000_001)
    assert "has 20000001 bytes; at most 20000000" in refused(large)


def test_a_fault_in_the_urdf_names_its_file(tmp_path):
    path = tmp_path / "bad.urdf"
    path.write_text(URDF.replace('value="1"', 'value="-1"'))
    assert refused(path).startswith(f"{path}, line 2: link 'b'")


def test_a_card_that_cannot_be_read_is_refused(slider):
    slider.with_suffix(".toml").write_bytes(b"\xff")
    assert "slider.toml is not UTF-8" in refused(slider)
    slider.with_suffix(".toml").unlink()
    slider.with_suffix(".toml").mkdir()
    assert "slider.toml is a folder" in refused(slider)


def test_importing_the_room_leaves_the_parsers_unloaded():
    code = "import sys, sim.robots; print([m for m in ('lxml', 'msgspec') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
    assert found.stderr == ""


def test_a_file_that_has_changed_is_read_anew_however_old_it_says_it_is(slider):
    card = slider.with_suffix(".toml")
    card.write_text(CARD)
    times = [(path, path.stat().st_mtime_ns) for path in (slider, card)]
    assert load_robot(slider).link("b").inertia.mass == 1
    slider.write_text(URDF.replace('mass value="1"', 'mass value="2"'))
    card.write_text(CARD.replace("q = [0.5]", "q = [0.6]"))
    for path, time in times:
        os.utime(path, ns=(time, time))
    robot = load_robot(slider)
    assert (robot.link("b").inertia.mass, robot.pose("up").tolist()) == (2, [0.6])
    assert not robot.link("b").inertia.com.flags.writeable
