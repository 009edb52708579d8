"""What a URDF cannot mean is repaired and told; the oracle is Pinocchio on clean files."""

import re

import numpy as np
import pinocchio
import pytest

from sim.audit.states import states_of
from sim.audit.torques import SAME, torques_of
from sim.dynamics import lagrange, newton_euler
from sim.errors import ModelError
from sim.robots import read_urdf
from tests.helpers.pinocchio_model import PinocchioModel

GRAVITY = (0.4, -0.7, -9.81)
POSSIBLE = "0.2 0.25 0.3"


def body(name, mass="2", moments=POSSIBLE, com="0.1 0.05 -0.2", product="0"):
    xx, yy, zz = moments.split()
    return (
        f'<link name="{name}"><inertial><origin xyz="{com}" rpy="0.1 0.2 0.3"/>'
        f'<mass value="{mass}"/><inertia ixx="{xx}" ixy="{product}" ixz="0" iyy="{yy}" iyz="0" '
        f'izz="{zz}"/></inertial></link>'
    )


def frame(name):
    return f'<link name="{name}"/>'


def joint(name, kind, parent, child, more="", axis="0 0.6 0.8"):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0.1 0.2 0.3" rpy="0.3 -0.2 0.5"/><axis xyz="{axis}"/>{more}</joint>'
    )


LIMIT = '<limit lower="-3" upper="3" effort="9" velocity="9"/>'


def arm(head='name="arm"', **new):
    """A hinge, a slide and a hinge; a cover welded to the ground, a flange to the last link."""
    parts = {
        **{name: frame(name) for name in ("base", "cover", "flange")},
        "a": body("a"),
        "b": body("b"),
        "c": body("c"),
        "j1": joint("j1", "revolute", "base", "a", LIMIT),
        "j2": joint("j2", "prismatic", "a", "b", LIMIT),
        "j3": joint("j3", "revolute", "b", "c", LIMIT),
        "welds": joint("w1", "fixed", "base", "cover") + joint("w2", "fixed", "c", "flange"),
    } | new
    return f"<robot {head}>{''.join(parts.values())}</robot>"


CLEAN = arm()


def torque(text, seed=1):
    robot = read_urdf(text)
    state = np.random.default_rng(seed).uniform(-1, 1, (3, len(robot.joint_names), 4))
    tau = lagrange.inverse_dynamics(robot, *state, GRAVITY)
    np.testing.assert_allclose(
        newton_euler.inverse_dynamics(robot, *state, GRAVITY), tau, rtol=0, atol=1e-12
    )  # [N·m, N]
    return tau


def pinocchios(text, seed=1):
    robot = read_urdf(text)
    state = np.random.default_rng(seed).uniform(-1, 1, (3, len(robot.joint_names), 4))
    return PinocchioModel(robot, GRAVITY).torque(*state)


def only(text):
    (repair,) = read_urdf(text).repairs
    return repair


def touched(one, other):
    names = read_urdf(one).joint_names
    differ = np.abs(torque(one) - torque(other)).max(axis=1) > 1e-9  # [N·m, N]
    return tuple(name for name, differs in zip(names, differ, strict=True) if differs)


# An arm with the fault, the same without what is in doubt, and what the repair must say.
NEUTRAL = {
    "negative mass on the ground": (arm(base=body("base", mass="-3")), "no body"),
    "inertia without mass on the ground": (arm(base=body("base", mass="0")), "no body"),
    "the same on a cover": (arm(cover=body("cover", mass="0")), "no body"),
    "negative moment of a cover": (
        arm(cover=body("cover", moments="-0.1 0.2 0.2")),
        "no second moments",
    ),
    "a cover beyond flat": (arm(cover=body("cover", moments="0.1 0.1 0.5")), "impossible body"),
    "a version that there is not": ('<?xml version="0.0"?>\n' + CLEAN, "declaration"),
    "a declaration below": (
        '\n<!-- made by hand -->\n<?xml version="1.0"?>' + CLEAN,
        "declaration",
    ),
    "no name": (arm(head=""), "name"),
    "no limit": (arm(j1=joint("j1", "revolute", "base", "a")), "no range"),
    "limit without ends": (
        arm(j2=joint("j2", "prismatic", "a", "b", '<limit effort="9" velocity="9"/>')),
        "no range",
    ),
    "ends swapped": (
        arm(j3=joint("j3", "revolute", "b", "c", LIMIT.replace('"-3"', '"4"'))),
        "no range",
    ),
    "a weld that mimics": (
        CLEAN.replace('<child link="cover"/>', '<child link="cover"/><mimic joint="j1"/>'),
        "fixed mimic",
    ),
}


