import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.checks.limits import curvature, energy_moved, rounding
from sim.recording.schema.methods import IDEAL, STEPPED

NO_CORNER = np.zeros(201, dtype=bool)
T = np.linspace(0.0, 2.0, 201)
H = 0.01


@given(st.floats(0.1, 10), st.floats(0.5, 5), st.floats(-10, 10))
def test_bend_is_the_step_squared_times_the_second_derivative(size, rate, offset):
    found = curvature(offset + 10 * T + size * np.sin(rate * T), NO_CORNER)
    wanted = H**2 * np.max(size * rate**2 * np.abs(np.sin(rate * T[2:-2])))
    # the median of three neighbours lies a little below the highest of them
    assert 0.99 * wanted - 1e-12 <= found <= 1.001 * wanted + 1e-12


def test_bend_of_a_straight_line_is_rounding():
    assert curvature(3 + 4 * T, NO_CORNER) <= 1e-14


def test_bend_looks_past_a_kink_on_one_sample_but_not_past_two():
    assert curvature(np.abs(T - 1.0), NO_CORNER) <= 1e-14
    assert curvature(np.maximum(np.abs(T - 1.005), 0.005), NO_CORNER) > 0.5 * H


def test_bend_looks_past_a_jump_at_a_corner():
    jump, corner = np.where(T < 1.0, 0.0, 5.0), NO_CORNER.copy()
    corner[100] = True
    assert curvature(jump, corner) == 0.0
    assert curvature(jump, NO_CORNER) == 5.0


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_bend_of_a_few_samples_is_a_number(size):
    values = np.arange(size, dtype=float) ** 2
    found = curvature(values, np.zeros(size, dtype=bool))
    assert found == 2.0
    assert curvature(values, np.ones(size, dtype=bool)) == 0.0


def test_rounding_bounds_the_second_differences_of_rounded_positions():
    t = np.arange(10_001) * 1e-3
    q = 0.7 * t  # no acceleration but that of the last digits
    exact = np.max(np.abs(np.diff(q, 2))) / 1e-6
    bound = rounding(STEPPED, 1e-3, float(q.max()), 0.7)
    assert exact <= bound <= 100 * exact


def test_rounding_of_the_ideal_method_is_that_of_the_velocity():
    bound = (4 * 2.2e-16 * 3 + 2e-13) / 1e-3
    assert rounding(IDEAL, 1e-3, 0.0, 3.0) == pytest.approx(bound, rel=0.02)


@pytest.mark.parametrize(
    ("ke", "pe", "wanted"),
    [
        ([0, 5, 1], [0, 0, 0], 5.0),
        ([0, 0, 0], [-3, 4, 1], 7.0),
        ([0, 5, 0], [7, 2, 7], 5.0),  # a swing, in which nothing is gained
        ([0, 5, 5], [0, 2, 3], 8.0),
        ([0, 0, 0], [2e6, 2e6, 2e6], 2.0),
        ([0, 0, 0], [0, 0, 0], 1e-12),
    ],
)
def test_the_energy_moved_is_the_largest_exchange(ke, pe, wanted):
    assert energy_moved(np.array(ke, float), np.array(pe, float)) == pytest.approx(wanted)
