import numpy as np
import pytest
from scipy.interpolate import Akima1DInterpolator, CubicSpline

from sim.errors import ExpressionError
from sim.functions import expression, spline
from sim.functions.lint import lint, lint_spline
from sim.motion import JointMotion
from sim.robots import load_robot

T = np.linspace(0.0, 3.0, 101)
DATA = spline(np.linspace(0, 3, 13), np.sin(np.linspace(0, 3, 13)))


def test_akispl_is_akimas_spline():
    theirs = Akima1DInterpolator(DATA.knots, DATA.values)
    ours = expression("akispl(TIME, 0, 7)", {"7": DATA}).value(T)
    np.testing.assert_allclose(ours, theirs(T), rtol=0, atol=1e-13)


def test_interp_is_linear_or_cubic():
    linear = expression("INTERP(time, 1, p)", {"p": DATA}).value(T)
    np.testing.assert_allclose(linear, np.interp(T, DATA.knots, DATA.values), rtol=0, atol=1e-14)
    cubic = expression("INTERP(time, 3, p)", {"p": DATA}).value(T)
    np.testing.assert_allclose(cubic, DATA.value(T), rtol=0, atol=1e-14)


def test_curve_gives_the_component_and_the_derivative_asked_for():
    x, y, z = (spline([0, 1, 2, 3], [k, k + 1, k + 4, k + 9]) for k in (0, 10, 20))
    path = {"path": (x, y, z)}
    np.testing.assert_array_equal(expression("CURVE(time, 0, 2, path)", path).value(T), y.value(T))
    speed = expression("CURVE(time, 1, 3, path)", path).value(T)
    np.testing.assert_array_equal(speed, z.derivative(T, 1))


def test_the_order_asked_for_is_the_derivative_by_the_independent_variable():
    rate = expression("CUBSPL(time, 0, s, 1)", {"s": DATA})
    np.testing.assert_array_equal(rate.value(T), DATA.derivative(T, 1))
    np.testing.assert_array_equal(rate.derivatives(T)[1], DATA.derivative(T, 2))


def test_the_chain_rule_holds_for_a_stretched_variable():
    value, first, second = expression("CUBSPL(0.5*time**2, 0, s)", {"s": DATA}).derivatives(T)
    u = 0.5 * T**2
    inner = [DATA.derivative(u, order) for order in range(3)]
    np.testing.assert_allclose(value, inner[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(first, inner[1] * T, rtol=0, atol=1e-12)
    np.testing.assert_allclose(second, inner[2] * T**2 + inner[1], rtol=0, atol=1e-11)


def test_the_points_are_the_breaks():
    breaks = expression("CUBSPL(time, 0, s)", {"s": DATA}).breaks(0.0, 3.0)
    np.testing.assert_allclose(breaks, DATA.knots, rtol=0, atol=1e-12)
    shifted = expression("CUBSPL(2*time - 1, 0, s)", {"s": DATA}).breaks(0.0, 3.0)
    np.testing.assert_allclose(shifted, (DATA.knots + 1) / 2, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("CUBSPL(time, 0, other)", 16, "known ids: S, C"),
        ("CUBSPL(time, 1, s)", 0, "z is 0, a curve and not a surface; here it is 1"),
        ("CUBSPL(time, 0, s, 3)", 0, "iord is 0, 1 or 2; here it is 3"),
        ("CUBSPL(time, time, s)", 0, "only the first may depend on TIME"),
        ("CUBSPL(time, 0)", 0, "requires 3 to 4 arguments"),
        ("INTERP(time, 2, s)", 0, "0 (hold) or 4 (cubic, not-a-knot); here it is 2"),
        ("CURVE(time, 0, 4, c)", 0, "comp is 1, 2 or 3"),
        ("CURVE(time, 0, 1, s)", 0, "CURVE reads a curve"),
        ("AKISPL(time, 0, c)", 0, "AKISPL reads one spline"),
        ("1 + CUBSPL", 4, "CUBSPL is a function: CUBSPL(x, z, id[, iord])"),
    ],
)
def test_a_mistake_is_told_with_its_place(text, place, said):
    with pytest.raises(ExpressionError) as caught:
        expression(text, {"s": DATA, "c": (DATA, DATA, DATA)})
    assert said in caught.value.reason
    assert caught.value.position == place


def test_beyond_the_points_a_spline_goes_on_as_asked():
    x = np.array([-1.0, 0.0, 3.0, 4.0])
    theirs = CubicSpline(DATA.knots, DATA.values, bc_type="natural")
    np.testing.assert_allclose(DATA.value(x), theirs(x), rtol=0, atol=1e-12)
    linear = spline(DATA.knots, DATA.values, extrapolate="linear")
    ends = theirs(np.array([0.0, 3.0])), theirs(np.array([0.0, 3.0]), 1)
    np.testing.assert_allclose(
        linear.value(np.array([-1.0, 4.0])), ends[0] + ends[1] * [-1.0, 1.0], rtol=0, atol=1e-12
    )
    np.testing.assert_array_equal(linear.derivative(np.array([-1.0, 4.0]), 2), 0.0)
    none = spline(DATA.knots, DATA.values, extrapolate="none").value(x)
    np.testing.assert_array_equal(np.isnan(none), [True, False, False, True])


@pytest.mark.parametrize("kind", ["cubic", "akima", "linear"])
@pytest.mark.parametrize(("outside", "few"), [("parabola", 3), ("line", 2)])
def test_beyond_the_points_of_an_adams_spline_a_polynomial_through_the_last_ones_goes_on(
    kind, outside, few
):
    """Whatever the kind: the polynomial through them is NumPy's, exact but for rounding."""
    x, y = np.array([0.0, 1.0, 2.5, 4.0, 4.5]), np.array([3.0, -1.0, 0.5, 2.0, -1.0])
    one, inside = spline(x, y, kind, outside), spline(x, y, kind)
    within = np.linspace(0.0, 4.5, 91)
    for order in range(3):
        np.testing.assert_array_equal(
            one.derivative(within, order), inside.derivative(within, order)
        )
        for few_points, beyond in ((slice(few), [-2.0, -0.1]), (slice(-few, None), [4.6, 9.0])):
            p = np.polyder(np.polyfit(x[few_points], y[few_points], few - 1), order)
            np.testing.assert_allclose(
                one.derivative(np.array(beyond), order), np.polyval(p, beyond), rtol=0, atol=1e-11
            )


def test_the_linter_says_which_splines_make_torques_that_are_not_to_be_trusted():
    splines = {"s": DATA}
    (found,) = lint(expression("AKISPL(time, 0, s)", splines), "displacement", duration=3.0)
    assert found.code == "rough-spline"
    assert "an acceleration that jumps at every point" in found.message
    assert not lint(expression("CUBSPL(time, 0, s)", splines), "displacement", duration=3.0)
    assert not lint(expression("AKISPL(time, 0, s)", splines), "velocity", duration=3.0)
    (found,) = lint_spline(DATA.through("linear"), "displacement")
    assert "velocity that jumps" in found.message


def test_a_motion_reads_its_splines_by_name():
    robot = load_robot("ur10")
    motion = JointMotion.displacement(
        {"elbow_joint": "CUBSPL(time,0,SPL_3)"}, splines={"spl_3": DATA}
    )
    at = motion.on(robot, 3.0).at(T)
    np.testing.assert_array_equal(at.q[2], DATA.value(T))
    np.testing.assert_array_equal(at.qdd[2], DATA.derivative(T, 2))
