"""Curves in whole steps, decoded number by number."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.reports.page.quantising import encode_steps, planes, step_of_differences, step_of_values
from tests.helpers.page_runs import decoded, whole_numbers

ANY = st.floats(allow_nan=True, allow_infinity=True, allow_subnormal=True)
SERIES = st.one_of(
    st.lists(ANY, min_size=1, max_size=40),
    st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=40),
    st.lists(st.sampled_from([9.81, math.nan, -math.inf]), min_size=1, max_size=10),
)
TOLERANCES = st.one_of(st.none(), st.floats(1e-12, 1e6), st.sampled_from([0.0, math.inf]))


def off(values, kept):
    """Largest exact difference of values that are numbers; others must be alike."""
    worst = Fraction(0)
    for value, found in zip(values, kept, strict=True):
        if math.isfinite(value):
            worst = max(worst, abs(Fraction(value) - Fraction(found)))
        else:
            assert str(value) == str(float(found))
    return worst


@given(SERIES, TOLERANCES, st.sampled_from([step_of_values, step_of_differences]))
def test_no_value_is_off_by_more_than_a_tenth_of_the_tolerance(values, tolerance, step_of):
    y = np.array(values)
    exponent = step_of(y, tolerance)
    codes = encode_steps(y, exponent)
    assert int(codes.max()) < 2**53  # whole in the page's script
    worst = off(values, decoded(codes.tolist(), exponent))
    largest = max((abs(Fraction(v)) for v in values if math.isfinite(v)), default=Fraction(0))
    finest = 22 if step_of is step_of_values else 48  # of values a narrower band is not to be seen
    floor = max(largest / 2**finest, Fraction(2) ** -1022)
    if tolerance and math.isfinite(tolerance):
        assert worst <= max(Fraction(tolerance) / 10, floor)
    assert worst <= max(largest / 1000, floor)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40), st.floats(-1e6, 1e6))
def test_a_curve_without_tolerance_is_kept_to_a_screens_rows_of_its_own_span(values, base):
    y = np.array(values) + base
    exponent = step_of_values(y, None)
    worst = off(y.tolist(), decoded(encode_steps(y, exponent).tolist(), exponent))
    assert worst <= max(1e-4 * np.ptp(y), 2.0**-22 * np.abs(y).max(), 2.0**-1022)


@pytest.mark.parametrize("value", [0.0, 5e-324, 1e-300, 9.81, -1e300, 1.7976931348623157e308])
def test_a_constant_is_one_value_and_nothing_more(value):
    y = np.full(50, value)
    codes = encode_steps(y, step_of_values(y, None))
    assert set(codes[1:].tolist()) == {3}
    assert decoded(codes.tolist(), step_of_values(y, None)) == pytest.approx(y, rel=2.0**-22)


def test_rounding_about_a_constant_is_no_curve():
    y = 407.0 + 1e-12 * np.sin(np.arange(100.0))
    assert set(encode_steps(y, step_of_values(y, None))[1:].tolist()) == {3}


def test_gaps_do_not_lose_the_way():
    y = np.array([math.nan, 1.0, math.inf, -math.inf, 2.0, math.nan])
    assert encode_steps(y, 0).tolist() == [0, 5, 1, 2, 5, 0]


def test_nothing_but_gaps_and_nothing_at_all():
    assert encode_steps(np.array([math.nan, math.inf]), 0).tolist() == [0, 1]
    assert 2.0 ** step_of_values(np.array([math.nan]), 1e-9) <= 1e-10
    assert planes([]) == (b"", 0)


@given(st.lists(st.lists(st.integers(0, 2**54), max_size=9), max_size=4))
def test_bytes_lie_by_their_place_and_no_place_is_empty(parts):
    block, width = planes([np.array(part, np.uint64) for part in parts])
    every = [code for part in parts for code in part]
    assert whole_numbers(block, 0, len(every), width) == every
    assert len(block) == width * len(every)
    assert width == -(-max(every, default=0).bit_length() // 8)
