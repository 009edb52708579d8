import math

import numpy as np
import pytest

import sim
from sim.dynamics import joint_force
from sim.errors import ModelError, ScenarioError
from sim.recording.schema.channels import GROUPS
from sim.robots import load_robot
from sim.robots.gear_spring import GearSpring
from sim.robots.spring import JointSpring, Stop
from tests.helpers.small_robots import geared, pendulum, pendulum_on_cart

SPRING = JointSpring(200.0, 10.0, 0.3, -4.0)


def test_the_law_by_hand():
    # -200 (0.5 - 0.3) - 10 * 2 - 4 = -64
    wheel = pendulum(1.0, 0.5).with_springs({"hinge": SPRING})
    q, qd = np.array([[0.5, 0.3, 0.0]]), np.array([[2.0, 0.0, -1.0]])
    torque = joint_force(wheel, q, qd)
    np.testing.assert_allclose(torque, [[-64.0, -4.0, 60.0 + 10.0 - 4.0]], rtol=1e-15)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stiffness": -1.0}, r"stiffness -1.0 N·m/rad or N/m"),
        ({"damping": -1.0}, r"damping -1.0 N·m·s/rad or N·s/m"),
        ({"free_position": math.nan}, r"free_position nan rad or m"),
        ({"preload": math.inf}, r"preload inf N·m or N"),
        ({"stiffness": "stiff"}, r"stiffness 'stiff'"),
    ],
)
def test_impossible_numbers_are_refused_by_name_and_unit(change, message):
    with pytest.raises(ModelError, match=message):
        JointSpring(**{"stiffness": 1.0, **change})


def test_a_robot_takes_springs_by_joint_name_and_keeps_its_other_elements():
    stop = Stop(1e5)
    plain = pendulum_on_cart(1.0, 2.0, 0.7)
    held = plain.with_stops({"slide": stop}).with_springs({"slide": SPRING, "hinge": SPRING})
    assert held.joint("slide").forces == (stop, SPRING)
    assert held.joint("hinge").force("spring") is SPRING
    assert plain.joint("slide").forces == ()
    softer = held.with_springs({"slide": JointSpring(1.0)})
    assert softer.joint("slide").forces == (stop, JointSpring(1.0))
    heavy = load_robot("ur10").with_springs({"elbow_joint": SPRING}).with_payload(10.0)
    assert heavy.joint("elbow_joint").force("spring") is SPRING


def test_unknown_and_fixed_joints_are_refused():
    with pytest.raises(ModelError, match=r"Joint 'elbow' is not in robot 'ur10'; available: sh"):
        load_robot("ur10").with_springs({"elbow": SPRING})
    with pytest.raises(ModelError, match=r"'tool0_joint' .* is fixed and has no springs"):
        load_robot("ur10").with_springs({"tool0_joint": SPRING})


def test_its_channel_stands_in_the_table_and_acts_with_the_drives():
    group = GROUPS[JointSpring.channel]
    assert (group.unit, group.sliding, group.is_joint_force) == ("N·m", "N", True)


# --- in a run -----------------------------------------------------------------------------------

LENGTH, MASS, MOMENT = 0.7, 2.0, 0.1


@pytest.mark.parametrize("method", ["stepped", "ideal", "adaptive"])
def test_a_drive_is_helped_by_the_spring_of_its_joint(method):
    """A drive gives what the spring does not: the same motion with and without differs by it."""
    motion = sim.JointMotion.displacement({"hinge": "0.5*SIN(3*time)"})
    plain = pendulum(MASS, LENGTH, MOMENT)
    held = plain.with_springs({"hinge": SPRING})
    runs = [sim.run(sim.Scenario(r, motion, 1.0, dt=1e-3, method=method)) for r in (plain, held)]
    q, qd = 0.5 * np.sin(3 * runs[0].t), 1.5 * np.cos(3 * runs[0].t)
    wanted = -200.0 * (q - 0.3) - 10.0 * qd - 4.0
    for table in ("recorded", "analytic"):
        without, beside = (getattr(run, table)["tau.hinge"].to_numpy() for run in runs)
        np.testing.assert_allclose(without - beside, wanted, rtol=0, atol=1e-4 * 60)
    np.testing.assert_allclose(runs[1].analytic["spring.hinge"], wanted, rtol=0, atol=1e-12)
    assert all(check.ok for check in sim.check(runs[1]))


def test_a_follower_hands_its_spring_to_the_joint_it_follows():
    spring = JointSpring(5.0, free_position=0.4)
    pair = geared(0.1, 0.1, 2.0).with_springs({"output": spring})
    q, qd = pair.on_tree(np.array([[0.25]]), np.array([[0.0]]))
    torque = pair.coupling[0].T @ joint_force(pair, q, qd)
    ratio = pair.coupling[0][1, 0]
    np.testing.assert_allclose(torque, [[-5.0 * (q[1, 0] - 0.4) * ratio]], rtol=1e-14)


def test_a_free_joint_with_a_spring_is_left_to_adaptive():
    robot = pendulum(MASS, LENGTH).with_springs({"hinge": SPRING})
    motion = sim.JointMotion.displacement({}, free=["hinge"])
    with pytest.raises(ScenarioError, match=r"joint 'hinge' has springs; use method 'adaptive'"):
        sim.run(sim.Scenario(robot, motion, 1.0))


def test_an_elastic_gear_has_corners_where_its_slope_changes():
    knee = GearSpring(100.0, stiffness_2=300.0, knee=2.0, motor="m")
    assert knee.corners(None) == (-0.02, 0.02)
    gap = GearSpring(100.0, backlash=0.1, motor="m").corners(None)
    assert gap == pytest.approx((-0.06, -0.05, -0.04, 0.04, 0.05, 0.06))
    assert GearSpring(100.0, motor="m").corners(None) == ()


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("with_friction", "JointFriction"),
        ("with_stops", "Stop"),
        ("with_springs", "JointSpring"),
        ("with_drives", "DriveTrain"),
        ("with_coupled_rotors", "CoupledRotor"),
    ],
)
def test_a_number_in_place_of_an_element_of_a_joint_is_refused_by_name(method, kind):
    with pytest.raises(
        ModelError, match=f"{method}: .* must be a mapping of names to {kind}s, got"
    ):
        getattr(load_robot("ur10"), method)({"elbow_joint": 100.0})
