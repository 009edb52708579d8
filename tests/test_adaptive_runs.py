"""Runs in which loads and torques decide the motion."""

import numpy as np
import pytest

from sim.checks import check
from sim.motion import JointMotion
from sim.scenario import (
    GroundContact,
    Scenario,
    Stop,
)
from sim.simulation import run
from tests.helpers.small_robots import lift, pendulum

G = 9.81


def go(robot, motion, duration=1.0, dt=1e-3, **more):
    return run(Scenario(robot, motion, duration, dt=dt, method="adaptive", **more))


def column(recording, channel, table="recorded"):
    return getattr(recording, table)[channel].to_numpy()


def assert_passes(recording):
    assert [one for one in check(recording) if not one.ok] == []


def free(*names, q0=None):
    return JointMotion.displacement({}, q0=q0, free=names)


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


def test_sampling_does_not_change_the_motion():
    motion = free("hinge", q0={"hinge": 2.5})
    coarse = go(pendulum(1.0, 0.5, 0.02), motion, 2.0, 0.1)
    fine = go(pendulum(1.0, 0.5, 0.02), motion, 2.0, 1e-3)
    assert column(coarse, "q.hinge") == pytest.approx(column(fine, "q.hinge")[::100], abs=1e-10)


def test_without_a_free_joint_adaptive_gives_what_ideal_gives():
    motion = JointMotion.displacement({"hinge": "SIN(3*time)"})
    solved = go(pendulum(1.0, 0.5, 0.02), motion)
    imposed = run(Scenario(pendulum(1.0, 0.5, 0.02), motion, 1.0), method="ideal")
    away = np.abs(column(solved, "tau.hinge") - column(imposed, "tau.hinge"))
    assert np.max(away) <= 1e-11 * column(imposed, "tau.hinge").max()
    assert_passes(solved)
