"""Each kind of finding on a file with just that fault, and none of it on the sound file."""

import re
from pathlib import Path

import numpy as np
import pytest

from sim import shipped
from sim.audit import audit, audit_text
from sim.audit.fixing import fix
from sim.errors import ModelError
from sim.robots import read_urdf, shipped_robots

SOUND = (shipped.scenarios() / "two_link.urdf").read_text(encoding="utf-8")
ELBOW = '<limit lower="-2.5" upper="2.5" effort="15" velocity="3"/>'
ROD = '<inertia ixx="0.05" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.001"/>'
UPPER = '<link name="upper_arm">'
LAST = "</robot>"
HAND = (  # a third link, alike the forearm in nothing but what a row says
    '<link name="hand"><inertial><mass value="{mass}"/>'
    + ROD.replace("0.05", "{xx}")
    + "</inertial>"
    '<visual><geometry><box size="0.05 0.05 {length}"/></geometry></visual></link>'
    '<joint name="wrist" type="{kind}"><parent link="tip"/><child link="hand"/>{more}</joint>'
    "</robot>"
)
KINEMATICS = re.sub("<inertial>.*?</inertial>", "", SOUND, flags=re.S)
BASE = '<link name="base"/>'
BODY = f'<inertial><mass value="1"/>{ROD}</inertial></link>'
LIMITS = '<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>'


def hand(mass=0.4, xx=0.001, length=0.4, kind="revolute", more=LIMITS):
    return HAND.format(mass=mass, xx=xx, length=length, kind=kind, more=more).replace(
        'izz="0.001"', 'izz="0.0005"'
    )