@pytest.mark.parametrize(("text", "kind"), NEUTRAL.values(), ids=NEUTRAL.keys())
def test_what_changes_no_torque_is_taken_and_told(text, kind):
    repair = only(text)
    assert (repair.kind, repair.joints) == (kind, ())
    assert "affects no joint torque" in repair.text
    np.testing.assert_allclose(torque(text), pinocchios(CLEAN), rtol=0, atol=1e-12)  # [N·m, N]


@pytest.mark.parametrize(("text", "kind"), NEUTRAL.values(), ids=NEUTRAL.keys())
def test_a_strict_reader_refuses_it(text, kind):
    with pytest.raises(ModelError):
        read_urdf(text, strict=True)


def test_a_clean_file_has_no_repairs_and_strictness_is_no_hindrance():
    assert read_urdf(CLEAN).repairs == ()
    read_urdf(CLEAN, strict=True).require_as_written()


def test_inertia_without_mass_on_a_flange_is_a_frame_and_can_touch_all_joints_below():
    text = arm(flange=body("flange", mass="0"))
    repair = only(text)
    assert (repair.kind, repair.part) == ("no body", "link 'flange'")
    assert repair.joints == ("j1", "j2", "j3")
    assert touched(text, CLEAN) == ()  # as told: it is taken as a frame
    assert touched(text, arm(flange=body("flange"))) == repair.joints  # had it mass


@pytest.mark.parametrize(("link", "joints"), [("a", ("j1",)), ("b", ("j1",)), ("c", ("j1", "j3"))])
def test_an_impossible_tensor_is_kept_and_touches_the_hinges_below_it(link, joints):
    text = arm(**{link: body(link, moments="0.1 0.2 0.6")})
    repair = only(text)
    assert repair.kind == "impossible body"
    assert "by 50 % of itself" in repair.says
    assert repair.joints == joints
    np.testing.assert_allclose(torque(text), pinocchios(text), rtol=0, atol=1e-12)  # as it does
    assert touched(text, CLEAN) == joints


def test_a_negative_principal_moment_of_positive_ones_is_kept_as_pinocchio_keeps_it():
    """As romeo's hip has it: a product of inertia is too large for the moments beside it."""
    text = arm(c=body("c", moments="0.2 0.25 0.3", product="0.24"))
    assert np.linalg.eigvalsh([[0.2, 0.24], [0.24, 0.25]])[0] < -0.01
    assert (only(text).kind, only(text).joints) == ("impossible body", ("j1", "j3"))
    np.testing.assert_allclose(torque(text), pinocchios(text), rtol=0, atol=1e-12)
    robot = read_urdf(text)
    torques = torques_of(robot, states_of(robot))
    assert torques.disagreement().max() < SAME
    assert set(torques.by) == {"Lagrange", "Newton–Euler", "PyBullet", "Pinocchio", "MuJoCo engine"}


@pytest.mark.parametrize(
    ("izz", "word"), [("0.4504", "as few printed digits make it"), ("0.6", "measure again")]
)
def test_a_slight_violation_is_told_apart_from_a_gross_one(izz, word):
    assert word in only(arm(c=body("c", moments=f"0.2 0.25 {izz}"))).text


