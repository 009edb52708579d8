"""Figures of a curve between two times, against closed forms."""

import numpy as np
import pytest

from sim.curves import Curve, Extreme
from sim.errors import CurveError

S = np.linspace(0, 1, 4001)
UNEVEN = 2 * np.pi * S * (0.5 + 0.5 * S)


def test_figures_of_a_sine_over_its_period():
    found = Curve(UNEVEN, 3 + 2 * np.sin(UNEVEN), "m", "x").statistics()
    # chords at most h = 1.5 2π / 4000 long are within 2 h²/8 of the sine
    near = 2 * (1.5 * 2 * np.pi / 4000) ** 2 / 8
    assert found.mean == pytest.approx(3, abs=near)
    assert found.rms == pytest.approx(np.sqrt(11), abs=near)
    assert found.min.value == pytest.approx(1, abs=near)
    assert found.max.t == pytest.approx(np.pi / 2, abs=2e-3)
    assert found.peak == found.max


def test_between_two_marks_a_ramp_is_exact_and_gaps_do_not_count():
    found = Curve([0, 1, 3], [0, 1, 3]).statistics(0.5, 2)
    assert (found.start, found.end) == (0.5, 2)
    assert found.mean == pytest.approx(1.25, abs=1e-15)
    assert found.rms == pytest.approx(np.sqrt((8 - 0.125) / 4.5), abs=1e-15)
    assert (found.min, found.max) == (Extreme(0.5, 0.5), Extreme(2, 2))
    gap = Curve([0, 1, 2, 3], [5, np.nan, 1, 3]).statistics()
    assert gap.mean == pytest.approx(2, abs=1e-15)
    with pytest.raises(CurveError, match="no finite value"):
        Curve([0, 1], [np.nan, np.nan]).statistics()


def test_the_peak_keeps_its_sign():
    assert Curve([0, 1, 2], [1, -4, 3]).statistics().peak == Extreme(-4, 1)


def test_tops_and_bottoms_that_stand_out():
    t = np.linspace(0, 3, 3001)
    wave = np.sin(2 * np.pi * t) + 1e-3 * np.sin(2 * np.pi * 90 * t)
    found = Curve(t, np.exp(-t / 3) * wave).peaks(4)
    assert [one.t for one in found] == pytest.approx([0.25, 0.75, 1.25, 1.75], abs=0.02)
    assert [np.sign(one.value) for one in found] == [1, -1, 1, -1]
    assert Curve(t, np.ones(t.size)).peaks() == []


def test_a_curve_at_other_times_is_on_its_lines():
    curve = Curve([0, 1, 3], [0, 2, 0], "rad", "x").at([0.5, 1, 2])
    assert curve.values.tolist() == [1, 2, 1]
    assert curve.unit == "rad"
    with pytest.raises(CurveError, match="lasts from 0 to 1 s"):
        Curve([0, 1], [0, 2]).at([0.5, 1.5])


@pytest.mark.parametrize(
    ("t", "values", "words"),
    [
        ([0, 1], [1, 2, 3], "one value a time"),
        ([0, 0], [1, 2], "ascend"),
        ([0, np.inf], [1, 2], "finite"),
        ([0, 1], "SQRT(-1)", "The values of a curve must be an array of numbers; got 'SQRT"),
        ([0, 1], ["1", "2"], "The values of a curve must be an array of numbers"),
        ([[0], [1, 2]], [1, 2], "The times of a curve must be an array of numbers"),
        (None, [1, 2], "The times of a curve must be an array of numbers; got None"),
    ],
)
def test_what_is_no_curve_says_why(t, values, words):
    with pytest.raises(CurveError, match=words):
        Curve(t, values)
    with pytest.raises(CurveError, match="no samples from"):
        Curve([0, 1], [0, 1]).between(2, 3)


@pytest.mark.parametrize("name", ["unit", "text"])
@pytest.mark.parametrize("value", [-1, [], b"x", None])
def test_a_unit_or_an_expression_that_is_no_text_is_refused(name, value):
    with pytest.raises(CurveError, match="must be text; got"):
        Curve([0, 1], [0, 1], **{name: value})


def test_an_error_that_is_no_number_is_refused():
    with pytest.raises(CurveError, match="error of a curve must be a number"):
        Curve([0, 1], [0, 1], error=np.zeros((2, 3)))