# code, severity, link or joint, the text that is changed, what it is changed to
KINDS = [
    ("misspelt-element", "error", "elbow", ELBOW, ELBOW.replace("limit", "Limit")),
    ("misspelt-element", "error", "robot", LAST, '<lnik name="x"/></robot>'),
    ("misspelt-element", "error", "shoulder", '<axis xyz="0 1 0"/>\n    <limit lower="-3"',
     '<Axis xyz="0 1 0"/>\n    <limit lower="-3"'),
    ("misspelt-attribute", "error", "elbow", 'upper="2.5"', 'uper="2.5"'),
    ("misplaced-element", "error", "robot", LAST,
     '<group><joint name="lost" type="fixed"/></group></robot>'),
    ("misplaced-element", "error", "upper_arm", UPPER, UPPER + '<mass value="3"/>'),
    ("unknown-element", "note", "elbow", ELBOW, ELBOW + "<whatsoever/>"),
    ("unknown-element", "warning", "upper_arm", UPPER, UPPER + "<gravity>0</gravity>"),
    ("unknown-attribute", "note", "elbow", 'upper="2.5"', 'upper="2.5" twist="1"'),
    ("foreign-element", "note", "robot", LAST, '<transmission name="t"/></robot>'),
    ("unexpanded", "error", "elbow", 'upper="2.5"', 'upper="${pi}"'),
    ("refused", "error", "elbow", 'lower="-2.5"', 'lower="low"'),
    ("degrees-in-rpy", "error", "upper_arm", '<origin xyz="0 0 -0.25"/>\n      <mass',
     '<origin xyz="0 0 -0.25" rpy="90 0 0"/>\n      <mass'),
    ("degrees-in-rpy", "warning", "elbow", '<origin xyz="0 0 -0.5"/>',
     '<origin xyz="0 0 -0.5" rpy="0 0 7.25"/>'),
    ("degrees-in-limit", "error", "elbow", ELBOW, ELBOW.replace("2.5", "150")),
    ("degrees-in-velocity", "warning", "elbow", 'velocity="3"/>\n  </joint>\n\n  <joint name="tip',
     'velocity="180"/>\n  </joint>\n\n  <joint name="tip'),
    ("millimetres-in-limit", "warning", "wrist", LAST,
     hand(kind="prismatic", more=LIMITS.replace('upper="1"', 'upper="300"'))),
    ("millimetres-in-origin", "error", "elbow", '<origin xyz="0 0 -0.5"/>',
     '<origin xyz="0 0 -500"/>'),
    ("too-dense", "warning", "upper_arm", '<mass value="2.4"/>', '<mass value="2400"/>'),
    ("impossible-inertia", "error", "upper_arm", 'izz="0.001"', 'izz="0.2"'),
    ("impossible-inertia", "error", "upper_arm", 'izz="0.001"', 'izz="-0.001"'),
    ("impossible-inertia", "error", "upper_arm", '<mass value="2.4"/>', '<mass value="-2.4"/>'),
    ("impossible-inertia", "warning", "upper_arm", 'izz="0.001"', 'izz="0.1005"'),
    ("inertia-too-large", "warning", "upper_arm", ROD, re.sub('"0.0', '"50000.0', ROD)),
    ("inertia-too-small", "warning", "upper_arm", ROD,
     ROD.replace("0.05", "0.0005").replace("0.001", "0.00001")),
    ("point-mass", "warning", "upper_arm", ROD, re.sub(r'"0\.\d+"', '"0"', ROD)),
    ("centre-outside", "warning", "upper_arm", '<origin xyz="0 0 -0.25"/>\n      <mass',
     '<origin xyz="0 0 -2.5"/>\n      <mass'),
    ("implied-density", "note", "upper_arm", '<mass value="2.4"/>', '<mass value="0.24"/>'),
    ("centre-outside-shape", "note", "upper_arm", '<origin xyz="0 0 -0.25"/>\n      <mass',
     '<origin xyz="0 0 -0.52"/>\n      <mass'),
    ("inertia-beyond-shape", "note", "upper_arm", ROD, ROD.replace("0.05", "0.2")),
    ("copied-inertia", "warning", "forearm", LAST, hand(mass=0.4, xx=0.02)),
    ("copied-inertia", "warning", "forearm", LAST, hand(mass=1.5, xx=0.02, length=0.8)),
    ("no-mass", "note", "tip", '<link name="tip"/>',
     '<link name="tip"><visual><geometry><sphere radius="0.1"/></geometry></visual></link>'),
    ("no-axis", "warning", "wrist", LAST, hand(more=LIMITS.replace('<axis xyz="0 1 0"/>', ""))),
    ("no-range", "warning", "elbow", ELBOW, ELBOW.replace("-2.5", "0").replace("2.5", "0")),
    ("zero-outside", "note", "elbow", 'lower="-2.5"', 'lower="0.5"'),
    ("endless-limits", "note", "elbow", 'type="revolute">\n    <parent link="upper_arm"/>',
     'type="continuous">\n    <parent link="upper_arm"/>'),
    ("no-robot", "note", "robot", SOUND, '<robot name="r"><deformable name="r"/></robot>'),
    ("massless", "note", "robot", SOUND, KINEMATICS),
    ("massless", "warning", "robot", SOUND, KINEMATICS.replace(LAST, "<gazebo/>" + LAST)),
    ("massless", "error", "robot", SOUND, KINEMATICS.replace(BASE, BASE[:-2] + ">" + BODY)),
    ("zero-limit", "note", "elbow", 'effort="15"', 'effort="0"'),
    ("tiny-rating", "warning", "elbow", ELBOW, ELBOW.replace('velocity="3"', 'velocity="1e-6"')),
    ("tiny-rating", "warning", "elbow", 'effort="15"', 'effort="1e-6"'),
    ("weak-drive", "warning", "elbow", 'effort="15"', 'effort="0.5"'),
    ("mimic-range", "warning", "elbow", ELBOW, ELBOW + '<mimic joint="shoulder" multiplier="2"/>'),
    ("mimic", "note", "elbow", ELBOW, ELBOW + '<mimic joint="shoulder" multiplier="0.5"/>'),
    ("friction", "note", "elbow", ELBOW, ELBOW + '<dynamics damping="0.1"/>'),
    ("mesh-missing", "note", "upper_arm", '<box size="0.05 0.05 0.5"/>',
     '<mesh filename="no.stl"/>'),
    ("no-tool", "note", "robot", LAST, '<link name="two"/><joint name="f" type="fixed">'
     '<parent link="upper_arm"/><child link="two"/></joint></robot>'),
    ("singular-mass-matrix", "warning", "wrist", LAST,
     hand(more=LIMITS.replace("0 1 0", "0 0 1")).replace('xx="0.001"', 'xx="0"')
     .replace('iyy="0.001"', 'iyy="0"').replace('izz="0.0005"', 'izz="0"')),
]  # fmt: skip


