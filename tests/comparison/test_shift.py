"""Shifts that are put into curves are found; where the curves differ otherwise there is none."""

import numpy as np
import pytest

from sim.comparison.shift import find_shift

T = np.linspace(0.0, 4.0, 4001)


def curves(t):
    return np.stack([np.sin(3 * t) + 0.2 * np.sin(11 * t), np.tanh(5 * (t - 2)), np.cos(t) ** 3])


@pytest.mark.parametrize("seconds", [2e-3, 0.5e-3, -7.3e-3, 0.12, -0.3])
def test_a_delay_is_found_in_size_and_direction(seconds):
    found = find_shift(T, curves(T - seconds), curves(T))
    assert found.seconds == pytest.approx(seconds, abs=1e-6)
    assert found.left < 1e-3
    way = "later" if seconds > 0 else "earlier"
    assert f"{1e3 * abs(seconds):.4g} ms {way}" in found.text


def test_another_size_is_no_shift():
    assert find_shift(T, 1.01 * curves(T), curves(T)) is None


def test_one_wrong_sample_is_no_shift():
    wrong = curves(T)
    wrong[0, 1234] += 1.0
    assert find_shift(T, wrong, curves(T)) is None


def test_curves_that_say_nothing_have_no_shift():
    still = np.ones((2, T.size))
    assert find_shift(T, still + 1, still) is None
    assert find_shift(T, np.full_like(still, np.nan), curves(T)[:2]) is None
    assert find_shift(T[:9], curves(T[:9]), curves(T[:9])) is None
