import numpy as np
import pytest
from scipy.interpolate import Akima1DInterpolator, CubicSpline

from sim.reports.exports.spline_points import acceleration_points, spline_points

T = np.linspace(0.0, 2.0, 2001)
NONE = np.empty(0)
KNOTS = np.linspace(0.0, 2.0, 41)
SINE = (np.sin(3 * T), 3 * np.cos(3 * T), -9 * np.sin(3 * T))


def test_a_smooth_curve_needs_few_points_and_comes_back_between_them():
    """The oracle is SciPy's own spline, and the sine at times that are no samples."""
    found = spline_points(T, SINE, NONE)
    assert found.function == "CUBSPL"
    assert found.taken < 100
    natural = CubicSpline(found.t, found.y, bc_type="natural")
    between = np.linspace(0.0, 2.0, 34567)
    assert np.abs(natural(between) - np.sin(3 * between)).max() <= 1.1e-6
    assert found.errors[0] <= 1e-6
    for order, curve in enumerate(SINE):
        assert found.errors[order] == pytest.approx(np.abs(natural(T, order) - curve).max())


def test_the_natural_ends_do_not_bend_the_motion_within_the_run():
    """cos(3t) has its greatest acceleration at t = 0, where a natural spline has none."""
    cosine = (np.cos(3 * T), -3 * np.sin(3 * T), -9 * np.cos(3 * T))
    found = spline_points(T, cosine, NONE)
    assert found.t[0] < 0.0
    assert found.t[-1] > 2.0
    assert found.errors[2] < 0.05  # 9 rad/s² without points beyond the ends


@pytest.mark.parametrize("corners", [KNOTS[1:-1], np.delete(KNOTS[1:-1], 19)])
@pytest.mark.parametrize("kind", ["CUBSPL", "AKISPL"])
def test_a_spline_comes_back_by_its_own_points(kind, corners):
    """Also where the acceleration happens not to jump at one of them."""
    y = np.random.default_rng(3).normal(size=KNOTS.size)
    natural = CubicSpline(KNOTS, y, bc_type="natural")
    drive = natural if kind == "CUBSPL" else Akima1DInterpolator(KNOTS, y)
    found = spline_points(T, tuple(drive(T, order) for order in range(3)), corners)
    assert found.function == kind
    np.testing.assert_allclose(found.t, KNOTS, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.y, y, rtol=0, atol=1e-12)
    assert max(found.errors[:2]) < 1e-9  # the acceleration of Akima's spline jumps at its points


def test_a_smooth_curve_is_not_taken_for_a_spline():
    """A sine without curvature at its ends is within 1e-9 of a natural spline each 8 ms."""
    sine = 0.1 * np.sin(np.pi * T)
    found = spline_points(T, (sine, 0.1 * np.pi * np.cos(np.pi * T), -(np.pi**2) * sine), NONE)
    assert found.taken < 100


def test_corners_are_among_the_points():
    ramp = np.maximum(T - 0.7777, 0.0)
    found = spline_points(T, (ramp**2, 2 * ramp, 2.0 * (ramp > 0)), np.array([0.7777]))
    assert 0.778 in found.t


def test_noise_takes_all_samples():
    noise = np.random.default_rng(5).normal(size=T.size)
    found = spline_points(T, (noise,), NONE)
    assert found.taken == T.size
    np.testing.assert_array_equal(found.y, noise)
    assert found.errors[0] < 1e-12


def test_the_tolerance_is_kept():
    loose, tight = spline_points(T, SINE, NONE, 1e-3), spline_points(T, SINE, NONE, 1e-9)
    assert loose.errors[0] <= 1e-3
    assert tight.errors[0] <= 1e-9
    assert loose.taken < tight.taken


def test_the_acceleration_brings_a_smooth_motion_back():
    """cos(3t) by two integrals of SciPy's spline, between the samples and at both ends."""
    cosine = (np.cos(3 * T), -3 * np.sin(3 * T), -9 * np.cos(3 * T))
    found = acceleration_points(T, cosine)
    assert (found.order, found.function) == (2, "CUBSPL")
    assert found.taken < T.size
    natural = CubicSpline(found.t, found.y, bc_type="natural")
    between = np.linspace(0.0, 2.0, 3457)
    assert np.abs(natural(between) + 9 * np.cos(3 * between)).max() <= 2e-9  # rad/s²
    speed, place = natural.antiderivative(1), natural.antiderivative(2)
    moved = 1 + (0 - speed(0)) * between + place(between) - place(0)
    assert np.abs(moved - np.cos(3 * between)).max() <= 1e-10
    assert found.errors[0] <= 1e-10
