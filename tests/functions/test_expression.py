"""The function-expression language: what it means, and what is told when it means nothing."""

import math
import pickle
import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import chebyshev, polynomial
from scipy.integrate import quad

from sim.errors import ExpressionError, SimError
from sim.functions.expression import expression
from sim.functions.operations import FUNCTIONS
from sim.functions.time_function import TimeFunction

T = np.linspace(-3.1, 12.3, 309) + math.pi / 1000  # meets no point where a function switches
EXACT = 1e-12  # relative to 1: a few thousand roundings of closed forms of size 1


def value(text: str, t: float = 0.0) -> float:
    return float(expression(text).value(t))


# --- what is written ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("1 + 2*3", 7),
        ("(1 + 2)*3", 9),
        ("10 - 4 - 3", 3),
        ("100/10/5", 2),
        ("12/3*2", 8),
        ("2**3**2", 512),
        ("-2**2", -4),
        ("-2**-2", -0.25),
        ("(-2)**2", 4),
        ("2*-3", -6),
        ("2 - -3", 5),
        ("+-+3", -3),
        ("-2*3 + 1", -5),
        ("2**2*3", 12),
        ("2*3**2", 18),
        (".5 + 5. + 1e-3", 5.501),
        ("1E+2 + 2.5e1", 125),
        ("180d", math.pi),
        ("180D", math.pi),
        ("-90d/3", -math.pi / 6),
        ("1e2d", math.radians(100)),
        (".5d + 5.d", math.radians(5.5)),
        ("pi", math.pi),
        ("Pi*RTOD", 180),
        ("dtor*180", math.pi),
        ("mode", 4),
        ("TIME + time + Time", 6),
        ("sin(PI/2) + Sin(pi/2)", 2),
        ("2 & ! a comment\n  + 3 ! another", 5),
        ("STEP(time, &\n 0, 0, &  \r\n 4, 8)", 4),
        ("((((((2))))))", 2),
    ],
)
def test_numbers_operators_and_names_mean_what_the_manual_says(text, want):
    assert value(text, 2.0) == pytest.approx(want, rel=1e-15)


def test_a_sum_may_be_long_and_parentheses_may_be_many():
    assert value("+".join(["STEP(time,0,0,1,1)"] * 1000), 5.0) == 1000
    assert value("(" * 400 + "3" + ")" * 400) == 3
    assert value("SIN(" * 90 + "0" + ")" * 90) == 0


@pytest.mark.rotates(2)
def test_a_sum_takes_the_memory_of_one_term():
    text = "+".join(f"{k}e-9*SIN(TIME)" for k in range(2000))
    t = np.linspace(0.0, 1.0, 20_001)  # 2000 terms with two derivatives at once: 960 MB
    tracemalloc.start()
    try:
        f, _, _ = expression(text).derivatives(t)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 50e6  # bytes: the tree, and a dozen arrays of 160 kB
    np.testing.assert_allclose(f, 1.999e-3 * np.sin(t), rtol=1e-11, atol=0)


LONG_DELAY = "TIME"
for _ in range(40):
    LONG_DELAY = f"DELAY({LONG_DELAY}, 0.1*TIME, 0)"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("+".join(["TIME"] * 20_000), "more than 10000 numbers, names and operators"),
        ("SIN(TIME+" + "+".join(["1"] * 20_000) + ")", "more than 10000 numbers"),
        (LONG_DELAY, "delays written out"),
        ("TIME" + "+1" * 100_001, "200006 characters; at most 200000 are allowed"),
    ],
)
def test_an_expression_too_long_to_be_integrated_is_refused(text, words):
    with pytest.raises(ExpressionError, match=words) as caught:
        expression(text)
    assert len(str(caught.value)) < 300
    assert "spline or an array" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "character", "digit"),
    [("1 + ١*TIME", "١", "1"), ("٣", "٣", "3"), ("1٢", "٢", "2"), ("2 * ５", "５", "5")],
)
def test_digits_of_other_scripts_are_refused(text, character, digit):
    with pytest.raises(ExpressionError) as caught:
        expression(text)
    assert caught.value.reason == f"{character!r} is not {digit}; type the plain digit"
    assert caught.value.position == text.index(character)


@pytest.mark.parametrize("text", ["ſIN(TIME)", "ASIN١(TIME)", "tıme"])
def test_letters_that_only_look_like_those_of_a_name_are_refused(text):
    with pytest.raises(ExpressionError):
        expression(text)


