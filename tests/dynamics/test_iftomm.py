"""Benchmark A02 of the IFToMM library of multibody dynamics: the N-four-bar mechanism.

Bars of 1 kg and 1 m, upright at the start, B0 at 1 m/s along x, 9.81 m/s². All bars come to lie in
one line again and again; a solver that takes the wrong branch there ends somewhere else.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from sim.dynamics.loop_motion import free_loop_motion
from sim.kinematics.loop_equations import loop_error
from tests.helpers.loop_robots import windows

GRAVITY = (0.0, 0.0, -9.81)


def run(count, t):
    robot = windows(count)
    rate = np.array([1.0 if name.startswith("foot") else -1.0 for name in robot.joint_names])
    q, qd, _ = free_loop_motion(robot, 0 * rate, rate, t, GRAVITY)
    return robot, q, qd


def test_b0_of_two_windows_is_after_ten_seconds_where_the_benchmark_says():
    t = np.linspace(0.0, 10.0, 201)
    robot, q, qd = run(2, t)
    angle, rate = q[0, -1], qd[0, -1]
    # From θ'' = 3.5/3 g sin θ to twelve digits.
    b0 = (np.sin(angle), np.cos(angle))
    assert b0 == pytest.approx((0.328458112, 0.944518538), abs=3e-8)  # [m]; asked 1e-6
    velocity = (np.cos(angle) * rate, -np.sin(angle) * rate)
    assert velocity == pytest.approx((1.423051470, -0.494868845), abs=1e-7)  # [m/s]
    assert loop_error(robot, q).max() < 1e-12  # [m]
    assert np.ptp(q[0]) > 8 * np.pi  # eight or more times through the singular position
    energy = 1.5 * qd[0] ** 2 + 3.5 * 9.81 * np.cos(q[0])
    np.testing.assert_allclose(energy, energy[0], rtol=0, atol=1e-8)  # [J] of 70


@pytest.mark.parametrize("count", [1, 5])
def test_any_number_of_windows_moves_as_one_pendulum(count):
    t = np.linspace(0.0, 3.0, 31)
    _, q, qd = run(count, t)
    inertia, weight = (count + 1) / 3 + count, (count + 1) / 2 + count
    k = 9.81 * weight / inertia
    y = solve_ivp(
        lambda _, y: [y[1], k * np.sin(y[0])], (0, 3), [0, 1], "DOP853", t, rtol=1e-13, atol=1e-13
    ).y
    np.testing.assert_allclose(q[0], y[0], rtol=0, atol=1e-8)  # [rad]
    np.testing.assert_allclose(qd[0], y[1], rtol=0, atol=1e-7)
    assert q[0].max() > 3 * np.pi / 2  # twice through the singular position
