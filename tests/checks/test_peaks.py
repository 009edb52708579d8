import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sim.checks.peaks import peak_times

T = np.linspace(0.0, 2.0, 201)


def test_a_single_peak_has_one_time():
    assert peak_times(T, np.sin(T)).tolist() == [T[157]]  # next to π/2 = 1.5708 s


def test_the_magnitude_counts():
    assert peak_times(T, -np.sin(T)).tolist() == [T[157]]
    assert peak_times(T, np.where(T == 0.5, -2.0, 1.0)).tolist() == [0.5]


def test_a_plateau_has_all_its_times_whatever_rounding_does_to_it():
    rough = np.where((T >= 0.5) & (T <= 1.5), 3.0, 0.0) * (1 + 1e-12 * np.cos(1e4 * T))
    times = peak_times(T, rough)
    assert times[[0, -1]].tolist() == [0.5, 1.5]
    assert times.size == 101


def test_what_is_a_little_lower_is_no_peak():
    values = np.ones(T.size)
    values[10] = 1 + 2e-6
    assert peak_times(T, values).tolist() == [T[10]]


def test_two_equal_peaks_have_two_times():
    values = np.zeros(T.size)
    values[[20, 150]] = 5.0, -5.0
    assert peak_times(T, values).tolist() == [T[20], T[150]]


def test_a_curve_of_zeros_is_at_its_peak_all_the_time():
    assert peak_times(T, np.zeros(T.size)).size == T.size


def test_what_is_no_number_is_a_peak_beside_the_highest_number():
    values = np.sin(T)
    values[5] = np.nan
    assert peak_times(T, values).tolist() == [T[5], T[157]]
    assert peak_times(T, np.full(T.size, np.nan)).size == T.size


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50))
def test_the_largest_magnitude_is_always_among_the_peaks(values):
    t = np.arange(len(values), dtype=float)
    assert t[np.argmax(np.abs(values))] in peak_times(t, np.array(values))
