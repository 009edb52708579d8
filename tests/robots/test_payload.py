import numpy as np
import pinocchio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.errors import ModelError
from sim.robots import Payload, load_robot, read_urdf
from sim.robots.payload import BLOCK_DENSITY
from sim.shapes.visuals import visuals
from tests.helpers.random_robots import random_urdf

UR10 = load_robot("ur10")
numbers = st.floats(-10, 10)
masses = st.floats(1e-9, 1e3)
vectors = st.tuples(numbers, numbers, numbers)


@st.composite
def tensors(draw):
    """Tensors of real bodies, tr(S) 1 - S of a mass distribution's second moments S."""
    roots = np.array([draw(vectors) for _ in range(3)])
    S = roots @ roots.T + 1e-3 * np.eye(3)
    return np.trace(S) * np.eye(3) - S


def test_no_mass_is_the_robot_itself():
    assert UR10.with_payload(0) is UR10
    assert UR10.with_payload(0, (1, 2, 3), np.zeros((3, 3)), "forearm_link") is UR10


@given(masses, vectors, tensors())
def test_every_reader_of_the_text_sees_the_payload_to_the_last_bit(mass, com, tensor):
    robot = UR10.with_payload(mass, com, tensor)
    ours = robot.link("payload").inertia
    assert ours.mass == mass
    assert ours.com.tolist() == list(com)
    np.testing.assert_array_equal(ours.tensor, (tensor + tensor.T) / 2)
    again = read_urdf(robot.text).link("payload").inertia
    np.testing.assert_array_equal(again.tensor, ours.tensor)


@given(masses, vectors, tensors())
def test_pinocchio_reads_the_payload_as_a_body_of_the_tool(mass, com, tensor):
    bare = pinocchio.buildModelFromXML(UR10.text).inertias[6]
    laden = pinocchio.buildModelFromXML(UR10.with_payload(mass, com, tensor).text).inertias[6]
    # Parallel-axis theorem about the flange, which is where the tool frame sits.
    first_moment = bare.mass * bare.lever + mass * np.array(com)
    steiner = tensor + mass * (np.dot(com, com) * np.eye(3) - np.outer(com, com))
    scale = 1 + np.abs(steiner).max()
    assert laden.mass == pytest.approx(bare.mass + mass, rel=1e-15)  # [kg]
    np.testing.assert_allclose(laden.mass * laden.lever, first_moment, rtol=0, atol=1e-11)  # [kg·m]
    moments = laden.matrix()[3:, 3:] - bare.matrix()[3:, 3:]
    np.testing.assert_allclose(moments, steiner, rtol=0, atol=1e-12 * scale)  # [kg·m²]


def test_everything_else_about_the_robot_stays():
    before = UR10.mounted((1, 2, 3), (0.1, 0, 0))
    after = before.with_payload(10, (0, 0, 0.1))
    for name in ("name", "tool", "card", "folder"):
        assert getattr(after, name) is getattr(before, name)
    np.testing.assert_array_equal(after.T_0b, before.T_0b)
    assert after.joint_names == before.joint_names
    assert [link.name for link in after.links] == [*(link.name for link in before.links), "payload"]
    np.testing.assert_array_equal(after.pose("upright"), before.pose("upright"))
    assert UR10.text == load_robot("ur10").text, "the first robot is untouched"


def test_a_point_mass_needs_no_inertia():
    inertia = UR10.with_payload(10, (0, 0, 0.1)).link("payload").inertia
    assert inertia.mass == 10
    assert inertia.com.tolist() == [0, 0, 0.1]
    assert not inertia.tensor.any()


@given(masses, vectors)
def test_a_payload_is_shown_as_a_cube_of_its_mass_about_its_mass_centre(mass, com):
    *others, block = visuals(UR10.with_payload(mass, com))
    assert [each.link for each in others] == [each.link for each in visuals(UR10)]
    assert (block.link, block.shape) == ("payload", "box")
    assert block.size[0] == block.size[1] == block.size[2]
    assert block.size[0] ** 3 * BLOCK_DENSITY == pytest.approx(mass, rel=2e-5)
    np.testing.assert_array_equal(block.T_lv[:3, 3], com)
    np.testing.assert_array_equal(block.T_lv[:3, :3], np.eye(3))


def test_ten_kilograms_are_a_block_of_aluminium_of_155_millimetres():
    block = visuals(UR10.with_payload(10, (0, 0, 0.1)))[-1]
    assert block.size[0] == pytest.approx(0.1547, abs=5e-5)  # [m], cube root of 10/2700
    assert len(block.rgba) == 4


def test_payloads_add_up_under_new_names_at_any_frame():
    robot = (
        UR10.with_payload(1).with_payload(2, frame="forearm_link").with_payload(3, frame="payload")
    )
    assert [robot.link(name).inertia.mass for name in ("payload", "payload_2", "payload_3")] == [
        1,
        2,
        3,
    ]
    assert robot.joint("payload_joint").parent == "tool0"
    assert robot.joint("payload_2_joint").parent == "forearm_link"
    assert robot.joint("payload_3_joint").parent == "payload"
    assert robot.tool == "tool0"


