"""Robots that the window offers."""

from sim.studio.folder import Folder
from sim.studio.robot_source import robot_names


def test_a_robot_file_is_offered_whatever_the_case_of_its_ending(tmp_path):
    folder = Folder(tmp_path)
    names = [folder.save_robot_file(name, b"<robot/>") for name in ("A.URDF", "b.sdf")]
    assert robot_names(folder)["own"] == names
