"""Slips of files that people have: each loads as the clean file, which Pinocchio reads itself.

The table of what other readers do with a slip (`docs/robots.md`) is held against them here too.
"""

import numpy as np
import pinocchio
import pybullet
import pytest

from sim.audit.states import states_of
from sim.audit.torques import SAME, torques_of
from sim.engines.bullet.engine_urdf import engine_urdf
from sim.errors import ModelError
from sim.robots import load_robot, read_urdf
from sim.shapes.visuals import visuals
from tests.helpers.pinocchio_model import PinocchioModel
from tests.robots.test_repair import CLEAN, GRAVITY, LIMIT, arm, body, frame, joint, torque

ALL = ("j1", "j2", "j3")
HINGE3 = joint("j3", "revolute", "b", "c", LIMIT)
ORIGIN3 = '<origin xyz="0.1 0.2 0.3" rpy="0.3 -0.2 0.5"/>'
BOX = '<visual><geometry><box size="0.1 0.1 0.2"/></geometry></visual>'


def hinge3(old, new):
    assert old in HINGE3
    return arm(j3=HINGE3.replace(old, new))


def body_c(old, new):
    assert old in body("c")
    return arm(c=body("c").replace(old, new))


# the text, what sort of repair it is, and the joints whose torque it can touch
SLIPS = {
    "commas and blanks": (hinge3('"0.1 0.2 0.3"', '"0.1, 0.2, 0.3"'), "number", ALL),
    "commas alone": (hinge3('"0.1 0.2 0.3"', '"0.1,0.2,0.3"'), "number", ALL),
    "semicolons": (hinge3('"0 0.6 0.8"', '"0; 0.6; 0.8;"'), "number", ALL),
    "one number too many, zero": (hinge3('"0.3 -0.2 0.5"', '"0.3 -0.2 0.5 0"'), "number", ALL),
    "two points": (hinge3('lower="-3"', 'lower="-3.0."'), "number", ()),
    "a float of C": (body_c('value="2"', 'value="2.0f"'), "number", ALL),
    "a comma behind": (body_c('ixx="0.2"', 'ixx="0.2,"'), "number", ("j1", "j3")),
    "a minus of a printer": (hinge3('"0.3 -0.2', '"0.3 \N{MINUS SIGN}0.2'), "number", ALL),
    "a default of ROS": (
        hinge3('"0.1 0.2 0.3"', '"$(optenv ARM_XYZ 0.1 0.2 0.3)"'),
        "number",
        ALL,
    ),
    "blank origin": (
        arm(welds=joint("w1", "fixed", "base", "cover").replace('"0.3 -0.2 0.5"', '""')
            + joint("w2", "fixed", "c", "flange")),
        "number",
        (),
    ),
    "an endless speed": (hinge3('velocity="9"', 'velocity="inf"'), "number", ()),
    "a comma in a picture": (
        arm(base=f'<link name="base">{BOX.replace("0.1 0.1", "0.1, 0.1,")}</link>'),
        "number",
        (),
    ),
    "the same axis twice": (
        hinge3("<axis", '<axis xyz="0 0.6 0.8"/><axis'),
        "repeated",
        (),
    ),
    "another axis": (hinge3(LIMIT, '<axis xyz="1 0 0"/>' + LIMIT), "repeated", ALL),
    "another origin": (hinge3(LIMIT, '<origin xyz="9 9 9"/>' + LIMIT), "repeated", ALL),
    "another mass": (body_c("<inertia ", '<mass value="9"/><inertia '), "repeated", ALL),
    "another limit": (hinge3(LIMIT, LIMIT + LIMIT.replace("9", "7")), "repeated", ()),
    "a link twice": (arm(twin=body("c")), "repeated", ()),
    "a joint twice": (arm(twin=HINGE3), "repeated", ()),
    "a type in capitals": (hinge3('"revolute"', '"Revolute "'), "type", ()),
    "no products": (body_c('ixy="0" ixz="0" ', ""), "products", ("j1", "j3")),
    "a namespace": (arm(head='name="arm" xmlns="http://www.ros.org"'), "namespace", ()),
    "a prefix without namespace": (arm(x="<controller:x/>"), "declaration", ()),
    "hyphens in a comment": (arm(x="<!-- a -- b -->"), "declaration", ()),
    "rubbish behind": (CLEAN + "\0", "declaration", ()),
    "a declaration without version": ('<?xml encoding="utf-8"?>' + CLEAN, "declaration", ()),
    "a world that is no link": (arm(x=joint("w0", "fixed", "world", "base")), "world", ()),
    "a frame nobody joins": (arm(x=frame("camera")), "loose frame", ()),
    "a base that floats": (
        arm(x=frame("odom") + joint("w0", "floating", "odom", "base")
            .replace('"0.1 0.2 0.3" rpy="0.3 -0.2 0.5"', '"0 0 0"')),
        "floating base",
        ALL,
    ),
    "a base that slides": (
        arm(x=frame("odom") + joint("w0", "planar", "odom", "base")
            .replace('"0.1 0.2 0.3" rpy="0.3 -0.2 0.5"', '"0 0 0"')),
        "floating base",
        ALL,
    ),
    "a leader not there": (hinge3(LIMIT, LIMIT + '<mimic joint="j9"/>'), "lost leader", ALL),
    "a leader that is fixed": (hinge3(LIMIT, LIMIT + '<mimic joint="w1"/>'), "lost leader", ALL),
    "a leader that it is": (hinge3(LIMIT, LIMIT + '<mimic joint="j3"/>'), "lost leader", ALL),
    "one end": (hinge3('upper="3" ', ""), "one end", ()),
    "no effort": (hinge3('effort="9" ', ""), "no rating", ()),
    "a blank effort": (hinge3('effort="9"', 'effort=" "'), "no rating", ()),
    "a negative effort, as SDF writes none": (
        hinge3('effort="9"', 'effort="-1"'),
        "no rating",
        (),
    ),
    "a blank end": (hinge3('upper="3"', 'upper=""'), "one end", ()),
    "no velocity": (hinge3('velocity="9"', ""), "no rating", ()),
}  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "joints"), SLIPS.values(), ids=SLIPS.keys())
def test_a_slip_loads_as_the_clean_file_and_is_told(text, kind, joints):
    robot = read_urdf(text)
    (repair,) = robot.repairs
    assert (repair.kind, repair.joints) == (kind, joints)
    assert repair.text.count("\n") == 0
    state = np.random.default_rng(1).uniform(-1, 1, (3, 3, 4))
    oracle = PinocchioModel(read_urdf(CLEAN), GRAVITY).torque(*state)
    if "w0" in text and "floating" not in text and "planar" not in text:
        return  # the base stands elsewhere than that of the clean file
    np.testing.assert_allclose(torque(text), oracle, rtol=0, atol=1e-12)  # [N·m, N]


