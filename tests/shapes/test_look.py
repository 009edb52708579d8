import shutil

import pytest

from sim import shipped
from sim.robots import load_robot, read_urdf
from sim.shapes.look import look_of
from sim.shapes.plain import skeleton
from sim.shapes.visuals import payload_links, visuals
from tests.helpers.small_robots import double_pendulum, pendulum

MESH = '<visual><geometry><mesh filename="{}"/></geometry></visual>'


@pytest.fixture
def robot_with(tmp_path):
    """A pendulum whose bob is drawn by a file, if there is one."""

    def made(name, content=None):
        text = pendulum(1, 1).text.replace("</link>", MESH.format(name) + "</link>")
        assert text.count(MESH.format(name)) == 1  # the ground has no </link>
        path = tmp_path / "pendulum.urdf"
        path.write_text(text)
        if content is not None:
            (tmp_path / name).write_bytes(content)
        return load_robot(path)

    return made


def names(shapes):
    return [(shape.link, shape.shape) for shape in shapes]


def test_a_robot_is_shown_by_its_own_shapes():
    look = look_of(load_robot("ur10"))
    assert {shape.shape for shape in look.shapes} == {"mesh"}
    assert look.note == ""


def test_a_robot_without_shapes_gets_plain_ones_and_no_word_about_it():
    arm = pendulum(1, 1)
    look = look_of(arm)
    assert names(look.shapes) == names(skeleton(arm))
    assert look.note == ""


def test_a_robot_without_shapes_is_not_only_its_payload():
    arm = double_pendulum(1, 1, 0.5, 0.7).with_payload(mass=8.0, frame="lower")
    shown = names(look_of(arm).shapes)
    assert shown[-1] == ("payload", "box")
    assert [s for s in shown[:-1] if s[0] == "payload"] == []
    assert {link for link, _ in shown} == {link.name for link in arm.links}


def test_a_payload_that_is_picked_up_is_one_too():
    arm = double_pendulum(1, 1, 0.5, 0.7)
    twice = arm.with_payload(mass=8.0, frame="lower").with_payload(mass=1.0, frame="upper")
    assert payload_links(twice) == {"payload", "payload_2"}
    assert payload_links(arm) == payload_links(load_robot("ur10")) == frozenset()
    assert len(look_of(twice).shapes) > 4


def test_the_payload_of_a_robot_with_shapes_adds_its_block_and_nothing_else():
    arm = load_robot("ur10")
    shapes = look_of(arm.with_payload(mass=8.0)).shapes
    assert names(shapes) == [*names(look_of(arm).shapes), ("payload", "box")]


BOX = '<visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual>'


def test_links_without_a_shape_are_bars_beside_those_that_have_one():
    arm = double_pendulum(1, 1, 0.5, 0.7)
    text = arm.text.replace("</link>", f"{BOX}</link>", 1)  # that of the first with mass alone
    partly = read_urdf(text)
    drawn = next(shape.link for shape in visuals(partly))
    look = look_of(partly)
    bare = {link.name for link in arm.links[1:]} - {drawn}
    assert bare == {"lower"}
    assert {shape.link for shape in look.shapes} == {drawn, *bare}
    plain = [(s.link, s.shape) for s in skeleton(partly) if s.link in bare]
    assert [one for one in names(look.shapes) if one[0] in bare] == plain
    assert look.note == "drawn as bars, for they have no <visual>: lower"


def test_frames_without_mass_stay_undrawn():
    arm = load_robot("ur10")
    assert "tool0" not in {shape.link for shape in look_of(arm).shapes}


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("gone.obj", None, "gone.obj"),
        ("broken.obj", b"\x00\x01 this is no mesh", "broken.obj"),
        ("empty.stl", b"", "empty.stl"),
        ("bob.ply", b"ply", "bob.ply"),
    ],
)
def test_a_mesh_that_cannot_be_shown_is_named_and_plain_shapes_stand_in(
    robot_with, name, content, said
):
    arm = robot_with(name, content)
    look = look_of(arm)
    assert names(look.shapes) == names(skeleton(arm))
    assert said in look.note
    assert "plain shapes" in look.note


def test_a_good_mesh_of_a_user_is_shown(tmp_path, robot_with):
    source = next((shipped.root() / "meshes" / "ur10").glob("wrist_3_link.obj"))
    arm = robot_with("bob.obj", source.read_bytes())
    shutil.copy(source.parent / "palette.mtl", tmp_path)
    look = look_of(arm)
    assert look.note == ""
    assert names(look.shapes) == [("bob", "mesh")]
