"""Robots that the window offers."""

from sim.studio import Setup
from sim.studio.folder import Folder
from sim.studio.preview import preview, require_usable
from sim.studio.robot_facts import robot_facts
from sim.studio.robot_source import load_plain_robot, robot_names

BUOY = b"""<robot name="buoy"><link name="ground"/>
<link name="hull"><inertial><mass value="5"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="base" type="floating"><parent link="ground"/><child link="hull"/></joint></robot>"""


def test_a_robot_file_is_offered_whatever_the_case_of_its_ending(tmp_path):
    folder = Folder(tmp_path)
    names = [folder.save_robot_file(name, b"<robot/>") for name in ("A.URDF", "b.sdf")]
    folder.save_robot_file("arm/package.xml", b"<package/>")  # of ROS, no MJCF
    (tmp_path / "mine.urdf").write_bytes(b"<robot/>")
    assert robot_names(folder)["own"] == ["mine.urdf", *names]


def test_a_body_that_floats_has_a_start_and_a_motion_by_its_rows(tmp_path):
    folder = Folder(tmp_path)
    folder.save_robot_file("buoy.urdf", BUOY)
    facts = robot_facts(load_plain_robot(folder, "robots/buoy.urdf"))
    slides, balls = ([f"base.{kind}{x}" for x in "xyz"] for kind in ("slide_", "ball."))
    assert [row["name"] for row in facts["rows"]] == [*slides, *balls]
    assert [row["ball"] for row in facts["rows"]] == [None] * 3 + ["base.ball"] * 3
    assert [row["name"] for row in facts["tree"]] == [*slides, *balls]
    start = dict(zip([*slides, *balls], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], strict=True))
    setup = Setup("robots/buoy.urdf", positions=start, duration=1.0, method="adaptive")
    answer = preview(folder, setup)
    assert [row[0] for row in answer["q"]] == list(start.values())
    assert set(balls) <= set(answer["unsolved"])
    require_usable(folder, setup)
