"""What is no fault where nothing of a run rests on it: scenes, bases, pictures, tools of others."""

import pytest

from sim import shipped
from sim.audit import audit

SOUND = (shipped.scenarios() / "two_link.urdf").read_text(encoding="utf-8")
BALL = (  # a football as one scene has it: 10 kg, 1 m, a tensor to have one
    '<link name="{name}"><inertial><mass value="{mass}"/>'
    '<inertia ixx="{moment}" ixy="0" ixz="0" iyy="{moment}" iyz="0" izz="{moment}"/></inertial>'
    '<visual><origin xyz="{xyz}"/><geometry><sphere radius="0.5"/></geometry></visual></link>'
)
WELD = '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/>{4}</joint>'
LIMITS = '<axis xyz="0 0 1"/><limit lower="-1" upper="{}" effort="{}" velocity="1"/>'


def ball(name="ball", mass=10, moment=1, xyz="0 0 0"):
    return BALL.format(name=name, mass=mass, moment=moment, xyz=xyz)


@pytest.fixture
def severities(tmp_path):
    """Severity by kind of finding, of a text or of what stands in a ``<robot>``."""

    def of(*parts):
        whole = "".join(parts)
        text = whole if "<robot" in whole else f'<robot name="r">{whole}</robot>'
        (tmp_path / "robot.urdf").write_text(text, encoding="utf-8")
        return {f.code: f.severity for f in audit(tmp_path / "robot.urdf").findings}

    return of


def test_a_placeholder_in_a_scene_is_a_note_and_on_an_arm_a_warning(severities):
    wall = ball("wall", 1, 50, "0 25 0")
    scene = severities(ball(), wall, WELD.format("j", "fixed", "ball", "wall", ""))
    assert scene["inertia-too-large"] == scene["millimetres-in-origin"] == "note"
    arm = severities(
        ball(), wall, WELD.format("j", "revolute", "ball", "wall", LIMITS.format(1, 99))
    )
    assert arm["inertia-too-large"] == arm["millimetres-in-origin"] == "warning"


@pytest.mark.parametrize(("kind", "severity"), [("fixed", "note"), ("revolute", "warning")])
def test_a_tensor_copied_from_the_base_to_what_moves_is_no_note(kind, severity, severities):
    joint = WELD.format("j", kind, "ball", "other", LIMITS.format(1, 1e6))
    assert severities(ball(), ball("other", 3), joint)["copied-inertia"] == severity


def test_a_body_that_no_body_can_be_is_a_warning_in_a_scene_too(severities):
    assert severities(ball().replace('izz="1"', 'izz="3"'))["impossible-inertia"] == "warning"


@pytest.mark.parametrize(("kind", "severity"), [("fixed", "note"), ("revolute", "warning")])
def test_a_picture_of_a_base_does_not_show_what_is_bolted_to_it(kind, severity, severities):
    heavy = '<link name="plate"><inertial><mass value="900"/><inertia ixx="9" ixy="0" ixz="0" '
    heavy += 'iyy="9" iyz="0" izz="9"/></inertial><visual><geometry><box size="0.3 0.3 0.1"/>'
    heavy += "</geometry></visual></link>"
    found = severities(
        '<link name="world"/>', heavy,
        WELD.format("weld", kind, "world", "plate", LIMITS.format(1, 1e6)),
        ball(), WELD.format("j", "revolute", "plate", "ball", LIMITS.format(1, 1e6)),
    )  # fmt: skip
    assert found["too-dense"] == severity


@pytest.mark.parametrize(
    ("mass", "hips", "severity"),
    [(5, 2, "warning"), (0.001, 2, "note"), (5, 1, "note")],  # a trunk, a bare root, an arm's base
)
def test_a_root_of_legs_counts_unless_it_is_bare(mass, hips, severity, severities):
    legs = [
        ball(f"leg {k}", moment=2)
        + WELD.format(k, "revolute", "trunk", f"leg {k}", LIMITS.format(1, 1e6))
        for k in range(hips)
    ]
    found = severities(ball("trunk", mass, 0), *legs)
    assert found["point-mass"] == severity


