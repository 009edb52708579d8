import math
import re
import resource
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pinocchio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.errors import ModelError
from sim.robots import Limits, Mimic, read_urdf
from tests.helpers.random_robots import random_state, random_urdf

ARM = """\
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>
      <mass value="2.0"/>
      <inertia ixx="0.3" ixy="0.01" ixz="0.02" iyy="0.4" iyz="0.03" izz="0.5"/>
    </inertial>
  </link>
  <link name="fore">
    <inertial>
      <mass value="1.5"/>
      <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>
    </inertial>
  </link>
  <link name="slide"/>
  <link name="tip">
    <inertial>
      <mass value="1.0"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/>
    <child link="upper"/>
    <origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>
    <axis xyz="0.6 0 0.8"/>
    <limit lower="-1.5" upper="2" effort="30" velocity="4"/>
    <dynamics damping="0.7" friction="0.2"/>
  </joint>
  <joint name="elbow" type="continuous">
    <parent link="upper"/>
    <child link="fore"/>
    <mimic joint="shoulder" multiplier="-2" offset="0.5"/>
  </joint>
  <joint name="lift" type="prismatic">
    <parent link="fore"/>
    <child link="slide"/>
    <axis xyz="0 0 1"/>
    <limit lower="0" upper="0.4" effort="0" velocity="0"/>
  </joint>
  <joint name="tip_joint" type="fixed">
    <parent link="slide"/>
    <child link="tip"/>
  </joint>
</robot>
"""


class Fault(NamedTuple):
    """A change that breaks the arm, the place of the message and what it must say."""

    old: str
    new: str
    says: tuple[str, ...]
    at: str | None = None  # the place, where it is not that of the change


UPPER = 'ixx="0.3" ixy="0.01" ixz="0.02" iyy="0.4" iyz="0.03" izz="0.5"'
LIMIT = '<limit lower="-1.5" upper="2" effort="30" velocity="4"/>'
LEADER = 'mimic joint="shoulder"'
IN_UPPER = '<inertial>\n      <origin xyz="0.1'
SHOULDER, ELBOW, LIFT, TIP_JOINT = (
    f'<joint name="{name}"' for name in ("shoulder", "elbow", "lift", "tip_joint")
)

