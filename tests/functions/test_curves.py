import numpy as np
import pytest
from scipy.integrate import quad

from sim.errors import ScenarioError
from sim.functions import expression
from sim.functions.curves import heart

CENTRE = (1.0, -0.5, 0.25)
TURN = 2 * np.pi
BAD = (0.0, -1.0, float("nan"), float("inf"))


def points(curve, t):
    return np.stack([expression(curve[axis]).value(np.atleast_1d(t)) for axis in "xyz"])


@pytest.mark.parametrize("value", BAD)
@pytest.mark.parametrize("name", ["a", "period"])
def test_size_and_period_are_positive_numbers(name, value):
    arguments = {"a": 0.3, "period": 5.0, name: value}
    with pytest.raises(ScenarioError, match=f"heart: {name} must be a positive number, got"):
        heart(centre=CENTRE, **arguments)


@pytest.mark.parametrize("ramp", [-0.1, 2.1, float("nan")])
def test_a_ramp_is_no_longer_than_the_period(ramp):
    with pytest.raises(ScenarioError, match=r"ramp must be from 0 to the period 2 s, got .* s"):
        heart(0.3, CENTRE, period=2.0, ramp=ramp)
    heart(0.3, CENTRE, period=2.0, ramp=2.0)


@pytest.mark.parametrize("centre", [(1, 2), (1, 2, 3, 4), (1, 2, float("nan"))])
def test_a_centre_is_three_finite_numbers(centre):
    with pytest.raises(ScenarioError, match="centre must be three finite numbers in m"):
        heart(0.3, centre)


def test_unknown_planes_and_variants_are_told_the_known_ones():
    with pytest.raises(ScenarioError, match="plane 'zx': choose one of xy, yz, xz"):
        heart(0.3, CENTRE, plane="zx")
    with pytest.raises(ScenarioError, match="variant 'right': choose corrected or printed"):
        heart(0.3, CENTRE, variant="right")


@pytest.mark.parametrize("variant", ["corrected", "printed"])
@pytest.mark.parametrize("plane", ["xy", "yz", "xz"])
def test_a_plane_names_the_axes_of_the_curve_and_the_third_stays(plane, variant):
    t = np.linspace(0, TURN, 50)
    level = points(heart(0.3, (0, 0, 0), variant=variant), t)
    found = points(heart(0.3, CENTRE, plane=plane, variant=variant), t)
    expected = np.repeat(np.array(CENTRE)[:, None], t.size, 1)
    for along, axis in zip(level[:2], plane, strict=True):
        expected["xyz".index(axis)] += along
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)  # m


@pytest.mark.parametrize("period", [0.5, 2.0, 20.0])
def test_the_curve_closes_after_its_period_and_is_the_formula_at_any_speed(period):
    a, t = 0.3, np.linspace(0, period, 50)
    theta = TURN * t / period + np.pi
    found = points(heart(a, CENTRE, period=period), t)
    u, v = 2 * np.cos(theta) - np.cos(2 * theta), 2 * np.sin(theta) - np.sin(2 * theta)
    expected = [CENTRE[0] + a * u, CENTRE[1] + a * v, CENTRE[2] + 0 * t]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)  # m
    np.testing.assert_allclose(found[:, 0], found[:, -1], rtol=0, atol=1e-14)


def quintic(z):
    """ADAMS's STEP5 from 0 to 1, by its own formula."""
    z = np.clip(z, 0, 1)
    return z**3 * (10 - 15 * z + 6 * z**2)


@pytest.mark.parametrize("ramp", [0.4, 1.5, 2.0])
def test_with_a_ramp_the_phase_is_the_integral_of_a_rate_that_rises_and_falls_as_a_quintic(ramp):
    period, a = 2.0, 0.3

    def rate(t):
        return quintic(t / ramp) - quintic((t - period) / ramp)

    curve = heart(a, (0, 0, 0), period=period, ramp=ramp)
    for t in np.linspace(0, period + ramp, 13):
        corners = sorted({min(ramp, t), min(period, t)})
        phase = TURN / period * quad(rate, 0, t, points=corners, epsabs=1e-12)[0]
        theta = phase + np.pi
        expected = [2 * np.cos(theta) - np.cos(2 * theta), 2 * np.sin(theta) - np.sin(2 * theta)]
        np.testing.assert_allclose(points(curve, t)[:2, 0], np.multiply(a, expected), atol=1e-11)


def test_a_ramped_curve_starts_and_ends_at_rest_and_stays_at_its_end():
    curve = heart(0.3, CENTRE, period=2.0, ramp=0.5)
    for axis in "xy":
        _, rate, acceleration = expression(curve[axis]).derivatives(np.array([0.0, 2.5, 3.0]))
        assert np.abs(rate).max() < 1e-13  # m/s
        assert np.abs(acceleration).max() < 1e-12  # m/s²
    p = points(curve, [0.0, 2.5, 3.0])
    np.testing.assert_allclose(p, np.repeat(p[:, :1], 3, 1), rtol=0, atol=1e-14)
