"""A hard contact that begins within a long step of free fall, which DOP853 steps over."""

from importlib.util import find_spec
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import DOP853, solve_ivp
from scipy.optimize import brentq

from sim import JointFriction, Marker, SForce
from sim.dynamics.dormand_prince import E3, E5, STAGES, A, B, C, D
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.explicit_steps import ExplicitSteps, is_seen
from sim.dynamics.hybrid import LagrangianDynamics
from sim.dynamics.integration import integrate
from sim.dynamics.single_state import machine_code, switch
from tests.helpers.free_paths import loose
from tests.helpers.small_robots import joint, lift, link, robot

SOLVERS = ExplicitSteps, DOP853
HARD, TOP, G = 1e7, 0.1, 9.80665  # N/m^1.5 of 1 kg, m, m/s²
START, LONG = np.array([0.10238689, -2.79258037]), 0.05275  # 2.4 mm above it; a step in free fall


def rate(t, y):
    depth = max(TOP - abs(y[0]), 0.0)
    return np.array([y[1], np.sign(y[0]) * HARD * depth**1.5 - G])


def first_step(solver):
    steps = solver(rate, 0.0, START, 1.0, first_step=LONG, max_step=0.1, rtol=1e-12, atol=1e-13)
    steps.step()
    return steps


def test_a_step_whose_error_does_not_count_a_blow_is_not_taken():
    over = first_step(DOP853)
    assert over.t == LONG and over.y[0] < -0.05  # through the floor, and right to the last digit
    one = first_step(ExplicitSteps)
    assert one.t < LONG / 4
    while one.t < 0.01:
        one.step()
    bounced = solve_ivp(rate, (0, one.t), START, "DOP853", rtol=1e-12, atol=1e-12, max_step=1e-5)
    # where steps fall about the touch depends on the last digit: 300 starts that differ by 1e-9
    # are off by at most 1.3e-8 m/s, by their energy
    np.testing.assert_allclose(one.y, bounced.y[:, -1], rtol=0, atol=3e-8)
    assert one.y[1] > 2.6


def estimate(kink):
    """Error estimate of a step of length 1 of y' = max(t - kink, 0), with a sign."""
    return E5[:STAGES] @ np.maximum(C[:STAGES] - kink, 0.0)


@pytest.fixture(scope="module")
def kink():
    """A part of a step at which the estimate changes its sign."""
    edges = pairwise(np.linspace(0.3, 0.8, 51))
    return brentq(estimate, *next((a, b) for a, b in edges if estimate(a) * estimate(b) < 0))


def test_a_kink_where_the_error_estimate_vanishes_is_seen(kink):
    errors = []
    for kinked in (None, slice(0, 1)):
        steps = ExplicitSteps(
            lambda t, y: np.maximum(t - kink, 0.0) + 0 * y, 0.0, np.zeros(1), 1.0,
            first_step=1.0, rtol=1e-12, atol=1e-9, kinked=kinked,
        )  # fmt: skip
        while steps.t < 1.0:
            assert steps.step() is None
        errors.append(abs(steps.y[0] - (1 - kink) ** 2 / 2))
    assert errors[0] > 1e-4 and errors[1] < 1e-8


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("switched", ["0", "1"])
def test_a_load_that_changes_its_sign_there_rubs_as_much(kink, switched, monkeypatch):
    """A block slides on a lift whose motor pulls by c (t - t1): N = m c (t - t1)/(m + M)."""
    monkeypatch.setenv(switch.SWITCH, switched)
    monkeypatch.setattr(switch, "is_installed", lambda: True)
    h, mu, c = 0.02, 0.3, 10.0  # h: the longest step of 1 s
    monkeypatch.setattr(ExplicitSteps, "_first_step", lambda solver: h)
    plant = robot(
        link("lift", 1.0),
        link("block", 2.0),
        joint("up", "prismatic", "ground", "lift", "0 0 1"),
        joint("along", "prismatic", "lift", "block", "1 0 0"),
    ).with_friction({"along": JointFriction(mu, mu, 0.01, inputs=("reaction_force",))})
    t1, rate = kink * h, mu * c / 3.0  # of the deceleration
    path = loose([0.0, 0.0], [0.0, 5e3], torque=lambda t: np.stack([c * (t - t1), 0 * t]))
    dynamics = LagrangianDynamics(plant, (0.0, 0.0, -9.81))
    found = integrate([(0.0, dynamics)], path, np.linspace(0.0, 1.0, 3))
    speed = 5e3 - rate * (t1**2 + (1 - t1) ** 2) / 2
    assert found.qd[1, -1] == pytest.approx(speed, abs=1e-7)


def test_smooth_motions_are_stepped_as_by_scipy():
    def pendulums(t, y):
        return np.array([y[2], y[3], -np.sin(y[0]) + 0.3 * y[1], -40 * np.sin(y[1])])

    start, options = np.array([2.9, 1.0, 0, 0]), {"rtol": 1e-12, "atol": 1e-13}
    steps, peer = (solver(pendulums, 0.0, start, 20.0, **options) for solver in SOLVERS)
    while peer.status == "running":
        assert steps.step() is peer.step() is None
        t = np.linspace(peer.t_old, peer.t, 5)
        ours, theirs = steps.dense_output(), peer.dense_output()
        for time in (t, t[2]):
            np.testing.assert_array_equal(ours(time), theirs(time))
        reached = [[one.t, *one.y, one.h_abs] for one in (steps, peer)]
        np.testing.assert_array_equal(*reached)