FAULTS = {
    "robot without name": Fault(' name="arm"', "", ("<robot>", "attribute 'name'")),
    "link without name": Fault('link name="base"', "link", ("<link>", "attribute 'name'")),
    "blank name": Fault('name="base"', 'name=" "', ("<link>", "attribute 'name'")),
    "long link name": Fault('name="base"', f'name="{"x" * 201}"', ("201 characters", "200")),
    "long joint name": Fault('"tip_joint"', f'"{"y" * 201}"', ("201 characters", "200")),
    "link name twice": Fault(
        'link name="slide"', 'link name="fore"', ("link name 'fore' is used twice",)
    ),
    "joint name twice": Fault('"tip_joint"', '"lift"', ("joint name 'lift' is used twice",)),
    "no joint type": Fault(' type="fixed"', "", ("joint 'tip_joint'", "attribute 'type'")),
    "unknown type": Fault(
        "continuous",
        "hinge",
        ("'hinge' is unknown", "revolute, continuous, prismatic, spherical, fixed, universal"),
    ),
    "no parent": Fault('<parent link="upper"/>', "", ("'elbow'", "needs a <parent>"), ELBOW),
    "no child": Fault('<child link="fore"/>', "", ("'elbow'", "needs a <child>"), ELBOW),
    "parent without link": Fault('parent link="upper"', "parent", ("'elbow'", "attribute 'link'")),
    "unknown parent": Fault(
        '<parent link="upper"/>',
        '<parent link="uper"/>',
        ("joint 'elbow'", "parent link 'uper' does not exist", "'base', 'upper', 'fore'"),
        ELBOW,
    ),
    "unknown child": Fault(
        '<child link="tip"/>',
        '<child link="hand"/>',
        ("joint 'tip_joint'", "child link 'hand' does not exist"),
        TIP_JOINT,
    ),
    "two roots": Fault(
        '<link name="base"/>',
        '<link name="base"/><link name="table"/>',
        ("robot 'arm'", "'base', 'table' have no parent", "exactly one"),
        "<robot",
    ),
    "two parents": Fault(
        '<child link="tip"/>',
        '<child link="fore"/>',
        ("joint 'tip_joint'", "'fore' already hangs on joint 'elbow'"),
        TIP_JOINT,
    ),
    "zero axis": Fault("0.6 0 0.8", "0 0 0", ("joint 'shoulder'", "axis (0, 0, 0) is zero")),
    "long axis": Fault("0.6 0 0.8", "0 0 2", ("joint 'shoulder'", "has length 2;", "length 1")),
    "rounded too far": Fault("0.6 0 0.8", "0 0 1.0002", ("has length 1.0002",)),
    "axis without xyz": Fault('axis xyz="0.6 0 0.8"', "axis", ("attribute 'xyz'",)),
    "two axes": Fault('<axis xyz="0 0 1"/>', '<axis xyz="0 0 1"/>' * 2, ("'lift'", "2 <axis>")),
    "word": Fault('"2.0"', '"abc"', ("link 'upper'", 'mass value="abc"', "not a number such as")),
    "comma for a point": Fault('"2.0"', '"2,5"', ('mass value="2,5"', "'2,5'")),
    "rubbish behind": Fault('izz="0.5"', 'izz="1x"', ('inertia izz="1x"', "'1x'")),
    "nan": Fault('"2.0"', '"nan"', ("'nan'", "not a number such as")),
    "inf": Fault('"2.0"', '"inf"', ("'inf'", "not a number such as")),
    "overflow": Fault('"2.0"', '"1e999"', ("'1e999'", "not a number such as")),
    "too large": Fault('"2.0"', '"-1.1e100"', ("'-1.1e100'", "within ±1e+100")),
    "underscore": Fault('"2.0"', '"1_0"', ("'1_0'", "not a number such as")),
    "digits of another script": Fault('"2.0"', '"٣"', ("'٣'", "not a number such as")),
    "blank number": Fault('"2.0"', '""', ("<mass>", "attribute 'value'")),
    "two coordinates": Fault('"1 2 3"', '"1 2"', ("'shoulder'", "2 number(s)", "needs 3")),
    "four coordinates": Fault('"1 2 3"', '"1 2 3 4"', ("'shoulder'", "4 number(s)")),
    "commas in a vector": Fault('"1 2 3"', '"1,2,3"', ("'shoulder'", "1 number(s)")),
    "word in a vector": Fault('"1 2 3"', '"1 2 z"', ("joint 'shoulder'", "'z'")),
    "word in an angle": Fault('"0.4 0.5 0.6"', '"0.4 0.5 pi"', ("link 'upper'", "'pi'")),
    "negative mass": Fault('"2.0"', '"-2"', ("link 'upper'", "-2 kg is negative"), IN_UPPER),
    "no mass": Fault('<mass value="2.0"/>', "", ("link 'upper'", "needs a <mass>"), IN_UPPER),
    "no inertia": Fault(f"<inertia {UPPER}/>", "", ("'upper'", "needs a <inertia>"), IN_UPPER),
    "a moment is missing": Fault('iyz="0.03"', "", ("link 'upper'", "attribute 'iyz'")),
    "zero mass with inertia": Fault('"2.0"', '"0"', ("'upper'", "mass is 0 kg"), IN_UPPER),
    "negative moment": Fault('ixx="0.3"', 'ixx="-0.3"', ("must not be negative",), IN_UPPER),
    "large product": Fault('ixy="0.01"', 'ixy="0.4"', ("positive semidefinite",), IN_UPPER),
    "triangle": Fault('izz="0.5"', 'izz="0.9"', ("'upper'", "triangle inequality"), IN_UPPER),
    "two inertials": Fault(
        '<link name="base"/>', '<link name="base"><inertial/><inertial/></link>', ("2 <inertial>",)
    ),
    "revolute without limit": Fault(
        LIMIT, "", ("'shoulder'", "revolute joint needs a <limit>", "'continuous'"), SHOULDER
    ),
    "prismatic without limit": Fault(
        '<limit lower="0" upper="0.4" effort="0" velocity="0"/>',
        "",
        ("'lift'", "prismatic joint needs a <limit>"),
        LIFT,
    ),
    "limit without range": Fault(
        LIMIT, '<limit effort="3" velocity="1"/>', ("'shoulder'", "has neither lower nor upper")
    ),
    "limits swapped": Fault('lower="-1.5"', 'lower="3"', ("lower limit 3", "upper limit 2")),
    "negative effort": Fault('effort="30"', 'effort="-30"', ("effort -30 is negative",)),
    "negative velocity": Fault('velocity="4"', 'velocity="-4"', ("velocity -4 is negative",)),
    "negative damping": Fault('damping="0.7"', 'damping="-1"', ("damping -1 is negative",)),
    "negative friction": Fault('friction="0.2"', 'friction="-1"', ("friction -1 is negative",)),
    "mimic without joint": Fault(LEADER, "mimic", ("joint 'elbow'", "attribute 'joint'")),
    "mimic of nothing": Fault(
        LEADER,
        'mimic joint="hip"',
        ("joint 'elbow'", "'hip', which does not exist", "'shoulder', 'elbow', 'lift'"),
        ELBOW,
    ),
    "mimic of a fixed joint": Fault(
        LEADER, 'mimic joint="tip_joint"', ("'elbow'", "'tip_joint', which is fixed"), ELBOW
    ),
    "mimic of itself": Fault(
        LEADER, 'mimic joint="elbow"', ("'elbow'", "circle, elbow -> elbow"), ELBOW
    ),
    "mimic in a circle": Fault(
        '<axis xyz="0.6 0 0.8"/>',
        '<mimic joint="elbow"/>',
        ("joint 'shoulder'", "circle, shoulder -> elbow -> shoulder"),
        SHOULDER,
    ),
    "mimic on a fixed joint": Fault(
        '<child link="tip"/>',
        '<child link="tip"/><mimic joint="lift"/>',
        ("joint 'tip_joint'", "a fixed joint cannot have a <mimic>"),
    ),
    "moves without mass": Fault(
        '<mass value="1.0"/>\n      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>',
        '<mass value="0"/>\n      <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>',
        ("joint 'lift'", "link 'slide' moves but has no mass; give it an <inertial>"),
        LIFT,
    ),
}


