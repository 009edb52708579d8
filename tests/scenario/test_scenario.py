import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.errors import ScenarioError
from sim.motion import JointMotion
from sim.robots import Payload, read_urdf
from sim.scenario.scenario import METHODS, Claim, Scenario
from tests.helpers.short_runs import arm

ROBOT = arm()
STILL = JointMotion.displacement({})
NAN, INF = float("nan"), float("inf")


def scenario(**changes):
    settings = {"robot": ROBOT, "motion": STILL, "duration": 1.0, **changes}
    return Scenario(**settings)


def refused(**changes):
    with pytest.raises(ScenarioError) as caught:
        scenario(**changes)
    return str(caught.value)


def test_what_is_not_said_is_one_millisecond_stepped_under_standard_gravity():
    made = scenario()
    assert (made.dt, made.method, made.gravity) == (1e-3, "stepped", (0.0, 0.0, -9.81))
    assert made.claims == ()
    assert dict(made.tolerances) == {}


def test_an_event_of_another_kind_is_refused_by_name():
    assert refused(events=(Payload(1.0),)) == (
        "events must be sim.PickUp, sim.SetDown or sim.When, got Payload"
    )


@pytest.mark.parametrize("name", ["duration", "dt"])
@pytest.mark.parametrize("value", [0, 0.0, -1.0, NAN, INF, -INF, "1", None, 1j, [1.0]])
def test_a_time_that_is_no_positive_number_is_refused_by_its_name(name, value):
    assert refused(**{name: value}).startswith(f"{name} must be a positive number of seconds, got ")


def test_whole_numbers_and_numbers_of_numpy_are_times_too():
    made = scenario(duration=np.int64(2), dt=np.float32(0.5))
    assert (made.duration, made.dt) == (2.0, 0.5)
    assert type(made.duration) is float
    assert type(made.dt) is float


def test_a_step_that_does_not_divide_the_duration_is_shortened_with_a_note():
    made = scenario(duration=1.0, dt=0.3)
    assert made.dt == 0.25
    assert made.times.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    note = "dt = 0.3 s does not divide the 1 s of the run and is shortened: 4 steps of 0.25 s"
    assert made.notes == (note,)
    assert replace(made, notes=("other", *made.notes), engine=made.engine).notes == ("other", note)
    assert replace(made, dt=0.5).notes == ()  # of another step the note tells nothing
    assert replace(made, duration=2.0).notes == ()
    (other,) = replace(made, dt=0.4).notes
    assert other.endswith("3 steps of 0.333333333 s")


@pytest.mark.parametrize(("duration", "dt", "steps"), [(0.3, 0.1, 3), (10.0, 1e-3, 10000)])
def test_a_step_that_divides_it_but_for_rounding_is_as_it_was(duration, dt, steps):
    made = scenario(duration=duration, dt=dt)
    assert (made.dt, made.times.size, made.notes) == (dt, steps + 1, ())


def test_a_step_longer_than_the_run_is_refused():
    text = refused(duration=1.0, dt=2.0)
    assert text == "dt = 2 s is longer than the duration, 1 s"


@pytest.mark.parametrize("dt", [1e-9, 1e-300, 5e-324])
def test_more_samples_than_anyone_wants_are_refused(dt):
    assert "at most 20000000 are allowed" in refused(duration=1.0, dt=dt)


@pytest.mark.parametrize("method", ["exact", "Stepped", "", None, 1])
def test_an_unknown_method_is_refused_with_the_known_ones(method):
    assert refused(method=method) == f"method {method!r}: choose one of {', '.join(METHODS)}"


@pytest.mark.parametrize(
    "gravity",
    [-9.81, (0, 0), (0, 0, -9.81, 0), (0, 0, NAN), (0, INF, 0), "down", ("a", "b", "c"), None,
     [[0, 0, 0]]],
)  # fmt: skip
def test_gravity_that_is_no_vector_is_refused(gravity):
    assert refused(gravity=gravity).startswith("gravity must be three finite numbers in m/s²")


def test_gravity_may_be_an_array_and_is_kept_as_plain_numbers():
    made = scenario(gravity=np.array([0.0, 1.62, 0.0]))
    assert made.gravity == (0.0, 1.62, 0.0)
    assert all(type(g) is float for g in made.gravity)


@pytest.mark.parametrize("tolerance", [0, -1e-6, NAN, INF, "1e-6", None])
def test_a_tolerance_that_is_no_positive_number_is_refused_with_its_pattern(tolerance):
    assert refused(tolerances={"tau.*": tolerance}).startswith("tolerance of 'tau.*' must be")


def test_a_robot_must_be_a_robot():
    assert refused(robot="ur10") == "robot must be a sim.Robot, got str"


def test_a_motion_must_be_a_motion():
    assert refused(motion="STEP(time,0,0,1,1)").startswith("motion must be a motion such as")


def test_a_robot_that_cannot_move_is_refused():
    block = read_urdf('<robot name="block"><link name="base"/></robot>')
    assert refused(robot=block) == "Robot 'block' has no joint that moves"


def test_a_claim_of_an_unknown_kind_is_refused():
    with pytest.raises(ScenarioError, match="claim 'fast': statistic 'mean' is not known"):
        Claim("fast", "a paper", "qd.*", "mean")


@pytest.mark.parametrize(("value", "within"), [(None, 0.1), (1.0, None), (NAN, 0.1), (1.0, INF)])
def test_a_claimed_time_needs_its_numbers(value, within):
    with pytest.raises(ScenarioError, match="a time_of_peak needs a finite value and within"):
        Claim("early", "a paper", "ke.*", "time_of_peak", value, within)


@given(
    st.integers(1, 3000),
    st.sampled_from([Fraction(1, 1000), Fraction(1, 2000), Fraction(1, 240), Fraction(1, 3)]),
)
def test_samples_are_the_exact_multiples_of_the_step_up_to_and_with_the_end(steps, dt):
    times = scenario(duration=float(steps * dt), dt=float(dt)).times
    assert times.size == steps + 1
    assert times[0] == 0.0
    assert times[-1] == float(steps * dt)
    exact = [float(k * dt) for k in range(steps + 1)]
    # one rounding of the step, grown by the number of the sample
    assert np.max(np.abs(times - exact)) <= 4 * math.ulp(float(steps * dt))
