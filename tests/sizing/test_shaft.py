"""All loads at the shaft against hand calculation."""

from itertools import pairwise

import numpy as np
import pytest

from sim.sizing import Gear, Motor, Pair, shaft_load
from sim.sizing.shaft import JointDuty, shares

MOTOR = Motor("m", 0.4, 1.2, 400.0, 2e-5, "by hand", 0.6, 500.0)
GEAR = Gear("g", -50.0, 40.0, 1e-5, 0.8, "by hand", 0.7, 0.4, 20.0, 480.0, 300.0, 0.01)
# A trapezoid of speed: up in UP, along for ALONG, down in UP, at rest for REST; links of I
INERTIA, SPEED, UP, ALONG, REST = 2.0, 3.0, 0.5, 1.0, 0.5  # kg·m², rad/s, s
NEARLY = 1e-14  # rad/s at the ends of a motion, whose sense counts; less than rounding


def trapezoid():
    """Exact for the trapezoidal rule: torques jump between two samples at the same time."""
    ends = np.cumsum([0.0, UP, ALONG, UP, REST])
    t = np.concatenate([np.linspace(a, b, 21) for a, b in pairwise(ends)])
    part = np.repeat(np.arange(4), 21)
    qdd = np.array([SPEED / UP, 0.0, -SPEED / UP, 0.0])[part]
    qd = SPEED * np.interp(t, ends, [0, 1, 1, 0, 0]) + NEARLY * (part < 3)
    return JointDuty(t, INERTIA * qdd, qd, qdd)


def test_a_trapezoid_of_speed_by_hand():
    """Losses of the mesh differ each way; the rotor's torque has none; at rest nothing is given."""
    load, T = shaft_load(trapezoid(), Pair(MOTOR, GEAR)), 2 * UP + ALONG + REST
    tau, rotor = INERTIA * SPEED / UP, 3e-5 * 50 * SPEED / UP
    rub = 0.01
    drives, along, brakes = tau / 0.8 / 50 + rotor + rub, rub, tau * 0.7 / 50 + rotor - rub
    rms = np.sqrt((drives**2 * UP + along**2 * ALONG + brakes**2 * UP) / T)
    mean = (drives * UP + along * ALONG - brakes * UP) / T
    way = SPEED * (UP + ALONG)
    close = {"rel": 1e-12}
    assert load.peak_torque == pytest.approx(drives, **close)
    assert load.rms_torque.value == pytest.approx(rms, **close)
    assert load.mean_torque == pytest.approx(-mean, **close)  # the ratio turns the sense around
    assert load.peak_speed == pytest.approx(150.0, **close)
    assert load.mean_speed == pytest.approx(50 * way / T, **close)
    assert load.peak_power == pytest.approx(drives * 150, **close)
    assert load.least_power == pytest.approx(-brakes * 150, **close)
    assert load.regenerated.value == pytest.approx(brakes * 150 * UP / 2, **close)
    assert load.mean_power * T == pytest.approx(
        (drives - brakes) * 150 * UP / 2 + along * 150 * ALONG, **close
    )
    assert load.rotor_share == pytest.approx(rotor / drives, **close)
    assert load.gear_peak == pytest.approx(tau, **close)
    assert load.gear_mean == pytest.approx(tau * np.cbrt(UP / (UP + ALONG)), **close)


def test_shares_are_of_the_ratings_that_are_known():
    pair = Pair(MOTOR, GEAR)
    load = shaft_load(trapezoid(), pair)
    used = shares(load, pair)
    assert used == pytest.approx(
        {
            "motor peak torque": load.peak_torque / 1.2,
            "motor RMS torque": load.rms_torque.value / 0.4,
            "motor peak speed": 150 / 500,
            "motor mean speed": load.mean_speed / 400,
            "gear peak torque": 12 / 40,
            "gear mean torque": load.gear_mean / 20,
            "gear peak speed": 150 / 480,
            "gear mean speed": load.mean_speed / 300,
        }
    )


def test_heat_of_the_winding_by_hand():
    """maxon: loss I² R, R grown by 0.0039/K to 125 °C; borne are 100 K over 2 + 3 K/W, 20 W."""
    hot = Motor("hot", 1.0, 3.0, 400.0, 0.0, "by hand", None, None, None, 0.5, 0.2, 2.0, 3.0, 125.0)
    ideal = Gear("ideal", 1.0, 10.0, 0.0, 1.0, "by hand")
    t = np.linspace(0.0, 1.0, 11)
    duty = JointDuty(t, np.full(11, 0.8), np.ones(11), np.zeros(11))
    load = shaft_load(duty, Pair(hot, ideal))
    assert load.heat == pytest.approx((0.8 / 0.2) ** 2 * 0.5 * 1.39 / 20.0, rel=1e-12)


def test_a_continuous_rating_is_on_a_line_from_rest_to_rated_speed():
    motor = Motor("m", 1.0, 3.0, 400.0, 0.0, "by hand", torque_standstill=1.4)
    found = [motor.continuous_at(speed) for speed in (0, 100, -200, 400, 900)]
    assert found == pytest.approx([1.4, 1.3, 1.2, 1.0, 1.0])


def test_at_rest_a_gear_locks_and_noise_of_the_speed_is_rest():
    """8 N·m held through 50 are 0.16 N·m, whatever the efficiency."""
    t = np.linspace(0.0, 1.0, 11)
    duty = JointDuty(t, np.full(11, 8.0), np.resize([1e-9, -1e-9], 11), np.zeros(11), slow=1e-8)
    load = shaft_load(duty, Pair(MOTOR, GEAR))
    assert (load.peak_torque, load.rms_torque.value) == pytest.approx((0.16, 0.16), rel=1e-12)