@pytest.mark.parametrize(("text", "kind", "joints"), SLIPS.values(), ids=SLIPS.keys())
def test_a_strict_reader_refuses_a_slip(text, kind, joints):
    with pytest.raises(ModelError, match="requires repairs"):
        read_urdf(text).require_as_written()
    if "<visual>" not in text:  # a reader of torques reads no pictures
        with pytest.raises(ModelError):
            read_urdf(text, strict=True)


@pytest.mark.parametrize(("text", "kind", "joints"), SLIPS.values(), ids=SLIPS.keys())
def test_engine_and_pictures_read_the_mended_text(text, kind, joints):
    """PyBullet by its own reader of the text that it is given, Lagrange by ours."""
    robot = read_urdf(text)
    visuals(robot)
    torques = torques_of(robot, states_of(robot))
    assert "PyBullet" in torques.by, torques.absent
    assert torques.off("PyBullet").max() < SAME


@pytest.mark.parametrize(("text", "kind", "joints"), SLIPS.values(), ids=SLIPS.keys())
def test_a_payload_hangs_on_a_mended_robot_as_on_a_clean_one(text, kind, joints):
    """PyBullet reads the text with the payload in it, which the robot wrote."""
    robot = read_urdf(text).with_payload(1.5, (0, 0, 0.1), frame="c")
    assert {repair.kind for repair in robot.repairs} <= {kind}
    assert robot.link("payload").inertia.mass == 1.5
    torques = torques_of(robot, states_of(robot), others=False)
    assert torques.absent == {}
    assert torques.disagreement().max() < SAME


