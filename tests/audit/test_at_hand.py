"""What may be meant, by what the file has besides: files without their meshes, for other programs.

Each is the least of a public file in which it was no fault, beside the least in which it is one.
"""

import re

import pytest

from sim import shipped
from sim.audit import audit
from tests.helpers.round_meshes import box

SOUND = (shipped.scenarios() / "two_link.urdf").read_text(encoding="utf-8")
INERTIA = '<inertia ixx="{0}" ixy="0" ixz="0" iyy="{1}" iyz="0" izz="{2}"/>'
LIMITS = '<axis xyz="0 1 0"/><limit lower="{}" upper="{}" effort="9999" velocity="1"/>'


def link(name, mass=1, moments=(0.1, 0.1, 0.1), com="0 0 0", more=""):
    inertia = INERTIA.format(*moments)
    inertial = f'<origin xyz="{com}"/><mass value="{mass}"/>{inertia}'
    return f'<link name="{name}"><inertial>{inertial}</inertial>{more}</link>'


TURNS = LIMITS.format(-1, 1)


def joint(child, parent="base", kind="revolute", more=TURNS, xyz="0 0 0"):
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="{xyz}"/>'
    return f'<joint name="to {child}" type="{kind}">{ends}{more}</joint>'


def shown(role, shape):
    return f"<{role}><geometry>{shape}</geometry></{role}>"


LOST = '<mesh filename="package://away/lost.dae"/>'


@pytest.fixture
def severities(tmp_path):
    """Severity by kind of finding, of a text or of what stands in a ``<robot>`` on a base."""

    def of(*parts, head='<robot name="r">'):
        whole = "".join(parts)
        text = whole if "<robot" in whole else f'{head}<link name="base"/>{whole}</robot>'
        (tmp_path / "robot.urdf").write_text(text, encoding="utf-8")
        return {f.code: f.severity for f in audit(tmp_path / "robot.urdf").findings}

    return of


def test_a_link_without_its_mesh_is_as_large_as_its_mass_centre_is_far(severities):
    """A door of 2 m × 1 m, whose hinge is at its frame, and a display marked by a small ball."""
    door = link("door", 20, (8.3, 6.7, 1.7), "0.5 0 1", shown("visual", LOST))
    assert "inertia-too-large" not in severities(door, joint("door"))
    mark = shown("visual", LOST) + shown("collision", '<sphere radius="0.001"/>')
    display = link("display", 0.44, (0.004, 0.0028, 0.0015), more=mark)
    assert "inertia-too-large" not in severities(display, joint("display", xyz="0 0 0.016"))


@pytest.mark.parametrize(("moments", "is_doubted"), [((1, 1, 1), True), ((1, 0.9, 0.9), False)])
def test_without_a_mesh_a_moment_is_too_large_if_it_is_a_placeholder(
    moments, is_doubted, severities
):
    """Against the reach of the robot, 0.5 m: 1 kg·m² is 40 times what 1 kg has there."""
    arm = link("arm", 1, moments, more=shown("visual", LOST))
    tip = '<link name="tip"/>' + joint("tip", "arm", "fixed", "", "0 0 0.5")
    assert ("inertia-too-large" in severities(arm, joint("arm"), tip)) == is_doubted


@pytest.mark.parametrize(
    ("stroke", "shape", "is_doubted"),
    [
        (37.206, LOST, False),  # a hall that is not drawn
        (372, LOST, True),
        (37.206, '<box size="1 1 1"/>', True),
    ],
)
def test_a_stroke_is_in_millimetres_where_a_picture_or_its_digits_say_so(
    stroke, shape, is_doubted, severities
):
    gantry = link("bridge", more=shown("visual", shape))
    found = severities(gantry, joint("bridge", kind="prismatic", more=LIMITS.format(0, stroke)))
    assert ("millimetres-in-limit" in found) == is_doubted


@pytest.mark.parametrize(
    ("com", "moment", "severity"),
    [("0 0 -1", 0, "note"), ("0 0 0", 0, "warning"), ("0 0 -1", 0.1, "warning")],
)
def test_a_pendulum_of_points_is_meant_and_one_point_among_bodies_is_not(
    com, moment, severity, severities
):
    rod = shown("visual", '<cylinder length="1" radius="0.01"/>')
    upper = link("upper", 1, (moment,) * 3, "0 0 -1", rod)
    lower = link("lower", 1, (0, 0, 0), com, rod)
    found = severities(upper, joint("upper"), lower, joint("lower", "upper", xyz="0 0 -1"))
    assert found["point-mass"] == severity
    drawn = lower.replace("</link>", shown("collision", LOST) + "</link>")
    found = severities(upper, joint("upper"), drawn, joint("lower", "upper", xyz="0 0 -1"))
    assert found["point-mass"] == "warning"  # a robot whose tensors were left out


def test_a_robot_without_any_mass_says_so_once(severities):
    arm = '<link name="a">' + shown("visual", LOST) + "</link>"
    found = severities(arm, joint("a"), '<link name="b"/>', joint("b", "a"))
    assert found["massless"] == "note"
    assert "repaired" not in found


@pytest.mark.parametrize("names", ['xmlns:drake="http://drake.mit.edu"', 'xmlns="urn:drake"', ""])
def test_the_world_of_drake_need_not_be_written(names, severities):
    weld = '<joint name="weld" type="fixed"><parent link="world"/><child link="base"/></joint>'
    found = severities(link("a"), joint("a"), weld, head=f'<robot name="r" {names}>')
    assert found["repaired"] == ("note" if names else "warning")


