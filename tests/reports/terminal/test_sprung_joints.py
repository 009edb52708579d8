"""Joints without a motor that springs hold: what stands beside the rating."""

import pytest

import sim
from sim import JointSpring
from sim.reports.terminal.run_details import peak_effort
from sim.reports.terminal.summary import summary
from tests.helpers.small_robots import pendulum
from tests.helpers.terminal_texts import printed

K, AT = 500.0, 0.2  # N·m/rad, rad


def held(**drive):
    robot = pendulum(2.0, 0.7).with_springs({"hinge": JointSpring(K, 1.0, free_position=AT)})
    if drive:
        motion = sim.JointMotion.displacement(drive)
        return sim.run(sim.Scenario(robot, motion, duration=0.05, method="ideal"))
    motion = sim.JointMotion.displacement({}, free=["hinge"], q0=[0.25])
    return sim.run(sim.Scenario(robot, motion, duration=0.05, method="adaptive"))


def test_the_torque_of_the_spring_stands_beside_the_rating_of_a_free_joint():
    run = held()
    most, unit, by = peak_effort(run, "hinge")
    assert (unit, by) == ("N·m", "spring")
    assert most == pytest.approx(K * (0.25 - AT), rel=0.2)
    text = printed(summary(run, None), 120)
    assert "spring 25" in text
    assert "0 N·m   0 %" not in text


def test_the_motor_of_a_driven_joint_is_told_by_itself():
    run = held(hinge="0.25")
    most, _, by = peak_effort(run, "hinge")
    assert by == ""
    assert most == pytest.approx(abs(run.recorded["tau.hinge"]).max())