def swap(old: str, new: str) -> str:
    assert ARM.count(old) == 1, f"{old!r} must stand in the arm exactly once"
    return ARM.replace(old, new)


def failure(text: str, **options: object) -> str:
    with pytest.raises(ModelError) as caught:
        read_urdf(text, **options)
    return str(caught.value)


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_named_with_file_line_and_remedy(fault):
    message = failure(swap(fault.old, fault.new), source="arm.urdf", strict=True)
    place = ARM.index(fault.old if fault.at is None else fault.at)
    line = 1 + ARM[:place].count("\n")
    assert message.startswith(f"arm.urdf, line {line}: ")
    for piece in fault.says:
        assert piece in message


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", ["arm.urdf", "not an XML document"]),
        ("pick up the box", ["arm.urdf", "not an XML document"]),
        ("<robot name='a'><link name='b'></robot>", ["line 1", "not an XML document", "mismatch"]),
        ("<robot name='a'>\n<link name='b' name='c'/>\n</robot>", ["line 2", "redefined"]),
        ("<model name='a'><link name='b'/></model>", ["<model>", "a URDF starts with <robot>"]),
        ("<sdf version='1.9'><model name='a'/></sdf>", ["<sdf>", "Gazebo", "load_robot reads it"]),
        ("<mujoco model='a'/>", ["<mujoco>", "MJCF", "load_robot reads it"]),
        ("<model xmlns='urn:x' name='a'/>", ["<model>", "a URDF starts with <robot>"]),
        ("<robot name='a'/>", ["robot 'a'", "has no <link>"]),
        ("<robot name='a\0'><link name='b'/></robot>", ["not an XML document"]),
        ("<robot name='a\ud800'><link name='b'/></robot>", ["not an XML document"]),
    ],
)
def test_what_is_not_a_urdf_is_refused(text, pieces):
    message = failure(text, source="arm.urdf")
    for piece in pieces:
        assert piece in message