# What follows from a fault and is said besides: without <limit> there is no range, a link that is
# placed or weighed in the wrong unit has the wrong tensor, and what turns nothing cannot be held.
FOLLOWS = {
    "misspelt-element": {"repaired"},
    "misspelt-attribute": {"repaired"},
    "millimetres-in-origin": {"inertia-too-small", "weak-drive"},
    "too-dense": {"inertia-too-small", "weak-drive"},
    "centre-outside": {"weak-drive"},
    "singular-mass-matrix": {"torques-differ", "point-mass"},
}


@pytest.fixture
def audited(tmp_path, monkeypatch):
    """Audits for their findings; what other programs make of a file adds none."""
    monkeypatch.setattr("sim.audit.auditing.readings_of", lambda *_: ())

    def of(text):
        path = tmp_path / "robot.urdf"
        path.write_text(text, encoding="utf-8")
        return audit(path)

    return of


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    path = tmp_path_factory.mktemp("sound") / "robot.urdf"
    path.write_text(SOUND, encoding="utf-8")
    return audit(path)


def test_a_sound_file_has_no_finding_at_all(sound):
    assert sound.findings == ()
    assert sound.ok


def test_the_third_link_of_some_rows_is_sound_by_itself(audited):
    assert audited(SOUND.replace(LAST, hand())).findings == ()


@pytest.mark.parametrize(
    ("code", "severity", "where", "old", "new"), KINDS, ids=lambda value: str(value)[:30]
)
def test_a_fault_is_found_where_it_is(code, severity, where, old, new, audited):
    assert SOUND.count(old) == 1, "the text that is changed must be there once"
    every = audited(SOUND.replace(old, new)).findings
    found = [f for f in every if f.code == code]
    assert [(f.severity, f.link_or_joint) for f in found] == [(severity, where)]
    assert found[0].text
    assert found[0].remedy
    assert "\n" not in found[0].text
    others = {f.code for f in every if f.severity != "note"} - {code}
    assert others <= FOLLOWS.get(code, set()), "the file has just that fault"


@pytest.mark.parametrize(
    ("old", "new", "line_of"),
    [
        (ELBOW, ELBOW.replace("2.5", "150"), ELBOW),
        ('izz="0.001"', 'izz="0.2"', '<inertial>\n      <origin xyz="0 0 -0.25"/>'),
        ('lower="-2.5"', 'lower="low"', ELBOW),
        (ELBOW, ELBOW + "<whatsoever/>", ELBOW),
    ],
)
def test_a_finding_names_the_line_of_the_file(old, new, line_of, audited):
    """The line is counted in the text by hand: newlines before the place."""
    wanted = SOUND[: SOUND.index(line_of)].count("\n") + 1
    assert audited(SOUND.replace(old, new)).findings[0].line == wanted


def test_every_kind_of_finding_in_the_code_has_a_row():
    """But for those that have tests of their own."""
    sources = Path(audit.__code__.co_filename).parent.glob("*.py")
    words = set()
    for source in sources:
        text = source.read_text(encoding="utf-8")
        words |= set(re.findall(r'"(?:error|warning|note)",\s*"([a-z-]+)"', text))
        words |= set(re.findall(r'grave,\s*"([a-z-]+)"', text))
    own = {
        "error",
        "warning",
        "note",
        "repaired",
        "card",
        "template",
        "mjcf",
        "left-out",
        "macros",
        "torques-differ",
        "program-refuses",
        "millimetres-in-mesh",
        "mujoco-masses",
        "mesh-outside",
    }
    assert words - {kind[0] for kind in KINDS} - own == set()
    assert len(words) > 20


def test_all_faults_of_a_file_that_does_not_load_are_told_at_once(audited):
    text = SOUND.replace('lower="-2.5"', 'lower="low"').replace('type="fixed"', 'type="welded"')
    text = text.replace('<axis xyz="0 1 0"/>\n    <limit lower="-3"', '<axis xyz="0 0 0"/>\n<limit')
    found = audited(text.replace("</robot>", '<gruop><link name="x"/></gruop></robot>'))
    assert found.torques is None
    told = {(f.link_or_joint, f.code) for f in found.findings}
    assert {("elbow", "refused"), ("tip_joint", "refused"), ("shoulder", "refused")} <= told
    assert ("robot", "misplaced-element") in told


