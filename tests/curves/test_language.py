"""Expressions of curves: values by NumPy, units by hand, what is refused."""

import numpy as np
import pytest

from sim.curves import Curve, calculate, function_names
from sim.curves.language import quote
from sim.errors import CurveError, ExpressionError
from sim.functions import FUNCTIONS, Operation

T = np.linspace(0, 2, 2001)
Q, QD, TAU, U = np.sin(T), np.cos(T), 3 * np.cos(2 * T), 0.9 * np.cos(5 * T)
CURVES = {
    "q.a": Curve(T, Q, "rad"),
    "qd.a": Curve(T, QD, "rad/s"),
    "tau.a": Curve(T, TAU, "N·m"),
    "tau.a-1": Curve(T, -TAU, "N·m"),
    "u": Curve(T, U, "1"),
}

VALUES = [
    ("tau.a*qd.a", TAU * QD, "W"),
    ("q.a - 90d", Q - np.pi / 2, "rad"),
    ("-q.a**2", -(Q**2), "rad²"),
    ("2*q.a/4 + 1", Q / 2 + 1, "rad"),
    ("tau.a - tau.a/3*2", TAU / 3, "N·m"),
    ('"tau.a-1" + tau.a', 0 * T, "N·m"),
    ("time**2/2", T**2 / 2, "s²"),
    ("VALUE(q.a) + VALUE(tau.a)", Q + TAU, "1"),
    ("PI*RTOD", np.full(T.size, 180.0), "1"),
    ("SQRT(tau.a**2 + 16)", np.hypot(TAU, 4), "N·m"),
    ("ABS(tau.a)", np.abs(TAU), "N·m"),
    ("SIGN(tau.a, q.a)", np.copysign(np.abs(TAU), Q), "N·m"),
    ("MAX(tau.a, 1)", np.maximum(TAU, 1), "N·m"),
    ("MIN(tau.a, 1)", np.minimum(TAU, 1), "N·m"),
    ("DIM(tau.a, 1)", np.maximum(TAU - 1, 0), "N·m"),
    ("MOD(tau.a, 0.7)", np.fmod(TAU, 0.7), "N·m"),
    ("AINT(tau.a)", np.trunc(TAU), "N·m"),
    ("ANINT(tau.a)", np.sign(TAU) * np.floor(np.abs(TAU) + 0.5), "N·m"),
    ("NINT(tau.a)", np.sign(TAU) * np.floor(np.abs(TAU) + 0.5), "N·m"),
    ("SIN(q.a)", np.sin(Q), "1"),
    ("COS(q.a)", np.cos(Q), "1"),
    ("TAN(q.a)", np.tan(Q), "1"),
    ("SINH(u)", np.sinh(U), "1"),
    ("COSH(u)", np.cosh(U), "1"),
    ("TANH(u)", np.tanh(U), "1"),
    ("EXP(u)", np.exp(U), "1"),
    ("LOG(u + 1)", np.log(U + 1), "1"),
    ("LOG10(u + 1)", np.log10(U + 1), "1"),
    ("ASIN(u)", np.arcsin(U), "rad"),
    ("ACOS(u)", np.arccos(U), "rad"),
    ("ATAN(u)", np.arctan(U), "rad"),
    ("ATAN2(tau.a, 2)", np.arctan2(TAU, 2), "rad"),
    ("IF(q.a - 0.5: tau.a, 0, -tau.a)", np.where(Q < 0.5, TAU, -TAU), "N·m"),
    ("STEP(time, 0, 0, 1, tau.a)", TAU * np.where(T < 1, T**2 * (3 - 2 * T), 1), "N·m"),
    (
        "STEP5(time, 0, 0, 1, tau.a)",
        TAU * np.where(T < 1, T**3 * (10 - 15 * T + 6 * T**2), 1),
        "N·m",
    ),
    ("HAVSIN(time, 0, 0, 1, tau.a)", TAU * np.where(T < 1, (1 - np.cos(np.pi * T)) / 2, 1), "N·m"),
    ("SHF(q.a, 0.1, tau.a, 2, 0.3, 1)", TAU * np.sin(2 * (Q - 0.1) - 0.3) + 1, "N·m"),
    ("POLY(u, 1, tau.a, 2, 3)", TAU + 2 * (U - 1) + 3 * (U - 1) ** 2, "N·m"),
    ("CHEBY(u, 1, tau.a, 2, 3)", TAU + 2 * (U - 1) + 3 * (2 * (U - 1) ** 2 - 1), "N·m"),
    ("FORCOS(u, 1, 2, 3, 4, 5)", 3 + 4 * np.cos(2 * (U - 1)) + 5 * np.cos(4 * (U - 1)), "1"),
    ("FORSIN(u, 1, 2, 3, 4, 5)", 3 + 4 * np.sin(2 * (U - 1)) + 5 * np.sin(4 * (U - 1)), "1"),
    (
        "SWEEP(VALUE(time), tau.a, 0, 1, 4, 3, 1)",
        TAU
        * np.sin(2 * np.pi * (T + T**2 / 4))
        * np.where(T < 1, T**3 * (10 - 15 * T + 6 * T**2), 1),
        "N·m",
    ),
]