def test_a_xacro_template_is_refused_with_the_command_that_expands_it():
    text = (
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="arm">\n'
        '<xacro:property name="l" value="1"/><link name="base"/></robot>'
    )
    assert re.search(r"line 2: .*xacro template; expand it .*xacro FILE", failure(text))


def test_an_unused_xacro_namespace_is_no_fault():
    text = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="a"><link name="base"/></robot>'
    assert read_urdf(text).links[0].name == "base"


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE robot [<!ENTITY e "b"><!ENTITY f "&e;&e;">]>',
        '<!DOCTYPE robot [<!ENTITY e SYSTEM "{secret}">]>',
        '<!DOCTYPE robot [<!ENTITY % e SYSTEM "{secret}"> %e;]>',
        '<!DOCTYPE robot SYSTEM "{secret}">',
    ],
)
def test_entities_are_neither_expanded_nor_fetched(declaration, tmp_path):
    secret = tmp_path / "secret.dtd"
    secret.write_text('<!ENTITY e "b">')
    text = declaration.replace("{secret}", secret.as_uri())
    message = failure(f'{text}<robot name="a"><link name="b"/></robot>')
    assert "document type (<!DOCTYPE ...>) is not allowed" in message


COMMENTED = """
from sim.robots import read_urdf
robot = read_urdf("<!-- by hand -->\\n" * 1000 + '<robot name="r"><link name="a"/></robot>')
print(len(robot.with_payload(mass=1, frame="a").links))
"""


def test_many_comments_before_the_robot_are_read_at_once():
    """In a process that may take 20 s of CPU time; 40 comments once took a day."""
    done = subprocess.run(
        [sys.executable, "-c", COMMENTED],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (20, 25)),
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "2\n"), done.stderr


def test_a_comment_may_hold_what_begins_a_document_type():
    text = (
        "<!DOCTYPE robot>"
        + f"<!-- {'<!DOCTYPE ' * 100_000} -->"
        + '<robot name="r"><link name="a"/></robot>'
    )
    assert read_urdf(text).links[0].name == "a"


def test_joints_beside_the_tree_that_close_a_loop_are_refused():
    loop = '<link name="a"/><link name="b"/>' + "".join(
        f'<joint name="{parent}{child}" type="fixed">'
        f'<parent link="{parent}"/><child link="{child}"/></joint>'
        for parent, child in ("ab", "ba")
    )
    message = failure(ARM.replace("</robot>", f"{loop}</robot>"))
    assert (
        "joint 'ab': closes a loop through links 'b' - 'a' - 'b'; a URDF must be a tree" in message
    )


def test_a_robot_that_is_one_loop_is_refused():
    text = swap('<child link="tip"/>', '<child link="base"/>').replace('<link name="tip">', "<i>")
    text = re.sub(r"<i>.*?</link>", "", text, flags=re.S)
    message = failure(text)
    assert "robot 'arm': every link is the child of a joint" in message
    assert "loop through links 'upper' - 'fore' - 'slide' - 'base' - 'upper'" in message


def test_a_link_joined_to_itself_is_refused():
    joint = '<joint name="j" type="fixed"><parent link="a"/><child link="a"/></joint>'
    assert "'a' - 'a'" in failure(f'<robot name="r"><link name="a"/>{joint}</robot>')


def chain(n: int) -> str:
    body = (
        '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
        "</inertial>"
    )
    links = "".join(f'<link name="l{i}">{body}</link>' for i in range(n + 1))
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/>'
        "</joint>"
        for i in range(n)
    )
    return f'<robot name="chain">{links}{joints}</robot>'


SIZES = ARM.replace('xyz="0.1 0.2 0.3"', 'xyz="{com} 0.2 0.3"').replace('"2.0"', '"{mass}"')