def test_a_file_that_is_no_xml_is_an_error_with_its_line(audited):
    found = audited(SOUND.replace("</link>", "</lnik>", 1))
    assert [f.severity for f in found.findings] == ["error"]
    assert found.findings[0].line is not None
    assert "not an XML document" in found.findings[0].text


def test_a_wrong_first_line_hides_nothing(audited):
    text = SOUND.replace('version="1.0"', 'version="0.0"').replace('rpy="', 'rpy="90 ')
    text = text.replace(ELBOW, ELBOW.replace("2.5", "150"))
    codes = {f.code for f in audited(text).findings}
    assert codes >= {"repaired", "degrees-in-limit"}


def test_elements_of_xacro_are_one_finding_and_not_two(audited):
    root = '<robot name="two_link" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    text = SOUND.replace('<robot name="two_link">', root + '<xacro:include filename="a.xacro"/>')
    (one,) = audited(text).findings
    assert (one.code, one.severity) == ("unexpanded", "error")
    assert "xacro:include" in one.text


def test_the_same_attributes_at_every_joint_are_one_note(audited):
    """As franka_description writes them."""
    given = '<dynamics D="1" K="7000" damping="0" friction="0" mu_coulomb="0" mu_viscous="16"/>'
    text = re.sub(r"(?=<limit )", given, SOUND)
    (one,) = audited(text).findings
    assert (one.severity, one.code) == ("note", "unknown-attribute")
    assert "<dynamics> attributes D, K, mu_coulomb, mu_viscous" in one.text
    assert f"{SOUND.count('<limit ')} elements" in one.text


def test_a_mesh_in_millimetres_is_seen_beside_the_distances_of_joints(audited, tmp_path):
    corners = ("0 0 250", "0 0 -250", "0 50 0", "50 0 0")
    (tmp_path / "rod.obj").write_text("".join(f"v {c}\n" for c in corners) + "f 1 2 3\nf 1 2 4\n")
    mesh = '<mesh filename="rod.obj"/>'
    text = SOUND.replace('<box size="0.05 0.05 0.5"/>', mesh)
    assert "millimetres-in-mesh" in {f.code for f in audited(text).findings}
    scaled = text.replace('obj"/>', 'obj" scale="0.001 0.001 0.001"/>')
    assert audited(scaled).findings == ()


def test_two_joints_that_move_nothing_together_are_named(audited):
    """The wrist turns about the elbow's axis at the elbow's place, and what it carries is light."""
    wrist = '<joint name="wrist" type="revolute"><parent link="upper_arm"/><child link="pin"/>'
    wrist += '<origin xyz="0 0 -0.5"/>' + LIMITS + "</joint>"
    pin = '<link name="pin"><inertial><mass value="{}"/><inertia ixx="{}" ixy="0" ixz="0" '
    pin += 'iyy="{}" iyz="0" izz="{}"/></inertial></link>'
    text = SOUND.replace(
        '<parent link="upper_arm"/>\n    <child link="forearm"/>\n    <origin xyz="0 0 -0.5"/>',
        '<parent link="pin"/><child link="forearm"/>',
    )
    heavy = text.replace(LAST, pin.format(1, 0.01, 0.01, 0.01) + wrist + LAST)
    light = text.replace(LAST, pin.format(1, 1e-12, 1e-12, 1e-12) + wrist + LAST)
    code = "singular-mass-matrix"
    assert code not in {f.code for f in audited(heavy).findings}
    (one,) = [f for f in audited(light).findings if f.code == code]
    assert one.link_or_joint in ("wrist", "elbow")
    assert "wrist" in one.text
    assert "elbow" in one.text


def test_bodies_with_the_tensor_of_another_are_named_all_at_once(audited):
    """Copied and pasted: forearm and hand, to the last digit, with masses of their own."""
    (one,) = audited(SOUND.replace(LAST, hand(mass=0.6, xx=0.02))).findings
    assert (one.code, "hand" in one.text, "other masses" in one.text) == (
        "copied-inertia",
        True,
        True,
    )


