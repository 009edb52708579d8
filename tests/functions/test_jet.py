"""Jets against Cauchy's integral formula, which gives exact derivatives of analytic functions.

The oracle evaluates the same formula on complex numbers around each time:
f⁽ᵏ⁾(t) = k!/(N rᵏ) Σ f(t + r e^{iθ}) e^{-ikθ}, with an error that falls geometrically in N.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.functions import jet
from sim.functions.jet import Jet, choose, round_half_away, sign_after, truncate

TIMES = np.linspace(-0.9, 0.9, 7)
# Relative to the largest value on the circle, and to the numbers of order one that may cancel in
# it: 64 samples, each exact to 1e-16.
ROUNDING = 1e-12


def derivatives_by_cauchy(f: Callable, t: np.ndarray, radius: float) -> tuple[np.ndarray, float]:
    """(f, f', f'') at t, shape (3, N), and the largest |f| on the circles."""
    theta = 2 * np.pi * (np.arange(64) + 0.5) / 64
    values = np.stack([f(t + radius * np.exp(1j * angle)) + 0 * t for angle in theta])
    rows = [
        math.factorial(k) / radius**k * np.mean(values * np.exp(-1j * k * theta)[:, None], axis=0)
        for k in range(3)
    ]
    return np.real(rows), float(np.max(np.abs(values)))


def agree(got: Jet, f: Callable, t: np.ndarray, radius: float) -> None:
    want, size = derivatives_by_cauchy(f, t, radius)
    parts = np.stack([np.broadcast_to(p, t.shape) for p in (got.value, got.first, got.second)])
    error = np.abs(parts - want) * radius ** np.arange(3)[:, None]
    assert np.max(error) <= ROUNDING * max(size, 1.0)


@pytest.mark.parametrize(
    ("function", "oracle", "shift", "radius"),
    [
        (jet.sin, np.sin, 0.0, 1.0),
        (jet.cos, np.cos, 0.0, 1.0),
        (jet.exp, np.exp, 0.0, 1.0),
        (jet.sinh, np.sinh, 0.0, 1.0),
        (jet.cosh, np.cosh, 0.0, 1.0),
        (jet.tanh, np.tanh, 0.0, 0.5),
        (jet.tan, np.tan, 0.0, 0.25),
        (jet.atan, np.arctan, 0.0, 0.4),
        (jet.asin, np.arcsin, 0.0, 0.05),
        (jet.acos, np.arccos, 0.0, 0.05),
        (jet.log, np.log, 2.0, 0.5),
        (jet.log10, np.log10, 2.0, 0.5),
        (jet.sqrt, np.sqrt, 2.0, 0.5),
    ],
)
def test_elementary_functions_have_the_derivatives_of_cauchys_formula(
    function, oracle, shift, radius
):
    time = Jet.time(TIMES)
    agree(function(time + shift), lambda z: oracle(z + shift), TIMES, radius)
    # and through the chain rule, with an argument that has a second derivative of its own
    inner = 0.2 * time * time + 0.3 * time + shift
    agree(function(inner), lambda z: oracle(0.2 * z * z + 0.3 * z + shift), TIMES, radius)


@pytest.mark.parametrize("exponent", [-2.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 2.7])
def test_powers_have_the_derivatives_of_cauchys_formula(exponent):
    base = Jet.time(TIMES) * Jet.time(TIMES) + 2.0
    agree(jet.power(base, Jet.constant(exponent)), lambda z: (z * z + 2.0) ** exponent, TIMES, 0.3)


def test_a_power_may_have_a_changing_base_and_exponent():
    t = Jet.time(TIMES)
    agree(jet.power(t + 2.0, jet.sin(t)), lambda z: (z + 2.0) ** np.sin(z), TIMES, 0.4)


def test_whole_powers_are_exact_at_zero_and_below():
    power = jet.power(Jet.time(np.array([0.0, -2.0])), Jet.constant(3.0))
    np.testing.assert_array_equal(power.value, [0.0, -8.0])
    np.testing.assert_array_equal(power.first, [0.0, 12.0])
    np.testing.assert_array_equal(power.second, [0.0, -12.0])
    square = jet.power(Jet.time(np.array([0.0])), Jet.constant(2.0))
    assert (square.value[0], square.first[0], square.second[0]) == (0.0, 0.0, 2.0)
    with np.errstate(all="ignore"):
        itself = jet.power(Jet.time(np.array([0.0])), Jet.constant(1.0))
    assert (itself.value[0], itself.first[0], itself.second[0]) == (0.0, 1.0, 0.0)


def test_atan2_turns_like_the_angle_of_a_point_on_a_circle():
    angle = np.linspace(-3.0, 3.0, 13)
    t = Jet.time(angle)
    got = jet.atan2(2.0 * jet.sin(t), 2.0 * jet.cos(t))
    np.testing.assert_allclose(got.value, angle, rtol=0, atol=1e-15)
    np.testing.assert_allclose(got.first, 1.0, rtol=0, atol=1e-15)
    np.testing.assert_allclose(got.second, 0.0, rtol=0, atol=1e-14)


def test_atan2_on_its_cut_is_the_angle_it_has_just_after():
    ways = {1.0: np.pi, -1.0: -np.pi}
    for way, angle in ways.items():
        got = jet.atan2(way * Jet.time(np.array([0.0])), Jet.constant(-1.0))
        assert got.value[0] == angle


# Entire functions, as pairs (of jets, of complex numbers): any combination is entire again.
PAIRS = st.recursive(
    st.one_of(
        st.just((lambda t: t, lambda z: z)),
        st.floats(-2, 2).map(lambda c: (lambda t, c=c: Jet.constant(c), lambda z, c=c: c)),
    ),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(
            lambda p: (lambda t: p[0][0](t) + p[1][0](t), lambda z: p[0][1](z) + p[1][1](z))
        ),
        st.tuples(inner, inner).map(
            lambda p: (lambda t: p[0][0](t) - p[1][0](t), lambda z: p[0][1](z) - p[1][1](z))
        ),
        st.tuples(inner, inner).map(
            lambda p: (lambda t: p[0][0](t) * p[1][0](t), lambda z: p[0][1](z) * p[1][1](z))
        ),
        inner.map(lambda p: (lambda t: jet.sin(p[0](t)), lambda z: np.sin(p[1](z)))),
        inner.map(lambda p: (lambda t: jet.cos(p[0](t)), lambda z: np.cos(p[1](z)))),
        inner.map(
            lambda p: (lambda t: jet.exp(jet.sin(p[0](t))), lambda z: np.exp(np.sin(p[1](z))))
        ),
    ),
    max_leaves=6,
)


