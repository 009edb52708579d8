import numpy as np
import pytest

from sim.maths.first_root import first_rise_of_cubic, first_rise_of_parabola, interval_within

CASES = [  # a, b, c and the first r at which it rises above 0, by hand
    ((1, 0, -4), 2.0),
    ((-1, 4, -3), 1.0),  # above 0 from 1 to 3
    ((-1, 2, -3), np.inf),
    ((0, 2, -3), 1.5),
    ((0, 0, -3), np.inf),
    ((0, -1, 0), np.inf),
    ((0, 1, 0), 0.0),
    ((1, 0, 0), 0.0),
    ((1, -3, 0), 3.0),
    ((1, 1, 1e-3), 0.0),
    ((1, 1e9, -1), 1e-9),  # where the plain formula cancels
    ((-1, -2, -3), np.inf),
]


@pytest.mark.parametrize(("terms", "wanted"), CASES)
def test_a_parabola_rises_where_it_does_by_hand(terms, wanted):
    found = first_rise_of_parabola(*(np.array([float(x)]) for x in terms))
    assert found == pytest.approx([wanted], rel=1e-15)


def test_a_cubic_rises_at_the_first_of_its_roots():
    chance = np.random.default_rng(1)
    terms = chance.normal(size=(3, 500))
    d = -np.abs(chance.normal(size=500))
    found = first_rise_of_cubic(*terms, d, 30.0)
    for k in range(500):
        roots = np.roots([*terms[:, k], d[k]])
        real = roots[(np.abs(roots.imag) < 1e-9) & (roots.real > 0) & (roots.real <= 30)].real
        wanted = real.min() if real.size else np.inf
        assert found[k] == pytest.approx(wanted, rel=1e-7), terms[:, k]
    assert np.isfinite(found).sum() > 200


def test_a_cubic_without_its_leading_terms_is_a_line():
    zero = np.zeros(2)
    found = first_rise_of_cubic(zero, zero, np.array([2.0, -2.0]), np.array([-3.0, -3.0]), 9.0)
    assert found == pytest.approx([1.5, np.inf], rel=1e-15)


def test_a_line_is_within_its_limit_between_two_ends():
    base = np.array([1.0, 1.0, 1.0, 9.0, 9.0])
    slope = np.array([2.0, -2.0, 0.0, 0.0, 2.0])
    low, high = interval_within(base, slope, np.full(5, 5.0))
    assert low.tolist() == [-3.0, -2.0, -np.inf, np.inf, -7.0]
    assert high.tolist() == [2.0, 3.0, np.inf, -np.inf, -2.0]
