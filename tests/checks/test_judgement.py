import math
from dataclasses import replace

import numpy as np
import pytest

from sim.checks import Check, Judgement, judge
from sim.checks.judgement import finite_or_none, share
from sim.checks.ratings import ratings
from sim.checks.run_view import RunView
from sim.motion import JointMotion
from sim.scenario import Scenario
from sim.simulation import run as simulated
from tests.helpers.short_runs import SMOOTH, rubbing_arm, short_run, spoiled, times_of
from tests.helpers.synthetic_runs import joint, recording, with_joint

T = np.array([0.0, 0.1, 0.2, 0.3])


# The largest of errors against a limit


def judged(*errors, limit=1.0, **facts):
    return Judgement.of_errors("torque", "tau.a", "N·m", T, np.array(errors), limit, **facts)


def test_the_largest_error_is_told_with_its_time_and_its_share_of_the_limit():
    wanted = Check("torque", "tau.a", 0.9, 2.0, "N·m", 0.2, True, 0.45, "tau.a")
    assert judged(0.1, 0.2, 0.9, 0.3, limit=2.0).check == wanted


def test_the_errors_are_handed_on_as_they_are():
    assert judged(0.1, 0.2, 0.9, 0.3).error.tolist() == [0.1, 0.2, 0.9, 0.3]


def test_of_equal_errors_the_first_is_told():
    assert judged(0.1, 0.9, 0.9, 0.3).check.at == 0.1


@pytest.mark.parametrize(("limit", "ok"), [(0.9, True), (math.nextafter(0.9, 0), False)])
def test_an_error_at_its_limit_is_allowed(limit, ok):
    assert judged(0.1, 0.9, 0.9, 0.3, limit=limit).check.ok is ok


def test_what_is_no_number_is_worse_than_anything():
    found = judged(5.0, 0.2, math.nan, math.inf, limit=math.inf).check
    assert math.isnan(found.worst)
    assert (found.at, found.ok, found.used) == (0.2, False, None)


def test_nothing_is_within_a_limit_that_is_no_number():
    found = judged(0.0, 0.0, 0.0, 0.0, limit=math.nan)
    assert not found.check.ok
    assert found.failing_samples(T).all()


def test_an_error_is_seen_on_its_channel_or_on_a_curve_of_its_own():
    assert judged(0.0, 0.0, 0.0, 0.0).check.plot == "tau.a"
    assert judged(0.0, 0.0, 0.0, 0.0, plot="balance").check.plot == "balance"


@pytest.mark.parametrize(
    ("worst", "limit", "used"),
    [
        (1.0, 4.0, 0.25),
        (5.0, 4.0, 1.25),
        (0.0, 0.0, 0.0),
        (1.0, 0.0, None),
        (math.nan, 0.0, None),
        (math.nan, 1.0, None),
        (1.0, math.nan, None),
        (math.inf, 1.0, None),
    ],
)
def test_a_share_is_a_number_or_none(worst, limit, used):
    assert share(worst, limit) == used


@pytest.mark.parametrize(("value", "wanted"), [(0.5, 0.5), (math.inf, None), (math.nan, None)])
def test_what_is_no_number_is_none(value, wanted):
    assert finite_or_none(value) == wanted


# Samples that fail


def test_failing_samples_are_those_beyond_the_limit_and_those_that_are_no_numbers():
    assert judged(2.0, 1.0, math.nan, 1.5).failing_samples(T).tolist() == [True, False, True, True]


def test_a_check_of_no_curve_marks_the_sample_that_it_names():
    check = Check("something new", "nowhere", 1.0, 0.0, "1", at=0.2, ok=False)
    assert Judgement(check).failing_samples(T).tolist() == [False, False, True, False]


def test_a_wrong_torque_fails_where_it_is_wrong():
    table = short_run().recorded.copy()
    tau = table["tau.elbow"].to_numpy().copy()
    tau[100:140] += 0.5
    tau[250] -= 2.0
    table["tau.elbow"] = tau
    run = replace(short_run(), recorded=table)
    (bad,) = (one for one in judge(run) if one.check.name == "torque" and not one.check.ok)
    failing = bad.failing_samples(times_of(run))
    assert np.flatnonzero(failing).tolist() == [*range(100, 140), 250]


@pytest.mark.parametrize(("name", "end"), [("upper", 100.0), ("lower", -100.0)])
def test_a_joint_beyond_its_range_fails_where_it_is_beyond(name, end):
    table = short_run().recorded.copy()
    q = table["q.elbow"].to_numpy().copy()
    q[40:50] = end
    table["q.elbow"] = q
    run = with_joint(replace(short_run(), recorded=table), "elbow", lower=-3.0, upper=3.0)
    (bad,) = (one for one in judge(run) if one.bounds == "end" and not one.check.ok)
    assert bad.check.name == f"{name} position limit"
    assert np.flatnonzero(bad.failing_samples(times_of(run))).tolist() == [*range(40, 50)]
    assert bad.check.used == pytest.approx(100 / 3)