def test_an_expression_is_a_value_named_by_its_text():
    first, second = expression("SIN(time)"), expression("SIN(time)")
    assert first == second
    assert hash(first) == hash(second)
    assert str(first) == first.text == "SIN(time)"
    assert isinstance(first, TimeFunction)
    with pytest.raises(AttributeError):
        first.text = "COS(time)"


def test_an_expression_can_be_sent_to_another_process():
    sent = pickle.loads(pickle.dumps(expression("DELAY(STEP(time,0,0,1,40d),0.5,0)")))
    assert sent.value(2.0) == math.radians(40)


@pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 3), (0,)])
@pytest.mark.parametrize("text", ["3", "time", "2*time", "ABS(time)", "STEP(time,0,0,1,1)"])
def test_results_have_the_shape_of_the_times(text, shape):
    t = np.full(shape, 0.3)
    assert expression(text).value(t).shape == shape
    for part in expression(text).derivatives(t):
        assert part.shape == shape
        assert part.dtype == np.float64


def test_the_caller_keeps_its_times():
    t = np.array([1.0, 2.0])
    got = expression("time").value(t)
    got[0] = 99.0
    np.testing.assert_array_equal(t, [1.0, 2.0])


# --- what it is worth --------------------------------------------------------------------------


def smooth(z):
    z = np.clip(z, 0, 1)
    return z**2 * (3 - 2 * z)


def quintic(z):
    z = np.clip(z, 0, 1)
    return z**3 * (10 - 15 * z + 6 * z**2)


CLOSED_FORMS = {
    "STEP(time, 1, -2, 3, 5)": lambda t: -2 + 7 * smooth((t - 1) / 2),
    "STEP(2*time, 1, -2, 3, 5)": lambda t: -2 + 7 * smooth((2 * t - 1) / 2),
    "STEP5(time, 1, -2, 3, 5)": lambda t: -2 + 7 * quintic((t - 1) / 2),
    "HAVSIN(time, 1, -2, 3, 5)": lambda t: (
        1.5 + 3.5 * np.sin(np.clip((t - 1) / 2, 0, 1) * np.pi - np.pi / 2)
    ),
    "SHF(time, 1, 3, 2, 0.5, 7)": lambda t: 3 * np.sin(2 * (t - 1) - 0.5) + 7,
    "SHF(time, 0, 90d, 30d, 10d, 0)": lambda t: np.pi / 2 * np.sin(np.pi / 6 * t - np.pi / 18),
    "POLY(time, 2, 5)": lambda t: 5 + 0 * t,
    "POLY(time, 2, 1, -2, 0.5, 0.25)": lambda t: polynomial.polyval(t - 2, [1, -2, 0.5, 0.25]),
    "CHEBY(time, 2, 1)": lambda t: 1 + 0 * t,
    "CHEBY(time, 2, 1, -2, 0.5, 0.25)": lambda t: chebyshev.chebval(t - 2, [1, -2, 0.5, 0.25]),
    "FORCOS(time, 1, 2, 3, 4, 5)": lambda t: 3 + 4 * np.cos(2 * (t - 1)) + 5 * np.cos(4 * (t - 1)),
    "FORSIN(time, 1, 2, 3, 4, 5)": lambda t: 3 + 4 * np.sin(2 * (t - 1)) + 5 * np.sin(4 * (t - 1)),
    "IF(time - 1: time, 7, time**2)": lambda t: np.where(t < 1, t, t**2),
    "DELAY(SIN(time), 0.5, 3)": lambda t: np.where(t < 0.5, 3, np.sin(t - 0.5)),
    "DELAY(SIN(time), 0.5, COS(time))": lambda t: np.where(
        t < 0.5, np.cos(t - 0.5), np.sin(t - 0.5)
    ),
    "DELAY(time**2, 0.5*time, 7, 1)": lambda t: np.where(t < 0, 7, (0.5 * t) ** 2),
    "DELAY(time, 1 - time, 7)": lambda t: np.where(t < 0.5, 7, np.minimum(2 * t - 1, t)),
    "DELAY(DELAY(time, 1, 0), 2, -1)": lambda t: np.where(t < 2, -1, np.where(t < 3, 0, t - 3)),
    "ABS(time - 1)": lambda t: np.abs(t - 1),
    "ACOS(time/20)": lambda t: np.arccos(t / 20),
    "AINT(time)": np.trunc,
    "INT(time)": np.trunc,
    "ANINT(time)": lambda t: np.trunc(t + np.copysign(0.5, t)),
    "NINT(time)": lambda t: np.trunc(t + np.copysign(0.5, t)),
    "ASIN(time/20)": lambda t: np.arcsin(t / 20),
    "ATAN(time)": np.arctan,
    "ATAN2(time, -2)": lambda t: np.arctan2(t, -2),
    "COS(time)": np.cos,
    "COSH(time/5)": lambda t: np.cosh(t / 5),
    "DIM(time, 2)": lambda t: np.maximum(0, t - 2),
    "EXP(time/5)": lambda t: np.exp(t / 5),
    "LOG(time + 4)": lambda t: np.log(t + 4),
    "LOG10(time + 4)": lambda t: np.log10(t + 4),
    "MAX(time, 2)": lambda t: np.maximum(t, 2),
    "MIN(time, 2)": lambda t: np.minimum(t, 2),
    "MOD(time, 2.5)": lambda t: np.fmod(t, 2.5),
    "MOD(-time, 2.5)": lambda t: np.fmod(-t, 2.5),
    "SIGN(3, time - 1)": lambda t: np.copysign(3, t - 1),
    "SIGN(-time, 2)": np.abs,
    "SIN(time)": np.sin,
    "SINH(time/5)": lambda t: np.sinh(t / 5),
    "SQRT(time + 4)": lambda t: np.sqrt(t + 4),
    "TAN(time/8)": lambda t: np.tan(t / 8),
    "TANH(time)": np.tanh,
}


