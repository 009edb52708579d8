import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sim.maths.newton import newton, pseudo_inverse


def square(x):
    """Roots of x² = 2."""
    return x**2 - 2, (2 * x)[None]


def test_roots_near_their_guesses_are_found_to_rounding():
    found = newton(square, np.array([[1.4, -1.45, 1.5]]))
    np.testing.assert_allclose(found, [[2**0.5, -(2**0.5), 2**0.5]], rtol=1e-15)


def test_one_guess_that_is_too_far_away_gives_none():
    assert newton(square, np.array([[1.4, 0.1]])) is None


def test_an_equation_without_a_solution_gives_none():
    assert newton(lambda x: (x**2 + 1, (2 * x)[None]), np.array([[1.0]])) is None


def test_a_guess_that_comes_nearer_too_slowly_gives_none():
    """x^1.3 = 0, where each correction is 3/13 of the one before."""
    assert newton(lambda x: (x**1.3, (1.3 * x**0.3)[None]), np.array([[1.0]])) is None


def test_the_guess_is_left_alone():
    guess = np.array([[1.4]])
    newton(square, guess)
    assert guess[0, 0] == 1.4


def test_repeated_equations_do_no_harm():
    def twice(x):
        e, J = square(x)
        return np.concatenate([e, 3 * e, 0 * e]), np.concatenate([J, 3 * J, 0 * J])

    np.testing.assert_allclose(newton(twice, np.array([[1.4, 1.45]])), 2**0.5, rtol=1e-14)


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 4), st.integers(1, 4))
def test_the_pseudo_inverse_fulfils_the_four_conditions_of_penrose(seed, rows, columns, rank):
    rng = np.random.default_rng(seed)
    A = np.einsum(
        "rkN,kcN->rcN", rng.normal(size=(rows, rank, 3)), rng.normal(size=(rank, columns, 3))
    )
    X = pseudo_inverse(A)
    for k in range(3):
        a, x = A[..., k], X[..., k]
        close = {"rtol": 0, "atol": 1e-10 * (1 + np.linalg.norm(a) * np.linalg.norm(x)) ** 2}
        np.testing.assert_allclose(a @ x @ a, a, **close)
        np.testing.assert_allclose(x @ a @ x, x, **close)
        np.testing.assert_allclose((a @ x).T, a @ x, **close)
        np.testing.assert_allclose((x @ a).T, x @ a, **close)


def test_equations_that_nearly_repeat_each_other_are_met_between_them_if_allowed():
    def apart(x):
        return np.concatenate([x - 1, x - 1 - 1e-7]), np.ones((2, 1, x.shape[1]))

    assert newton(apart, np.array([[0.9]])) is None
    found = newton(apart, np.array([[0.9]]), most_left=1e-7)
    np.testing.assert_allclose(found, 1 + 5e-8, atol=1e-15)
