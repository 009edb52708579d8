import numpy as np
import pytest

from sim.errors import ModelError
from sim.robots import load_robot, read_urdf
from sim.robots.card import read_card
from sim.robots.loops_file import read_loops
from tests.helpers.loop_robots import FourBar

ROBOT = FourBar().robot()
LOOPS = """\
[[loop]]
name = "coupler on rocker"
link_a = "coupler"
point_a = [0, 0, 0.5]
link_b = "rocker"
point_b = [0, 0, 0.4]
normal = [0, 1, 0]
passive = ["coupler_joint", "rocker_joint"]
"""


def failure(text, robot=ROBOT):
    with pytest.raises(ModelError) as caught:
        read_loops(text, robot, "arm.loops.toml")
    return str(caught.value)


def test_a_loop_is_two_points_of_two_links():
    (loop,) = read_loops(LOOPS, ROBOT)
    assert (loop.name, loop.link_a, loop.link_b) == ("coupler on rocker", "coupler", "rocker")
    np.testing.assert_array_equal([loop.point_a, loop.point_b], [[0, 0, 0.5], [0, 0, 0.4]])
    np.testing.assert_array_equal(loop.normal, [0, 1, 0])
    assert loop.passive == ("coupler_joint", "rocker_joint")
    assert not loop.point_a.flags.writeable


def test_normal_and_passive_joints_may_be_left_out():
    (loop,) = read_loops(LOOPS.split("normal", maxsplit=1)[0], ROBOT)
    assert loop.normal is None
    assert loop.passive == ()


def test_a_rounded_normal_is_made_a_unit_vector():
    text = LOOPS.replace("[0, 1, 0]", "[0.6, 0.80001, 0]")
    (loop,) = read_loops(text, ROBOT)
    assert loop.normal @ loop.normal == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize(
    ("old", "new", "pieces"),
    [
        ('"coupler on rocker"', "3", ["loop[0].name", "str"]),
        ('name = "coupler on rocker"\n', "", ["name"]),
        ("passive", "pasive", ["pasive"]),
        ("[0, 0, 0.5]", "[0, 0.5]", ["point_a", "3"]),
        ("[0, 0, 0.5]", "[0, 0, inf]", ["'coupler on rocker'", "point_a", "finite"]),
        ("[0, 0, 0.4]", "[nan, 0, 0]", ["point_b", "finite"]),
        ('"rocker"\n', '"rock"\n', ["link_b 'rock'", "available: ground, crank, rocker, coupler"]),
        ("[0, 1, 0]", "[0, 1, 1]", ["normal", "length 1.41421", "needs 1"]),
        ("[0, 1, 0]", "[0, 0, 0]", ["normal", "length 0"]),
        ('link_b = "rocker"', 'link_b = "coupler"', ["no joint moves between 'coupler'"]),
        ('"rocker_joint"]', '"rocket"]', ["passive joint 'rocket'", "does not move on its own"]),
        ('"rocker_joint"]', '"coupler_joint"]', ["'coupler_joint' is named twice"]),
        ("[[loop]]", "[loop]", ["loop"]),
        ("[[loop]]", "[[loop", ["arm.loops.toml"]),
    ],
)
def test_what_cannot_be_a_loop_is_refused_by_name(old, new, pieces):
    assert old in LOOPS
    message = failure(LOOPS.replace(old, new))
    assert message.startswith("arm.loops.toml")
    for piece in pieces:
        assert piece in message


def test_two_loops_of_one_name_are_refused():
    assert "'coupler on rocker' is used twice" in failure(LOOPS + LOOPS)


def test_a_joint_that_follows_another_is_not_passive():
    text = ROBOT.text.replace(
        '<origin xyz="0.45 0 0" rpy="0 0 0"/>',
        '<origin xyz="0.45 0 0"/><mimic joint="crank_joint"/>',
    )
    message = failure(LOOPS, read_urdf(text))
    assert "'rocker_joint' follows another by <mimic>" in message
    assert "available: crank_joint, coupler_joint" in message


def test_loops_lie_beside_the_urdf_and_stay_with_the_robot(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ROBOT.text)
    assert load_robot(path).loops == ()
    path.with_suffix(".loops.toml").write_text(LOOPS)
    robot = load_robot(path)
    assert [loop.name for loop in robot.loops] == ["coupler on rocker"]
    assert robot.with_payload(1.0, frame="coupler").mounted((1, 0, 0)).loops is robot.loops
    path.with_suffix(".loops.toml").write_text(LOOPS.replace('"rocker"', '"rock"'))
    with pytest.raises(ModelError, match=r"arm\.loops\.toml: loop 'coupler on rocker': link_b"):
        load_robot(path)


@pytest.mark.parametrize("text", ["x = " + "1" * 5000, "x = " + "[" * 100_000])
def test_what_no_reader_of_toml_takes_is_refused(text):
    assert failure(text).startswith("arm.loops.toml: ")
    with pytest.raises(ModelError, match=r"^arm\.toml: "):
        read_card(text, source="arm.toml")