@pytest.mark.parametrize("text", CLOSED_FORMS)
def test_functions_have_their_closed_form(text):
    want = CLOSED_FORMS[text](T)
    got = expression(text).value(T)
    assert np.all(np.abs(got - want) <= EXACT * np.maximum(1.0, np.abs(want)))


def test_every_function_has_a_closed_form_here():
    tested = {text.partition("(")[0] for text in CLOSED_FORMS}
    assert tested | {"SWEEP"} == set(FUNCTIONS)  # which has a test of its own


def test_a_sweep_turns_by_the_integral_of_its_frequency():
    a, x0, f0, x1, f1, dx = 2.0, 1.0, 0.5, 4.0, 3.0, 0.25
    sweep = expression(f"SWEEP(time, {a}, {x0}, {f0}, {x1}, {f1}, {dx})")

    def frequency(x):
        return np.interp(x, [x0, x1], [f0, f1])

    for t in [0.0, 1.0, 1.1, 1.25, 2.0, 3.9, 4.0, 5.7]:
        cycles = f0 * x0 + quad(frequency, x0, t, points=[x1] if t > x1 else None)[0]
        fade = quintic((t - x0) / dx)
        want = fade * a * math.sin(2 * math.pi * cycles) if t > x0 else 0.0
        assert sweep.value(t) == pytest.approx(want, abs=1e-12)


def test_the_largest_series_have_thirty_one_coefficients():
    rng = np.random.default_rng(1)
    a = rng.uniform(-1, 1, 31)
    listed = ", ".join(repr(float(x)) for x in a)
    t = np.linspace(-1, 1, 21)
    np.testing.assert_allclose(
        expression(f"CHEBY(time, 0, {listed})").value(t), chebyshev.chebval(t, a), atol=1e-13
    )
    np.testing.assert_allclose(
        expression(f"POLY(time, 0, {listed})").value(t), polynomial.polyval(t, a), atol=1e-13
    )
    want = a[0] + sum(a[j] * np.sin(j * 0.7 * t) for j in range(1, 31))
    np.testing.assert_allclose(
        expression(f"FORSIN(time, 0, 0.7, {listed})").value(t), want, atol=1e-13
    )


PROFILE_DERIVATIVES = {
    # z-polynomials of the three profiles with their first and second derivative in z
    "STEP": (lambda z: z**2 * (3 - 2 * z), lambda z: 6 * z * (1 - z), lambda z: 6 - 12 * z),
    "STEP5": (
        lambda z: z**3 * (10 - 15 * z + 6 * z**2),
        lambda z: 30 * z**2 * (1 - z) ** 2,
        lambda z: 60 * z * (1 - z) * (1 - 2 * z),
    ),
    "HAVSIN": (
        lambda z: (1 - math.cos(math.pi * z)) / 2,
        lambda z: math.pi / 2 * math.sin(math.pi * z),
        lambda z: math.pi**2 / 2 * math.cos(math.pi * z),
    ),
}


