"""The tool frame: which link has it, and a frame at an offset from a link."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sim.errors import ModelError
from sim.kinematics import frame_pose
from sim.kinematics.inverse import inverse_kinematics
from sim.robots import load_robot, read_urdf
from tests.helpers.pinocchio_model import PinocchioModel

UR10 = load_robot("ur10")
Q = np.array([0.3, -1.2, 1.5, -0.4, 0.9, 0.2])


def arm(*leaves: str, base: bool = True) -> str:
    """An arm of one joint with these links welded to its hand, and a frame welded to its root."""
    links = "".join(
        f'<link name="{name}"/><joint name="to {name}" type="fixed"><parent link="hand"/>'
        f'<child link="{name}"/><origin xyz="0 0 0.{k + 1}"/></joint>'
        for k, name in enumerate(leaves)
    )
    weld = (
        '<link name="base"/><joint name="weld" type="fixed"><parent link="base_link"/>'
        '<child link="base"/></joint>'
    )
    return (
        '<robot name="arm"><link name="base_link"/><link name="hand"/><joint name="turn" '
        'type="continuous"><parent link="base_link"/><child link="hand"/><axis xyz="0 1 0"/>'
        f"</joint>{links}{weld if base else ''}</robot>"
    )


@pytest.mark.parametrize(
    ("leaves", "tool"),
    [
        ((), "hand"),
        (("tip",), "tip"),
        (("ee_link", "tip", "flange"), "flange"),
        (("ee_link", "tool0", "flange"), "tool0"),
        (("left", "ee_link"), "ee_link"),
        (("left", "right"), None),
    ],
)
@pytest.mark.parametrize("base", [True, False])
def test_the_tool_is_the_link_at_the_end_that_moves(leaves, tool, base):
    robot = read_urdf(arm(*leaves, base=base))
    assert robot.tool == tool
    if len(leaves) < 2 or tool is None:
        assert robot.tool_note == ""
    else:
        others = ", ".join(name for name in leaves if name != tool)
        assert robot.tool_note == (
            f"tool frame {tool!r} chosen by its name; other end links: {others}"
        )


def test_the_choice_of_a_user_needs_no_note():
    robot = read_urdf(arm("tool0", "left"), tool="left")
    assert (robot.tool, robot.tool_note) == ("left", "")
    assert read_urdf(arm("tool0", "left")).with_tool("tool0").tool_note == ""


def test_several_ends_without_a_usual_name_are_refused_where_a_tool_is_needed():
    robot = read_urdf(arm("left", "right"))
    for act in (
        lambda: frame_pose(robot, [0.1]),
        lambda: robot.with_payload(1),
        robot.require_tool,
    ):
        with pytest.raises(ModelError) as caught:
            act()
        for piece in ("its end links are left, right", "--tool LINK", "load_robot(..., tool=LINK)"):
            assert piece in str(caught.value)
    assert robot.with_tool("left").with_payload(1).tool == "left"


def test_an_offset_is_a_frame_of_its_own_for_every_program():
    offset = (0.02, -0.03, 0.15, 0.4, -0.7, 1.1)
    robot = load_robot("ur10", tcp=offset)
    T = np.eye(4)
    T[:3, :3] = Rotation.from_euler("xyz", offset[3:]).as_matrix()
    T[:3, 3] = offset[:3]
    q = Q[:, None]
    expected = frame_pose(UR10, q)[:, :, 0] @ T
    np.testing.assert_allclose(frame_pose(robot, q)[:, :, 0], expected, atol=1e-14)  # rounding
    motion = PinocchioModel(robot, (0.0, 0.0, 0.0)).frame_motion(robot.tool, q, 0 * q)
    np.testing.assert_allclose(motion[:9, 0].reshape(3, 3), expected[:3, :3], atol=1e-14)
    np.testing.assert_allclose(motion[9:12, 0], expected[:3, 3], atol=1e-14)
    assert (robot.tool, robot.card) == ("tcp", UR10.card)
    found = inverse_kinematics(robot, expected)
    assert found.family == "ur"  # the closed form, as without an offset
    assert min(np.abs(one.q - Q).max() for one in found.solutions) < 1e-9


def test_an_offset_is_from_the_link_that_is_named():
    robot = load_robot("ur10", tool="forearm_link", tcp=(0.1, 0, 0))
    there = frame_pose(UR10, Q[:, None], "forearm_link")[:, :, 0]
    place = frame_pose(robot, Q[:, None])[:3, 3, 0]
    np.testing.assert_allclose(place, there[:3, 3] + 0.1 * there[:3, 0], atol=1e-15)
    twice = robot.with_tool(tcp=(0, 0, 0.1))
    assert (robot.tool, twice.tool) == ("tcp", "tcp_2")


@pytest.mark.parametrize("tcp", [(1, 2), (0, 0, np.nan), (0, 0, 0, 0, 0, np.inf), "abc", 3.0])
def test_an_offset_is_three_or_six_finite_numbers(tcp):
    with pytest.raises(ModelError, match=r"tcp.*three finite numbers x y z \[m\]"):
        load_robot("ur10", tcp=tcp)


def test_an_unknown_link_is_refused_with_those_that_are_there():
    with pytest.raises(ModelError, match="hand"):
        read_urdf(arm()).with_tool("hnd", (0, 0, 0.1))