def test_a_base_that_floats_has_the_torques_of_pinocchio_with_its_base_held():
    """Pinocchio keeps the six freedoms; held still at zero, the arm's torques are these."""
    text = SLIPS["a base that floats"][0]
    robot = read_urdf(text)
    torques = torques_of(robot, states_of(robot))
    assert torques.disagreement().max() < SAME
    assert {"Pinocchio", "PyBullet"} <= set(torques.by)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("0,5 1 2", None),  # a decimal comma or a separator?
        ("0,5 1", None),
        ("0,5 0,6 0,7", None),
        ("1 2 3 4", None),
        ("1 2", None),
        ("1.2.3 0 0", None),
        ("0 0 pi/2", None),
        ("0 0 90deg", None),
        ("$(arg x) 0 0", None),
        ("${a} 0 0", None),
        ("1 2 nan", None),
        ("1e999 0 0", None),
        ("1,5,2", (1, 5, 2)),
        ("  1\t2\n3 ", (1, 2, 3)),
        ("1. 2. 3.", (1, 2, 3)),
    ],
)
def test_what_has_several_readings_or_none_is_refused(written, kept):
    text = hinge3('"0.1 0.2 0.3"', f'"{written}"')
    if kept is None:
        with pytest.raises(ModelError, match=r"joint 'j3': .*<origin xyz="):
            read_urdf(text)
    else:
        assert read_urdf(text).joint("j3").T_pc[:3, 3].tolist() == list(kept)


@pytest.mark.parametrize("end", ["inf", "1.79769e+308", "1e400", ".inf", "Infinity"])
def test_ends_that_are_endless_leave_no_ends(end):
    text = hinge3('lower="-3" upper="3"', f'lower="-{end}" upper="{end}"')
    robot = read_urdf(text)
    assert (robot.joint("j3").limits.lower, robot.joint("j3").limits.upper) == (-np.inf, np.inf)
    assert {repair.kind for repair in robot.repairs} == {"number"}
    assert "PyBullet" in torques_of(robot, states_of(robot)).by


def test_a_negative_rating_is_no_endless_one():
    with pytest.raises(ModelError, match="velocity"):
        read_urdf(hinge3('velocity="9"', 'velocity="-inf"'))


def test_the_end_that_is_missing_is_zero_as_pinocchio_has_it(tmp_path):
    """PyBullet by itself takes -1; it is given both ends."""
    text = SLIPS["one end"][0]
    limits = read_urdf(text).joint("j3").limits
    model = pinocchio.buildModelFromXML(text)
    row = model.joints[model.getJointId("j3")].idx_q
    ends = model.lowerPositionLimit[row], model.upperPositionLimit[row]
    assert (limits.lower, limits.upper) == ends == (-3, 0)
    assert _bullet_joint(text, "j3", tmp_path)[8:10] == (-3, -1)
    assert _bullet_joint(engine_urdf(read_urdf(text)), "j3", tmp_path)[8:10] == (-3, 0)


@pytest.mark.parametrize("name", ["another axis", "another origin"])
def test_of_two_elements_pinocchio_and_pybullet_take_the_first(name, tmp_path):
    text = SLIPS[name][0]
    model = pinocchio.buildModelFromXML(text)
    place = model.jointPlacements[model.getJointId("j3")].translation
    np.testing.assert_allclose(place, (0.1, 0.2, 0.3), rtol=0, atol=1e-12)
    assert _bullet_joint(text, "j3", tmp_path) == _bullet_joint(CLEAN, "j3", tmp_path)


def _bullet_joint(text, name, folder):
    path = folder / "robot.urdf"
    path.write_text(text)
    client = pybullet.connect(pybullet.DIRECT)
    try:
        flags = pybullet.URDF_USE_INERTIA_FROM_FILE
        robot = pybullet.loadURDF(str(path), flags=flags, physicsClientId=client)
        count = pybullet.getNumJoints(robot, physicsClientId=client)
        infos = [pybullet.getJointInfo(robot, k, physicsClientId=client) for k in range(count)]
        return next(info for info in infos if info[1].decode() == name)
    finally:
        pybullet.disconnect(client)


def test_a_quaternion_is_the_rotation_of_its_angles():
    quaternion = pinocchio.Quaternion(pinocchio.rpy.rpyToMatrix(0.3, -0.2, 0.5)).coeffs()
    shown = " ".join(repr(float(x)) for x in quaternion)
    text = hinge3('rpy="0.3 -0.2 0.5"', f'quat_xyzw="{shown}"')
    (repair,) = read_urdf(text).repairs
    assert (repair.kind, repair.joints) == ("quaternion", ALL)
    np.testing.assert_allclose(torque(text), torque(CLEAN), rtol=0, atol=1e-12)
    assert "quat" not in engine_urdf(read_urdf(text))
    with pytest.raises(ModelError, match="length 2"):
        read_urdf(hinge3('rpy="0.3 -0.2 0.5"', 'quat_xyzw="0 0 0 2"'))
    for shorter in ("0 0 0 0.5", "0 0.3 0 0.4", "0 0 0 0.99"):
        length = np.linalg.norm([float(x) for x in shorter.split()])
        with pytest.raises(ModelError, match=rf"length {length:g}; a rotation has length 1"):
            read_urdf(hinge3('rpy="0.3 -0.2 0.5"', f'quat_xyzw="{shorter}"'))
    with pytest.raises(ModelError, match="rpy alone"):
        read_urdf(hinge3("rpy=", 'quat_xyzw="0 0 0 1" rpy='))


