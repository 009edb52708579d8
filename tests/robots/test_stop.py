import math

import pytest

from sim.errors import ModelError
from sim.robots import load_robot
from sim.robots.coordinate import Limits
from sim.robots.spring import Stop
from tests.helpers.small_robots import joint, link, pendulum_on_cart, robot, welded_arm

STOP = Stop(1e5)


def wheel():
    return robot(link("wheel", 1.0), joint("axle", "continuous", "ground", "wheel", "0 0 1"))


def test_stops_are_where_they_say_or_at_the_limits_of_the_joint():
    limits = Limits(-1.0, 2.0)
    assert STOP.ends(limits) == (-1.0, 2.0)
    assert Stop(1e5, lower=-0.5).ends(limits) == (-0.5, 2.0)
    assert Stop(1e5, upper=0.5).ends(limits) == (-1.0, 0.5)
    assert Stop(1e5, lower=0, upper=1).ends(limits) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stiffness": 0.0}, r"Stop: stiffness 0\.0 N·m/rad\^e or N/m\^e must be above 0"),
        ({"stiffness": math.inf}, r"stiffness inf .* must be a finite number"),
        ({"exponent": 0.9}, r"exponent 0\.9 must be at least 1"),
        ({"damping": -1.0}, r"damping -1\.0 N·m·s/rad or N·s/m is negative"),
        ({"depth": 0.0}, r"depth 0\.0 rad or m must be above 0"),
        ({"lower": math.nan}, r"lower nan rad or m must be a finite number"),
        ({"upper": math.inf}, r"upper inf rad or m must be a finite number"),
        ({"lower": 1.0, "upper": 1.0}, r"lower 1 must be below upper 1 rad or m"),
    ],
)
def test_impossible_parameters_are_refused_by_name_and_unit(change, message):
    with pytest.raises(ModelError, match=message):
        Stop(**{"stiffness": 1e5, **change})


def test_a_robot_takes_stops_by_joint_name_and_stays_what_it_was():
    plain = pendulum_on_cart(1.0, 2.0, 0.7)
    held = plain.with_stops({"slide": STOP})
    assert held.joint("slide").force("stop") is STOP
    assert held.joint("hinge").force("stop") is None
    assert plain.joint("slide").force("stop") is None
    assert held.with_stops({"hinge": STOP}).joint("slide").force("stop") is STOP


def test_a_joint_without_limits_needs_a_stop_that_has_one():
    with pytest.raises(ModelError, match=r"'axle' of robot 'small' has no limits to stop at"):
        wheel().with_stops({"axle": STOP})
    one_sided = Stop(1e5, upper=2.0)
    assert wheel().with_stops({"axle": one_sided}).joint("axle").force("stop") is one_sided


@pytest.mark.parametrize(("name", "unit"), [("hinge", "rad"), ("slide", "m")])
def test_a_stop_beyond_the_other_limit_is_refused(name, unit):
    with pytest.raises(ModelError, match=rf"'{name}': lower 101 must be below upper 100 {unit}"):
        pendulum_on_cart(1.0, 2.0, 0.7).with_stops({name: Stop(1e5, lower=101.0)})


def test_unknown_and_fixed_joints_are_refused():
    arm = welded_arm()
    with pytest.raises(ModelError, match=r"Joint 'hing' is not in robot"):
        arm.with_stops({"hing": STOP})
    with pytest.raises(ModelError, match=r"'weld' .* is fixed and has no end stops"):
        arm.with_stops({"weld": STOP})


def test_stops_survive_a_payload_and_a_mounting():
    held = load_robot("ur10").with_stops({"elbow_joint": STOP})
    heavy = held.with_payload(10.0).mounted(xyz=(0, 0, 1))
    assert heavy.joint("elbow_joint").force("stop") is STOP
    assert heavy.joint("shoulder_lift_joint").force("stop") is None
