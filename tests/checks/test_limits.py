import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.checks.limits import IDEAL, STEPPED, bend, limits_of, rounding

SCALED = ("torque", "acceleration", "velocity", "energy", "work")
FIXED = ("position", "tool", "floor", "halving", "bend_torque", "bend_acceleration")


def info(method="stepped", dt=1e-3, free=()):
    return {"method": method, "settings": {"dt": dt, "free": list(free)}}


def test_at_one_millisecond_the_limits_are_those_that_are_written_down():
    assert limits_of(info()) == STEPPED
    assert limits_of(info("ideal")) == IDEAL


@pytest.mark.parametrize("dt", [1e-6, 1e-4, 5e-4])
def test_a_finer_step_does_not_tighten_them(dt):
    assert limits_of(info(dt=dt)) == STEPPED
    assert limits_of(info("ideal", dt)) == IDEAL


@given(st.floats(1e-3, 0.1))
def test_a_coarser_step_loosens_them_with_its_square(dt):
    limits = limits_of(info(dt=dt))
    for name in SCALED:
        ratio = getattr(limits, name) / getattr(STEPPED, name)
        assert math.isclose(ratio, (dt / 1e-3) ** 2, rel_tol=1e-12)
    for name in FIXED:
        assert getattr(limits, name) == getattr(STEPPED, name)


@given(st.floats(1e-3, 0.1))
def test_of_the_ideal_method_only_the_work_depends_on_the_step(dt):
    limits = limits_of(info("ideal", dt))
    assert math.isclose(limits.work, 1e-6 * (dt / 1e-3) ** 2, rel_tol=1e-12)
    for name in (*SCALED[:-1], *FIXED):
        assert getattr(limits, name) == getattr(IDEAL, name)


def test_a_free_joint_loosens_what_depends_on_where_it_goes():
    limits = limits_of(info(dt=2e-3, free=["hinge"]))
    for name in (*SCALED, "position", "tool"):
        assert math.isclose(getattr(limits, name), 4e-3, rel_tol=1e-12)
    assert limits.halving == STEPPED.halving


NO_CORNER = np.zeros(201, dtype=bool)
T = np.linspace(0.0, 2.0, 201)
H = 0.01


@given(st.floats(0.1, 10), st.floats(0.5, 5), st.floats(-10, 10))
def test_bend_is_the_step_squared_times_the_second_derivative(size, rate, offset):
    found = bend(offset + 10 * T + size * np.sin(rate * T), NO_CORNER)
    wanted = H**2 * np.max(size * rate**2 * np.abs(np.sin(rate * T[2:-2])))
    # the median of three neighbours lies a little below the highest of them
    assert 0.99 * wanted - 1e-12 <= found <= 1.001 * wanted + 1e-12


def test_bend_of_a_straight_line_is_rounding():
    assert bend(3 + 4 * T, NO_CORNER) <= 1e-14


def test_bend_looks_past_a_kink_on_one_sample_but_not_past_two():
    assert bend(np.abs(T - 1.0), NO_CORNER) <= 1e-14
    assert bend(np.maximum(np.abs(T - 1.005), 0.005), NO_CORNER) > 0.5 * H


def test_bend_looks_past_a_jump_at_a_corner():
    jump, corner = np.where(T < 1.0, 0.0, 5.0), NO_CORNER.copy()
    corner[100] = True
    assert bend(jump, corner) == 0.0
    assert bend(jump, NO_CORNER) == 5.0


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_bend_of_a_few_samples_is_a_number(size):
    values = np.arange(size, dtype=float) ** 2
    found = bend(values, np.zeros(size, dtype=bool))
    assert found == (2.0 if size > 2 else 0.0)
    assert bend(values, np.ones(size, dtype=bool)) == 0.0


def test_rounding_bounds_the_second_differences_of_rounded_positions():
    t = np.arange(10_001) * 1e-3
    q = 0.7 * t  # no acceleration but that of the last digits
    exact = np.max(np.abs(np.diff(q, 2))) / 1e-6
    bound = rounding(info(), q, np.full(t.size, 0.7))
    assert exact <= bound <= 100 * exact


def test_rounding_of_the_ideal_method_is_that_of_the_velocity():
    qd = np.array([0.0, -3.0, 2.0])
    assert rounding(info("ideal"), np.zeros(3), qd) == pytest.approx(
        (4 * 2.2e-16 * 3 + 2e-13) / 1e-3, rel=0.02
    )