@pytest.mark.parametrize("kind", ["Continuous", "CONTINUOUS ", "Prismatic", "Revolute", "Fixed"])
def test_a_type_in_capitals_is_the_same_type(kind):
    plain = kind.strip().lower()
    robot = read_urdf(hinge3('"revolute"', f'"{kind}"'))
    assert robot.joint("j3").kind == plain
    (repair,) = (one for one in robot.repairs if one.kind == "type")
    assert repair.taken == f"type {plain!r}"
    clean = read_urdf(hinge3('"revolute"', f'"{plain}"'))
    assert robot.joint("j3").limits == clean.joint("j3").limits


@pytest.mark.parametrize("blank", ["", " "])
def test_a_blank_origin_is_none(blank):
    """As if it were not there: no way and no turn, as Pinocchio has it without the attribute."""
    for attribute in ('xyz="0.1 0.2 0.3"', 'rpy="0.3 -0.2 0.5"'):
        key = attribute[:3]
        left = read_urdf(hinge3(attribute, f'{key}="{blank}"')).joint("j3").T_pc
        bare = read_urdf(hinge3(attribute, "")).joint("j3").T_pc
        np.testing.assert_array_equal(left, bare)
        part = left[:3, 3] if key == "xyz" else left[:3, :3]
        np.testing.assert_array_equal(part, np.zeros(3) if key == "xyz" else np.eye(3))
        model = pinocchio.buildModelFromXML(hinge3(attribute, ""))
        placed = model.jointPlacements[model.getJointId("j3")].homogeneous
        np.testing.assert_allclose(left, placed, rtol=0, atol=1e-15)


def test_a_limit_that_says_no_rating_says_which_is_missing():
    (one,) = read_urdf(hinge3('effort="9" ', "")).repairs
    assert "needs effort" in one.says
    both = read_urdf(arm(j1=joint("j1", "continuous", "base", "a", "<limit/>"))).repairs
    assert [repair.says for repair in both] == [
        "its <limit> needs velocity",
        "its <limit> needs effort",
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (arm(x=body("loose")), "'base', 'loose' have no parent"),
        (arm(x=frame("odom") + frame("x") + joint("w", "fixed", "odom", "x")), "have no parent"),
        (
            hinge3('type="revolute"', 'type="floating"'),
            "its <limit> does not select one of",
        ),
        (arm(twin=body("c", mass="3")), "link name 'c' is used twice"),
        (arm(twin=HINGE3.replace('"0 0.6 0.8"', '"1 0 0"')), "joint name 'j3' is used twice"),
        (hinge3('<child link="c"/>', '<child link="c"/><child link="b"/>'), "2 <child>"),
        (arm(x=joint("w0", "fixed", "map", "base")), "parent link 'map' does not exist"),
        (CLEAN + "<robot/>", "not an XML document"),
        (CLEAN.replace("</robot>", "<a></b></robot>"), "not an XML document"),
    ],
)
def test_what_cannot_be_mended_says_what_it_is(text, says):
    with pytest.raises(ModelError) as caught:
        read_urdf(text)
    assert says in str(caught.value)


# What a body lacks, on a link that nothing turns (the cover; the slide of an arm that only slides)
# and on one that a hinge turns.
SLIDE = f"""<robot name="slide">{frame("base")}{body("a")}
{joint("j1", "prismatic", "base", "a", LIMIT)}</robot>"""
TENSOR = '<inertia ixx="0.2" ixy="0" ixz="0" iyy="0.25" iyz="0" izz="0.3"/>'


@pytest.mark.parametrize("lack", ["", '<inertia ixx="1" ixy="0"/>'])
def test_a_tensor_that_is_not_there_is_needed_where_a_hinge_turns_the_link(lack):
    assert TENSOR in SLIDE
    (repair,) = read_urdf(SLIDE.replace(TENSOR, lack)).repairs
    assert (repair.kind, repair.taken, repair.joints) == ("no second moments", "a point mass", ())
    robot, whole = read_urdf(SLIDE.replace(TENSOR, lack)), read_urdf(SLIDE)
    state = states_of(whole)
    np.testing.assert_allclose(
        torques_of(robot, state).by["PyBullet"],
        PinocchioModel(whole, (0, 0, -9.81)).torque(state.q, state.qd, state.qdd),
        rtol=0,
        atol=1e-9,  # [N]
    )
    with pytest.raises(ModelError, match=r"(?s)link 'c'.*<inertia.*joint 'j3' moves it"):
        read_urdf(body_c(TENSOR, lack))


