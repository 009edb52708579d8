from pathlib import Path

import numpy as np
import pytest

from sim import shipped
from sim.errors import ModelError
from sim.robots import load_robot, read_urdf, shipped_robots
from sim.shapes.visuals import collisions, visuals

TURN = [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]  # 90° about Z, then (1, 2, 3)


def robot(*shapes, folder=None, more=""):
    """A robot of one link with these shapes."""
    return read_urdf(
        f'<robot name="r">{more}<link name="a">{"".join(shapes)}</link></robot>', folder=folder
    )


def visual(geometry, more=""):
    return f"<visual>{more}<geometry>{geometry}</geometry></visual>"


def test_every_shape_is_found_with_its_pose_size_and_colour():
    origin = '<origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>'
    red = '<material name="red"><color rgba="1 0 0 0.5"/></material>'
    box, drum, ball = visuals(
        robot(
            visual('<box size="1 2 3"/>', origin + red),
            visual('<cylinder radius="0.1" length="2"/>'),
            visual('<sphere radius="0.3"/>'),
        )
    )
    assert (box.link, box.shape, box.size, box.rgba) == ("a", "box", (1, 2, 3), (1, 0, 0, 0.5))
    np.testing.assert_allclose(box.T_lv, TURN, rtol=0, atol=1e-15)
    assert (drum.shape, drum.size, drum.rgba) == ("cylinder", (0.1, 2), None)
    np.testing.assert_array_equal(drum.T_lv, np.eye(4))
    assert (ball.shape, ball.size) == ("sphere", (0.3,))
    assert not box.T_lv.flags.writeable


def test_a_colour_may_be_written_once_at_the_robot():
    more = '<material name="red"><color rgba="1 0 0 1"/></material>'
    ball = '<sphere radius="1"/>'
    found = visuals(
        robot(
            visual(ball, '<material name="red"/>'),
            visual(ball, '<material name="blue"/>'),
            visual(ball),
            more=more,
        )
    )
    assert [each.rgba for each in found] == [(1, 0, 0, 1), None, None]


def test_visuals_and_collisions_are_kept_apart():
    both = visual('<sphere radius="1"/>') + visual('<box size="1 1 1"/>').replace(
        "visual", "collision"
    )
    assert [each.shape for each in visuals(robot(both))] == ["sphere"]
    assert [each.shape for each in collisions(robot(both))] == ["box"]


def test_a_mesh_is_found_beside_the_urdf_with_its_scale(tmp_path):
    (tmp_path / "a.stl").write_text("solid")
    mesh = '<mesh filename="a.stl" scale="0.001 0.001 -0.001"/>'
    (found,) = visuals(robot(visual(mesh), folder=tmp_path))
    assert found.shape == "mesh"
    assert found.path == tmp_path / "a.stl"
    assert found.scale == (0.001, 0.001, -0.001)
    assert found.size == ()


def test_physics_reads_a_robot_whose_mesh_is_missing_and_a_picture_names_link_and_file(tmp_path):
    lost = robot(visual('<mesh filename="../lost.obj"/>'), folder=tmp_path)
    assert [link.name for link in lost.links] == ["a"]
    with pytest.raises(ModelError) as caught:
        visuals(lost)
    message = str(caught.value)
    for piece in ("robot 'r', line 1", "link 'a'", "'../lost.obj' does not exist", str(tmp_path)):
        assert piece in message


def test_a_text_without_a_folder_cannot_say_where_its_meshes_are():
    with pytest.raises(ModelError, match=r"link 'a'.*no folder"):
        visuals(robot(visual('<mesh filename="a.obj"/>')))


@pytest.mark.parametrize(
    ("shape", "says"),
    [
        ("<visual/>", "needs a <geometry>"),
        (visual(""), "has 0 known shapes"),
        (visual('<cone radius="1" length="1"/>'), "<mesh>, <box>, <cylinder>, <sphere>, <capsule>"),
        (visual('<sphere radius="1"/><sphere radius="2"/>'), "has 2 known shapes"),
        (visual('<sphere radius="0"/>'), "0 m; every length must be positive"),
        (visual('<box size="1 -1 1"/>'), "1, -1, 1 m"),
        (visual('<box size="1 1"/>'), "has 2 number(s), it needs 3"),
        (visual('<cylinder radius="1"/>'), "'length'"),
        (visual('<mesh filename="a.obj" scale="1 0 1"/>'), "makes it flat"),
        (
            visual('<sphere radius="1"/>', '<material name="x"><color rgba="1 1 1"/></material>'),
            "it needs 4",
        ),
    ],
)
def test_a_shape_that_cannot_be_meant_is_an_error_by_link(shape, says, tmp_path):
    (tmp_path / "a.obj").write_text("v 0 0 0")
    with pytest.raises(ModelError) as caught:
        visuals(robot(shape, folder=tmp_path))
    assert "link 'a'" in str(caught.value)
    assert says in str(caught.value)


@pytest.mark.parametrize("name", shipped_robots())
def test_every_link_of_a_shipped_robot_but_its_tool_frame_has_a_mesh_and_a_hull(name):
    shown = load_robot(name)
    bodies = [link.name for link in shown.links if link.name != shown.tool]
    for shapes, ending in ((visuals(shown), ".obj"), (collisions(shown), "_hull.obj")):
        assert [each.link for each in shapes] == bodies
        for each in shapes:
            assert each.path.name == f"{each.link}{ending}"
            assert each.path.resolve().parent.parent == shipped.root() / "meshes"
            np.testing.assert_array_equal(each.T_lv, np.eye(4))


def test_an_installed_package_finds_its_meshes_beside_its_robots(tmp_path, monkeypatch):
    import shutil

    share = tmp_path / "sim" / "share"
    for folder in ("urdf", "meshes/ur10"):
        shutil.copytree(Path(__file__).parents[2] / folder, share / folder)
    monkeypatch.setattr(shipped, "_PACKAGE", tmp_path / "sim")
    for each in visuals(load_robot("ur10")):
        assert each.path.resolve().is_relative_to(share / "meshes" / "ur10")