@given(
    st.sampled_from(sorted(PROFILE_DERIVATIVES)),
    st.floats(-5, 5),
    st.floats(0.1, 5),
    st.floats(-5, 5),
    st.floats(-5, 5),
    st.floats(0.0, 0.999),
    st.floats(0.2, 3),
)
def test_profiles_have_exact_derivatives_inside(name, x0, width, h0, h1, z, rate):
    x1 = x0 + width
    t = (x0 + z * (x1 - x0)) / rate
    drive = expression(f"{name}({rate!r}*time, {x0!r}, {h0!r}, {x1!r}, {h1!r})")
    inside = (rate * t - x0) / (x1 - x0)
    if inside < 0:  # by rounding
        return
    f, f1, f2 = drive.derivatives(t)
    p, p1, p2 = (part(inside) for part in PROFILE_DERIVATIVES[name])
    slope = rate / (x1 - x0)
    size = 1 + abs(h1 - h0)
    assert f == pytest.approx(h0 + (h1 - h0) * p, abs=1e-13 * size)
    assert f1 == pytest.approx((h1 - h0) * p1 * slope, abs=1e-12 * size * slope)
    assert f2 == pytest.approx((h1 - h0) * p2 * slope**2, abs=1e-11 * size * slope**2)


# --- values from the right ---------------------------------------------------------------------


def test_a_step_begins_with_its_second_derivative_and_ends_without():
    h, dt = 0.7, 0.5
    f, f1, f2 = expression("STEP(time, 1, 0.2, 1.5, 0.9)").derivatives([1.0, 1.5])
    np.testing.assert_allclose(f, [0.2, 0.9], atol=1e-15)
    np.testing.assert_array_equal(f1, [0, 0])
    np.testing.assert_allclose(f2, [6 * h / dt**2, 0], atol=1e-13)


def test_a_havsin_begins_with_its_second_derivative_and_ends_without():
    h, dt = 0.7, 0.5
    f, f1, f2 = expression("HAVSIN(time, 1, 0.2, 1.5, 0.9)").derivatives([1.0, 1.5])
    np.testing.assert_allclose(f, [0.2, 0.9], atol=1e-15)
    np.testing.assert_array_equal(f1, [0, 0])
    np.testing.assert_allclose(f2, [np.pi**2 * h / (2 * dt**2), 0], atol=1e-13)


def test_a_step5_begins_and_ends_at_rest():
    f, f1, f2 = expression("STEP5(time, 1, 0.2, 1.5, 0.9)").derivatives([1.0, 1.5])
    np.testing.assert_allclose(f, [0.2, 0.9], atol=1e-15)
    np.testing.assert_array_equal(f1, [0, 0])
    np.testing.assert_array_equal(f2, [0, 0])


def test_a_step_of_an_argument_that_falls_begins_at_its_far_end():
    # 3 - time falls through x1 = 2 at t = 1 and through x0 = 1 at t = 2
    f, f1, f2 = expression("STEP(3 - time, 1, 0, 2, 1)").derivatives([1.0, 2.0])
    np.testing.assert_array_equal(f, [1, 0])
    np.testing.assert_array_equal(f1, [0, 0])
    np.testing.assert_array_equal(f2, [-6, 0])


@pytest.mark.parametrize(
    ("text", "at", "want"),
    [
        ("IF(time - 1: 5, 6, time)", 1.0, (1, 1, 0)),
        ("IF(1 - time: time**2, 6, 5)", 1.0, (1, 2, 2)),
        ("ABS(time - 1)", 1.0, (0, 1, 0)),
        ("ABS(1 - time)", 1.0, (0, 1, 0)),
        ("SIGN(2, 1 - time)", 1.0, (-2, 0, 0)),
        ("MAX(time, 1)", 1.0, (1, 1, 0)),
        ("MIN(time, 1)", 1.0, (1, 0, 0)),
        ("DIM(time, 1)", 1.0, (0, 1, 0)),
        ("AINT(3 - time)", 1.0, (1, 0, 0)),
        ("ANINT(time)", 0.5, (1, 0, 0)),
        ("ANINT(1 - time)", 0.5, (0, 0, 0)),
        ("MOD(time, 2)", 2.0, (0, 1, 0)),
        ("MOD(-time, 2)", 2.0, (0, -1, 0)),
        ("DELAY(time + 3, 1, 0)", 1.0, (3, 1, 0)),
    ],
)
def test_where_a_function_switches_it_has_the_values_from_the_right(text, at, want):
    assert tuple(float(part) for part in expression(text).derivatives(at)) == want