def test_a_tensor_of_rounding_is_that_of_a_point(severities):
    """As programs that add up bodies print it: -5e-20 kg·m² are no negative moment."""
    rounding = ball("leg", moment=-5.42e-20)
    joint = WELD.format("hip", "revolute", "trunk", "leg", LIMITS.format(1, 1e6))
    found = severities(ball("trunk"), rounding, joint)
    assert found["point-mass"] == "warning"
    assert not {"impossible-inertia", "repaired"} & found.keys()


def test_slides_without_bodies_that_let_an_object_float_are_no_weak_drives(severities):
    def floating(own):
        return severities(
            '<link name="world"/>', own,
            WELD.format("z", "prismatic", "world", "lift", LIMITS.format(2, 9)),
            ball(moment=1), WELD.format("turn", "revolute", "lift", "ball", LIMITS.format(1, 9)),
        )  # fmt: skip

    assert "weak-drive" not in floating('<link name="lift"/>')
    assert floating(ball("lift", 1, 0.1))["weak-drive"] == "warning"


def test_a_gantry_as_large_as_a_hall_is_in_metres(severities):
    def crane(rail):
        beam = f'<visual><geometry><box size="{rail} 1 1"/></geometry></visual>'
        return severities(
            f'<link name="hall">{beam}</link>',
            ball(),
            WELD.format("x", "prismatic", "hall", "ball", LIMITS.format(39.8, 9)),
        )

    assert "millimetres-in-limit" not in crane(40)
    assert crane(1)["millimetres-in-limit"] == "warning"


@pytest.mark.parametrize(
    ("old", "new", "code", "severity"),
    [
        ('<link name="tip"/>', '<link name="tip"><origin xyz="0 0 0" rpy="0 -0 0"/></link>',
         "misplaced-element", "note"),  # it says nothing
        ('<link name="tip"/>', '<link name="tip"><origin xyz="0 0 1"/></link>',
         "misplaced-element", "error"),
        ('<link name="tip"/>', '<link name="tip"><origin rpy="0 0 x"/></link>',
         "misplaced-element", "error"),
        ('<box size="0.05 0.05 0.5"/>', '<box size="0.05 0.05 0.5"/><axis xyz="0 0 1"/>',
         "misplaced-element", "note"),  # in a picture
        ('<box size="0.05 0.05 0.5"/></geometry>',
         '<box size="0.05 0.05 0.5"/></geometry><origion xyz="0 0 1"/>',
         "misspelt-element", "warning"),
        ('<visual><origin xyz="0 0 -0.25"/>', '<visual><origin xyz="0 0 -0.25" rpy="0 0 95"/>',
         "degrees-in-rpy", "warning"),
        ('upper="2.5" effort="15" velocity="3"/>',
         'upper="2.5" effort="15" velocity="3"/><safety_controller soft_upper="1"/>',
         "misspelt-attribute", "warning"),
    ],
)  # fmt: skip
def test_a_slip_by_which_no_torque_is_wrong_is_no_error(old, new, code, severity, severities):
    text = SOUND.replace("\n        ", "").replace("\n      ", "")
    assert old in text
    assert severities(text.replace(old, new, 1))[code] == severity


def test_a_slip_in_every_joint_is_one_row_if_no_torque_is_wrong(tmp_path):
    slip = '<safety_controller soft_lower="0" soft_upper="0" k_velocity="0"/></joint>'
    (tmp_path / "robot.urdf").write_text(SOUND.replace("</joint>", slip), "utf-8")
    findings = [f for f in audit(tmp_path / "robot.urdf").findings if "safety" in f.text]
    assert [(f.code, f.severity) for f in findings] == 2 * [("misspelt-attribute", "warning")]
    assert all(f"({SOUND.count('</joint>')} elements)" in f.text for f in findings)
