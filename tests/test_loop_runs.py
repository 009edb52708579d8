"""Runs of machines with closed loops, driven only where they have drives."""

import numpy as np
import pytest

from sim import Force
from sim.checks import check
from sim.errors import ScenarioError
from sim.motion import JointMotion
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.loop_robots import FourBar, windows

BARS = FourBar()
G = 9.81
START = BARS.motion(np.zeros(1), np.zeros(1), np.zeros(1))[0][:, 0]
CRANK = "2*time+0.3*SIN(3*time)"


def four_bar_run(method, duration=1.0, **more):
    robot = BARS.robot()
    motion = JointMotion.displacement({"crank_joint": CRANK}, q0=START)
    return run(Scenario(robot, motion, duration, **more), method=method)


def column(recording, channel, table="recorded"):
    return getattr(recording, table)[channel].to_numpy()


@pytest.mark.parametrize(("method", "tolerance"), [("ideal", 1e-9), ("stepped", 1e-5)])
def test_the_crank_of_a_four_bar_carries_the_power_that_its_energies_need(method, tolerance):
    """Tau times crank rate is the rate of the energies in closed form, whatever the loop does."""
    recording = four_bar_run(method)
    t = recording.recorded.index.to_numpy()

    def energy(t):
        return sum(BARS.energies(2 * t + 0.3 * np.sin(3 * t), 2 + 0.9 * np.cos(3 * t), G))

    h = 1e-4
    power = (8 * (energy(t + h) - energy(t - h)) - (energy(t + 2 * h) - energy(t - 2 * h))) / 12 / h
    for table in ("recorded", "analytic"):
        torque = column(recording, "tau.crank_joint", table)
        wanted = power / (2 + 0.9 * np.cos(3 * t))
        assert np.max(np.abs(torque - wanted)) <= tolerance * np.max(np.abs(wanted))
        for passive in ("rocker_joint", "coupler_joint"):
            assert not column(recording, f"tau.{passive}", table).any()
    assert [one for one in check(recording) if not one.ok] == []


def test_a_force_on_the_rocker_goes_through_the_loop_to_the_crank():
    """Virtual work: the crank gives F · v of the point over its own rate less than before."""
    force = Force("rocker", force=(7, 0, 0), at=(0, 0, BARS.rocker))
    pushed, alone = four_bar_run("ideal", forces=(force,)), four_bar_run("ideal")
    less = column(alone, "tau.crank_joint") - column(pushed, "tau.crank_joint")
    speed = column(alone, "qd.rocker_joint") * BARS.rocker * np.cos(column(alone, "q.rocker_joint"))
    assert less == pytest.approx(7 * speed / column(alone, "qd.crank_joint"), abs=1e-9)  # N·m


def test_a_drive_across_a_pose_that_a_solver_cannot_pass_is_sent_to_the_method_that_does():
    """The bars of a parallelogram come to lie in one line at a quarter turn."""
    start = {"foot_0": 1.55, "foot_1": 1.55, "corner_0": -1.55}
    across = JointMotion.displacement({"foot_0": "1.55 + 2*time + 4*time**2"}, q0=start)
    scenario = Scenario(windows(1), across, 0.02, 0.01)
    with pytest.raises(ScenarioError, match=r"singular pose at .*; use method 'ideal'"):
        run(scenario, method="adaptive")
    turned = run(scenario, method="ideal")
    assert column(turned, "q.foot_1") == pytest.approx(column(turned, "q.foot_0"), abs=1e-9)


@pytest.mark.parametrize("level", [JointMotion.displacement, JointMotion.torque])
def test_a_joint_that_a_loop_positions_takes_no_drive(level):
    said = r"'rocker_joint': it is passive, loop 'coupler on rocker' .* others \(crank_joint\)"
    with pytest.raises(ScenarioError, match=said):
        run(Scenario(BARS.robot(), level({"rocker_joint": "0.3"}, q0=START), 0.1, 0.01, "adaptive"))