@pytest.mark.parametrize(("text", "values", "unit"), VALUES, ids=[row[0] for row in VALUES])
def test_an_expression_is_what_numpy_makes_of_it(text, values, unit):
    found = calculate(text, CURVES)
    np.testing.assert_allclose(found.values, values, rtol=1e-13, atol=1e-13)
    assert (found.unit, found.text, found.error) == (unit, text, 0.0)


def test_every_function_has_its_row():
    rows = " ".join(text for text, _, _ in VALUES)
    signals = {"DERIVATIVE", "DIF", "INTEGRAL", "FILTER"}  # of the tests below
    assert {name for name in function_names() if f"{name}(" not in rows} == signals
    assert FUNCTIONS.keys() - {*function_names()} == {"DELAY", "INT"}
    assert all(row.js for row in FUNCTIONS.values() if callable(row.text))  # the page has no series


def test_a_function_of_one_row_is_one_of_curves_with_its_unit(monkeypatch):
    monkeypatch.setitem(FUNCTIONS, "FUNNEL", Operation("FUNNEL(x)", text="x*EXP(-x**2)"))
    t = np.linspace(0, 1, 11)
    curves = {"q.a": Curve(t, t**2, "rad"), "tau.a": Curve(t, t, "N·m")}
    found = calculate("FUNNEL(q.a) + 1", curves)
    np.testing.assert_allclose(found.values, t**2 * np.exp(-(t**4)) + 1, rtol=1e-15)
    assert found.unit == "rad"
    with pytest.raises(ExpressionError, match=r"FUNNEL\(x\): the argument of EXP is a number"):
        calculate("FUNNEL(tau.a)", curves)


@pytest.mark.parametrize(
    ("text", "exact", "unit"),
    [
        ("DERIVATIVE(q.a)", QD, "rad/s"),
        ("dif(dif(q.a))", -Q, "rad/s²"),
        ("INTEGRAL(qd.a)", Q, "rad"),
        ("INTEGRAL(tau.a*qd.a)", 3 * (np.sin(3 * T) / 6 + np.sin(T) / 2), "J"),
    ],
)
def test_what_sampling_takes_is_within_what_is_said(text, exact, unit):
    found = calculate(text, CURVES)
    off = np.abs(found.values - exact).max()
    # of second order by every other sample four times as much: twice the change is six times
    assert off <= found.error <= 6.5 * off
    assert found.unit == unit