def test_a_tensor_that_is_rounding_beside_its_mass_is_a_point_mass():
    text = arm(c=body("c", moments="1e-20 -1e-20 0"))
    assert only(text).taken == "a point mass"
    np.testing.assert_allclose(
        torque(text), pinocchios(arm(c=body("c", moments="0 0 0"))), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("fault", [{"mass": "-1"}, {"moments": "-0.01 0.2 0.2"}])
@pytest.mark.parametrize("link", ["c", "flange"])
def test_a_body_that_moves_and_has_less_than_nothing_is_refused(link, fault):
    with pytest.raises(ModelError, match=f"link '{link}': .*negative"):
        read_urdf(arm(**{link: body(link, **fault)}))


def test_a_long_axis_gives_its_direction():
    text = arm(j3=joint("j3", "revolute", "b", "c", LIMIT, axis="0 1.2 1.6"))
    assert (only(text).kind, only(text).joints) == ("axis", ("j3",))
    np.testing.assert_allclose(torque(text), pinocchios(CLEAN), rtol=0, atol=1e-12)


def test_a_zero_axis_has_no_direction_and_is_refused():
    with pytest.raises(ModelError, match=r"axis \(0, 0, 0\) is zero"):
        read_urdf(arm(j3=joint("j3", "revolute", "b", "c", LIMIT, axis="0 0 0")))


def test_no_ends_are_no_ends():
    limits = read_urdf(NEUTRAL["limit without ends"][0]).joint("j2").limits
    assert (limits.lower, limits.upper, limits.effort) == (-np.inf, np.inf, 9)
    limits = read_urdf(NEUTRAL["ends swapped"][0]).joint("j3").limits
    assert (limits.lower, limits.upper, limits.effort) == (-np.inf, np.inf, 9)


FINGER = {"tip": frame("tip") + joint("j4", "revolute", "c", "tip", LIMIT)}


def test_a_fingertip_without_mass_needs_no_torque_and_touches_those_below():
    text = arm(**FINGER)
    assert (only(text).kind, only(text).part) == ("nothing to move", "joint 'j4'")
    assert only(text).joints == ("j1", "j2", "j3", "j4")
    tau = torque(text)
    assert not tau[3].any()
    np.testing.assert_allclose(tau, pinocchios(text), rtol=0, atol=1e-12)
    heavy = FINGER | {"tip": body("tip") + joint("j4", "revolute", "c", "tip", LIMIT)}
    assert touched(text, arm(**heavy)) == only(text).joints


def test_a_payload_on_it_takes_the_repair_away():
    robot = read_urdf(arm(**FINGER), tool="tip").with_payload(1.0, (0, 0, 0.1))
    assert robot.repairs == ()


def test_the_joints_that_are_touched_go_by_the_name_of_their_drive():
    mimic = joint("j3", "revolute", "b", "c", LIMIT + '<mimic joint="j2"/>')
    assert only(arm(c=body("c", moments="0.1 0.2 0.6"), j3=mimic)).joints == ("j1", "j2")


def test_a_strict_reader_of_a_robot_in_hand_tells_each_repair():
    robot = read_urdf(arm(base=body("base", mass="0"), head=""))
    with pytest.raises(
        ModelError, match=r"(?s)robot 'robot' requires repairs.*link 'base'"
    ) as caught:
        robot.require_as_written()
    assert len(re.findall("\n    ", str(caught.value))) == 2


def test_what_the_documents_say_of_pinocchio_holds():
    """It keeps an impossible tensor, and gives a frame without mass its rotational inertia."""
    model = pinocchio.buildModelFromXML(arm(c=body("c", moments="0.1 0.2 0.6")))
    np.testing.assert_allclose(np.linalg.eigvalsh(model.inertias[3].inertia), (0.1, 0.2, 0.6))
    assert np.abs(pinocchios(arm(flange=body("flange", mass="0"))) - pinocchios(CLEAN)).max() > 0.01
