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
from sim.dynamics.hybrid import LagrangianDynamics
from sim.dynamics.integration import integrate
from sim.dynamics.lagrange import energies
from sim.kinematics import Kinematics
from sim.kinematics.loop_equations import loop_error
from sim.simulation import build_problem
from tests.dynamics.test_constrained_dynamics import fall
from tests.helpers.case_scripts import case_script
from tests.helpers.loop_robots import windows

IS_LONG = "SIM_EXPLORE" in os.environ
squeezer = case_script("iftomm", "andrews_squeezer").squeezer
bricard = case_script("iftomm", "bricards_mechanism").mechanism


def run(count, t):
    robot = windows(count)
    rate = np.array([1.0 if name.startswith("foot") else -1.0 for name in robot.joint_names])
    motion = fall(robot, 0 * rate, rate, t)
    return robot, motion.q, motion.qd


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


def test_andrews_squeezer_keeps_its_energy():
    """To its end where all random examples are tried, else at the start of the way."""
    duration = 0.03 if IS_LONG else 0.0015
    robot, found = solved(squeezer(duration, duration / 30))
    ke = energies(robot, found.q, found.qd, (0, 0, 0))[1].sum(axis=0)
    tip = Kinematics(robot, found.q, found.qd).frame("K3")
    place = tip.p + np.einsum("abN,b->aN", tip.R, [0.02, -0.018, 0])
    length = np.sqrt(np.sum((place - np.array([[0.014], [0.072], [0]])) ** 2, axis=0))
    stored = 4530 / 2 * (length - 0.07785) ** 2
    beta = found.q[robot.joint_names.index("beta")]
    drift = ke + stored - stored[0] - 0.033 * (beta - beta[0])
    np.testing.assert_allclose(drift, 0, atol=1e-9)  # [J] of some 0.03
    assert loop_error(robot, found.q).max() < 1e-12  # [m]


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