def test_a_kink_between_samples_is_within_what_is_said():
    t = np.linspace(0, 1, 101)
    for at in (0.5, 0.5025, 0.505, 0.5075, 0.51):  # h/4 of the jump of the second derivative
        bent = np.maximum(t - at, 0) ** 2 / 2
        found = calculate("DIF(x)", {"x": Curve(t, bent)})
        off = np.abs(found.values - np.maximum(t - at, 0)).max()
        assert 0.0 < off <= found.error * (1 + 1e-9)


def test_a_filter_of_an_expression_takes_its_order():
    found = calculate("FILTER(tau.a*qd.a, 5, 2)", CURVES)
    assert found.unit == "W"
    assert 0 < found.error < 0.1
    assert np.isnan(calculate("FILTER(q.a, 300)", CURVES).error)  # beyond half of half the rate
    again = calculate("2*x", {"x": found})
    assert np.isnan(again.error)  # of a curve that is off itself


@pytest.mark.parametrize(
    ("text", "words", "place"),
    [
        ("q.a + qd.a", "takes quantities of one unit, not rad and rad/s", 4),
        ("q.a - tau.a", "not rad and N·m", 4),
        ("MAX(q.a, tau.a)", "MAX takes quantities of one unit", 0),
        ("STEP(q.a, time, 0, 1, 1)", "x of STEP", 0),
        ("SIN(tau.a)", "the argument of SIN is a number, not in N·m", 4),
        ("2**tau.a", "an exponent is a number, not in N·m", 3),
        ("tau.a**u", "must be one number", 7),
        ("q.b*2", "there is no channel 'q.b'; the nearest are q.a", 0),
        ("2*zzz", "there are q, qd, tau, u", 2),
        ("INT(q.a)", "INTEGRAL(x) integrates over time, AINT(x) cuts off", 0),
        ("DELAY(q.a, 1, 0)", "DELAY is not a function of curves", 0),
        ("SHF(tau.a, 0, 1, 1, 1, 1)", "the argument of SIN is a number, not in N·m", 0),
        ("POLY(u, tau.a, 1, 1)", "x0 of POLY is a number, not in N·m", 8),
        ("DIF(q.a, 2)", "DIF requires 1 argument, DIF(x); here it has 2", 0),
        ("FILTER(q.a)", "FILTER requires 2 to 3 arguments", 0),
        ("FILTER(q.a, u)", "are plain numbers", 12),
        ("FILTER(q.a, 5, 2.5)", "a whole number; here it is 2.5", 0),
        ("IF(q.a, 1, 2, 3)", "':' is expected here", 6),
        ("q.a*", "nothing follows '*'", 3),
        ("(q.a", "this parenthesis is not closed", 0),
        ("q.a qd.a", "an operator or a comma is missing", 4),
        ("q.a^2", "'^' is not an operator", 3),
        ("", "the expression is empty", 0),
    ],
)
def test_what_cannot_be_is_refused_at_its_place(text, words, place):
    with pytest.raises(ExpressionError) as failed:
        calculate(text, CURVES)
    assert words in failed.value.reason
    assert failed.value.position == place


def test_nesting_without_end_is_refused():
    with pytest.raises(ExpressionError, match="nested"):
        calculate("-" * 5000 + "q.a", CURVES)


def test_curves_of_other_times_are_refused():
    other = Curve(T[:-1], Q[:-1], "rad")
    with pytest.raises(CurveError, match=r"'q\.a' has 2001 samples .* and 'r' 2000"):
        calculate("q.a - r", {**CURVES, "r": other})
    found = calculate("q - r", {"q": CURVES["q.a"].at(other.t), "r": other})
    assert not found.values.any()
    with pytest.raises(CurveError, match="no curves"):
        calculate("2*time", {})


def test_a_name_is_quoted_where_it_must_be():
    assert [quote(name) for name in ("tau.a", "tau.a-1", "q.ä", "1q")] == [
        "tau.a", '"tau.a-1"', '"q.ä"', '"1q"',
    ]  # fmt: skip
