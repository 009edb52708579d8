import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

from sim.errors import ScenarioError
from sim.functions import spline
from sim.functions.time_function import TimeFunction

TIMES = np.array([0.0, 0.4, 0.7, 1.5, 2.0])
VALUES = np.array([0.1, -0.3, 0.8, 0.2, 0.25])


@st.composite
def points(draw):
    gaps = draw(st.lists(st.floats(0.05, 2.0), min_size=3, max_size=12))
    values = st.lists(st.floats(-10, 10), min_size=len(gaps) + 1, max_size=len(gaps) + 1)
    return np.concatenate([[0.0], np.cumsum(gaps)]), np.array(draw(values))


@given(points())
def test_it_is_the_natural_cubic_spline_of_the_points(data):
    t, y = data
    curve = spline(t, y)
    scale = max(1.0, np.max(np.abs(y)))
    assert np.max(np.abs(curve.value(t) - y)) <= 1e-12 * scale
    inner = np.linspace(t[0], t[-1], 50)
    oracle = CubicSpline(t, y, bc_type="natural")
    for order, mine in enumerate(curve.derivatives(inner)):
        assert np.max(np.abs(mine - oracle(inner, order))) <= 1e-12 * scale * 1e3**order
    assert np.array_equal(curve.value(inner), curve.derivatives(inner)[0])


def test_it_is_a_function_of_time_that_keeps_the_shape_of_the_times():
    curve = spline(TIMES, VALUES)
    assert isinstance(curve, TimeFunction)
    for t in (np.array(0.3), np.array([0.3]), np.zeros((2, 3))):
        assert curve.value(t).shape == t.shape
        assert all(part.shape == t.shape for part in curve.derivatives(t))


def test_its_breaks_are_its_points_inside_the_run():
    curve = spline(TIMES, VALUES)
    assert curve.breaks(0.0, 2.0).tolist() == TIMES.tolist()
    assert curve.breaks(0.1, 1.5).tolist() == [0.4, 0.7, 1.5]
    assert curve.breaks(3.0, 4.0).tolist() == []


def test_the_points_can_be_lists_and_are_copied():
    t, y = TIMES.copy(), VALUES.copy()
    curve = spline(t, y)
    t[:], y[:] = 9.0, 9.0
    assert np.max(np.abs(curve.value(TIMES) - VALUES)) <= 1e-15
    assert not curve.knots.flags.writeable
    assert spline(TIMES.tolist(), VALUES.tolist()).value(np.array(0.4)) == pytest.approx(-0.3)


@pytest.mark.parametrize(
    ("t", "y", "said"),
    [
        ([0, 1, 2], [0, 1, 2], "at least 4 points, got 3"),
        ([], [], "at least 4 points, got 0"),
        ([0, 1, 2, 3], [0, 1, 2], "one y for each x: X has 4 numbers and Y has 3"),
        (3.0, 3.0, "one y for each x: X has 1 numbers and Y has 1"),
        (np.zeros((2, 4)), np.zeros((2, 4)), "one y for each x"),
        ([0, 1, 1, 3], [0, 1, 2, 3], "must ascend: point 3 is at x = 1, after point 2 at x = 1"),
        ([0, 2, 1, 3], [0, 1, 2, 3], "must ascend: point 3 is at x = 1, after point 2 at x = 2"),
        ([0, 1, 2, float("nan")], [0, 1, 2, 3], "needs finite points"),
        ([0, 1, 2, 3], [0, 1, float("inf"), 3], "needs finite points"),
        (["a", "b", "c", "d"], [0, 1, 2, 3], "needs numbers"),
        ([0, 1, 2, 3], [0, 1, 2, None], "finite points|needs numbers"),
        ([0, 1, 2, [3]], [0, 1, 2, 3], "needs numbers"),
    ],
)
def test_points_that_make_no_curve_are_refused(t, y, said):
    with pytest.raises(ScenarioError, match=said):
        spline(t, y)
