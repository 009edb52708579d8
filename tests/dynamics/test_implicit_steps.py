"""Radau's rule of order 13 against its known points and stiff equations with closed solutions."""

import numpy as np
import pytest
from scipy.special import roots_jacobi

from sim import Contact, ContactLaw, ContactShape
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.hybrid import LagrangianDynamics
from sim.dynamics.implicit_steps import STAGES, ImplicitSteps, lagrange, radau
from sim.dynamics.integration import integrate
from sim.errors import ScenarioError
from tests.helpers.free_paths import loose
from tests.helpers.small_robots import lift

TOLERANCE = 1e-12
FAST = 1e7  # 1/s


def test_its_points_and_weights_are_radaus():
    """The roots of a Jacobi polynomial and 1; weights exact for degree 12, stages for degree 6."""
    rule = radau()
    roots = (1 + roots_jacobi(STAGES - 1, 1, 0)[0]) / 2
    np.testing.assert_allclose(rule.c, [*roots, 1.0], atol=1e-15)
    for k in range(13):
        assert rule.A[-1] @ rule.c**k == pytest.approx(1 / (k + 1), abs=2e-16)
    for k in range(STAGES):
        np.testing.assert_allclose(rule.A @ rule.c**k, rule.c ** (k + 1) / (k + 1), atol=3e-16)


def test_polynomials_through_points_are_one_there_and_none_elsewhere():
    points = np.array([0.0, 0.3, 1.0])
    np.testing.assert_array_equal(lagrange(points, points), np.eye(3))
    x = np.array([-0.5, 0.7, 1.2])
    np.testing.assert_allclose(lagrange(points, x) @ points**2, x**2, atol=1e-15)


def path(t):
    return np.array([np.cos(3 * t), np.sin(2 * t)])


def path_rate(t):
    return np.array([-3 * np.sin(3 * t), 2 * np.cos(2 * t)])


def turning(spin):
    """y' = R A Rᵀ (y - g) + g': to the path g, at once along an axis that turns; ∫ g_x beside."""

    def rate(t, y):
        along = np.array([np.cos(spin * t), np.sin(spin * t)])
        off = y[:2] - path(t)
        return np.append(path_rate(t) - off - FAST * along * (along @ off), y[0])

    return rate


def ahead(times):
    """What is told of times to come."""


def solve(rate, y, end, longest=0.5):
    scale = np.full(y.size, TOLERANCE)
    solver = ImplicitSteps(rate, rate, ahead, 0.0, y, end, 2, None, longest, scale, scale)
    steps = [solver]
    while solver.t < end:
        assert solver.step() is None
        steps.append(solver.dense_output())
    return solver, len(steps) - 1


@pytest.mark.parametrize("spin", [0.0, 5.0])
def test_what_decays_at_once_does_not_shorten_its_steps(spin):
    """An explicit solver would take FAST/6 steps a second; of the turning axis few are more."""
    solver, steps = solve(turning(spin), np.append(path(0.0), 0.0), 2.0)
    np.testing.assert_allclose(solver.y, [*path(2.0), np.sin(6.0) / 3], atol=1e-11)
    assert steps < 60


def test_a_start_off_the_path_comes_to_it_by_its_decay():
    solver, _ = solve(turning(0.0), np.array([1.0 + 1e-3, 0.5, 0.0]), 2.0)
    off = 0.5 * np.exp(-2.0)  # across the fast axis
    np.testing.assert_allclose(solver.y[:2], path(2.0) + np.array([0.0, off]), atol=1e-11)


def test_between_its_points_a_stiff_force_feels_no_polynomial():
    """FAST times what the polynomial is off, in the longest steps; and hardly anything of it."""
    rate, scale = turning(5.0), np.full(3, TOLERANCE)
    solver = ImplicitSteps(
        rate, rate, ahead, 0.0, np.append(path(0.0), 0.0), 2.0, 2, None, 0.5, scale, scale
    )
    worst = np.zeros(2)
    while solver.t < 2.0:
        solver.step()
        t = solver.t_old + solver.step_size * np.array([0.2, 0.5, 0.7])
        for k, states in enumerate((solver.dense_output()(t), solver.settle(t))):
            np.testing.assert_allclose(states[:2], path(t), atol=1e-10)
            rates = np.transpose([rate(*at)[:2] for at in zip(t, states.T, strict=True)])
            worst[k] = max(worst[k], np.abs(rates - path_rate(t)).max())
    assert worst[0] > 1e-6
    assert worst[1] < 1e-8


def test_a_number_that_is_none_ends_it_with_a_word():
    def rate(t, y):
        return np.append(-y[:2] if t < 0.5 else np.full(2, np.nan), 0.0)

    solver = ImplicitSteps(
        rate, rate, ahead, 0.0, np.ones(3), 1.0, 2, 0.1, 0.1, np.full(3, 1e-9), np.full(3, 1e-9)
    )
    reason = None
    while reason is None and solver.t < 1.0:
        reason = solver.step()
    assert reason is not None and "floating-point" in reason
    assert solver.t == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize("until", [0.5, 2.0])
def test_an_error_in_a_state_that_is_tried_counts_only_if_no_step_avoids_it(until):
    """Newton's method first looks far along the slope of a start off the path."""
    tried = []

    def rate(t, y):
        if t > until or abs(y[0]) > 1.5:
            tried.append(t)
            raise ScenarioError("too far")
        return np.append(-FAST * (y[:2] ** 3 - 0.1) / 1e4, 0.0)

    scale = np.full(3, 1e-9)
    solver = ImplicitSteps(rate, rate, ahead, 0.0, np.ones(3), 1.0, 2, 1e-2, 0.1, scale, scale)
    if until > 1.0:
        while solver.t < 1.0:
            assert solver.step() is None
        assert solver.y[0] == pytest.approx(0.1 ** (1 / 3))
    else:
        with pytest.raises(ScenarioError, match="too far"):
            while solver.t < 1.0:
                solver.step()
    assert tried or until > 1.0


def test_a_hard_damped_contact_comes_to_rest_in_few_steps(monkeypatch):
    """Rounding in the guess for a longer step must not end Newton's method."""
    taken, step = [], ImplicitSteps.step
    monkeypatch.setattr(ImplicitSteps, "step", lambda self: taken.append(self.t) or step(self))
    ball, law = ContactShape.sphere("load", 0.1), ContactLaw.impact(1e9, 1.5, 1e7, 1e-4)
    loads = ElementSum(lift(1.0), (Contact(ball, ContactShape.plane(), law),))
    dynamics = [(0.0, LagrangianDynamics(loads.robot, (0.0, 0.0, -9.81)))]
    answer = integrate(dynamics, loose([0.2], [0.0]), np.linspace(0.0, 2.0, 3), loads)
    depth = (9.81 / 1e9) ** (2 / 3)
    assert answer.q[0, -1] == pytest.approx(0.1 - depth, abs=1e-9)
    assert 20 < len(taken) < 500