@pytest.mark.parametrize(
    ("put", "words"),
    [
        (
            {"mass": "1e90"},
            r"mass 1e\+90 kg is unrealistic; .* 1e-15 .* 1e\+09 kg",
        ),
        ({"mass": "1.1e9"}, r"link 'upper': mass 1100000000 kg"),
        ({"mass": "1e-300"}, r"link 'upper': mass 1e-300 kg"),
        (
            {"mass": "1e-14"},
            r"moments of 0\.5\d* kg·m² with 1e-14 kg need a body of .* at most 1e\+06 m",
        ),
        ({"com": "1e90"}, r"link 'upper': its <origin> is 1e\+90 m away; at most 1e\+06 m"),
        ({"com": "-1.1e6"}, r"its <origin> is 1\.1e\+06 m away"),
    ],
)
def test_what_no_machine_is_as_large_or_light_as_is_refused(put, words):
    assert re.search(words, failure(SIZES.format(**{"mass": "2.0", "com": "0.1"} | put)))
    for sound in ({"mass": "1e9"}, {"com": "1e6"}):
        assert read_urdf(SIZES.format(**{"mass": "2.0", "com": "0.1"} | sound)).links


def test_the_origin_of_a_joint_is_no_farther_than_a_machine_reaches():
    text = ARM.replace('<child link="upper"/>', '<child link="upper"/><origin xyz="0 1e90 0"/>', 1)
    assert "joint 'shoulder'" in failure(text)


def test_a_point_of_hardly_any_mass_is_a_frame_and_told_so():
    text = ARM.replace('<mass value="1.5"/>', '<mass value="1e-300"/>')
    robot = read_urdf(text)
    told = [one.text for one in robot.repairs if one.kind == "no body"]
    assert re.search(r"link 'fore': mass 1e-300 kg .*; read as: a frame without mass", told[0])
    assert robot.link("fore").inertia is None
    light = read_urdf(ARM.replace('<mass value="1.5"/>', '<mass value="1e-9"/>'))
    assert (light.repairs, light.link("fore").inertia.mass) == ((), 1e-9)


def test_at_most_120_joints_may_move():
    assert len(read_urdf(chain(120)).tree_joints) == 120
    assert "has 121 movable joints; at most 120" in failure(chain(121))


def test_a_chain_of_thousands_of_fixed_links_is_no_problem():
    text = chain(2000).replace("continuous", "fixed")
    assert [link.name for link in read_urdf(text).links] == [f"l{i}" for i in range(2001)]


def test_an_element_of_a_link_keeps_what_the_urdf_says():
    robot = read_urdf(ARM)
    shoulder, elbow, lift, tip_joint = robot.joints
    assert robot.name == "arm"
    assert robot.text == ARM
    assert robot.joint_names == ("shoulder", "lift")
    assert [joint.name for joint in robot.tree_joints] == ["shoulder", "elbow", "lift"]
    assert shoulder.limits == Limits(-1.5, 2, 4, 30)
    assert (shoulder.damping, shoulder.friction) == (0.7, 0.2)
    np.testing.assert_allclose(shoulder.axis, (0.6, 0, 0.8), rtol=0, atol=1e-16)
    assert elbow.limits == Limits()
    assert elbow.mimic == Mimic("shoulder", -2, 0.5)
    assert elbow.axis.tolist() == [1, 0, 0], "the URDF standard's axis where none is given"
    assert lift.limits == Limits(0, 0.4)
    assert lift.is_prismatic
    assert not tip_joint.is_movable
    assert robot.link("base").inertia is None
    assert robot.link("slide").inertia is None
    assert not robot.link("fore").inertia.tensor.any(), "a point mass is allowed"


def test_a_mimic_follows_one_to_one_where_nothing_else_is_said():
    robot = read_urdf(swap(' multiplier="-2" offset="0.5"', ""))
    assert robot.joint("elbow").mimic == Mimic("shoulder", 1, 0)


def test_a_mimic_that_leads_into_a_circle_is_refused():
    text = swap(LEADER, 'mimic joint="lift"').replace(
        '<axis xyz="0 0 1"/>', '<mimic joint="elbow"/>'
    )
    text = text.replace('<axis xyz="0.6 0 0.8"/>', '<mimic joint="elbow"/>')
    assert "circle, shoulder -> elbow -> lift -> elbow" in failure(text)


@pytest.mark.parametrize("length", [1 - 9.9e-5, 1, 1 + 9.9e-5])
def test_an_axis_of_rounded_digits_is_made_a_unit_vector(length):
    x, z = 0.6 * length, 0.8 * length
    axis = read_urdf(swap("0.6 0 0.8", f"{x!r} 0 {z!r}")).joint("shoulder").axis
    assert math.hypot(*axis) == pytest.approx(1, abs=2e-16)
    np.testing.assert_allclose(axis, (0.6, 0, 0.8), rtol=0, atol=1e-15)


