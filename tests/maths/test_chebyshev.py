"""Series of functions of time against the functions themselves and NumPy's own evaluation."""

import numpy as np
import pytest

from sim.maths.chebyshev import MOST_PIECES, fit_pieces


def values(pieces, t):
    """The series at times, by NumPy."""
    k = np.clip(np.searchsorted(pieces.edges, t) - 1, 0, len(pieces.edges) - 2)
    low, high = pieces.edges[k], pieces.edges[k + 1]
    x = 2 * (t - low) / (high - low) - 1
    series = pieces.coefficients[k].transpose(2, 1, 0)
    return np.polynomial.chebyshev.chebval(x, series, tensor=False)


@pytest.mark.parametrize(
    "law",
    [
        lambda t: np.stack([0 * t, 3.0 + 0 * t]),
        lambda t: np.stack([np.sin(7 * t), 1e6 * np.cos(200 * t)]),
        lambda t: np.stack([np.exp(-3 * t), 1e-9 / (1 + 400 * (t - 1) ** 2)]),
    ],
)
def test_series_are_exact_to_rounding(law):
    t = np.random.default_rng(3).uniform(0.5, 2.0, 500)
    pieces = fit_pieces(law, 0.5, 2.0)
    assert (pieces.edges[0], pieces.edges[-1]) == (0.5, 2.0)
    assert (np.diff(pieces.edges) > 0).all()
    wanted = law(t)
    size = np.abs(wanted).max(axis=1, keepdims=True)
    # the time's own rounding, eps * 2 s, times the steepest slope, 200 sizes a second, is 9e-14
    assert (np.abs(values(pieces, t) - wanted) <= 2e-13 * size).all()


def test_a_polynomial_of_the_degree_is_one_piece():
    pieces = fit_pieces(lambda t: (t**5 - t)[None], 0.0, 3.0)
    assert len(pieces.coefficients) == 1


@pytest.mark.parametrize("law", [lambda t: np.sign(t - 0.3001), lambda t: 1 / (t - t)])
def test_jumps_and_what_is_not_finite_have_no_series(law):
    with np.errstate(divide="ignore", invalid="ignore"):
        assert fit_pieces(lambda t: law(t)[None], 0.0, 1.0) is None


def test_the_number_of_pieces_is_bounded():
    calls = []

    def law(t):
        calls.append(t.size)
        return np.sin(1e7 * t)[None]

    assert fit_pieces(law, 0.0, 1.0) is None
    assert max(calls) <= 25 * MOST_PIECES
