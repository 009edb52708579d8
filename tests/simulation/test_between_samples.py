"""Peaks beside corners and between samples. Oracle: a disk of 0.6 kg·m², tau = 0.6 qdd."""

import math

import numpy as np
import pytest

from sim.checks import judge_recording
from sim.motion import JointMotion
from sim.recording import Recording
from sim.reports.run_warnings import warnings
from sim.robots import read_urdf
from sim.scenario import Claim, Scenario
from sim.simulation.run import run
from tests.helpers.small_robots import joint, lift, link, pendulum, robot

INERTIA = 0.6  # kg·m²


def disk(effort=20.0, velocity=50.0):
    """A disk with ratings [N·m], [rad/s]."""
    turn = joint("turn", "revolute", "ground", "disk", "0 0 1")
    moments = " ".join([str(INERTIA)] * 3)
    text = robot(link("disk", 1.0, "0 0 0", moments), turn).text
    return read_urdf(
        text.replace('effort="1000"', f'effort="{effort}"').replace(
            'velocity="100"', f'velocity="{velocity}"'
        )
    )


def turned(level, text, *, method="ideal", duration=2.0, dt=1e-2, claims=(), **ratings):
    motion = getattr(JointMotion, level)({"turn": text})
    scenario = Scenario(disk(**ratings), motion, duration, dt=dt, claims=claims)
    return judge_recording(run(scenario, method=method, name="turned"))


def failed(recording):
    return {one.name: one for one in recording.run.checks if not one.ok}


PULSE = "10+STEP(time,1.0031,0,1.0045,23.6667)-STEP(time,1.0045,0,1.006,23.6667)"


@pytest.mark.parametrize("method", ["ideal", "stepped", "adaptive"])
def test_a_torque_that_jumps_peaks_on_its_left_side(method):
    """3 t until 1 s: 1.8 N·m, where the last sample before has 1.782."""
    recording = turned("acceleration", "IF(time-1:3*time,0,0)", method=method)
    (sizing,) = recording.run.sizing
    assert sizing.peak_torque.torque == pytest.approx(1.8, rel=1e-7)
    assert sizing.peak_power.power == pytest.approx(1.8 * 1.5, rel=1e-6)
    assert recording.run.peaks["tau.turn"] == pytest.approx(1.8, rel=1e-7)
    assert "1.8 N·m" in recording._repr_html_()
    assert not any("between samples" in text for text in warnings(recording.run))
    assert np.max(np.abs(recording.recorded["tau.turn"])) < 1.79
    assert recording.run.verdict == "pass"


def test_a_rating_is_judged_on_both_sides_of_a_jump():
    fine = turned("acceleration", "IF(time-1:3*time,0,0)", effort=1.81)
    assert fine.run.verdict == "pass"
    over = failed(turned("acceleration", "IF(time-1:3*time,0,0)", effort=1.79))
    assert list(over) == ["rated torque"]
    assert over["rated torque"].at == pytest.approx(1.0, abs=1e-6)


def test_a_pulse_between_two_samples_is_judged(tmp_path):
    """(10 + 23.6667) · 0.6 = 20.2 N·m at 1.0045 s of 20 N·m rated; samples every 10 ms have 6."""
    recording = turned("acceleration", PULSE)
    (one,) = failed(recording).values()
    assert (one.name, one.channel) == ("rated torque", "tau.turn")
    assert one.worst == pytest.approx(0.6 * 33.6667, rel=1e-9)
    assert one.at == pytest.approx(1.0045, abs=1e-6)
    (sizing,) = recording.run.sizing
    assert sizing.torque_margin.percent == pytest.approx(100 - 101.0001, abs=1e-6)
    (warning,) = warnings(recording.run)
    assert "turn: the drive varies between samples: its peak torque is at 1.0045 s" in warning
    # and from the files alone
    written = recording.write(tmp_path)
    assert judge_recording(Recording.read(tmp_path)).run.checks == written.run.checks


def test_the_top_of_a_pulse_need_not_be_at_a_corner():
    """A half wave from 1.0011 to 1.0079 s: its top is at its middle."""
    wave = "IF(time-1.0011:0,0,IF(time-1.0079:SIN(PI*(time-1.0011)/0.0068),0,0))"
    recording = turned("acceleration", f"40*{wave}")
    found = recording.run.sizing[0].peak_torque
    assert found.torque == pytest.approx(0.6 * 40, rel=1e-3)
    assert found.t == pytest.approx(1.0045, abs=1e-3)
    assert "rated torque" in failed(recording)