def test_if_takes_its_middle_branch_where_the_condition_stays_zero():
    assert value("IF(0: 1, 2, 3)") == 2
    zero = expression("IF(MAX(0, time - 1): 1, 2, 3)")
    np.testing.assert_array_equal(zero.value([0.0, 0.5, 1.0, 2.0]), [2, 2, 3, 3])


def test_at_every_break_the_values_are_the_limits_from_the_right():
    drive = expression("STEP(time,0,0,1,2) + ABS(time - 2) + MOD(time, 3)")
    t, near = drive.breaks(0.0, 10.0), 1e-7
    for at, after in zip(drive.derivatives(t), drive.derivatives(t + near), strict=True):
        np.testing.assert_allclose(at, after, rtol=0, atol=25 * near)  # no derivative exceeds 24


# --- quiet where undefined ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "SQRT(-1)",
        "LOG(0)",
        "LOG(-1)",
        "LOG10(0)",
        "ACOS(2)",
        "ASIN(2)",
        "1/0",
        "0/0",
        "0**(-1)",
        "(-1)**0.5",
        "MOD(1, 0)",
        "SQRT(-1 - time)",
        "ATAN2(0, 0)",
        "IF(SQRT(-1): 1, 2, 3)",
        "MAX(SQRT(-1), 3)",
        "1/(time - time)",
        "STEP(time, 1, 0, 1 - ABS(time), 1)",
    ],
)
def test_undefined_is_nan_without_a_warning(text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for part in expression(text).derivatives(np.array([0.0, 1.0])):
            assert np.all(np.isnan(part))


def test_overflow_is_quiet_too():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not np.isfinite(expression("EXP(1000*time)").value(1.0))


def test_if_does_not_look_at_the_branch_it_does_not_take():
    drive = expression("IF(time - 1: 0, 0, SQRT(time - 1))")
    f, f1, f2 = drive.derivatives(np.array([0.0, 0.5, 2.0]))
    np.testing.assert_array_equal(f, [0, 0, 1])
    np.testing.assert_array_equal(f1, [0, 0, 0.5])
    np.testing.assert_array_equal(f2, [0, 0, -0.25])


# --- what is told -------------------------------------------------------------------------------


def mistake(text: str) -> ExpressionError:
    with pytest.raises(ExpressionError) as caught:
        expression(text)
    assert isinstance(caught.value, SimError)
    assert caught.value.text == text
    return caught.value


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("", 0, "empty"),
        ("   ", 0, "empty"),
        ("! only a comment", 0, "empty"),
        ("1 +", 2, "nothing follows '+'"),
        ("2 **", 2, "nothing follows '**'"),
        ("STEP(time,0,0,1,40d", 4, "not closed"),
        ("SIN(COS(time)", 3, "not closed"),
        ("SIN(COS(time", 7, "not closed"),
        ("2*(1+3", 2, "not closed"),
        ("(1 + 2))", 7, "not opened"),
        ("1 + * 2", 4, "missing before '*'"),
        ("SIN()*2", 0, "requires 1 argument"),
        ("STEP(time,,0,1,2)", 10, "missing before ','"),
        ("STEP(time,0,0 1,2)", 14, "an operator or a comma is missing before '1'"),
        ("2 time", 2, "an operator or a comma is missing before 'time'"),
        ("40 deg", 3, "missing before 'deg'"),
        ("90.d0 + 1", 3, "missing before 'd0'; D means degrees, and powers of ten have an E"),
        ("1,2", 1, "only between the arguments"),
        ("(1,2)", 2, "only between the arguments"),
        ("2 $ 3", 2, "'$'"),
        ("2 # 3", 2, "'#' has no meaning"),
        ("time^2", 4, "a ** b"),
        ("3 & 4", 2, "end of a line"),
        ("STEP（time,0,0,1,2)", 4, "is not '('"),
        ("STEP(time，0,0,1,2)", 9, "is not ','"),
        ("[1,2,3]", 0, "vectors"),
        ("time % 2", 5, "vectors"),
        ("STP(time,0,0,1,2)", 0, "STEP or STEP5"),
        ("1 + sim(time)", 4, "SIN"),
        ("1 + tme", 4, "TIME"),
        ("STEP(time,0,0,l,40d)", 14, "'l' is not known"),
        ("STEP + 1", 0, "STEP(x, x0, h0, x1, h1)"),
        ("TIME(1)", 0, "takes no arguments"),
        ("PI()", 0, "takes no arguments"),
        (
            "2*STEP(time,0,0,1)",
            2,
            "STEP requires 5 arguments, STEP(x, x0, h0, x1, h1); here it has 4",
        ),
        ("SIN(1,2)", 0, "requires 1 argument, SIN(a); here it has 2"),
        ("POLY(time,0)", 0, "requires 3 to 33 arguments"),
        ("DELAY(time,1)", 0, "requires 3 to 4 arguments, DELAY(e, dt, init[, logic])"),
        ("IF(time, 1, 2, 3)", 7, "':' is expected here"),
        ("IF(time: 1: 2, 3)", 10, "',' is expected here"),
        ("SIN(1: 2)", 5, "',' is expected here"),
        ("3*DX(.model.part.cm, 2)", 2, "DX depends on the state"),
        ("VARVAL(3)", 0, "a motion may depend on TIME only"),
        ("IMPACT(DZ(1,2),VZ(1,2),0,1,1,1,1)", 0, "IMPACT depends on the state"),
        ("WZ", 0, "WZ depends on the state"),
        ("AKISPL(time, 0, spl, 0)", 16, "known ids: none"),
        ("INVPSD(time, 1, 1, 2, 3, 0, 0)", 0, "INVPSD makes a random signal"),
        ("STEP(time, 1, 0, 1, 2)", 17, "x0 < x1; here x0 = 1 and x1 = 1"),
        ("STEP5(time, 2, 0, 1, 2)", 18, "x0 < x1; here x0 = 2 and x1 = 1"),
        ("HAVSIN(time, 0, 1, 0, 40d)", 19, "the order is (x, begin, initial, end, final)"),
        ("SWEEP(time, 1, 2, 3, 1, 3, 1)", 21, "x0 < x1"),
        ("STEP(time, 2*PI, 0, 360d - 1, 1)", 20, "x0 < x1"),
        ("DELAY(time, -1, 0)", 12, "not negative"),
        ("1d0", 1, "missing before 'd0'"),
    ],
)
def test_a_mistake_is_told_with_its_place(text, position, words):
    error = mistake(text)
    assert words in str(error)
    assert error.position == position


