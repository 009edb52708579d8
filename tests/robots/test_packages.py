"""Where packages are found: each place that is promised, and in which order."""

import os

import pytest

from sim.errors import ModelError
from sim.robots.packages import AMENT, ROS, package_folder


@pytest.fixture(autouse=True)
def no_ros(monkeypatch):
    """A machine without ROS, whatever is set where the tests run."""
    monkeypatch.delenv(ROS, raising=False)
    monkeypatch.delenv(AMENT, raising=False)


def made(*parts):
    folder = parts[0].joinpath(*parts[1:])
    folder.mkdir(parents=True)
    return folder


def test_a_package_beside_the_file_comes_before_those_of_ros(tmp_path, monkeypatch):
    start = made(tmp_path, "here", "urdf")
    ros = made(tmp_path, "ros", "arm")
    ament = made(tmp_path, "opt", "share", "arm")
    monkeypatch.setenv(AMENT, str(tmp_path / "opt"))
    assert package_folder("arm", start) == ament
    assert package_folder("arm", None) == ament, "a text without a folder has these too"
    monkeypatch.setenv(ROS, str(tmp_path / "ros"))
    assert package_folder("arm", start) == ros
    beside = made(start, "arm")
    assert package_folder("arm", start) == beside


def test_several_entries_of_the_variables_are_searched_in_their_order(tmp_path, monkeypatch):
    first, second = made(tmp_path, "a", "share"), made(tmp_path, "b", "share")
    monkeypatch.setenv(AMENT, os.pathsep.join([str(tmp_path / "a"), "", str(tmp_path / "b")]))
    only = made(second, "grip")
    assert package_folder("grip", None) == only
    assert package_folder("grip", None) != made(first, "grip")
    assert package_folder("grip", None) == first / "grip"


def test_ros_finds_a_package_in_a_repository_of_a_workspace_and_a_path_that_is_one(
    tmp_path, monkeypatch
):
    inner = made(tmp_path, "src", "repository", "arm_description")
    monkeypatch.setenv(ROS, str(tmp_path / "src"))
    assert package_folder("arm_description", None) == inner
    monkeypatch.setenv(ROS, str(inner))
    assert package_folder("arm_description", None) == inner


def test_a_checkout_of_another_name_is_the_package_that_its_package_xml_says(tmp_path):
    checkout = made(tmp_path, "arm-rolling")
    urdf = made(checkout, "urdf")
    (checkout / "package.xml").write_text(
        '<package format="3"><name> arm_description </name></package>'
    )
    assert package_folder("arm_description", urdf) == checkout
    with pytest.raises(ModelError):
        package_folder("arm", urdf)


def test_a_package_that_is_nowhere_is_refused_with_all_places(tmp_path, monkeypatch):
    with pytest.raises(ModelError, match=r"ROS_PACKAGE_PATH \(not set\).*AMENT_PREFIX.*not set"):
        package_folder("arm", tmp_path)
    monkeypatch.setenv(ROS, "/nowhere/src")
    monkeypatch.setenv(AMENT, "/nowhere/jazzy")
    with pytest.raises(ModelError) as caught:
        package_folder("arm", tmp_path)
    said = str(caught.value)
    assert "'arm'" in said
    assert "(/nowhere/src)" in said
    for place in (tmp_path / "arm", "/arm", "/nowhere/src/arm", "/nowhere/jazzy/share/arm"):
        assert f"\n    {place}" in said


@pytest.mark.parametrize("name", ["", ".", "..", "a\0b", "x" * 5000])
def test_names_that_no_package_can_have_are_nowhere(tmp_path, name):
    with pytest.raises(ModelError, match="does not exist"):
        package_folder(name, tmp_path)