def test_a_robot_in_hand_is_audited_as_its_file_but_for_card_and_other_programs(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(SOUND.replace(ELBOW, ELBOW.replace("2.5", "150")))
    robot = read_urdf(path.read_text(), folder=tmp_path)
    found = audit_text(robot)
    assert found.findings == audit(path).findings
    assert list(found.torques.by) == ["Lagrange", "Newton–Euler", "PyBullet"]
    assert found.torques.absent == {}


def test_a_payload_is_as_it_was_asked_for():
    """A point of 2 tons at the tip: no fault of the file, and no grams."""
    robot = read_urdf(SOUND).with_payload(2000.0)
    assert [f.code for f in audit_text(robot).findings] == []


def test_a_finding_on_a_joint_has_its_line(audited):
    text = SOUND.replace("</robot>", hand(more=LIMITS.replace("0 1 0", "0 0 1"))).replace(
        'ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.0005"',
        'ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"',
    )
    (one,) = [f for f in audited(text).findings if f.code == "singular-mass-matrix"]
    assert one.line == text[: text.index('<joint name="wrist"')].count("\n") + 1


@pytest.mark.rotates(3)
@pytest.mark.parametrize("name", sorted(p.name for p in shipped.scenarios().glob("*.urdf")))
def test_robots_of_scenarios_have_no_error_and_no_warning(name):
    assert {f.severity for f in audit(shipped.scenarios() / name).findings} <= {"note"}


@pytest.mark.rotates(3)
@pytest.mark.parametrize("name", shipped_robots())
def test_shipped_robots_have_no_error_and_no_warning(name):
    found = audit(name)
    illustrated = {"implied-density", "centre-outside-shape", "inertia-beyond-shape"}
    points = {"point-mass", "program-refuses", "no-mass"}  # the paper's bodies are points
    printed = {"impossible-inertia", "program-refuses"}  # moments that no body has, as printed
    allowed = illustrated | {"irb460_paper": points, "puma560": printed}.get(name, set())
    assert {f.code for f in found.findings} <= {"zero-limit", "mimic", *allowed}
    assert {f.severity for f in found.findings if f.code in illustrated} <= {"note"}


def test_a_card_that_does_not_fit_is_an_error(audited, tmp_path):
    (tmp_path / "robot.toml").write_text("joints = 3\n")
    assert [f.code for f in audited(SOUND).findings] == ["card"]


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_what_cannot_be_read_at_all_is_refused(content, tmp_path):
    path = tmp_path / "robot.urdf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelError, match=r"robot\.urdf"):
        audit(path)


def test_a_joint_that_pybullet_cannot_hold_is_an_error_and_its_cause_a_warning(audited):
    """The crank's pin without a moment about its axis: Pinocchio and both models agree."""
    text = (shipped.urdf() / "irb460.urdf").read_text(encoding="utf-8")
    pin = 'ixx="0.0016" ixy="0" ixz="0" iyy="0.0032" iyz="0" izz="0.0032"'
    assert text.count(pin) == 1
    found = audited(text.replace(pin, pin.replace("0.0016", "0")))
    apart = [f for f in found.findings if f.code == "torques-differ"]
    assert {f.link_or_joint for f in apart} == {"lower_arm_joint", "crank_joint"}
    assert all("PyBullet is the outlier" in f.text and f.severity == "error" for f in apart)
    (cause,) = [f for f in found.findings if f.code == "singular-mass-matrix"]
    assert "crank_pin_joint" in cause.text


def test_what_an_engine_holds_of_a_ball_has_a_row_for_each_of_its_axes(tmp_path):
    path = tmp_path / "ball.urdf"
    path.write_text(
        '<robot name="top"><link name="base"/><link name="top"><inertial><origin xyz="0 0 0.1"/>'
        '<mass value="2"/><inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/>'
        '</inertial></link><joint name="pin" type="spherical"><parent link="base"/>'
        '<child link="top"/><origin xyz="0 0 0.5"/></joint></robot>'
    )
    joints = audit(path).document()["torques"]["held"]["joints"]
    assert list(joints) == ["pin.x", "pin.y", "pin.z"]
    assert [row["axis"] for row in joints.values()] == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert len({str(row["origin"]) for row in joints.values()}) == 1


FRAME = (  # between two joints: three directions of one movement, as bases that float are written
    '<link name="frame"/><link name="hand"><inertial><mass value="0.4"/>'
    + ROD
    + '</inertial></link><joint name="slide" type="prismatic"><parent link="tip"/>'
    + '<child link="frame"/>{0}</joint><joint name="wrist" type="revolute"><parent link="frame"/>'
    + '<child link="hand"/>{0}</joint></robot>'
)


def test_a_frame_that_moves_is_no_doubt_but_a_link_with_a_shape_is(audited):
    frame = SOUND.replace(LAST, FRAME.format(LIMITS))
    shape = '<link name="frame"><visual><geometry><sphere radius="0.1"/></geometry></visual></link>'
    told = [
        {f.severity for f in audited(text).findings if f.code == "repaired"}
        for text in (frame, frame.replace('<link name="frame"/>', shape))
    ]
    assert told == [{"note"}, {"warning"}]


def test_names_with_a_prefix_are_of_other_tools(audited):
    """Drake writes its ratings and collision filters so, with its namespace declared or not."""
    text = SOUND.replace('upper="2.5"', 'upper="2.5" drake:acceleration="3"')
    text = text.replace(LAST, "<drake:collision_filter_group/></robot>")
    for one in (text, text.replace("<robot ", '<robot xmlns:drake="https://drake.mit.edu" ')):
        codes = {f.code for f in audited(one).findings}
        assert codes - {"repaired"} == {"foreign-element"}


@pytest.mark.parametrize(
    ("end", "severity"), [("20", None), ("31.416", None), ("31", "error"), ("31.2", "warning")]
)
def test_limits_of_a_few_turns_are_no_degrees(end, severity, audited):
    """±20 means none, and 31.416 rad are five turns."""
    found = audited(SOUND.replace(ELBOW, ELBOW.replace("2.5", end))).findings
    assert [f.severity for f in found if f.code == "degrees-in-limit"] == [severity] * bool(
        severity
    )


def test_a_link_whose_picture_is_not_there_is_not_judged_by_a_part_of_it(audited):
    """Half of its shapes, or the distance of its joints, says little of a link's size."""
    box = '<collision><geometry><box size="0.01 0.01 0.01"/></geometry></collision>'
    lost = '<collision><geometry><mesh filename="no.stl"/></geometry></collision>'
    text = SOUND.replace('<box size="0.05 0.05 0.5"/>', '<mesh filename="no.stl"/>')
    heavy = ROD.replace("0.05", "1.9").replace("0.001", "1.9")
    for shapes in ("", box + lost):
        found = audited(text.replace(UPPER, UPPER + shapes).replace(ROD, heavy)).findings
        assert {f.code for f in found} <= {"mesh-missing", "no-mass"}
    for size, is_mark in (("0.01", True), ("0.03", False)):  # the mark of a frame is no picture
        found = audited(text.replace(UPPER, UPPER + box.replace("0.01", size)).replace(ROD, heavy))
        assert ("inertia-too-large" in {f.code for f in found.findings}) != is_mark


def test_what_is_a_hundredth_of_the_link_that_it_is_welded_to_makes_a_note(audited):
    """A frame of a sensor with a stand-in for a mass: 1 g with moments for 0.5 m."""
    weld = (
        '<link name="imu"><inertial><mass value="{0}"/><inertia ixx="{1}" ixy="0" ixz="0" '
        'iyy="{1}" iyz="0" izz="{1}"/></inertial><collision><geometry>'
        '<box size="0.03 0.03 0.03"/></geometry></collision></link><joint name="w" type="fixed">'
        '<parent link="forearm"/><child link="imu"/></joint></robot>'
    )
    told = [
        {f.severity for f in audited(SOUND.replace(LAST, weld.format(m, xx))).findings
         if f.code == "inertia-too-large"}
        for m, xx in ((0.001, 1e-4), (0.001, 1e-2))
    ]  # fmt: skip
    assert told == [{"note"}, {"warning"}]


def test_a_drive_behind_legs_or_wheels_is_not_judged_by_holding_the_root(audited):
    """The root of what walks or drives does not stay where it is."""
    weak = SOUND.replace('effort="15"', 'effort="0.5"')
    wheel = HAND.replace('parent link="tip"', 'parent link="base"').format(
        mass=0.4, xx=0.001, length=0.4, kind="revolute", more=LIMITS
    )
    codes = [{f.code for f in audited(text).findings} for text in (weak, weak.replace(LAST, wheel))]
    assert ["weak-drive" in each for each in codes] == [True, False]


def test_an_mjcf_file_is_written_as_a_urdf_with_its_own_torques(tmp_path):
    """The file itself, by MuJoCo, is one of the programs; the written URDF is audited again."""
    file, out = tmp_path / "arm.xml", tmp_path / "arm.urdf"
    file.write_text(
        """<mujoco><compiler angle="radian"/><worldbody><body euler="0.3 0 0">
<joint name="turn" armature="0.2" ref="0.4" pos=".1 0 0"/><geom size=".1" pos=".2 0 0"/>
<body pos=".3 0 0"><joint name="slide" type="slide" axis="1 2 0" ref=".1" stiffness="3"/>
<geom type="box" size=".1 .2 .3" pos="0 .1 0"/></body></body></worldbody></mujoco>""",
        encoding="utf-8",
    )
    torques = audit(file).torques
    assert torques.off("MJCF").max() < 1e-12
    fixed = fix(file, out)
    assert any("armature 0.2" in one for one in fixed.changes)
    assert any("its spring" in one for one in fixed.changes)
    out.write_text(fixed.text, encoding="utf-8")
    again = audit(out).torques
    np.testing.assert_allclose(again.by["Lagrange"], torques.by["MJCF"], rtol=0, atol=1e-11)


def test_what_mujoco_warns_of_is_a_note_and_our_urdf_text_is_not_judged(tmp_path, capfd):
    """Two joints of a body: MuJoCo has no place for them in a URDF, whatever program reads that."""
    file, joints = tmp_path / "arm.xml", '<joint name="a"/><joint name="b" axis="1 0 0"/>'
    world = f'<worldbody><body>{joints}<geom size=".1"/></body></worldbody>'
    file.write_text(f'<mujoco><compiler settotalmass="2"/>{world}</mujoco>', encoding="utf-8")
    audited = audit(file)
    findings = audited.findings
    assert capfd.readouterr() == ("", "")
    assert {"unknown-attribute", "program-refuses"}.isdisjoint(one.code for one in findings)
    assert "MuJoCo" not in audited.torques.absent and "MJCF" in audited.torques.by
    (warned,) = [one.text for one in findings if one.code == "left-out"]
    assert warned.startswith("MuJoCo warns: ") and "settotalmass" in warned


def test_an_mjcf_file_is_audited_as_mujoco_compiles_it(tmp_path):
    file, body = tmp_path / "arm.xml", '<body><joint name="j"/><geom size=".1"/></body>'
    more = '<actuator><position name="servo" joint="j" kp="9"/></actuator>'
    file.write_text(f"<mujoco><worldbody>{body}</worldbody>{more}</mujoco>", encoding="utf-8")
    (left,) = [one for one in audit(file).findings if one.code == "left-out"]
    assert (left.severity, left.link_or_joint) == ("note", "MJCF actuator 'servo'")
    assert "9*u - 9*L" in left.text
    file.write_text("<mujoco><worldbody><body x='1'/></worldbody></mujoco>", encoding="utf-8")
    (refusal,) = audit(file).findings
    assert (refusal.code, refusal.severity) == ("mjcf", "error")
    assert "line 1" in refusal.text


def test_an_mjcf_file_with_a_fault_of_xml_that_mujoco_tolerates_has_torques(tmp_path):
    """A blank is missing between two attributes."""
    file, body = tmp_path / "arm.xml", '<body><joint name="j"axis="0 1 0"/><geom size=".1"/></body>'
    file.write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>", encoding="utf-8")
    audited = audit(file)
    (fault,) = [one for one in audited.findings if one.severity == "warning"]
    assert (fault.code, "line 1: not an XML document" in fault.text) == ("mjcf", True)
    assert "MJCF" in audited.torques.by and not audited.readings