def test_a_pulse_that_is_one_step_long_is_seen():
    """From one sample to the next: both samples show nothing of it."""
    wave = "IF(time-1:0,0,IF(time-1.01:SIN(100*PI*(time-1))**2,0,0))"
    found = turned("acceleration", f"40*{wave}").run.sizing[0].peak_torque
    assert found.torque == pytest.approx(0.6 * 40, rel=1e-3)


def test_speed_power_and_range_count_between_samples_too():
    """Up by 1 rad/s and down again within a step: the samples show 1 rad/s of 2."""
    recording = turned("velocity", f"1+{PULSE.replace('23.6667', '1')}-10", velocity=1.9)
    (sizing,) = recording.run.sizing
    assert sizing.peak_speed.speed == pytest.approx(2.0, rel=1e-6)
    assert sizing.speed_margin.used == pytest.approx(2.0, rel=1e-6)
    # STEP's steepest slope is 1.5 h/Δt, here 1071 rad/s²
    assert sizing.peak_torque.torque == pytest.approx(0.6 * 1.5 / 0.0014, rel=1e-3)
    assert sizing.peak_power.power > 1.4 * 0.6 * 1.5 / 0.0014
    assert {"rated speed", "rated torque"} <= set(failed(recording))
    far = turned(
        "displacement",
        "99.9995+0.001*"
        + PULSE.replace("10+", "").replace("-STEP", "-0.001*STEP").replace("23.6667", "1"),
    )
    assert "upper position limit" in failed(far)


def test_a_claim_on_a_peak_hears_of_it():
    claim = Claim("below 20 N·m", "here", "tau.turn", "peak_below", value=20.0)
    (result,) = turned("acceleration", PULSE, claims=(claim,)).run.claim_results
    assert not result.ok
    assert result.found == pytest.approx(0.6 * 33.6667, rel=1e-9)


def test_a_drive_that_touches_its_rating_is_not_beyond_it():
    """What rounding makes of a corner is no more than what the samples have."""
    speed = math.radians(120.0)
    text = "STEP(time,0,0,0.5,120d)+ABS(time-1.0037)*0"
    for method in ("ideal", "stepped"):
        recording = turned("velocity", text, method=method, velocity=speed, effort=1e3)
        assert recording.run.sizing[0].peak_speed.speed == pytest.approx(speed, rel=2e-6)
        assert "rated speed" not in failed(recording)


def test_a_payload_that_is_let_go_counts_until_then():
    """A slide lifts 2 kg; its force has both values where a jump of its drive lies."""
    motion = JointMotion.acceleration({"slide": "IF(time-0.105:4*time,0,0)"})
    recording = judge_recording(run(Scenario(lift(2.0), motion, 0.2, dt=1e-2), method="ideal"))
    (sizing,) = recording.run.sizing
    assert sizing.peak_torque.torque == pytest.approx(2 * (9.81 + 0.42), rel=1e-6)


def test_a_motor_on_a_free_joint_is_judged_beside_its_jump():
    """A pendulum that its motor pushes with 3 t until 1 s."""
    motion = JointMotion.torque({"hinge": "IF(time-1:3*time,0,0)"})
    scenario = Scenario(pendulum(2.0, 0.7, 0.1), motion, 1.5, dt=1e-2)
    recording = judge_recording(run(scenario, method="adaptive"))
    assert recording.run.verdict == "pass"
    assert recording.run.peaks["tau.hinge"] == pytest.approx(3.0, rel=1e-6)
    at = recording.between.loc[1.0]
    # after the jump nothing but weight moves it: I qdd = -m g l sin q
    inertia = 2.0 * 0.49 + 0.1
    assert at["qdd.hinge"] == pytest.approx(
        -2.0 * 9.81 * 0.7 * math.sin(at["q.hinge"]) / inertia, rel=1e-9
    )


def test_many_corners_cost_few_rows():
    """A table of points off the samples: two rows each, and the tops."""
    points = np.linspace(0.0, 2.0, 67)
    motion = JointMotion.displacement({"turn": np.sin(points)}, times=points)
    recording = run(Scenario(disk(), motion, 2.0, dt=1e-2), method="ideal")
    assert len(recording.between) <= 2 * len(recording.run.settings.corners) + 8
