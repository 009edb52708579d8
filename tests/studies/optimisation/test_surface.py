"""Response surfaces against NumPy's least squares and the textbook's formulas."""

import numpy as np
import pytest
from scipy import stats

from sim.studies.optimisation.searching import design_points
from sim.studies.optimisation.surface import fit_surface, term_names

NAMES = ("a", "b")
CODED = 2 * design_points(2, seed=0) - 1


def quadratic(coded):
    a, b = coded.T
    return 3 - 2 * a + 0.5 * b + 4 * a**2 - b**2 + 1.5 * a * b


def test_a_quadratic_is_its_own_surface():
    surface = fit_surface("y", "J", NAMES, CODED, quadratic(CODED))
    assert [term.name for term in surface.terms] == ["1", "a", "b", "a^2", "b^2", "a*b"]
    assert [term.coefficient for term in surface.terms] == pytest.approx([3, -2, 0.5, 4, -1, 1.5])
    assert surface.r2 == pytest.approx(1.0)
    assert surface.residual == 0.0
    other = np.array([[0.3, -0.7], [0.9, 0.2]])
    assert surface.evaluate(other) == pytest.approx(quadratic(other))


def test_significance_is_that_of_least_squares():
    noise = np.random.default_rng(3).normal(0, 0.3, len(CODED))
    y = quadratic(CODED) + noise
    surface = fit_surface("y", "J", NAMES, CODED, y)
    a, b = CODED.T
    matrix = np.stack([np.ones_like(a), a, b, a * a, b * b, a * b], axis=1)
    beta, (left,), _, _ = np.linalg.lstsq(matrix, y)
    variance = left / (9 - 6)
    errors = np.sqrt(variance * np.diag(np.linalg.inv(matrix.T @ matrix)))
    assert [t.coefficient for t in surface.terms] == pytest.approx(beta)
    assert [t.error for t in surface.terms] == pytest.approx(errors)
    assert [t.t for t in surface.terms] == pytest.approx(beta / errors)
    p = 2 * (1 - stats.t(df=3).cdf(np.abs(beta / errors)))
    assert [t.p for t in surface.terms] == pytest.approx(p)
    total = np.sum((y - y.mean()) ** 2)
    assert surface.r2 == pytest.approx(1 - left / total)
    assert surface.r2_adjusted == pytest.approx(1 - (left / 3) / (total / 8))


def test_a_single_term_has_the_significance_of_scipys_regression():
    x = np.linspace(-1, 1, 7)
    y = 2 * x + np.random.default_rng(1).normal(0, 0.1, 7)
    surface = fit_surface("y", "", ("x",), x[:, None], y)
    # the square is orthogonal to the slope on symmetric points: polyfit's covariance
    beta, covariance = np.polyfit(x, y, 2, cov=True)
    assert surface.terms[1].coefficient == pytest.approx(beta[1])
    assert surface.terms[1].error == pytest.approx(np.sqrt(covariance[1, 1]))


def test_points_without_a_value_are_left_out_and_too_few_determine_nothing():
    y = quadratic(CODED)
    y[4] = np.nan
    assert fit_surface("y", "", NAMES, CODED, y).points == 8
    y[:4] = np.nan
    assert fit_surface("y", "", NAMES, CODED, y) is None


@pytest.mark.parametrize("size", [1, 2, 3, 4, 6])
def test_every_design_determines_its_surface(size):
    coded = 2 * design_points(size, seed=2) - 1
    terms = term_names([f"p{k}" for k in range(size)])
    assert len(coded) > len(terms)
    values = np.sum(coded**2, axis=1) + coded[:, 0]
    surface = fit_surface("y", "", [f"p{k}" for k in range(size)], coded, values)
    assert surface.terms[1].coefficient == pytest.approx(1.0)