def test_coefficients_are_those_of_scipy():
    ours = A[:STAGES, :STAGES], A[STAGES + 1 :], B, C[:STAGES], C[STAGES + 1 :], E3, E5, D
    names = "A", "A_EXTRA", "B", "C", "C_EXTRA", "E3", "E5", "D"
    for one, name in zip(ours, names, strict=True):
        np.testing.assert_array_equal(one, getattr(DOP853, name))


def test_a_rate_that_is_no_number_fails_with_the_reason():
    steps = ExplicitSteps(lambda t, y: np.sqrt(1.0 - t - y), 0.0, np.zeros(1), 3.0)
    with np.errstate(invalid="ignore"):
        while (reason := steps.step()) is None:
            assert steps.t < 1.0
    assert reason == "Required step size is less than spacing between numbers."


def test_it_is_said_when_rates_are_asked_for_of_steps_that_are_tried_again_too():
    """Each alone, the motors of an arm take as long as a whole evaluation of its engine."""
    told, asked, tried = set(), [], []

    def prepare(times):
        tried.append(times[-1])
        told.clear()
        told.update(times.tolist())

    def hit(t, y):
        asked.append(t in told)
        return rate(t, y)

    steps = ExplicitSteps(hit, 0.0, START, 0.4, prepare, first_step=0.05, rtol=1e-12, atol=1e-13)
    asked.clear()  # the start
    taken = 0
    while steps.t < 0.4:
        steps.step()
        steps.dense_output()
        taken += 1
    assert steps.t == 0.4 and len(tried) > taken + 4 and all(asked)


@pytest.mark.usefixtures("compiled")
def test_machine_code_sees_the_same():
    from numba import njit

    from sim.dynamics.kernels import march_step

    in_machine_code = njit(march_step.is_seen.py_func)
    rng, verdicts = np.random.default_rng(3), []
    for _ in range(40):
        K, h = rng.normal(0, 1, (13, 2)), 10.0 ** rng.uniform(-12, 0)
        K[rng.integers(1, 13)] *= 10.0 ** rng.uniform(0, 4)
        y = rng.normal(0, 1, (2, 2))
        atol = rng.choice([1e-13, 1e-9], 2)
        scale = atol + 1e-12 * np.abs(y).max(axis=0)
        verdicts.append(is_seen(K, h, scale))
        assert in_machine_code(*y, np.vstack([K, K[:3]]), h, 1e-12, atol) == verdicts[-1]
    assert 5 < sum(verdicts) < 35


@pytest.mark.usefixtures("compiled")
def test_a_block_bounces_on_a_hard_plate_in_machine_code(monkeypatch):
    """Steps of 0.1 s, the longest of a run of 5 s, would pass the plate, or throw the block off."""
    monkeypatch.setenv(switch.SWITCH, "1")
    monkeypatch.setattr(switch, "is_installed", lambda: True)
    answers, march = [], machine_code.march
    monkeypatch.setattr(machine_code, "march", lambda *a: answers.append(march(*a)) or answers[-1])
    plant, ground = lift(1.0), Marker("ground", "ground")
    law = f"IMPACT(DM(block, ground), VR(block, ground), {TOP}, {HARD}, 1.5, 1, 0.001)"
    force = SForce("plate", Marker("block", "load"), ground, law)
    t = np.linspace(0.0, 5.0 if find_spec("numba") else 0.2, 101)
    model = [(0.0, LagrangianDynamics(plant, (0.0, 0.0, -G)))]
    found = integrate(model, loose([0.5]), t, ElementSum(plant, (force,)))
    assert found.q.min() > TOP - 0.005 and found.q.max() == 0.5
    assert answers and all(answer is not None for answer in answers)


@pytest.mark.usefixtures("compiled")
def test_machine_code_leaves_a_block_that_has_come_to_lie_on_a_hard_damper(monkeypatch):
    """Which decays in a microsecond: a million explicit steps a second, or a hundred implicit."""
    monkeypatch.setenv(switch.SWITCH, "1")
    monkeypatch.setattr(switch, "is_installed", lambda: True)
    answers, march = [], machine_code.march
    monkeypatch.setattr(machine_code, "march", lambda *a: answers.append(march(*a)) or answers[-1])
    damped, deep = 1e6, 1e-5  # N s/m, m
    law = f"IMPACT(DM(block, ground), VR(block, ground), {TOP}, {HARD}, 1.5, {damped}, {deep})"
    force = SForce("plate", Marker("block", "load"), Marker("ground", "ground"), law)
    t, plant = np.linspace(0.0, 0.4, 5), lift(1.0)
    model = [(0.0, LagrangianDynamics(plant, (0.0, 0.0, -G)))]
    found = integrate(model, loose([TOP + 0.01]), t, ElementSum(plant, (force,)))
    assert len(answers) == 1 and answers[0].end < 0.1

    def falls(t, y):
        depth = max(TOP - y[0], 0.0)
        z = min(depth / deep, 1.0)
        return y[1], max(HARD * depth**1.5 - damped * y[1] * z * z * (3 - 2 * z), 0.0) - G

    struck = np.sqrt(2 * 0.01 / G)
    y = (TOP, -G * struck)
    wanted = solve_ivp(falls, (struck, 0.4), y, "Radau", t[1:], rtol=1e-10, atol=1e-14).y
    np.testing.assert_allclose(found.q[0, 1:], wanted[0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.qd[0, 1:], wanted[1], rtol=0, atol=1e-8)
