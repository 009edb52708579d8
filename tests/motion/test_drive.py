import numpy as np
import pytest

from sim.errors import ExpressionError, ScenarioError
from sim.functions import expression, spline
from sim.motion.drive import functions

T = np.linspace(0.0, 2.0, 21)


def only(drive, **more):
    made = functions("velocity", {"elbow": drive}, more.get("times"), more.get("splines"))
    ((level, function),) = made.values()
    assert (list(made), level) == (["elbow"], "velocity")
    return function.value(T)


def test_an_expression_a_number_points_and_a_function_are_drives():
    points = np.linspace(0, 2, 5), np.arange(5.0)
    for drive in ("2*time", expression("2*time"), spline(*points)):
        np.testing.assert_allclose(only(drive), 2 * T, rtol=0, atol=1e-12)
    np.testing.assert_allclose(only(points[1], times=points[0]), 2 * T, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(only(3), 3.0)


def test_expressions_read_the_splines_that_are_given():
    data = {"track": spline(np.linspace(0, 2, 5), np.arange(5.0))}
    np.testing.assert_allclose(
        only("CUBSPL(time, 0, track)", splines=data), 2 * T, rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("drive", [None, [1, 2, 3, 4], float("nan")])
def test_what_is_no_drive_is_refused_by_joint(drive):
    with pytest.raises(ScenarioError, match=r"^Motion for joint 'elbow': "):
        only(drive)


def test_an_expression_that_cannot_be_read_is_refused_by_joint():
    with pytest.raises(ExpressionError, match=r"^Motion for joint 'elbow': "):
        only("2 * tiem")


@pytest.mark.parametrize("drive", [True, False])
def test_a_truth_value_is_no_drive(drive):
    with pytest.raises(ScenarioError, match=f"'elbow': {drive} is not a number; write {drive:d}"):
        only(drive)
