"""Frictions that follow what they cause, each fitting its law as `sim.robots` has it."""

from itertools import product

import numpy as np
import pytest

from sim.dynamics import caused_friction
from sim.dynamics.caused_friction import CausedFriction
from sim.dynamics.drive_trains import DriveTrains, drive_trains_of
from sim.dynamics.friction import dry_limit
from sim.dynamics.hybrid import LagrangianDynamics
from sim.dynamics.kernels import dry_friction
from sim.dynamics.load_dependent_friction import LoadedStates, with_friction
from sim.dynamics.newton_euler import wrenches
from sim.robots import DriveTrain, JointFriction, read_urdf
from tests.helpers.random_robots import random_urdf
from tests.helpers.small_robots import joint, lift, link, robot

JOINTS, STATES = 5, 200
G = (0.0, 0.0, -9.81)


@pytest.fixture(scope="module")
def problem():
    """Random mass matrices, rotors from none to far heavier, torques, and hardly any efficiency."""
    rng = np.random.default_rng(11)
    L = rng.normal(size=(STATES, JOINTS, JOINTS))
    links = L @ L.transpose(0, 2, 1) + 0.01 * np.eye(JOINTS)
    rotors = rng.choice([0.0, 0.1, 3.0, 50.0], size=JOINTS)
    bias, motor = rng.normal(0, 10, (2, JOINTS, STATES))
    efficiency = rng.uniform(0.02, 1.0, (2, JOINTS))
    sense = rng.choice([-1.0, 1.0], JOINTS)
    return links, rotors, bias, motor, efficiency, sense


def accelerations(problem):
    """Of the joints without losses and under a unit at each, (JOINTS, 1 + JOINTS, STATES)."""
    links, rotors, bias, motor, *_ = problem
    compliance = np.linalg.inv(links + np.diag(rotors))  # answers to unit torques
    free = np.einsum("Nij,jN->Ni", compliance, motor - bias)[:, :, None]
    return np.concatenate([free, free - compliance], axis=2).transpose(1, 2, 0)


def brute_force(problem, k):
    """Every y that solves ``M qdd + h = E y``, ``y = u - A qdd`` in a pattern that it fits."""
    links, rotors, bias, motor, efficiency, sense = problem
    fitting = []
    for pattern in product([True, False], repeat=JOINTS):
        E = np.where(pattern, efficiency[0], 1 / efficiency[1])
        qdd = np.linalg.solve(links[k] + np.diag(E * rotors), E * motor[:, k] - bias[:, k])
        y = motor[:, k] - rotors * qdd
        if ((y * sense > 0) == np.array(pattern)).all():
            fitting.append(y)
    return fitting


@pytest.mark.parametrize("at_once", [caused_friction.AT_ONCE, -1])
def test_one_pattern_of_gears_fits_and_it_is_the_one_that_is_found(problem, at_once, monkeypatch):
    """Also the way that must end, with one sign changed at a time from the start."""
    monkeypatch.setattr(caused_friction, "AT_ONCE", at_once)
    _, rotors, *_, efficiency, sense = problem
    chain = robot(
        *(link(f"rod_{k}", 1.0, "0 0 1", "1 1 1") for k in range(JOINTS)),
        *(
            joint(f"j{k}", "revolute", f"rod_{k - 1}" if k else "ground", f"rod_{k}", "0 1 0")
            for k in range(JOINTS)
        ),
    )
    trains = DriveTrains(
        np.ones(JOINTS, dtype=bool),
        np.ones(JOINTS),
        rotors,
        np.zeros(JOINTS),
        np.zeros((2, JOINTS)),
        efficiency,
    )
    caused = CausedFriction(chain, trains, np.arange(JOINTS), np.empty(0, dtype=np.intp))
    motor, cases = problem[3], accelerations(problem)
    loads, still = np.empty((0, 6, 1 + JOINTS, STATES)), np.zeros((JOINTS, STATES))
    losses, failed = caused.solve(cases, loads, still, motor, sense[:, None])
    assert failed == -1
    qdd = caused_friction.under(cases, losses)
    y = (motor - rotors[:, None] * qdd).T
    for k in range(0, STATES, 10):
        (only,) = brute_force(problem, k)
        np.testing.assert_allclose(y[k], only, rtol=1e-9, atol=1e-9)


def test_the_kernel_ends_its_transition_where_the_law_does():
    law, end = JointFriction(0.2, 0.1, 1.0), dry_friction.SLIDING
    (slide,) = lift(1.0).tree_coordinates
    np.testing.assert_array_equal(law.regime(np.array([end - 1e-12, end]), slide), [1.0, 2.0])


@pytest.mark.parametrize("seed", range(6))
def test_laws_and_gears_of_random_trees_fit_what_they_cause(seed):
    """Model by Lagrange, loads by Newton and Euler, the law as it is written for driven joints."""
    rng = np.random.default_rng(seed)
    plant = read_urdf(random_urdf(rng, 5, mimic=seed % 2 == 1))
    n = len(plant.joint_names)
    laws = {
        name: JointFriction(0.2, 0.1, 0.05, 0.04, 0.03, 0.2, preload=0.3 * (seed > 2))
        for name in plant.tree_row_names
        if rng.random() < 0.7
    }
    train = DriveTrain(30, 2e-4, coulomb=0.01, efficiency=0.8, efficiency_back=0.6)
    drives = {name: train for name in plant.joint_names if rng.random() < 0.7}
    plant = plant.with_friction(laws).with_drives(drives)
    q, qd, motor = rng.normal(size=(3, n, 4))
    slide = rng.choice([-1.0, 1.0], n)
    qd, motor = np.abs(qd) * slide[:, None], 10 * motor
    states = LoadedStates(q, qd, 0 * q, np.zeros(n, dtype=bool), motor, ())
    given = LagrangianDynamics(plant, G), states, np.zeros(n, dtype=bool), slide, np.zeros(4)
    trains = drive_trains_of(plant)
    answer = with_friction(*given, trains, motor)
    reaction = wrenches(plant, q, qd, answer.qdd, G).reaction
    S, _ = plant.coupling
    limit = np.abs(S).T @ dry_limit(plant, S @ qd, reaction)
    close = {"rtol": 0, "atol": 1e-12 * np.abs(answer.effort).max()}
    np.testing.assert_allclose(answer.limit, limit, **close)
    y = motor - plant.rotor_inertia[:, None] * answer.qdd
    E = np.where(y * slide[:, None] > 0, 0.8, 1 / 0.6)
    lost = np.where(trains.is_lossy[:, None], (1 - E) * y, 0.0)
    np.testing.assert_allclose(answer.mesh, lost, **close)
    taken = motor - slide[:, None] * limit - lost - S.T @ (_damping(plant)[:, None] * (S @ qd))
    np.testing.assert_allclose(answer.effort, taken, **close)
    assert (np.abs(lost).max() > 0.1) == bool(drives) and limit.max() > 0.1


def _damping(plant):
    return np.array([one.damping for one in plant.tree_row_joints])
