"""Runs of machines with closed loops, driven only where they have drives."""

import numpy as np
import pytest

from sim import Force
from sim.checks import check
from sim.dynamics.loop_forces import inverse_dynamics
from sim.errors import ScenarioError
from sim.motion import JointMotion
from sim.robots import load_robot
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


def test_passive_joints_move_as_the_closed_form_says():
    recording = four_bar_run("ideal")
    t = recording.recorded.index.to_numpy()
    a = 2 * t + 0.3 * np.sin(3 * t)
    expected = BARS.motion(a, 2 + 0.9 * np.cos(3 * t), -2.7 * np.sin(3 * t))
    for group, rows in zip(("q", "qd", "qdd"), expected, strict=True):
        for name, row in zip(("crank_joint", "rocker_joint", "coupler_joint"), rows, strict=True):
            away = column(recording, f"{group}.{name}") - row
            away = (away + np.pi) % (2 * np.pi) - np.pi if group == "q" else away
            assert np.max(np.abs(away)) <= 1e-8  # rad, rad/s, rad/s²


def test_the_force_in_the_pin_of_the_loop_is_recorded():
    recording = four_bar_run("ideal")
    motion = [np.stack([column(recording, f"{group}.{j}") for j in BARS.robot().joint_names])
              for group in ("q", "qd", "qdd")]  # fmt: skip
    force = inverse_dynamics(BARS.robot(), *motion).force[0]
    for c, row in zip("xyz", force[:3], strict=True):
        assert column(recording, f"loop.coupler_on_rocker.f{c}") == pytest.approx(row, abs=1e-9)
    assert np.abs(force).max() > 1.0  # N


def test_a_force_on_the_rocker_goes_through_the_loop_to_the_crank():
    """Virtual work: the crank gives F · v of the point over its own rate less than before."""
    force = Force("rocker", force=(7, 0, 0), at=(0, 0, BARS.rocker))
    pushed, alone = four_bar_run("ideal", forces=(force,)), four_bar_run("ideal")
    less = column(alone, "tau.crank_joint") - column(pushed, "tau.crank_joint")
    speed = column(alone, "qd.rocker_joint") * BARS.rocker * np.cos(column(alone, "q.rocker_joint"))
    assert less == pytest.approx(7 * speed / column(alone, "qd.crank_joint"), abs=1e-9)  # N·m


def test_a_loop_that_cannot_close_at_the_start_says_by_how_much():
    motion = JointMotion.displacement({"crank_joint": 0.0})
    robot = FourBar(ground=3.0).robot()
    with pytest.raises(ScenarioError, match=r"'coupler on rocker' .* open by .* m at t = 0 s"):
        run(Scenario(robot, motion, 0.1))


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


def test_rods_of_the_palletizer_hold_what_the_free_rods_of_the_loop_model_hold():
    """Their weights at rest: each levelling pin carries half its rod, one rod carries the arm."""
    robot = load_robot("irb460")
    motion = JointMotion.displacement({}, q0=robot.pose("paper"))
    recording = run(Scenario(robot, motion, 0.01), method="ideal")
    q = np.asarray(robot.pose("paper"))[:, None]
    expected = inverse_dynamics(robot, q, 0 * q, 0 * q)
    for loop, force in zip(robot.loops, expected.force, strict=True):
        name = loop.name.replace(" ", "_")
        for c, value in zip("xyz", force[:3, 0], strict=True):
            found = column(recording, f"loop.{name}.f{c}")
            assert found == pytest.approx(value, abs=1e-7 * np.abs(expected.force).max())  # N
    assert column(recording, "tau.lower_arm_joint") == pytest.approx(expected.tau[1, 0], rel=1e-11)
    assert [one for one in check(recording) if not one.ok] == []