def test_names_that_the_robot_has_already_are_passed_over():
    ends = '<parent link="a"/><child link="payload"/>'
    joint = f'<joint name="payload_2_joint" type="fixed">{ends}</joint>'
    robot = read_urdf(f'<robot name="r"><link name="a"/><link name="payload"/>{joint}</robot>')
    assert robot.with_payload(1).links[-1].name == "payload_3"


@given(st.integers(0, 2**32), st.integers(1, 8))
def test_a_payload_fits_any_link_of_any_tree(seed, n):
    rng = np.random.default_rng(seed)
    robot = read_urdf(random_urdf(rng, n))
    frame = robot.links[int(rng.integers(len(robot.links)))].name
    laden = robot.with_payload(2.5, frame=frame)
    assert laden.joint("payload_joint").parent == frame
    assert laden.tool == robot.tool
    assert {link.name for link in laden.links} == {link.name for link in robot.links} | {"payload"}


def test_comments_and_extensions_of_the_urdf_survive():
    text = '<!-- top --><robot name="r"><!-- in --><link name="a"/><gazebo><x/></gazebo></robot>'
    laden = read_urdf(text).with_payload(1).text
    for piece in ("<!-- top -->", "<!-- in -->", "<gazebo><x/></gazebo>"):
        assert piece in laden


def test_meshes_beside_the_urdf_are_found_again(tmp_path):
    (tmp_path / "a.stl").write_text("solid")
    mesh = '<visual><geometry><mesh filename="a.stl"/></geometry></visual>'
    robot = read_urdf(f'<robot name="r"><link name="a">{mesh}</link></robot>', folder=tmp_path)
    assert robot.with_payload(1).folder == tmp_path


@pytest.mark.parametrize(
    ("arguments", "pieces"),
    [
        ({"mass": -1}, ["Payload", "-1 kg is negative"]),
        ({"mass": float("nan")}, ["Payload", "finite"]),
        ({"mass": float("inf")}, ["Payload", "finite"]),
        ({"mass": 1e300}, ["Payload: mass 1e+300 kg", "at most", "1e+09 kg"]),
        ({"mass": "heavy"}, ["Payload", "mass 'heavy'"]),
        ({"mass": [1, 2]}, ["Payload", "mass [1, 2]"]),
        ({"mass": 1, "com": (0, 0)}, ["mass centre (0, 0)", "(3,)"]),
        ({"mass": 1, "com": (0, 0, float("nan"))}, ["mass centre", "finite"]),
        ({"mass": 1, "com": "tool"}, ["mass centre 'tool'"]),
        ({"mass": 1, "inertia": np.eye(2)}, ["inertia", "(3, 3)"]),
        ({"mass": 1, "inertia": np.full((3, 3), np.nan)}, ["inertia", "finite"]),
        ({"mass": 1, "inertia": -np.eye(3)}, ["must not be negative"]),
        ({"mass": 1, "inertia": np.diag([1, 1, 3])}, ["triangle inequality"]),
        ({"mass": 1, "inertia": [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]}, ["not symmetric"]),
        ({"mass": 0, "inertia": np.eye(3)}, ["mass is 0 kg"]),
        ({"mass": 1, "frame": "hand"}, ["Link 'hand'", "'ur10'", "available", "tool0"]),
        ({"mass": 0, "frame": "hand"}, ["Link 'hand'"]),
    ],
)
def test_an_impossible_payload_is_refused(arguments, pieces):
    with pytest.raises(ModelError) as caught:
        UR10.with_payload(**arguments)
    for piece in pieces:
        assert piece in str(caught.value)


def test_a_robot_with_several_ends_needs_the_name_of_the_frame():
    joints = "".join(
        f'<joint name="{name}" type="fixed"><parent link="a"/><child link="{name}"/></joint>'
        for name in "bc"
    )
    links = "".join(f'<link name="{name}"/>' for name in "abc")
    robot = read_urdf(f'<robot name="fork">{links}{joints}</robot>')
    with pytest.raises(ModelError, match=r"'fork' has no tool frame: its end links are b, c"):
        robot.with_payload(1)
    assert robot.with_payload(1, frame="b").link("payload").inertia.mass == 1


def test_a_payload_keeps_its_own_copy_of_the_numbers():
    com, tensor = np.array([1.0, 2.0, 3.0]), np.eye(3)
    payload = Payload(1, com, tensor)
    com[0] = tensor[0, 0] = 9
    assert payload.com.tolist() == [1, 2, 3]
    np.testing.assert_array_equal(payload.inertia, np.eye(3))
    with pytest.raises(ValueError, match="read-only"):
        payload.com[0] = 5
