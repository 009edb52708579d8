"""Benchmarks A02 to A05 of the IFToMM library of multibody dynamics.

A02: bars of 1 kg and 1 m, upright at the start, B0 at 1 m/s along x, 9.81 m/s². All bars come to
lie in one line again and again; a solver that takes the wrong branch there ends somewhere else.
"""

import os

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import sim
from sim.dynamics.closed_positions import loop_rank
from sim.dynamics.force_element import ElementSum
from sim.dynamics.hybrid import LagrangianDynamics
from sim.dynamics.integration import integrate
from sim.dynamics.lagrange import energies
from sim.dynamics.loop_forces import inverse_dynamics
from sim.dynamics.loop_motion import free_loop_motion
from sim.kinematics import Kinematics
from sim.kinematics.loop_equations import loop_error
from sim.simulation import build_problem
from tests.helpers.benchmark_mechanisms import (
    ANDREWS_NAMES,
    Governor,
    andrews_scenario,
    bricard,
)
from tests.helpers.loop_robots import windows

IS_LONG = "SIM_EXPLORE" in os.environ
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


def solved(scenario):
    problem = build_problem(scenario)
    stages = [(0.0, LagrangianDynamics(problem.robot, problem.gravity))]
    return problem.robot, integrate(stages, problem.broken_path, problem.t, problem.loads)


def test_andrews_squeezer_starts_as_its_source_prints():
    """Accelerations and the two multipliers of the first loop, Hairer and Wanner's test set."""
    robot, found = solved(andrews_scenario(1e-6, 1e-6))
    q, qd, qdd = (x[:, :1] for x in (found.q, found.qd, found.qdd))
    wanted = dict.fromkeys(ANDREWS_NAMES, 0.0)
    wanted |= {"beta": 14222.4439199541, "theta": -10666.8329399656}  # [rad/s²]
    for name, row in zip(robot.joint_names, qdd, strict=True):
        assert row[0] == pytest.approx(wanted[name], abs=1e-6)
    spring = andrews_scenario(1e-6, 1e-6).forces[0]
    pull = spring.wrenches(ElementSum(robot, (spring,)).at(np.zeros(1), q, qd))
    passive = np.zeros((7, 1))
    passive[0] = -0.033
    free = np.ones(7, dtype=bool)
    force = inverse_dynamics(robot, q, qd, qdd, (0, 0, 0), passive, pull, free).force
    assert np.abs(force[0, :2, 0]) == pytest.approx((98.5668703962411, 6.12268834425567), abs=1e-8)
    assert np.abs(force[1:]).max() < 1e-8  # [N]: only the first loop is loaded


def test_andrews_squeezer_comes_where_its_source_prints():
    """At 0.03 s where all random examples are tried; its energy at the start of the way."""
    duration = 0.03 if IS_LONG else 0.0015
    robot, found = solved(andrews_scenario(duration, duration / 30))
    ke = energies(robot, found.q, found.qd, (0, 0, 0))[1].sum(axis=0)
    tip = Kinematics(robot, found.q, found.qd).frame("K3")
    place = tip.p + np.einsum("abN,b->aN", tip.R, [0.02, -0.018, 0])
    length = np.sqrt(np.sum((place - np.array([[0.014], [0.072], [0]])) ** 2, axis=0))
    stored = 4530 / 2 * (length - 0.07785) ** 2
    beta = found.q[robot.joint_names.index("beta")]
    drift = ke + stored - stored[0] - 0.033 * (beta - beta[0])
    np.testing.assert_allclose(drift, 0, atol=1e-9)  # [J] of some 0.03
    assert loop_error(robot, found.q).max() < 1e-12  # [m]
    if IS_LONG:
        published = (
            15.8107711941762, -15.7563710521963, 0.0408222401302716, -0.534730103180684,
            0.524409976475168, 0.534730103180684, 1.04808074444275,
        )  # fmt: skip
        for name, wanted in zip(ANDREWS_NAMES, published, strict=True):
            end = found.q[robot.joint_names.index(name), -1]
            assert end == pytest.approx(wanted, abs=1e-7)  # [rad]


def test_bricards_mechanism_keeps_its_energy_though_an_equation_repeats_others():
    duration = 10.0 if IS_LONG else 1.0
    motion = sim.JointMotion.displacement({}, free=["J0"])
    scenario = sim.Scenario(
        bricard(), motion, duration, dt=0.02, gravity=(0, -9.81, 0), method="adaptive"
    )
    robot, found = solved(scenario)
    assert loop_rank(robot, found.q[:, 0], np.zeros(5, dtype=bool)) == 4
    _, ke, pe = energies(robot, found.q, found.qd, (0, -9.81, 0))
    energy = ke.sum(axis=0) + pe.sum(axis=0)
    np.testing.assert_allclose(energy, energy[0], rtol=0, atol=1e-9)  # [J]; 1e-6 is asked
    assert ke.sum(axis=0).max() > 4.0  # [J]
    assert loop_error(robot, found.q).max() < 1e-12  # [m, rad]


def test_a_governor_on_rods_moves_as_its_two_coordinates_do():
    governor, alpha = Governor(), 0.5
    robot = governor.robot()
    z = float(governor.height(np.array(alpha))[0])
    start = {"left_joint": alpha, "right_joint": alpha, "sleeve_joint": z}
    free = ["shaft_joint", "left_joint"]
    motion = sim.JointMotion.acceleration({}, q0=start, qd0={"shaft_joint": 6.0}, free=free)
    duration = 1.0 if IS_LONG else 0.4
    robot, found = solved(sim.Scenario(robot, motion, duration, dt=0.02, method="adaptive"))
    t = np.linspace(0, duration, found.q.shape[1])
    wanted = solve_ivp(
        governor.rate, (0, duration), [0, alpha, 6.0, 0], "DOP853", t, rtol=1e-12, atol=1e-12
    ).y
    rows = [robot.joint_names.index(name) for name in ("shaft_joint", "left_joint", "right_joint")]
    for group, own in ((found.q, wanted[[0, 1, 1]]), (found.qd, wanted[[2, 3, 3]])):
        np.testing.assert_allclose(group[rows], own, rtol=0, atol=1e-9)  # [rad, rad/s]
    assert np.ptp(wanted[1]) > 0.1