# The curves agree with their checks

WITHOUT_CURVE = {"finite numbers", "units", "channels", "robot", "independent results"}


@pytest.fixture(scope="module", params=["stepped", "ideal", "spoiled", "rubbing"])
def judgements(request):
    if request.param == "rubbing":
        return judge(simulated(Scenario(rubbing_arm(), JointMotion.displacement(SMOOTH), 0.1)))
    if request.param == "spoiled":
        wrong = spoiled(spoiled(short_run(), "tau.elbow", 0.5, 100), "ke", math.nan, 200)
        return judge(with_joint(wrong, "shoulder", lower=0.01, effort=0.1))
    return judge(short_run(request.param))


def test_the_largest_error_is_the_worst_of_its_check(judgements):
    for judgement in judgements:
        check, error = judgement.check, judgement.error
        if error is not None and judgement.bounds != "end":
            np.testing.assert_equal(np.max(error), check.worst)
            assert judgement.allowed is None


def test_the_verdict_of_a_check_follows_from_its_errors(judgements):
    for judgement in judgements:
        check, error = judgement.check, judgement.error
        if error is not None:
            allowed = check.limit if judgement.allowed is None else judgement.allowed
            assert check.ok is bool((error <= allowed).all())
    assert {one.check.name for one in judgements if one.error is None} == WITHOUT_CURVE


def test_the_time_of_a_check_is_that_of_its_largest_error(judgements):
    t = times_of(short_run())
    for judgement in judgements:
        if judgement.error is not None:
            largest = int(np.argmax(judgement.error))
            assert judgement.check.at == t[largest]


def test_a_check_that_is_ok_uses_no_more_than_its_limit(judgements):
    for judgement in judgements:
        check = judgement.check
        if check.used is None:
            assert not check.ok
        elif judgement.bounds != "end":
            assert check.ok is (check.used <= 1)
            assert check.used == (0.0 if check.limit == 0 else check.worst / check.limit)


def test_a_limit_that_bounds_an_error_is_that_of_the_curve_on_which_it_is_seen(judgements):
    against_the_model = {one.check.plot for one in judgements if one.bounds == "error"}
    assert {"q.elbow", "qd.elbow", "qdd.elbow", "tau.elbow", "pe", "balance", "tool.error"} <= (
        against_the_model
    )
    plots = [one.check.plot for one in judgements if one.bounds == "error"]
    assert len(plots) == len(set(plots))


def test_a_limit_that_bounds_a_magnitude_is_a_rating(judgements):
    names = {one.check.name for one in judgements if one.bounds == "magnitude"}
    assert names == {"rated speed", "rated torque"}


# Ranges


@pytest.mark.parametrize(
    ("lower", "upper", "used"),
    [
        (-2.0, 2.0, {"lower": 0.5, "upper": 0.75}),  # from -1 to 1.5
        (-1.0, 3.0, {"lower": 1.0, "upper": 0.25}),  # about 1
        (None, 2.0, {"upper": 0.0}),
        (-2.0, None, {"lower": 0.0}),
        (None, 1.0, {"upper": None}),
        (-2.0, 1.0, {"lower": 1 / 3, "upper": 2 / 1.5}),  # about -0.5
        (1.0, 1.0, {"lower": 2 / 1e-9, "upper": 0.5 / 1e-9}),  # no width, left on both sides
    ],
)
def test_how_far_a_joint_goes_from_the_middle_of_its_range(lower, upper, used):
    q = np.array([0.0, 1.5, -1.0, 0.5])
    run = recording(T, {"q.a": q}, joint("a", lower=lower, upper=upper))
    found = {one.check.name.split()[0]: one.check.used for one in ratings(RunView(run))}
    assert found == pytest.approx(used)


def test_a_joint_that_stays_in_a_range_without_width_is_in_it():
    run = recording(T, {"q.a": np.full(4, 0.3)}, joint("a", lower=0.3, upper=0.3))
    assert [(one.check.ok, one.check.used) for one in ratings(RunView(run))] == [(True, 0.0)] * 2


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(("part", "ok"), [(0.5, True), (2.0, False)])
def test_rounding_may_move_a_joint_out_of_a_range_without_width(part, ok, sign):
    q = 0.3 + np.array([0.0, 0.0, sign * part * 1e-9, 0.0])
    run = recording(T, {"q.a": q}, joint("a", lower=0.3, upper=0.3))
    lower, upper = (one.check for one in ratings(RunView(run)))
    near, far = (upper, lower) if sign > 0 else (lower, upper)
    assert (near.ok, near.used) == (ok, pytest.approx(part, rel=1e-6))
    assert (far.ok, far.used) == (True, 0.0)
