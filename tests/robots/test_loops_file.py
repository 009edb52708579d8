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


HINGE = LOOPS.replace("normal", 'kind = "hinge"\naxis_b = [0, 1, 0]\naxis_a')
STRING = LOOPS.replace("normal = [0, 1, 0]", 'kind = "function"\nfunction = "DM(b,a) - 0.3"')
ROD = LOOPS.replace("normal = [0, 1, 0]", 'kind = "rod"\nlength = 0.3')


def test_kinds_of_loops_are_read_with_what_they_need():
    (hinge,) = read_loops(HINGE, ROBOT)
    assert hinge.components == ("fx", "fy", "fz", "mx", "my", "mz")
    np.testing.assert_array_equal(hinge.frame_a[:, 2], [0, 1, 0])
    (rod,) = read_loops(ROD, ROBOT)
    assert (rod.length, rod.components) == (0.3, ("fx", "fy", "fz", "tension"))


@pytest.mark.parametrize(
    ("text", "old", "new", "pieces"),
    [
        (HINGE, '"hinge"', '"hing"', ["kind 'hing' is not one of point, hinge, slider"]),
        (HINGE, "axis_b = [0, 1, 0]\n", "", ["a hinge needs axis_b"]),
        (HINGE, "axis_a = [0, 1, 0]", "axis_a = [0, 2, 0]", ["axis_a", "length 2; it needs 1"]),
        (HINGE, '"hinge"', '"slider"', ["a slider needs across_a"]),
        (HINGE, '"hinge"', '"hinge"\nlength = 0.1', ["a hinge has no length"]),
        (HINGE, '"hinge"', '"hinge"\nnormal = [0, 1, 0]', ["a hinge has no normal"]),
        (ROD, "0.3", "-0.3", ["length -0.3 m must be finite and above 0"]),
        (ROD, "0.3", "nan", ["length nan m must be finite"]),
        (ROD, "length = 0.3", "", ["a rod needs length"]),
        (STRING, 'function = "DM(b,a) - 0.3"', "", ["a function needs function"]),
        (STRING, "- 0.3", "- 0.3*TIME", ["depends on TIME; a loop may not"]),
        (STRING, "DM(b,a)", "DX(b,a)", ["reads DX(b, a); a loop may read where b is as seen from"]),
        (STRING, "DM(b,a)", "VR(b,a)", ["reads VR(b, a)"]),
        (STRING, "DM(b,a)", "DM(b,c)", ["function 'DM(b,c) - 0.3'", "c"]),
        (STRING, "DM(b,a) - ", "", ["reads neither frame"]),
        (STRING, "- 0.3", "- ", ["function 'DM(b,a) - '"]),
        (
            HINGE, '"hinge"',
            '"slider"\nacross_a = [0, 0.6, 0.8]\nacross_b = [1, 0, 0]',
            ["across_a is 53.1301 deg from axis_a; it needs 90"],
        ),
    ],
)  # fmt: skip
def test_what_no_kind_of_loop_has_is_refused_by_name(text, old, new, pieces):
    assert old in text
    message = failure(text.replace(old, new, 1))
    assert message.startswith("arm.loops.toml: loop 'coupler on rocker': ")
    for piece in pieces:
        assert piece in message


def test_loops_are_added_in_a_script_as_by_the_file():
    (loop,) = read_loops(LOOPS, ROBOT)
    bare = read_urdf(ROBOT.text)
    assert bare.with_loops(loop).loops == (loop,)
    with pytest.raises(ModelError, match=r"Robot 'small': loop name .* is used twice"):
        bare.with_loops(loop, loop)
