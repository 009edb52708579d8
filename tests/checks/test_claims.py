import math
from dataclasses import replace

import numpy as np
import pytest

from sim.checks import judge_claims
from sim.recording.schema.facts import ClaimFacts
from sim.scenario import Claim
from tests.helpers import synthetic_runs
from tests.helpers.synthetic_runs import joint

T = np.linspace(0.0, 2.0, 201)


def recording(*claims, effort=10.0):
    """A run with two joints and two links whose peaks are known by hand."""
    columns = {
        "tau.a": 9.0 * np.sin(np.pi * T / 2),  # 9 N·m at 1 s
        "tau.b": -12.0 * np.exp(-((T - 0.5) ** 2)),  # -12 N at 0.5 s
        "tau_error.a": np.full(T.size, 99.0),
        "ke.arm": np.exp(-((T - 1.4) ** 2)),  # 1.4 s
        "ke.base": np.where((T >= 0.3) & (T <= 0.9), 2.0, 0.0),  # flat from 0.3 to 0.9 s
    }
    joints = (joint("a", effort=effort), joint("b", "prismatic", effort=11.0))
    facts = [ClaimFacts(**vars(claim)) for claim in claims]
    return synthetic_runs.recording(T, columns, *joints, claims=facts)


def rated(channel="tau.*"):
    return Claim("torques stay within their ratings", "table 2", channel, "peak_within_rating")


def early(value, within, channel="ke.*"):
    return Claim("energy peaks early", "section 4", channel, "time_of_peak", value, within)


def test_a_run_without_claims_has_nothing_to_judge():
    assert judge_claims(recording()) == ()


def test_a_rating_is_judged_for_every_joint_the_pattern_names():
    a, b = judge_claims(recording(rated()))
    assert (a.channel, a.found, a.expected, a.unit, a.ok) == ("tau.a", 9.0, 10.0, "N·m", True)
    assert (b.channel, b.found, b.expected, b.unit, b.ok) == ("tau.b", 12.0, 11.0, "N", False)
    assert (a.text, a.source) == ("torques stay within their ratings", "table 2")
    assert a.within is None


def test_a_peak_exactly_at_its_rating_is_within_it():
    (a,) = judge_claims(recording(rated("tau.a"), effort=9.0))
    assert a.ok
    (a,) = judge_claims(recording(rated("tau.a"), effort=np.nextafter(9.0, 0)))
    assert not a.ok


def test_a_joint_without_a_rating_is_not_judged():
    assert judge_claims(recording(rated("tau.a"), effort=None)) == ()


def test_a_rating_of_a_channel_that_is_no_torque_is_not_judged():
    assert judge_claims(recording(rated("*")))[0].channel == "tau.a"
    assert judge_claims(recording(rated("ke.*"))) == ()


@pytest.mark.parametrize(
    ("value", "within", "ok"),
    [(1.5, 0.3, True), (1.5, 0.05, False), (1.4, 1e-9, True), (1.2, 0.3, True), (1.0, 0.3, False)],
)
def test_a_time_of_peak_is_judged_by_its_distance(value, within, ok):
    (arm,) = judge_claims(recording(early(value, within, "ke.arm")))
    assert arm.found == pytest.approx(1.4, abs=1e-12)
    assert (arm.expected, arm.within, arm.unit, arm.ok) == (value, within, "s", ok)


@pytest.mark.parametrize(("value", "ok"), [(-12.0, True), (-12.04, True), (-12.06, False)])
def test_a_value_is_judged_by_its_distance_however_large_it_is(value, ok):
    """The distance is in the channel's unit: no share of the value."""
    claim = Claim("a push", "table 3", "tau.b", "value_at", value, 0.05, time=0.5)
    (push,) = judge_claims(recording(claim))
    assert push.found == pytest.approx(-12.0, abs=1e-12)
    assert (push.within, push.ok) == (0.05, ok)


@pytest.mark.parametrize(("value", "found"), [(0.5, 0.5), (0.1, 0.3), (2.0, 0.9)])
def test_of_a_plateau_the_time_nearest_to_the_claim_counts(value, found):
    (base,) = judge_claims(recording(early(value, 0.01, "ke.base")))
    assert base.found == pytest.approx(found, abs=1e-12)
    assert base.ok == (value == 0.5)


def test_a_pattern_is_a_pattern_and_no_prefix():
    assert [r.channel for r in judge_claims(recording(early(1.0, 9.0, "ke.b*")))] == ["ke.base"]
    assert judge_claims(recording(early(1.0, 9.0, "ke"))) == ()
    assert judge_claims(recording(early(1.0, 9.0, "KE.*"))) == ()


def test_claims_keep_their_order():
    results = judge_claims(recording(early(1.0, 9.0), rated()))
    assert [r.channel for r in results] == ["ke.arm", "ke.base", "tau.a", "tau.b"]


def test_a_value_that_is_no_number_shows_nothing():
    spoiled = recording(rated("tau.a"), early(1.4, 0.01, "ke.arm"))
    table = spoiled.recorded.copy()
    table.loc[T[10], ["tau.a", "ke.arm"]] = math.nan
    torque, time = judge_claims(replace(spoiled, recorded=table))
    assert not torque.ok
    assert time.found == pytest.approx(1.4, abs=1e-12)