def test_a_mass_that_is_not_there_is_needed_where_the_link_moves():
    mass = '<mass value="2"/>'
    with pytest.raises(ModelError, match=r"link 'c': <inertial> needs a <mass>; joint 'j3' moves"):
        read_urdf(body_c(mass, ""))
    (repair,) = read_urdf(arm(cover=body("cover").replace(mass, ""))).repairs
    assert (repair.kind, repair.joints) == ("no body", ())


def test_an_empty_inertial_is_a_frame():
    repairs = read_urdf(arm(flange='<link name="flange"><inertial/></link>')).repairs
    assert [(one.kind, one.joints) for one in repairs] == [("no body", ALL)]


@pytest.mark.parametrize(
    ("encode", "repaired"),
    [
        (lambda text: text.encode("utf-8-sig"), ()),
        (lambda text: text.encode("utf-16"), ()),
        (lambda text: f'<?xml version="1.0" encoding="latin-1"?>{text}'.encode("latin-1"), ()),
        (lambda text: text.encode("latin-1"), ("declaration",)),
        (lambda text: f'<?xml version="1.0" encoding="utf-8"?>{text}'.encode("cp1252"),
         ("declaration",)),
        (lambda text: f"<!DOCTYPE robot>\n{text}".encode(), ()),
    ],
)  # fmt: skip
def test_other_encodings_are_read(encode, repaired, tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_bytes(encode(arm(x="<!-- Grübler, 90° -->")))
    robot = load_robot(path)
    assert tuple(repair.kind for repair in robot.repairs) == repaired
    assert robot.joint_names == ALL
    assert [r.kind for r in read_urdf(robot.text).repairs] == list(repaired)  # as a run keeps it
    if repaired:
        with pytest.raises(ModelError, match="UTF-8"):
            load_robot(path, strict=True)


@pytest.mark.parametrize("name", ["a b", "arm/elbow", "größe", "link-1.0", "µ", "a&amp;b"])
def test_names_are_what_people_write(name):
    text = CLEAN.replace('link="c"', f'link="{name}"').replace(
        'link name="c"', f'link name="{name}"'
    )
    robot = read_urdf(text)
    assert robot.repairs == ()
    assert torques_of(robot, states_of(robot)).off("PyBullet").max() < SAME


IGNORED = (
    '<calibration rising="0"/><safety_controller k_velocity="1"/><hardwareInterface/>',
    '<transmission name="t"><joint name="j3"/><actuator name="m"/></transmission>',
    '<gazebo reference="c"><material>Gazebo/Red</material></gazebo>',
    '<material name="a"><color rgba="1 0 0 1"/></material>' * 2,
    '<sensor name="s" type="camera"/><ros2_control name="x" type="system"/>',
)


@pytest.mark.parametrize("more", IGNORED)
def test_elements_of_other_tools_change_nothing(more):
    assert read_urdf(arm(x=more)).repairs == ()
    np.testing.assert_allclose(torque(arm(x=more)), torque(CLEAN), rtol=0, atol=0)
    inside = arm(
        j3=HINGE3.replace(LIMIT, LIMIT + more), flange=f'<link name="flange">{more}</link>'
    )
    assert read_urdf(inside).repairs == ()


@pytest.mark.parametrize(
    "shape",
    [
        '<mesh filename="no.dae"/>', "<mesh/>", '<mesh filename="a.stl" scale="-1 1 1"/>',
        '<capsule radius="1" length="2"/>', '<cylinder radius="-1" length="2"/>', "<plane/>", "",
    ],
)  # fmt: skip
def test_a_shape_keeps_no_robot_from_loading(shape):
    for role in ("visual", "collision"):
        link = f'<link name="base"><{role}><geometry>{shape}</geometry></{role}></link>'
        assert read_urdf(arm(base=link)).repairs == ()


def test_a_mimic_of_a_mimic_is_multiplied_out():
    follower = joint("j3", "revolute", "b", "c", LIMIT + '<mimic joint="j2" multiplier="2"/>')
    middle = joint("j2", "prismatic", "a", "b", LIMIT + '<mimic joint="j1" multiplier="3"/>')
    robot = read_urdf(arm(j2=middle, j3=follower))
    assert robot.coupling[0].T.tolist() == [[1, 3, 6]]
