import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.errors import ExpressionError
from sim.functions.expression import expression
from sim.functions.operations import FUNCTIONS
from sim.functions.spline import spline
from sim.functions.write_expression import number, write_expression

T = np.linspace(0.0, 3.0, 301)


def rewritten(text):
    return write_expression(expression(text).tree)


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("step(time,0,0,0.5,72d)", "STEP(TIME, 0, 0, 0.5, 72D)"),
        ("1-(2-3)+4", "1 - (2 - 3) + 4"),
        ("2*-3", "2 * (-3)"),
        ("2--3", "2 - (-3)"),
        ("--time", "-(-TIME)"),
        ("+time", "TIME"),
        ("-time**-2", "-TIME**(-2)"),
        ("2**3**4", "2**(3**4)"),
        ("(2**3)**4", "(2**3)**4"),
        ("8/4/2", "8 / 4 / 2"),
        ("8/(4/2)", "8 / (4 / 2)"),
        ("1e-3", "1.0E-3"),
        (".5e2", ".5E2"),
        ("3.d", "3.D"),
        ("2*pi*rtod", "2 * PI * RTOD"),
        ("if(time-1:\n 0, & ! so\n 1,2)", "IF(TIME - 1: 0, 1, 2)"),
        ("delay(time, 0.5, 3)", "IF(TIME - 0.5: 3, TIME - 0.5, TIME - 0.5)"),
    ],
)
def test_the_text_is_in_the_syntax_of_adams(typed, text):
    assert rewritten(typed) == text


def test_a_number_of_degrees_with_an_exponent_is_in_radians():
    assert float(rewritten("18e1d")) == np.pi


def test_digits_that_do_not_count_are_left_out():
    assert rewritten("0." + "3" * 60) == "0.3333333333333333"


CALLS = {
    "STEP": "time,1,0,2,1", "STEP5": "time,1,0,2,1", "HAVSIN": "time,1,0,2,1",
    "SHF": "time,1,2,3,4,5", "POLY": "time,1,2,3,4", "CHEBY": "time,1,2,3,4",
    "FORCOS": "time,1,2,3,4", "FORSIN": "time,1,2,3,4",
    "SWEEP": "time,1,1,2,2,3,0.1", "IF": "time-1:1,2,time", "DELAY": "sin(time),0.5,0",
    "ATAN2": "time,2", "DIM": "time,1", "MAX": "time,1", "MIN": "time,1", "MOD": "time,0.7",
    "SIGN": "2,time-1",
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_is_read_back_with_the_same_values_and_derivatives(name):
    text = f"2*-{name}({CALLS.get(name, '0.3*time')})/3"
    before, after = expression(text), expression(rewritten(text))
    for one, other in zip(before.derivatives(T), after.derivatives(T), strict=True):
        np.testing.assert_array_equal(one, other)


LEAVES = st.sampled_from(["time", "2", "0.5", "3.25", "30d", "1e-1"])
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda p: f"({p[0]}){p[1]}({p[2]})"),
        st.tuples(inner, st.sampled_from("+-*/"), inner).map("".join),
        inner.map(lambda text: f"-({text})"),
        inner.map(lambda text: f"({text})**2"),
        inner.map(lambda text: f"cos({text})"),
    ),
    max_leaves=12,
)


@given(TREES)
def test_python_reads_the_text_as_it_was_meant(typed):
    """Python's operators bind as ADAMS's do, and it knows nothing of our parser."""
    text = rewritten(typed)
    assert not re.search(r"[-+*/] *[-+/]|[-+/] *\*|\* \*", text), "two operators meet"
    python = re.sub(r"([\d.]+)D\b", r"(\1*np.pi/180)", text)
    python = python.replace("TIME", "T").replace("COS", "np.cos")
    with np.errstate(all="ignore"):
        meant = np.broadcast_to(np.float64(eval(python, {"np": np, "T": T})), T.shape)
    ours = expression(typed).value(T)
    fine = np.isfinite(ours) & np.isfinite(meant) & (np.abs(ours) < 1e6)
    np.testing.assert_allclose(ours[fine], meant[fine], rtol=1e-9, atol=1e-9)


def test_data_points_do_not_stand_in_a_text():
    curve = spline([0, 1, 2, 3], [0, 1, 0, 1])
    with pytest.raises(ExpressionError, match="CUBSPL reads data points"):
        write_expression(expression("CUBSPL(time,0,1)", {"1": curve}).tree)


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1.0"), (1e-5, "1.0E-05"), (-2.5e30, "-2.5E+30"), (0.1, "0.1")]
)
def test_a_number_has_a_point_and_all_its_digits(value, text):
    assert number(value) == text
    assert float(text) == value