@given(PAIRS, st.floats(-1, 1))
def test_any_combination_of_entire_functions_has_exact_derivatives(pair, at):
    of_jet, of_complex = pair
    t = np.array([at])
    _, size = derivatives_by_cauchy(of_complex, t, 0.25)
    if size < 1e6:  # beyond, the circle itself is no longer sampled finely enough
        agree(of_jet(Jet.time(t)), of_complex, t, 0.25)


@given(st.floats(-2, 2), st.floats(0.3, 2))
def test_a_quotient_times_its_divisor_is_the_dividend(at, shift):
    t = Jet.time(np.array([at]))
    dividend, divisor = jet.sin(2.0 * t), t * t + shift
    product = dividend / divisor * divisor
    for got, want in [
        (product.value, dividend.value),
        (product.first, dividend.first),
        (product.second, dividend.second),
    ]:
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-12)  # |t²+c| ≥ 0.3: 1e4 roundings


def test_division_by_zero_and_its_like_are_quietly_undefined():
    zero = Jet.constant(0.0)
    with np.errstate(all="ignore"):
        for undefined in [
            Jet.constant(1.0) / zero,
            zero / zero,
            jet.log(zero),
            jet.log10(zero),
            jet.sqrt(Jet.constant(-1.0)),
            jet.acos(Jet.constant(2.0)),
            jet.asin(Jet.constant(-2.0)),
            jet.atan2(zero, zero),
            jet.power(zero, Jet.constant(-1.0)),
            jet.power(Jet.constant(-8.0), Jet.constant(1 / 3)),
        ]:
            assert np.isnan(undefined.value)


def test_the_sign_after_zero_is_that_of_the_first_derivative_that_is_not_zero():
    t = Jet.time(np.array([0.0]))
    assert sign_after(t) == 1
    assert sign_after(-t) == -1
    assert sign_after(t * t) == 1
    assert sign_after(-(t * t)) == -1
    assert sign_after(0.0 * t) == 0
    assert sign_after(t - 1e-300) == -1


@pytest.mark.parametrize(
    ("value", "slope", "cut", "nearest"),
    [
        (2.0, 1.0, 2.0, 2.0),
        (2.0, -1.0, 1.0, 2.0),
        (-2.0, 1.0, -1.0, -2.0),
        (-2.0, -1.0, -2.0, -2.0),
        (2.5, 1.0, 2.0, 3.0),
        (2.5, -1.0, 2.0, 2.0),
        (2.5, 0.0, 2.0, 3.0),
        (-2.5, 0.0, -2.0, -3.0),
        (-2.5, 1.0, -2.0, -2.0),
        (-2.5, -1.0, -2.0, -3.0),
        (0.49999999999999994, 1.0, 0.0, 0.0),
        (-0.3, 1.0, 0.0, 0.0),
        (3.0, 0.0, 3.0, 3.0),
        (-3.0, 0.0, -3.0, -3.0),
    ],
)
def test_whole_numbers_are_those_just_after(value, slope, cut, nearest):
    x = Jet(np.array([value]), np.array([slope]), np.array([0.0]))
    assert truncate(x) == cut
    assert round_half_away(x) == nearest


def test_choosing_does_not_let_the_branch_not_taken_in():
    nan = Jet.constant(np.nan)
    one = Jet.constant(1.0)
    sign = np.array([-1.0, 0.0, 1.0])
    np.testing.assert_array_equal(choose(sign, one, nan, nan).value, [1, np.nan, np.nan])
    np.testing.assert_array_equal(choose(sign, nan, one, nan).value, [np.nan, 1, np.nan])
    np.testing.assert_array_equal(choose(sign, nan, nan, one).value, [np.nan, np.nan, 1])
    assert np.isnan(choose(np.array([np.nan]), one, one, one).value)


def test_an_affine_function_keeps_one_number_for_its_slope():
    t = Jet.time(TIMES)
    assert ((2.0 * t - 3.0) / 4.0).is_affine
    assert not (t * t).is_affine
    assert not Jet.resting(np.floor(TIMES)).is_affine
    assert (0.0 * t + 1.0).is_constant


def test_an_infinite_slope_does_not_act_on_what_rests():
    rest = Jet.resting(np.zeros(2))
    with np.errstate(all="ignore"):
        root = jet.sqrt(rest)
    np.testing.assert_array_equal(root.first, [0, 0])
    np.testing.assert_array_equal(root.second, [0, 0])
