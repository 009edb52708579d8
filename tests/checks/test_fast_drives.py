"""Drives that are fast for their step: what the method leaves of them is no failure."""

from functools import cache

import numpy as np
import pytest

from sim import shipped
from sim.checks import check
from sim.motion import JointMotion
from sim.robots import DriveTrain, load_robot
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.short_runs import arm, spoiled

SIZE, STEP = 0.1, 1e-3  # [rad], [s]
RATED = {"rated speed", "rated torque"}


@cache
def shaken(frequency, step=STEP):
    """Both joints of the two-link arm shaken by 0.1 rad for 0.4 s [Hz]."""
    drive = f"{SIZE}*SIN(2*PI*{frequency}*time)"
    motion = JointMotion.displacement({"shoulder": drive, "elbow": f"0.5*{drive}"})
    robot = load_robot(shipped.scenarios() / "two_link.urdf")
    return run(Scenario(robot, motion, duration=0.4, dt=step))


def failed(recording):
    return {one.name for one in check(recording) if not one.ok} - RATED


@pytest.mark.parametrize("frequency", [5, 25, 36])
def test_a_fast_drive_passes_and_its_velocity_is_off_by_what_halving_leaves(frequency):
    """h⁴/480 of the fourth derivative, by the closed form of the drive."""
    found, rate = shaken(frequency), 2 * np.pi * frequency
    assert not failed(found)
    exact = SIZE * rate * np.cos(rate * found.t)
    left = np.abs(found.recorded["qd.shoulder"] - exact)[5:-5].max()
    assert left == pytest.approx(STEP**4 / 480 * SIZE * rate**5, rel=0.05, abs=1e-10)


@pytest.mark.parametrize("phase", [1.0, 1.5708])
def test_at_its_ends_more_is_left_because_the_path_is_run_on_there(phase):
    """h³/288 of the third derivative of the velocity."""
    rate = 2 * np.pi * 25
    motion = JointMotion.displacement({"shoulder": f"{SIZE}*SIN({rate}*time+{phase})", "elbow": 0})
    robot = load_robot(shipped.scenarios() / "two_link.urdf")
    found = run(Scenario(robot, motion, duration=0.25, dt=STEP))
    assert not failed(found)
    left = found.recorded["qd.shoulder"].iloc[0] - SIZE * rate * np.cos(phase)
    assert abs(left) == pytest.approx(STEP**3 / 288 * SIZE * rate**4 * np.sin(phase), rel=0.1)


@pytest.mark.parametrize("steps", [45, 60])
def test_where_step5_begins_and_ends_a_jump_of_the_third_derivative_is_left(steps):
    """h³/288 of it: 360 of the size over the duration to the fourth."""
    size, duration = 0.1, steps * STEP
    motion = JointMotion.displacement({"shoulder": f"STEP5(time,0.1,0,{0.1 + duration},{size})"})
    robot = load_robot(shipped.scenarios() / "two_link.urdf")
    found = run(Scenario(robot, motion, duration=0.3, dt=STEP))
    assert not failed(found)
    left = STEP**3 / 288 * 360 * size / duration**4
    assert abs(found.recorded["qd.shoulder"].to_numpy()[100]) == pytest.approx(left, rel=0.05)
    wrong = spoiled(found, "qd.shoulder", 1e-5 + 3 * left, 100)
    assert "velocity" in failed(wrong)


@pytest.mark.parametrize("frequency", [100, 150])
def test_a_drive_too_fast_for_its_step_is_named_by_the_halving_of_the_step(frequency):
    assert failed(shaken(frequency)) == {"step halving"}


@pytest.mark.parametrize("frequency", [5, 25])
def test_a_velocity_that_is_wrong_by_more_is_seen(frequency):
    limit = {5: 1.1e-5, 25: 3e-4}[frequency]
    assert "velocity" in failed(spoiled(shaken(frequency), "qd.shoulder", limit, 200))


def test_a_corner_of_a_drive_loosens_no_velocity():
    drives = {"shoulder": "STEP(time,0.1,0,0.3,40d)", "elbow": "IF(time-0.2:0,0,(time-0.2)**2)"}
    robot = load_robot(shipped.scenarios() / "two_link.urdf")
    found = run(Scenario(robot, JointMotion.displacement(drives), duration=0.4, dt=STEP))
    limits = [one.limit for one in check(found) if one.name == "velocity"]
    assert limits == pytest.approx([1e-5, 1e-5], rel=0.01)


SHORT = {  # drives of the two-link arm that begin anywhere in what they do
    "sine": JointMotion.displacement({"shoulder": "0.1*SIN(2*PI*time)", "elbow": 0}),
    "rates": JointMotion.velocity({"shoulder": "1+time", "elbow": "SIN(50*time)"}),
    "steps": JointMotion.displacement(
        {"shoulder": "STEP(time,0,0,1,1)", "elbow": "STEP5(time,0,0,1,1)"}
    ),
    "rest": JointMotion.displacement({}, q0={"shoulder": 0.3}),
}


@pytest.mark.rotates(3)
@pytest.mark.parametrize("method", ["stepped", "ideal", "adaptive"])
@pytest.mark.parametrize("steps", [1, 2, 3, 5])
@pytest.mark.parametrize("drive", SHORT)
def test_a_run_of_a_few_steps_passes_and_a_fault_in_it_is_seen(drive, steps, method):
    robot = load_robot(shipped.scenarios() / "two_link.urdf")
    found = run(Scenario(robot, SHORT[drive], steps * STEP, dt=STEP), method=method)
    assert not failed(found)
    assert "torque" in failed(spoiled(found, "tau.shoulder", 1.0, 0))
    assert "velocity" in failed(spoiled(found, "qd.elbow", 0.1, 1))


@pytest.mark.parametrize("corner", [0.208, 0.228, 0.244])
def test_a_loss_that_bends_beside_a_corner_is_integrated_as_it_is(corner):
    """25 N·m of friction, a reversal every 10 steps, and a jump of the acceleration."""
    drive = f"0.1*SIN(80*time)+IF(time-{corner}:0,0,20*(time-{corner})**2)"
    robot = arm().with_drives({"shoulder": DriveTrain(50, 1e-4, coulomb=0.5)})
    motion = JointMotion.displacement({"shoulder": drive, "elbow": 0})
    found = run(Scenario(robot, motion, duration=0.4, dt=4e-3))
    assert not failed(found)
    t = np.linspace(0, 0.4, 400_001)
    power = 25 * np.abs(8 * np.cos(80 * t) + 40 * np.maximum(t - corner, 0))
    loss = np.interp(found.t, t[1:], np.cumsum(power[1:]) * 1e-6)
    np.testing.assert_allclose(found.recorded["loss.shoulder"], loss, atol=4e-3 * loss[-1])
    assert "friction loss" in failed(spoiled(found, "loss.shoulder", 0.02 * loss[-1], 50))
