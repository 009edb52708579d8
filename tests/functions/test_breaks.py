"""Where an expression is not smooth, against the times worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.errors import ScenarioError
from sim.functions import breaks as breaks_module
from sim.functions.expression import expression


def breaks(text: str, t0: float = 0.0, t1: float = 10.0) -> list[float]:
    return [float(t) for t in expression(text).breaks(t0, t1)]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("SIN(time) + 3*time**2 - EXP(-time)", []),
        ("TANH((time-3)/1E-4) - TANH((time-3.5)/1E-4)", []),
        ("POLY(time, 0, 1, 2, 3)", []),
        ("STEP(time, 0, 0, 0.5, 72d)", [0.0, 0.5]),
        (
            "STEP(time,0,0,0.5,72d)+STEP(time,0.5,0,5.5,0)+STEP(time,5.5,0,6,-72d)",
            [0.0, 0.5, 5.5, 6.0],
        ),
        ("STEP5(time, 0.3, 0, 0.7, 1)", [0.3, 0.7]),
        ("HAVSIN(time, 0.1, 0, 10, 1)", [0.1, 10.0]),
        ("STEP(time, -1, 0, 11, 1)", []),
        ("STEP(2*time - 1, 0, 0, 3, 1)", [0.5, 2.0]),
        ("STEP(3 - time, 1, 0, 2, 1)", [1.0, 2.0]),
        ("SWEEP(time, 1, 2, 5, 8, 9, 0.5)", [2.0, 2.5, 8.0]),
        ("IF(time - 3: 0, 0, 1)", [3.0]),
        ("IF(3 - time: 0, 0, 1)", [3.0]),
        ("IF(0: 0, 0, 1)", []),
        ("ABS(time - 4.5)", [4.5]),
        ("SIGN(time, time - 2)", [0.0, 2.0]),
        ("MAX(time, 4)", [4.0]),
        ("MIN(time, 10 - time)", [5.0]),
        ("DIM(time, 7)", [7.0]),
        ("MOD(time, 2.5)", [2.5, 5.0, 7.5, 10.0]),
        ("MOD(time - 5, 4)", [1.0, 9.0]),
        ("AINT(time/3)", [3.0, 6.0, 9.0]),
        ("AINT(time - 1.5)", [0.5, *np.arange(2.5, 10)]),
        ("ANINT(time/4)", [2.0, 6.0, 10.0]),
        ("DELAY(SIN(time), 1.5, 0)", [1.5]),
        ("DELAY(STEP(time, 0, 0, 1, 1), 2, 0)", [2.0, 3.0]),
        ("SQRT(time - 2)", [2.0]),
        ("(time - 2)**1.5", [2.0]),
        ("(time - 2)**3", []),
        ("ASIN(time - 3)", [2.0, 4.0]),
        ("2*ABS(time - 1) + IF(time - 1: 0, 0, 1)", [1.0]),
    ],
)
def test_breaks_of_affine_arguments_are_exact(text, times):
    assert breaks(text) == times


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("TANH((time-3)/1E-4) - TANH((time-3.5)/1E-4)", [3.0, 3.5]),
        ("EXP(-((time-3.1)/1E-3)**2) + EXP(-(time-4)**2) + TANH(50*(time-5))", [3.1]),
        ("TANH(1E4*(time-3)*(time-5)) + ABS(time-1)", [1.0, 3.0, 5.0]),
        ("TANH(9*SIN(1E3*time)) + EXP(SIN(1E5*time)) + ABS(time-1)", [1.0]),
        ("TANH(TANH(1E9*SIN(1E6*time))) + EXP(-((time-3.1)/1E-3)**2)", [3.1]),
    ],
)
def test_middles_of_few_narrow_pulses_are_found_on_request(text, times):
    found = expression(text).breaks(0.0, 10.0, has_middles=True)
    assert found == pytest.approx(times, abs=1e-9)
    assert breaks(text) == [1.0] * text.count("ABS")


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("ABS(SIN(time))", math.pi * np.arange(4)),
        ("MAX(SIN(time), COS(time))", math.pi * (0.25 + np.arange(3))),
        ("IF(time**2 - 2: 0, 1, 1)", [math.sqrt(2)]),
        ("ABS((time - 3)**2 - 1e-6)", [3 - 1e-3, 3 + 1e-3]),
        ("STEP(EXP(time), 2, 0, 3, 1)", [math.log(2), math.log(3)]),
        ("AINT(time**2/30)", np.sqrt([30, 60, 90])),
        ("STEP(STEP(time, 2, 0, 3, 1), 0, 0, 0.5, 1)", [2, 2.5, 3]),
        ("STEP(ABS(time - 5), 1, 0, 2, 1)", [3, 4, 5, 6, 7]),
        ("IF(ABS(time - 5.3) - 1e-4: 1, 0, 0)", [5.2999, 5.3, 5.3001]),
        ("ABS(STEP(time, 5, 0, 5.0001, 1) - 0.5)", [5, 5.00005, 5.0001]),
        ("DELAY(ABS(time - 1), 0.5*time, 0)", [0, 2]),
    ],
)
def test_breaks_of_other_arguments_are_found_to_rounding(text, times):
    found = breaks(text)
    assert len(found) == len(times)
    np.testing.assert_allclose(found, times, rtol=0, atol=1e-14)  # a few units in the last place


@given(st.floats(-3, 3), st.floats(0.01, 5), st.floats(0.1, 5), st.floats(-5, 5))
def test_at_a_break_the_function_is_already_on_its_new_side(x0, width, rate, offset):
    x1 = x0 + width
    drive = expression(f"STEP({rate!r}*time + {offset!r}, {x0!r}, 0, {x1!r}, 1)")
    start, end = drive.breaks(-100.0, 100.0)
    np.testing.assert_allclose(
        [start, end], [(x0 - offset) / rate, (x1 - offset) / rate], rtol=0, atol=1e-13
    )
    bend = 6 * (rate / width) ** 2
    assert drive.derivatives(start)[2] == pytest.approx(bend, rel=1e-9)
    assert drive.derivatives(start - 1e-9)[2] == 0
    assert drive.derivatives(end)[2] == 0
    assert drive.derivatives(end - 1e-9)[2] == pytest.approx(-bend, rel=1e-5)


def test_the_interval_is_closed_and_breaks_outside_are_left_out():
    text = "STEP(time, 1, 0, 2, 1) + ABS(time - 3)"
    assert breaks(text, 1.0, 3.0) == [1.0, 2.0, 3.0]
    assert breaks(text, 1.5, 2.5) == [2.0]
    assert breaks("ABS(SIN(PI*time))", 1.0, 3.0) == pytest.approx([1, 2, 3], abs=1e-14)
    assert breaks("ABS(SIN(time))", 0.0, 3.0) == [0.0]


def test_breaks_far_from_the_origin_are_as_exact():
    assert breaks("STEP(time, 1000.1, 0, 1000.3, 1)", 1000.0, 1001.0) == [1000.1, 1000.3]


def test_breaks_that_differ_by_rounding_are_one():
    assert len(breaks("ABS(time - 0.3) + ABS(time - (0.1 + 0.2))")) == 1


def test_many_breaks_are_all_found():
    found = expression("ABS(SIN(1e4*time))").breaks(0.0, 10.0)
    # the zeros of the sine lie at whole multiples of π/1e4; 1e4·time is rounded to 1.5e-11
    np.testing.assert_allclose(found, math.pi / 1e4 * np.arange(31831), rtol=0, atol=4e-15)
    steps = expression("MOD(1000*time, 1)").breaks(0.0, 10.0)
    np.testing.assert_allclose(steps, np.arange(1, 10001) / 1000, rtol=0, atol=4e-15)
    assert expression("ABS(MOD(1000*time, 1) - 0.5)").breaks(0.0, 10.0).size == 20000


def test_a_function_that_only_switches_is_an_error_and_not_a_wait():
    with pytest.raises(ScenarioError, match="switches more than 200000 times"):
        breaks("AINT(1e9*time)")


def test_to_look_for_switches_ends(monkeypatch):
    """Each part switches no more than may be, and all together take a minute or an hour."""
    monkeypatch.setattr(breaks_module, "WORK", 3_000_000)
    assert len(breaks("IF(SIN(100*time): 0, 1, 2)", 0.0, 1.0)) == 32
    with pytest.raises(ScenarioError, match="take too long"):
        breaks("+".join(["IF(SIN(100*time): 0, 1, 2)"] * 200), 0.0, 1.0)
