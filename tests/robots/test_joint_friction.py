import math

import pytest

from sim.errors import ModelError
from sim.robots import load_robot
from sim.robots.joint_friction import INPUTS, JointFriction
from tests.helpers.small_robots import geared, pendulum_on_cart, welded_arm

LAW = JointFriction(0.3, 0.2, pin_radius=0.02)


def test_what_is_not_given_is_what_adams_takes():
    law = JointFriction(0.3, 0.2)
    assert (law.stiction_velocity, law.friction_arm, law.bending_arm) == (0.1, 1.0, 1.0)
    assert (law.preload, law.max_torque) == (0.0, math.inf)
    assert law.inputs == INPUTS


def test_numbers_may_be_whole_and_inputs_a_list():
    law = JointFriction(1, 0, pin_radius=2, inputs=["preload"])
    assert law == JointFriction(1.0, 0.0, pin_radius=2.0, inputs=("preload",))
    assert isinstance(law.mu_static, float)
    assert hash(law) is not None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mu_static": -0.1}, r"Joint friction: mu_static -0\.1 is negative"),
        ({"mu_dynamic": -0.1}, r"mu_dynamic -0\.1 is negative; it must be at least 0"),
        ({"mu_static": math.nan}, r"mu_static nan must be a finite number"),
        ({"mu_dynamic": 0.4}, r"mu_dynamic 0\.4 exceeds mu_static 0\.3"),
        ({"stiction_velocity": 0}, r"stiction_velocity 0 m/s must be above 0"),
        ({"pin_radius": 0.0}, r"pin_radius 0\.0 m must be above 0"),
        ({"pin_radius": -0.01}, r"pin_radius -0\.01 m must be above 0"),
        ({"pin_radius": math.inf}, r"pin_radius inf m must be a finite number"),
        ({"bending_arm": 0.0}, r"bending_arm 0\.0 m must be above 0"),
        ({"friction_arm": -1.0}, r"friction_arm -1\.0 m is negative"),
        ({"preload": -2.0}, r"preload -2\.0 N·m \(prismatic: N\) is negative"),
        ({"max_torque": -2.0}, r"max_torque -2\.0 N·m \(prismatic: N\) is negative"),
        ({"max_torque": math.nan}, r"max_torque nan N·m \(prismatic: N\) must be a finite number"),
        ({"preload": "much"}, r"preload 'much' N·m \(prismatic: N\) must be a number"),
        ({"preload": None}, r"preload None N·m \(prismatic: N\) must be a number"),
        (
            {"inputs": ("preload", "torque")},
            r"inputs \['torque'\] are unknown; allowed: preload, reaction_force, bending_moment, "
            "torsional_moment",
        ),
    ],
)
def test_impossible_parameters_are_refused_by_name_and_unit(change, message):
    with pytest.raises(ModelError, match=message):
        JointFriction(**{"mu_static": 0.3, "mu_dynamic": 0.2, **change})


def test_a_robot_takes_laws_by_joint_name_and_stays_what_it_was():
    plain = pendulum_on_cart(1.0, 2.0, 0.7)
    rough = plain.with_friction({"hinge": LAW})
    assert rough.joint("hinge").friction_law is LAW
    assert rough.joint("slide").friction_law is None
    assert plain.joint("hinge").friction_law is None
    assert rough.links == plain.links
    assert rough.text == plain.text


def test_a_second_call_keeps_the_laws_of_the_first():
    other = JointFriction(0.5, 0.5)
    rough = pendulum_on_cart(1.0, 2.0, 0.7).with_friction({"hinge": LAW, "slide": LAW})
    changed = rough.with_friction({"slide": other})
    assert changed.joint("hinge").friction_law is LAW
    assert changed.joint("slide").friction_law is other


def test_a_follower_may_rub():
    assert geared(0.1, 0.1, 2.0).with_friction({"output": LAW}).joint("output").friction_law is LAW


def test_an_unknown_joint_is_refused_with_the_list():
    with pytest.raises(ModelError, match=r"Joint 'hing' is not in robot 'small'.*slide, hinge"):
        pendulum_on_cart(1.0, 2.0, 0.7).with_friction({"hing": LAW})


def test_a_fixed_joint_is_refused():
    arm = welded_arm()
    with pytest.raises(ModelError, match=r"'weld' .* is fixed and has no friction; .*: hinge"):
        arm.with_friction({"weld": LAW})


def test_a_prismatic_joint_needs_a_friction_arm():
    law = JointFriction(0.3, 0.2, friction_arm=0.0)
    plant = pendulum_on_cart(1.0, 2.0, 0.7)
    assert plant.with_friction({"hinge": law}).joint("hinge").friction_law is law
    with pytest.raises(ModelError, match=r"friction_arm 0 m of prismatic joint 'slide'"):
        plant.with_friction({"slide": law})


def test_laws_survive_a_payload_and_a_mounting():
    rough = load_robot("ur10").with_friction({"elbow_joint": LAW})
    heavy = rough.with_payload(10.0, com=(0, 0, 0.1)).mounted(rpy=(0.1, 0, 0))
    assert heavy.joint("elbow_joint").friction_law is LAW
    assert heavy.joint("shoulder_lift_joint").friction_law is None
    assert heavy.joint("payload_joint").kind == "fixed"
    assert [joint.name for joint in heavy.joints[:-1]] == [joint.name for joint in rough.joints]
