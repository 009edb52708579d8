"""Derivative, integral and filter against closed forms and SciPy's transfer functions."""

import numpy as np
import pytest
from scipy import signal

from sim.curves.signals import derivative, integral, low_pass
from sim.errors import CurveError

T = np.linspace(0, 10, 10001)
H = T[1]


def test_a_derivative_is_off_by_a_sixth_of_the_third_one():
    w = 2 * np.pi
    off = np.abs(derivative(T, np.sin(w * T)) - w * np.cos(w * T))
    # h²/6 of the third derivative w³; a third, at the ends
    assert off[1:-1].max() == pytest.approx(H**2 / 6 * w**3, rel=1e-3)
    assert off[[0, -1]].max() == pytest.approx(H**2 / 3 * w**3, rel=1e-2)


def test_a_derivative_of_a_parabola_is_exact_at_uneven_times():
    t = np.cumsum([0.1, 0.3, 0.05, 0.7, 0.2, 0.4])
    np.testing.assert_allclose(derivative(t, 3 * t**2 - t), 6 * t - 1, rtol=0, atol=2e-14)


def test_an_integral_is_off_by_a_twelfth_of_the_change_of_slope():
    found = integral(T, np.exp(-T))
    # Euler-Maclaurin: h²/12 (f'(b) - f'(a)), and terms of h⁴
    off = found - (1 - np.exp(-T))
    np.testing.assert_allclose(off, H**2 / 12 * (1 - np.exp(-T)), rtol=0, atol=1e-13)
    assert found[0] == 0


@pytest.mark.parametrize(("frequency", "order"), [(5.0, 4), (10.0, 4), (20.0, 2), (40.0, 3)])
def test_a_filter_leaves_the_square_of_one_pass_and_no_phase(frequency, order):
    sine = np.sin(2 * np.pi * frequency * T)
    found = low_pass(T, sine, 10.0, order)
    # SciPy's own response of the same filter, at this frequency, by another form of it
    b, a = signal.butter(order, 10.0, fs=1 / H)
    _, (gain,) = signal.freqz(b, a, [frequency], fs=1 / H)
    middle = slice(2000, -2000)
    np.testing.assert_allclose(found[middle], abs(gain) ** 2 * sine[middle], rtol=0, atol=2e-6)


def test_at_the_cut_off_half_an_amplitude_is_left():
    found = low_pass(T, np.sin(2 * np.pi * 10 * T), 10.0)
    assert np.ptp(found[2000:-2000]) / 2 == pytest.approx(0.5, abs=1e-5)


def test_a_filter_keeps_straight_lines_to_their_ends():
    line = 3 * T - 7
    # odd continuation goes on straight; what is left falls as the filter's own start does
    assert np.abs(low_pass(T, line, 5.0) - line).max() < 1e-2
    np.testing.assert_allclose(low_pass(T, np.full(T.size, 2.5), 5.0), 2.5, rtol=1e-9)


@pytest.mark.parametrize(
    ("cutoff", "order", "words"),
    [
        (500.0, 4, "not between 0 and 500 Hz, half the sampling rate of 1000 Hz"),
        (0.0, 4, "not between 0"),
        (np.nan, 4, "not between 0"),
        (10.0, 11, "from 1 to 10; got 11"),
        (0.05, 4, "needs more than 20000 samples"),
    ],
)
def test_a_filter_that_cannot_be_says_why(cutoff, order, words):
    with pytest.raises(CurveError, match=words):
        low_pass(T, np.sin(T), cutoff, order)


def test_samples_that_are_not_even_or_not_finite_are_named():
    uneven = T.copy()
    uneven[400] += 1e-4
    with pytest.raises(CurveError, match=r"the one at 0\.4001 s is 0\.0001 s from its place"):
        low_pass(uneven, T, 10.0)
    broken = T.copy()
    broken[300] = np.nan
    with pytest.raises(CurveError, match=r"at 0\.3 s is nan"):
        low_pass(T, broken, 10.0)
    with pytest.raises(CurveError, match="at least 3 samples"):
        derivative(T[:2], T[:2])


def test_an_integral_over_a_gap_is_none():
    broken = np.sin(T)
    broken[0] = np.inf  # from there on no sample would have a value
    with pytest.raises(CurveError, match=r"For an integral all samples .*; at 0 s is inf"):
        integral(T, broken)