@pytest.mark.parametrize(("parts", "severity"), [("material", "note"), ("origin", "warning")])
def test_a_picture_may_have_several_colours(parts, severity, severities):
    twice = f'<visual><{parts} name="a"/><{parts} name="b"/><geometry><sphere radius="0.1"/>'
    found = severities(link("a", more=f"{twice}</geometry></visual>"), joint("a"))
    assert found["repaired"] == severity


@pytest.mark.parametrize(("end", "severity"), [('upper="1"', "note"), ("", "warning")])
def test_an_end_that_is_not_written_is_zero_by_the_standard(end, severity, severities):
    limit = f'<axis xyz="0 1 0"/><limit {end} effort="9" velocity="1"/>'
    assert severities(link("a"), joint("a", more=limit))["repaired"] == severity


@pytest.mark.parametrize(
    ("place", "severity"),
    [('<mesh filename="$(arg folder)/a.stl"/>', "note"), ('<box size="$(arg size)"/>', "error")],
)
def test_the_name_of_a_picture_may_be_a_template_s(place, severity, severities):
    found = severities(link("a", more=shown("visual", place)), joint("a"))
    assert found["unexpanded"] == severity


@pytest.mark.parametrize(
    ("more", "codes"), [("", {"macros"}), ('<link name="a"/>', {"unexpanded"})]
)
def test_a_file_of_macros_alone_is_for_others(more, codes, severities):
    macro = '<xacro:macro name="arm" params="side"><link name="${side}"/></xacro:macro>'
    root = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    assert severities(f"{root}{macro}{more}</robot>").keys() == codes


@pytest.mark.parametrize(
    ("space", "parent", "child", "codes"),
    [
        ('xmlns:x="http://www.ros.org/wiki/xacro"', "flange", "tool", {"macros"}),
        ("", "flange", "tool", {"refused"}),
        ('xmlns:x="http://www.ros.org/wiki/xacro"', "tool", "tol", {"refused"}),  # a slip
    ],
)
def test_a_tool_hangs_on_the_robot_that_includes_it(space, parent, child, codes, severities):
    weld = joint(child, parent, "fixed", "")
    found = severities(f'<robot name="r" {space}>', link("tool"), weld, "</robot>")
    assert found.keys() == codes


@pytest.mark.parametrize(("mass", "severity"), [(1e-6, "note"), (1, "warning")])
def test_an_impossible_stand_in_on_which_nothing_rests_is_a_note(mass, severity, severities):
    """The root of a quadruped, whose tensor has one number six times."""
    frame = link("frame", mass, (1e-6, 1e-6, 3e-6))
    legs = [link(name, 1) + joint(name) for name in "ab"]
    found = severities(frame, joint("frame", kind="fixed", more=""), *legs)
    assert found["impossible-inertia"] == severity


@pytest.mark.parametrize(("upper", "severity"), [(0.95, "warning"), (1.05, "note")])
def test_a_follower_may_end_a_little_before_its_leader(upper, severity, severities):
    ends = LIMITS.format(-1, 1.1), LIMITS.format(-1.1, upper)
    finger = joint("tip", "finger", more=ends[1] + '<mimic joint="to finger"/>')
    found = severities(link("finger"), joint("finger", more=ends[0]), link("tip"), finger)
    assert found["mimic-range"] == severity


@pytest.mark.parametrize(
    ("mass", "com", "severity"),
    [
        (1.0, 0.29, "note"),  # 4 cm outside of 52 cm: a fitting that is not drawn
        (1.0, 0.35, "warning"),
        (80.0, 0.35, "note"),  # denser than what is drawn can be: much is not drawn
        (80.0, 0.42, "warning"),
    ],
)
def test_a_picture_may_lack_a_part_and_more_of_it_where_it_is_too_heavy(
    mass, com, severity, severities, tmp_path
):
    vertices, faces = box((0.1, 0.1, 0.5))
    lines = [f"v {x:g} {y:g} {z:g}" for x, y, z in vertices]
    lines += [f"f {a} {b} {c}" for a, b, c in faces + 1]
    (tmp_path / "arm.obj").write_text("\n".join(lines))
    moments = (0.021 * mass, 0.021 * mass, 0.0016 * mass)
    arm = link("arm", mass, moments, f"0 0 {com}", shown("visual", '<mesh filename="arm.obj"/>'))
    found = severities(arm, joint("arm", xyz="0 0 0.1"))
    assert found.get("centre-outside-shape") == severity


@pytest.mark.parametrize("kind", ["prismatic", "revolute"])
def test_a_slide_lacks_mass_and_a_hinge_inertia(kind, tmp_path):
    frames = '<link name="base"/>' + joint("a", kind=kind) + '<link name="a"/>'
    text = f'<robot name="r">{frames}{link("b", 1)}{joint("b")}</robot>'
    (tmp_path / "robot.urdf").write_text(text, encoding="utf-8")
    found = audit(tmp_path / "robot.urdf").findings
    (one,) = [f for f in found if f.code == "singular-mass-matrix"]
    assert re.search("has no mass" if kind == "prismatic" else "has no inertia about it", one.text)
