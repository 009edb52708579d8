"""Runs in which loads and torques decide the motion."""

import numpy as np
import pytest

from sim.checks import check
from sim.errors import ScenarioError
from sim.functions import spline
from sim.motion import JointMotion
from sim.robots import Payload, load_robot
from sim.scenario import (
    Force,
    GroundContact,
    PickUp,
    Scenario,
    SetDown,
    Stop,
)
from sim.simulation import run
from tests.helpers.small_robots import double_pendulum, lift, pendulum, pendulum_on_cart

G = 9.81


def go(robot, motion, duration=1.0, dt=1e-3, **more):
    return run(Scenario(robot, motion, duration, dt=dt, method="adaptive", **more))


def column(recording, channel, table="recorded"):
    return getattr(recording, table)[channel].to_numpy()


def assert_passes(recording):
    assert [one for one in check(recording) if not one.ok] == []


def free(*names, q0=None):
    return JointMotion.displacement({}, q0=q0, free=names)


def test_a_recorded_torque_played_back_makes_the_recorded_motion():
    """Through the samples of the torques a cubic runs to dt⁴; the arm integrates it twice."""
    robot = load_robot("ur10")
    drives = {j: f"{0.1 * (k + 1)}*SIN(3*time)**2" for k, j in enumerate(robot.joint_names)}
    first = run(Scenario(robot, JointMotion.displacement(drives), 1.0), method="ideal")
    t = first.recorded.index.to_numpy()
    torques = {j: spline(t, column(first, f"tau.{j}"), kind="notaknot") for j in robot.joint_names}
    second = go(robot, JointMotion.torque(torques))
    for joint in robot.joint_names:
        away = column(second, f"q.{joint}") - column(first, f"q.{joint}")
        assert np.max(np.abs(away)) <= 1e-7  # rad
    assert_passes(second)


def test_driven_torque_driven_and_free_joints_move_together():
    robot = pendulum_on_cart(2.0, 1.0, 0.5)
    motion = JointMotion.displacement({"slide": "0.1*SIN(5*time)"}, free=["hinge"])
    recording = go(robot, motion)
    assert np.abs(column(recording, "q.hinge")).max() > 0.1
    assert_passes(recording)
    torque = JointMotion.torque({"slide": "3*SIN(5*time)"}) | free("hinge")
    recording = go(robot, torque)
    assert column(recording, "tau.slide") == pytest.approx(
        3 * np.sin(5 * recording.recorded.index.to_numpy()), abs=1e-12
    )
    assert not column(recording, "tau.hinge").any()
    assert_passes(recording)


def test_a_lift_in_free_flight_bounces_on_its_stops_and_keeps_its_energy():
    robot = lift(1.0).with_stops(
        {"slide": Stop(stiffness=1e5, exponent=1.5, lower=-0.2, upper=1.0)}
    )
    recording = go(robot, free("slide"), duration=1.0)
    q = column(recording, "q.slide")
    assert q.min() < -0.2
    assert q[-200:].max() > -0.1  # it came back
    assert_passes(recording)


def test_a_ball_on_the_ground_comes_to_rest_on_its_spring():
    """At rest k p = m g."""
    k, m = 1e4, 2.0
    contact = GroundContact("load", stiffness=k, exponent=1.0, damping=400.0, depth=1e-3, height=0)
    recording = go(lift(m), free("slide", q0={"slide": 0.05}), 3.0, 5e-3, contacts=(contact,))
    assert column(recording, "q.slide")[-1] == pytest.approx(-m * G / k, abs=1e-7)  # m
    assert_passes(recording)


def test_a_falling_pendulum_that_takes_up_a_mass_goes_on_with_its_velocity():
    block = Payload(2.0, com=(0, 0, -0.5), frame="bob")
    events = (PickUp(0.4, block), SetDown(0.8))
    recording = go(pendulum(1.0, 0.5), free("hinge", q0={"hinge": 1.0}), events=events)
    alone = go(pendulum(1.0, 0.5), free("hinge", q0={"hinge": 1.0}))
    # a point mass where the bob already is one changes neither frequency nor motion
    assert column(recording, "q.hinge") == pytest.approx(column(alone, "q.hinge"), abs=1e-10)
    assert recording.run.events[0].ke > 0
    assert_passes(recording)


def test_a_force_moves_what_nothing_holds():
    force = Force("load", force=("6*time", 0, 0))
    recording = go(lift(3.0, "1 0 0"), free("slide"), forces=(force,))
    t = recording.recorded.index.to_numpy()
    assert column(recording, "q.slide") == pytest.approx(6 / 3 * t**3 / 6, abs=1e-11)
    work = 0.5 * 3.0 * (t**2) ** 2
    assert column(recording, "external") == pytest.approx(work, abs=1e-10)
    assert_passes(recording)


def test_a_free_double_pendulum_keeps_its_energy_to_ten_digits():
    motion = free("shoulder", "elbow", q0={"shoulder": 2.0, "elbow": 0.5})
    recording = go(double_pendulum(1.0, 0.7, 0.5, 0.4), motion, 2.0)
    energy = (recording.recorded["ke"] + recording.recorded["pe"]).to_numpy()
    assert np.ptp(energy) <= 1e-10 * recording.recorded["ke"].max()
    assert_passes(recording)


def test_sampling_does_not_change_the_motion():
    motion = free("hinge", q0={"hinge": 2.5})
    coarse = go(pendulum(1.0, 0.5, 0.02), motion, 2.0, 0.1)
    fine = go(pendulum(1.0, 0.5, 0.02), motion, 2.0, 1e-3)
    assert column(coarse, "q.hinge") == pytest.approx(column(fine, "q.hinge")[::100], abs=1e-10)


def test_a_free_joint_without_inertia_is_refused_by_name():
    """A point mass on the hinge's own axis."""
    with pytest.raises(ScenarioError, match="'hinge' is free and has no inertia along it"):
        go(pendulum(1.0, 0.0), free("hinge"))


def test_without_a_free_joint_adaptive_gives_what_ideal_gives():
    motion = JointMotion.displacement({"hinge": "SIN(3*time)"})
    solved = go(pendulum(1.0, 0.5, 0.02), motion)
    imposed = run(Scenario(pendulum(1.0, 0.5, 0.02), motion, 1.0), method="ideal")
    away = np.abs(column(solved, "tau.hinge") - column(imposed, "tau.hinge"))
    assert np.max(away) <= 1e-11 * column(imposed, "tau.hinge").max()
    assert_passes(solved)