def test_the_caret_is_under_the_place_on_its_line():
    text = "STEP(time, 0, 0, 1, 40d) &\n  + STP(time, 0, 0, 1, 40d)"
    lines = str(mistake(text)).splitlines()
    assert lines[1].strip() == "+ STP(time, 0, 0, 1, 40d)"
    assert lines[1][lines[2].index("^")] == "S"


def test_a_name_like_nothing_gets_the_page_of_all_names():
    message = str(mistake("qqq(time)"))
    assert "'qqq' is not known; docs/functions.md has all names" in message
    assert len(message.splitlines()[0]) < 80


@pytest.mark.parametrize(
    "text",
    ["-" * 3000 + "1", "SIN(" * 2000 + "1" + ")" * 2000, "2**" * 2000 + "1", "2*" * 2000 + "1"],
)
def test_nesting_beyond_all_sense_is_an_error_not_a_crash(text):
    assert "nested" in str(mistake(text))


@given(st.text(alphabet="STEPsin()timeDX0123456789.,:+-*/ &!\n[]%d", max_size=30))
def test_any_text_is_an_expression_or_an_expression_error(text):
    try:
        drive = expression(text)
    except ExpressionError as error:
        assert error.position is None or 0 <= error.position <= len(text)
    else:
        assert drive.value(np.array([0.0, 1.0])).shape == (2,)


NUMBERS = st.floats(0.1, 9.9).map(lambda x: f"{x:.3g}")
TREES = st.recursive(
    st.one_of(NUMBERS, st.just("t")),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map("".join),
        inner.map(lambda e: f"({e})"),
        inner.map(lambda e: f"-({e})"),
        st.tuples(inner, st.sampled_from(["2", "3"])).map(lambda p: f"({p[0]})**{p[1]}"),
    ),
    max_leaves=8,
)


@given(TREES, st.floats(0.1, 5))
def test_arithmetic_is_pythons_arithmetic(text, t):
    # Python has the same precedence for these operators, and is the oracle here.
    try:
        want = eval(text, {"t": t})
    except ZeroDivisionError:
        want = math.nan
    got = value(text.replace("t", "time"), t)
    if math.isnan(want):
        assert math.isnan(got)
    else:
        assert got == pytest.approx(want, rel=1e-9)  # sums may cancel differently


def test_an_expression_is_called_like_a_function():
    t = np.linspace(0, 1, 5)
    np.testing.assert_array_equal(expression("SIN(2*time)")(t), np.sin(2 * t))
    assert expression("STEP(time, 0, 0, 1, 2)")(0.5) == 1.0
