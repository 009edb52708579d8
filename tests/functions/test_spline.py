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


def natural_by_hand(t, y):
    """Second derivatives at the knots, from the tridiagonal system of the natural cubic spline."""
    h, slope = np.diff(t), np.diff(y) / np.diff(t)
    A = np.eye(t.size)
    right = np.zeros(t.size)
    for i in range(1, t.size - 1):
        A[i, i - 1 : i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        right[i] = 6 * (slope[i] - slope[i - 1])
    return np.linalg.solve(A, right)


@given(points())
def test_it_is_the_natural_cubic_spline_of_the_points(data):
    t, y = data
    curve = spline(t, y)
    scale = max(1.0, np.max(np.abs(y)))
    value, first, second = curve.derivatives(t)
    assert np.max(np.abs(value - y)) <= 1e-12 * scale
    # second derivatives grow with the inverse square of the smallest gap, 0.05 s
    assert np.max(np.abs(second - natural_by_hand(t, y))) <= 1e-9 * scale
    assert np.max(np.abs(second[[0, -1]])) <= 1e-9 * scale
    inner = np.linspace(t[0], t[-1], 50)
    oracle = CubicSpline(t, y, bc_type="natural")
    for order, mine in enumerate(curve.derivatives(inner)):
        assert np.max(np.abs(mine - oracle(inner, order))) <= 1e-12 * scale * 1e3**order
    assert np.array_equal(curve.value(inner), curve.derivatives(inner)[0])
    assert first.shape == t.shape


@given(st.floats(-5, 5), st.floats(-5, 5))
def test_a_straight_line_is_met_exactly_between_and_beyond_its_points(a, b):
    curve = spline(TIMES, a + b * TIMES)
    t = np.linspace(-1.0, 3.0, 41)
    value, first, second = curve.derivatives(t)
    assert np.max(np.abs(value - (a + b * t))) <= 1e-13 * (1 + abs(a) + abs(b))
    assert np.max(np.abs(first - b)) <= 1e-12 * (1 + abs(a) + abs(b))
    assert np.max(np.abs(second)) <= 1e-11 * (1 + abs(a) + abs(b))


def test_a_natural_cubic_spline_is_met_exactly_with_its_derivatives():
    def exact(t):
        """(t + 1)³ - 2 max(t, 0)³: one knot at 0, no curvature at -1 and at 1."""
        late = np.maximum(t, 0)
        return (t + 1) ** 3 - 2 * late**3, 3 * (t + 1) ** 2 - 6 * late**2, 6 * (t + 1) - 12 * late

    knots, t = np.array([-1.0, -0.5, 0.0, 0.5, 1.0]), np.linspace(-1, 1, 101)
    for mine, wanted in zip(spline(knots, exact(knots)[0]).derivatives(t), exact(t), strict=True):
        assert np.max(np.abs(mine - wanted)) <= 1e-12


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
        ([0, 1, 2, 3], [0, 1, 2], r"one y for each x; got \(4,\) of x and \(3,\) of y"),
        (3.0, 3.0, r"one y for each x; got \(\) of x and \(\) of y"),
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