def test_the_zero_axis_that_exporters_give_fixed_joints_is_passed_over():
    text = swap('<child link="tip"/>', '<child link="tip"/><axis xyz="0 0 0"/>')
    assert not read_urdf(text).joint("tip_joint").is_movable


def test_zero_or_missing_effort_and_velocity_are_no_limits():
    for limit in ('effort="0" velocity="0"', ""):
        text = swap('effort="30" velocity="4"', limit)
        assert read_urdf(text).joint("shoulder").limits == Limits(-1.5, 2)


def test_a_missing_bound_is_zero_by_the_urdf_standard():
    assert read_urdf(swap('lower="-1.5"', "")).joint("shoulder").limits.lower == 0


def test_a_continuous_joint_has_ratings_but_no_range():
    limit = '<limit lower="-1" upper="1" effort="5" velocity="6"/>'
    joint = read_urdf(swap('<mimic joint="shoulder"', f"{limit}<mimic joint='shoulder'")).joint(
        "elbow"
    )
    assert joint.limits == Limits(velocity=6, effort=5)


def test_links_of_zero_mass_and_inertia_are_frames():
    text = swap('<mass value="1.5"/>', '<mass value="0"/>').replace(
        'type="continuous"', 'type="fixed"'
    )
    robot = read_urdf(re.sub("<mimic.*/>", "", text))
    assert robot.link("fore").inertia is None


@pytest.mark.parametrize("izz", [2, 2 + 1.9e-6])
def test_a_flat_body_is_possible_and_so_are_its_printed_digits(izz):
    moments = f'ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="{izz!r}"'
    tensor = read_urdf(swap(UPPER, moments)).link("upper").inertia.tensor
    np.testing.assert_allclose(np.linalg.eigvalsh(tensor), [1, 1, izz], rtol=1e-15)


def test_a_body_more_than_a_millionth_beyond_flat_is_impossible():
    moments = f'ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="{2 + 2.1e-6!r}"'
    assert "triangle" in failure(swap(UPPER, moments), strict=True)


def test_elements_of_other_tools_and_comments_are_passed_over():
    extra = (
        '<!-- <link name="no"/> --><gazebo reference="base"><link name="x"/></gazebo>'
        '<transmission name="t"><joint name="shoulder"/></transmission><material name="m"/>'
    )
    robot = read_urdf(ARM.replace("</robot>", f"{extra}</robot>"))
    assert len(robot.links) == 5
    assert len(robot.joints) == 4


def test_an_encoding_declaration_and_a_byte_order_mark_do_no_harm():
    text = '\ufeff<?xml version="1.0" encoding="latin-1"?><robot name="ü"><link name="b"/></robot>'
    assert read_urdf(text).name == "ü"


def test_the_tool_is_the_only_link_that_carries_no_other():
    assert read_urdf(ARM).tool == "tip"
    assert read_urdf(ARM, tool="fore").tool == "fore"
    fork = (
        '<link name="camera"/><joint name="c" type="fixed">'
        '<parent link="fore"/><child link="camera"/></joint></robot>'
    )
    assert read_urdf(ARM.replace("</robot>", fork)).tool is None
    message = failure(ARM, tool="hand", source="arm.urdf")
    assert "arm.urdf: tool link 'hand'" in message
    assert "available: base, upper, fore, slide, tip" in message


def test_joints_come_outwards_from_the_root_and_side_by_side_in_document_order():
    names = ["e", "r", "c", "b", "a", "d"]
    ends = [("a", "d"), ("r", "b"), ("b", "e"), ("b", "c"), ("r", "a")]
    links = "".join(f'<link name="{name}"/>' for name in names)
    joints = "".join(
        f'<joint name="{p}{c}" type="fixed"><parent link="{p}"/><child link="{c}"/></joint>'
        for p, c in ends
    )
    robot = read_urdf(f'<robot name="x">{joints}{links}</robot>')
    assert [link.name for link in robot.links] == ["r", "b", "a", "e", "c", "d"]
    assert [joint.name for joint in robot.joints] == ["rb", "ra", "be", "bc", "ad"]


