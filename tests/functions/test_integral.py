"""Antiderivatives against closed forms and Gauss's quadrature in scipy."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import fixed_quad

from sim.errors import ScenarioError
from sim.functions.expression import expression
from sim.functions.integral import Antiderivative, antiderivative
from sim.functions.time_function import TimeFunction
from sim.maths import Array

T = np.linspace(0.0, 10.0, 1001)


def trapezoid(height: str, up: float, until: float, down: float) -> str:
    """The drive that the paper builds of three STEPs."""
    return (
        f"STEP(time,0,0,{up},{height})+STEP(time,{up},0,{until},0)"
        f"+STEP(time,{until},0,{down},-{height})"
    )


PAPER = [
    (("72d", 0.5, 5.5, 6), 396),
    (("40d", 1, 9, 10), 360),
    (("40d", 1, 9, 10), 360),
    (("50d", 1, 7, 8), 350),
    (("60d", 1, 6, 7), 360),
    (("80d", 1, 5, 6), 400),
]


@pytest.mark.parametrize(("drive", "travel"), PAPER)
def test_the_papers_velocity_drives_travel_whole_degrees(drive, travel):
    path = antiderivative(expression(trapezoid(*drive)), 0.0, 10.0)
    assert math.degrees(path.value(10.0)) == pytest.approx(travel, rel=1e-12)


def test_a_step_sum_takes_one_short_series_a_piece():
    path = antiderivative(expression(trapezoid(*PAPER[0][0])), 0.0, 10.0)
    assert path.coefficients.shape[0] == 5  # the integral of a cubic
    assert path.edges.size < 50


def gaussian(t):
    return 0.005 * math.sqrt(math.pi) * (np.vectorize(math.erf)((t - 5.1) / 0.01) + 1)


CLOSED_FORMS = {
    "0": lambda t: 0 * t,
    "3": lambda t: 3 * t,
    "time": lambda t: t**2 / 2,
    "SIN(time)": lambda t: 1 - np.cos(t),
    "EXP(-time)": lambda t: -np.expm1(-t),
    "EXP(3*time)": lambda t: np.expm1(3 * t) / 3,
    "1e-9*COS(7*time)": lambda t: 1e-9 * np.sin(7 * t) / 7,
    "ABS(time - 3)": lambda t: np.where(t < 3, 3 * t - t**2 / 2, 4.5 + (t - 3) ** 2 / 2),
    "IF(time - 3: 1, 0, -2)": lambda t: np.where(t < 3, t, 3 - 2 * (t - 3)),
    "SQRT(time)": lambda t: t**1.5 / 1.5,
    "EXP(-((time - 5.1)/0.01)**2)": gaussian,
    "1e3/(1 + (1e3*(time - 3))**2)": lambda t: np.arctan(1e3 * (t - 3)) + math.atan(3e3),
    "STEP(time, 2, 0, 4, 1)": lambda t: np.where(
        t < 4, 2 * (np.maximum(t - 2, 0) / 2) ** 3 * (1 - (t - 2) / 4), t - 3
    ),
}


@pytest.mark.parametrize("text", CLOSED_FORMS)
def test_integrals_have_their_closed_form(text):
    want = CLOSED_FORMS[text](T)
    got = antiderivative(expression(text), 0.0, 10.0).value(T)
    assert np.max(np.abs(got - want)) <= 1e-12 * np.max(np.abs(want))


def test_fast_oscillation_is_followed_to_the_rounding_of_time():
    got = antiderivative(expression("SIN(1e4*time)"), 0.0, 10.0)
    want = (1 - np.cos(1e4 * T)) / 1e4
    # Near 10 s a time is known to 1.8e-15 s, which moves the integral of a unit sine as much.
    assert np.max(np.abs(got.value(T) - want)) < 1e-14
    assert got.edges.size < 20_000


@given(st.integers(0, 3), st.floats(0.5, 4), st.floats(-2, 2), st.floats(0.1, 9.9))
def test_integrals_agree_with_gauss_between_the_corners(kind, rate, shift, t):
    text = [
        f"SIN({rate!r}*time)*ABS(time - 5)",
        f"MOD(time, {rate!r}) + {shift!r}",
        f"EXP(SIN({rate!r}*time + {shift!r}))",
        f"MAX(SIN({rate!r}*time), {shift / 2!r})",
    ][kind]
    drive = expression(text)
    path = antiderivative(drive, 0.0, 10.0)
    edges = np.unique([*drive.breaks(0.0, t), *np.arange(0.0, t), t])
    want = sum(fixed_quad(drive.value, a, b, n=40)[0] for a, b in pairwise(edges))
    assert path.value(t) == pytest.approx(want, abs=1e-12)  # of values up to 50


@given(st.floats(0.1, 9.0), st.floats(0.01, 0.9), st.floats(-3, 3), st.floats(-3, 3))
def test_integrals_add_over_time_and_over_terms(t, length, a, b):
    first, second = "STEP(time, 1, 0, 3, 2)", "ABS(COS(3*time))"
    both = antiderivative(expression(f"{a!r}*{first} + {b!r}*{second}"), 0.0, 10.0)
    one, two = (antiderivative(expression(text), 0.0, 10.0) for text in (first, second))
    assert both.value(t) == pytest.approx(a * one.value(t) + b * two.value(t), abs=1e-12)
    part = antiderivative(expression(second), t, t + length)
    assert part.value(t + length) == pytest.approx(two.value(t + length) - two.value(t), abs=1e-13)


# --- twice -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("2", T**2),
        ("SIN(time)", T - np.sin(T)),
        ("IF(time - 3: 0, 0, 1)", np.maximum(T - 3, 0) ** 2 / 2),
        ("EXP(-time)", T + np.expm1(-T)),
    ],
)
def test_the_antiderivative_of_an_antiderivative_is_the_double_integral(text, want):
    once = antiderivative(expression(text), 0.0, 10.0)
    twice = antiderivative(once, 0.0, 10.0)
    np.testing.assert_allclose(twice.value(T), want, rtol=0, atol=1e-12 * np.max(want))
    np.testing.assert_array_equal(twice.edges, once.edges)


def test_the_double_integral_over_a_part_of_the_run_starts_at_zero_there():
    once = antiderivative(expression("COS(time)"), 0.0, 10.0)
    part = antiderivative(once, 2.0, 7.0)
    t = np.linspace(2, 7, 11)
    np.testing.assert_allclose(part.value(t), np.cos(2) - np.cos(t), rtol=0, atol=1e-14)


def test_an_antiderivative_is_a_function_of_time():
    drive = expression("STEP(time, 1, 0, 3, 2)")
    path = antiderivative(drive, 0.0, 10.0)
    assert isinstance(path, TimeFunction)
    value, rate, bend = path.derivatives(T)
    f, f1, _ = drive.derivatives(T)
    np.testing.assert_array_equal(value, path.value(T))
    np.testing.assert_array_equal(rate, f)
    np.testing.assert_array_equal(bend, f1)
    np.testing.assert_array_equal(path.breaks(0.0, 10.0), [1, 3])
    assert str(path) == "the integral of STEP(time, 1, 0, 3, 2)"


@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (0,)])
def test_values_have_the_shape_of_the_times(shape):
    path = antiderivative(expression("time"), 0.0, 10.0)
    got = path.value(np.full(shape, 2.0))
    assert got.shape == shape
    np.testing.assert_allclose(got, 2.0, rtol=1e-15)


def test_the_arrays_of_an_antiderivative_are_read_only():
    path = antiderivative(expression("time"), 0.0, 1.0)
    with pytest.raises(ValueError, match="read-only"):
        path.edges[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        path.coefficients[0, 0] = 1.0


# --- what breaks() did not say -------------------------------------------------------------------


class Secretive:
    """A function that hides its breaks and counts how often it is asked."""

    def __init__(self, text: str) -> None:
        self.drive = expression(text)
        self.samples = 0

    def __str__(self) -> str:
        return self.drive.text

    def value(self, t: Array) -> Array:
        return self.derivatives(t)[0]

    def derivatives(self, t: Array) -> tuple[Array, Array, Array]:
        self.samples += np.size(t)
        return self.drive.derivatives(t)

    def breaks(self, t0: float, t1: float) -> Array:
        return np.empty(0)


@pytest.mark.parametrize(
    "text",
    [
        "IF(time - PI: 0, 0, 1)",
        "ABS(time - PI)",
        "ABS(time - PI)**0.5",
        "MOD(time, 1.1)",
        "STEP(time, PI, 0, PI + 1e-4, 1)",
    ],
)
def test_hidden_corners_cost_little_and_no_accuracy(text):
    hidden, known = Secretive(text), expression(text)
    got, want = (antiderivative(f, 0.0, 10.0).value(T) for f in (hidden, known))
    assert np.max(np.abs(got - want)) <= 1e-12 * np.max(np.abs(want))
    assert hidden.samples < 100_000


def test_a_jump_far_from_the_origin_is_no_harder():
    path = antiderivative(Secretive("IF(time - 1003.3: 0, 0, 1)"), 1000.0, 1010.0)
    assert path.value(1010.0) == pytest.approx(6.7, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("1/time", "at t = 0 s"),
        ("1/(time - 5)", "at t = 5 s"),
        ("1/(time - PI)", "near t = 3.14"),
        ("1/(time - 3.3)**2", "near t = 3.29|near t = 3.3"),
        ("TAN(time)", "near t = (1.57|4.71|7.85)"),
        ("LOG(time)", "at t = 0 s"),
        ("SQRT(5 - time)", r"at t = 5\.0"),
        ("EXP(1000*time)", r"at t = 0\.[67]"),
        ("SQRT(-1)", "at t = "),
    ],
)
def test_a_function_that_is_not_finite_is_told_with_the_time(text, time):
    with pytest.raises(ScenarioError, match=time) as caught:
        antiderivative(expression(text), 0.0, 10.0)
    assert text in str(caught.value)


@pytest.mark.parametrize("text", ["SIN(1e8*time)", "SIN(1/(time - 3.3))"])
def test_what_varies_too_fast_is_an_error_and_not_a_wait(text):
    drive = Secretive(text)
    with pytest.raises(ScenarioError, match="varies too fast"):
        antiderivative(drive, 0.0, 10.0)
    assert drive.samples < 10_000_000


def test_times_outside_the_run_are_refused_but_for_rounding():
    path = antiderivative(expression("1"), 0.0, 10.0)
    assert path.value(10.0 + 1e-12) == pytest.approx(10.0)
    for t in (-0.1, 10.1, math.nan):
        with pytest.raises(ScenarioError, match=r"from 0 s to 10 s, not at t = "):
            path.value(np.array([1.0, t]))


@pytest.mark.parametrize(("t0", "t1"), [(1.0, 1.0), (2.0, 1.0), (0.0, math.inf), (math.nan, 1.0)])
def test_an_empty_run_is_refused(t0, t1):
    with pytest.raises(ScenarioError, match="is empty"):
        antiderivative(expression("1"), t0, t1)


def test_an_antiderivative_shares_nothing_with_its_maker():
    edges, coefficients = np.array([0.0, 1.0]), np.array([[1.0], [1.0]])
    path = Antiderivative(expression("2"), edges, coefficients)
    edges[0], coefficients[0, 0] = 9.0, 9.0
    assert path.value(1.0) == 2.0
