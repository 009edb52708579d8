import numpy as np
import pytest

from sim.dynamics.element_sum import ElementSum
from sim.dynamics.force import Force
from sim.errors import ExpressionError, ModelError, ScenarioError
from sim.functions import spline
from sim.recording import facts_of
from tests.helpers.small_robots import pendulum

T = np.linspace(0.0, 2.0, 41)
PENDULUM = pendulum(1.0, 0.5)
Q = np.linspace(0.0, 3.0, 41)[None]


def wrench_of(force, t=T, q=Q):
    each = ElementSum(PENDULUM, (force,))
    (wrench,) = each.wrenches(each.at(t, q, 0 * q))
    return wrench


def test_components_are_functions_of_time_along_the_world():
    force = Force("bob", force=("2*time", 3, "-SIN(time)"), torque=(0, "time**2", -1.5))
    wrench = wrench_of(force)
    assert wrench.link == "bob"
    assert np.allclose(wrench.force, [2 * T, np.full_like(T, 3), -np.sin(T)], atol=1e-15)
    assert np.allclose(wrench.torque, [0 * T, T**2, np.full_like(T, -1.5)], atol=1e-15)


def test_components_along_a_link_turn_with_it():
    """The hinge turns about y, so its x axis is (cos q, 0, -sin q) in the world."""
    wrench = wrench_of(Force("bob", force=(2, 0, 0), torque=(0, 0, 5), axes="bob"))
    zero = np.zeros_like(T)
    assert np.allclose(wrench.force, 2 * np.array([np.cos(Q[0]), zero, -np.sin(Q[0])]), atol=1e-15)
    assert np.allclose(wrench.torque, 5 * np.array([np.sin(Q[0]), zero, np.cos(Q[0])]), atol=1e-15)


def test_a_spline_may_be_a_component():
    points = np.array([0.0, 1.0, 4.0, 9.0])
    force = Force("bob", force=(spline(np.arange(4.0), points), 0, 0))
    assert wrench_of(force, np.array([2.0]), Q[:, :1]).force[0, 0] == 4.0
    assert facts_of(force).force[0] == "CUBSPL(TIME, 0, fx)"


def test_breaks_are_those_of_all_components():
    force = Force(
        "bob", force=("STEP(time,0.2,0,0.4,1)", 0, 0), torque=(0, "STEP(time,1,0,1.5,1)", 0)
    )
    assert {0.2, 0.4, 1.0, 1.5} <= set(force.breaks(2.0).tolist())


@pytest.mark.parametrize("parts", [{"force": (1, 2)}, {"torque": "time"}, {"force": (1, 2, 3, 4)}])
def test_three_components_are_needed(parts):
    with pytest.raises(ScenarioError, match=r"frame 'bob': (force|torque) takes three components"):
        Force("bob", **parts)


def test_what_cannot_be_read_names_the_frame():
    with pytest.raises(ExpressionError, match="Force on frame 'bob'"):
        Force("bob", force=("2*tiem", 0, 0))
    with pytest.raises(ScenarioError, match=r"frame 'bob': .* is not a finite number"):
        Force("bob", force=(np.nan, 0, 0))
    with pytest.raises(ScenarioError, match="`at` takes three finite numbers in m"):
        Force("bob", at=(0, np.inf, 0))


def test_an_unknown_frame_or_a_pole_in_the_run_is_refused():
    with pytest.raises(ModelError, match=r"'hook' is not in robot 'small'; available: ground, bob"):
        Force("hook").require_usable(PENDULUM, 1.0)
    with pytest.raises(ModelError, match="'axis' is not in robot"):
        Force("bob", axes="axis").require_usable(PENDULUM, 1.0)
    with pytest.raises(ScenarioError, match=r"frame 'bob': its .* is not finite at t = 0.5 s"):
        Force("bob", force=("1/(time-0.5)", 0, 0)).require_usable(PENDULUM, 1.0)