trees = st.builds(
    lambda seed, n, branching, mimic: random_urdf(
        np.random.default_rng(seed), n, branching=branching, mimic=mimic
    ),
    st.integers(0, 2**32),
    st.integers(1, 12),
    st.booleans(),
    st.booleans(),
)


@given(trees, st.integers(0, 2**32))
def test_random_trees_have_the_masses_and_poses_that_pinocchio_reads(text, seed):
    robot = read_urdf(text)
    model = pinocchio.buildModelFromXML(text)
    data = model.createData()
    n = len(robot.tree_joints)
    assert sorted(joint.name for joint in robot.tree_joints) == sorted(list(model.names)[1:])
    q = random_state(np.random.default_rng(seed), n)[0]
    by_name = dict(zip((joint.name for joint in robot.tree_joints), q, strict=True))
    pinocchio.framesForwardKinematics(
        model, data, np.array([by_name[name] for name in list(model.names)[1:]])
    )
    T_0 = {robot.links[0].name: np.eye(4)}
    for joint in robot.joints:
        T_0[joint.child] = T_0[joint.parent] @ joint.T_pc @ motion(joint, by_name.get(joint.name))
    for link in robot.links:
        frame = model.frames[model.getFrameId(link.name, pinocchio.FrameType.BODY)]
        pose = data.oMi[frame.parentJoint] * frame.placement
        np.testing.assert_allclose(T_0[link.name], pose.homogeneous, rtol=0, atol=1e-13)  # [m]


@given(trees)
def test_random_trees_have_the_inertias_that_pinocchio_reads(text):
    robot = read_urdf(text)
    model = pinocchio.buildModelFromXML(text)
    bodies = [pinocchio.Inertia.Zero() for _ in model.inertias]
    for link in robot.links:
        if link.inertia is not None:
            frame = model.frames[model.getFrameId(link.name, pinocchio.FrameType.BODY)]
            own = pinocchio.Inertia(link.inertia.mass, link.inertia.com, link.inertia.tensor)
            bodies[frame.parentJoint] += frame.placement.act(own)
    for ours, theirs in zip(bodies, model.inertias, strict=True):
        assert ours.mass == pytest.approx(theirs.mass, rel=1e-15)  # [kg]
        np.testing.assert_allclose(ours.lever, theirs.lever, rtol=0, atol=1e-14)  # [m]
        np.testing.assert_allclose(ours.inertia, theirs.inertia, rtol=0, atol=1e-13)  # [kg·m²]


def motion(joint, q):
    if q is None:
        return np.eye(4)
    if joint.is_prismatic:
        return pinocchio.SE3(np.eye(3), q * joint.axis).homogeneous
    return pinocchio.SE3(pinocchio.exp3(q * joint.axis), np.zeros(3)).homogeneous


@given(st.floats(1e-15, 1e9))
def test_a_number_is_read_to_its_last_bit(mass):
    text = swap('"1.5"', f'" {mass!r} "')
    assert read_urdf(text).link("fore").inertia.mass == mass


@given(st.text(max_size=12))
def test_a_text_that_python_does_not_take_for_a_number_is_never_read_as_one(word):
    from xml.sax.saxutils import quoteattr

    text = swap('value="1.5"', f"value={quoteattr(word)}")
    try:
        mass = read_urdf(text).link("fore").inertia.mass
    except (ModelError, AttributeError):
        return
    assert mass == float(word)


@given(st.tuples(*[st.floats(-3, 3)] * 6))
def test_an_inertia_is_accepted_just_if_its_second_moments_are_not_negative(moments):
    xx, xy, xz, yy, yz, zz = moments
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    second = np.linalg.eigvalsh(np.trace(tensor) / 2 * np.eye(3) - tensor)
    scale = np.abs(np.linalg.eigvalsh(tensor)).max()
    words = zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), moments, strict=True)
    text = swap(UPPER, " ".join(f'{key}="{value!r}"' for key, value in words))
    if second[0] > -0.4e-6 * scale:
        read_urdf(text)
    elif second[0] < -0.6e-6 * scale:
        assert "principal moments" in failure(text, strict=True)
