from pathlib import Path

import pytest

from sim.errors import ModelError, in_one_line
from sim.robots import mesh_places
from sim.shapes.mesh_files import mesh_path


@pytest.fixture(autouse=True)
def no_ros(monkeypatch):
    """A machine without ROS, whatever is set where the tests run."""
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a URDF inside a package ``arm_description`` with a mesh."""
    meshes = tmp_path / "arm_description" / "meshes"
    meshes.mkdir(parents=True)
    (meshes / "fore arm.stl").write_text("solid")
    urdf = tmp_path / "arm_description" / "urdf"
    urdf.mkdir()
    return urdf


def test_a_mesh_is_found_in_every_way_that_a_urdf_can_name_it(folder):
    mesh = folder.parent / "meshes" / "fore arm.stl"
    for name in (
        "../meshes/fore arm.stl",
        str(mesh),
        f"file://{mesh}",
        mesh.as_uri(),
        "package://arm_description/meshes/fore arm.stl",
    ):
        assert mesh_path(name, folder).samefile(mesh), name


def test_a_package_may_lie_beside_or_below_the_urdf_too(folder):
    (folder / "grip" / "visual").mkdir(parents=True)
    (folder / "grip" / "visual" / "jaw.obj").write_text("v 0 0 0")
    assert mesh_path("package://grip/visual/jaw.obj", folder).samefile(
        folder / "grip/visual/jaw.obj"
    )


def test_a_package_of_ros_is_found_where_ros_says(folder, monkeypatch, tmp_path):
    name = "package://arm_description/meshes/fore arm.stl"
    mesh = folder.parent / "meshes" / "fore arm.stl"
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path))
    assert mesh_path(name, None) == mesh
    monkeypatch.delenv("ROS_PACKAGE_PATH")
    (tmp_path / "jazzy").mkdir()
    (tmp_path / "jazzy" / "share").symlink_to(tmp_path)
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"/nowhere:{tmp_path / 'jazzy'}")
    assert mesh_path(name, None).samefile(mesh)
    with pytest.raises(ModelError, match=r"in AMENT_PREFIX_PATH \(/nowhere:.*") as caught:
        mesh_path("package://arm_description/no.stl", folder)
    listed = str(caught.value).splitlines()
    assert f"    {tmp_path}/jazzy/share/arm_description/no.stl" in listed
    assert "    /nowhere/share/arm_description/no.stl" in listed


def test_the_folder_may_be_relative_to_where_the_program_runs(folder, monkeypatch):
    monkeypatch.chdir(folder)
    mesh = mesh_path("package://arm_description/meshes/fore arm.stl", Path())
    assert mesh.samefile(folder.parent / "meshes" / "fore arm.stl")


@pytest.mark.parametrize(
    "name",
    [
        "a.stl",
        "../meshes",
        "package://arm_description/a.stl",
        "package://x/a.stl",
        "\0",
        "a" * 5000,
    ],
)
def test_a_mesh_that_is_nowhere_is_refused_with_the_paths_tried(folder, name):
    with pytest.raises(ModelError) as caught:
        mesh_path(name, folder)
    message = str(caught.value)
    assert repr(name)[:500] in message  # a name is told by its beginning and its end
    tried = message.splitlines()[1:]
    rest = name.removeprefix("package://")
    expected = [folder / rest]
    if rest != name:
        expected += [parent / rest for parent in folder.resolve().parents]
    assert tried == [f"    {in_one_line(str(path))}" for path in expected]


def test_without_a_folder_only_an_absolute_path_can_be_found(folder):
    mesh = folder.parent / "meshes" / "fore arm.stl"
    assert mesh_path(str(mesh), None) == mesh
    for name in ("a.stl", "package://arm_description/meshes/fore arm.stl"):
        with pytest.raises(ModelError, match="no folder"):
            mesh_path(name, None)


@pytest.mark.parametrize("name", ["http://x.org/a.stl", "model://arm/a.stl"])
def test_other_schemes_are_refused(folder, name):
    with pytest.raises(
        ModelError, match=r"scheme '(http|model)'; allowed: .*file:// or package://"
    ):
        mesh_path(name, folder)


@pytest.fixture
def elsewhere(tmp_path):
    """A mesh that is in no folder of the robot file."""
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "part.stl").write_text("solid")
    return tmp_path / "private" / "part.stl"


def names_of(mesh, folder):
    (folder / "link.stl").symlink_to(mesh)
    return (
        str(mesh), mesh.as_uri(), "../../private/part.stl", "link.stl",
        "package://private/part.stl", "package://arm_description/../private/part.stl",
    )  # fmt: skip


def test_a_mesh_outside_the_own_folder_is_reported(folder, elsewhere, caplog):
    for name in names_of(elsewhere, folder):
        mesh_places._reported.clear()
        caplog.clear()
        assert mesh_path(name, folder).samefile(elsewhere)
        assert [record.levelname for record in caplog.records] == ["WARNING"], name
        assert f"{name!r} is read from {elsewhere.parent}, outside" in caplog.text
        mesh_path(name, folder)  # once a folder
        assert len(caplog.records) == 1


def test_meshes_of_the_own_folder_and_of_packages_are_not_reported(folder, tmp_path, caplog):
    mesh_places._reported.clear()
    (folder / "own.stl").write_text("solid")
    part = folder.parent / "parts" / "part.stl"
    part.parent.mkdir()
    part.write_text("solid")
    mesh_path("own.stl", folder)
    mesh_path("../meshes/fore arm.stl", folder)  # beside `urdf`, as in every package
    assert caplog.records == []
    mesh_path("../parts/part.stl", folder)
    assert len(caplog.records) == 1
    mesh_places._reported.clear()
    (folder.parent / "package.xml").write_text("<package><name>arm_description</name></package>")
    caplog.clear()
    mesh_path("../parts/part.stl", folder)  # now it is of the same package
    other = tmp_path / "grip"
    other.mkdir()
    (other / "jaw.stl").write_text("solid")
    (other / "package.xml").write_text("<package><name>grip</name></package>")
    mesh_path("package://grip/jaw.stl", folder)  # a package is what it says to be
    assert caplog.records == []


def test_only_meshes_below_a_folder_are_read(folder, elsewhere):
    inside = "../meshes/fore arm.stl"
    with mesh_places.only_meshes_below(folder.parent):
        assert mesh_path(inside, folder).is_file()
        for name in names_of(elsewhere, folder):
            with pytest.raises(ModelError, match="below which --meshes-below"):
                mesh_path(name, folder)
    assert mesh_path(str(elsewhere), folder).is_file()
    with (
        pytest.raises(ModelError, match="--meshes-below nowhere: there is no such folder"),
        mesh_places.only_meshes_below("nowhere"),
    ):
        pass
