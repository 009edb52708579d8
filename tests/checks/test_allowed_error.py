"""Limits as sums of named terms: the same numbers, and what each of them grows with."""

import pytest

import sim
from sim.checks import judge
from sim.checks.allowed_error import TERMS, AllowedError
from tests.helpers.small_robots import double_pendulum

PLANT = double_pendulum(1.0, 0.8, 0.4, 0.3)


def terms_of(recording):
    """The terms of the torque of the shoulder, by name."""
    (one,) = (
        one
        for one in judge(recording)
        if (one.check.name, one.check.channel) == ("torque", "tau.shoulder")
    )
    return {term.name: term.value for term in one.allowance.terms}


def swing(dt, method="stepped"):
    drives = {"shoulder": "0.2*SIN(5*time)", "elbow": "0.1*time"}
    scenario = sim.Scenario(PLANT, sim.JointMotion.displacement(drives), 0.4, dt=dt)
    return sim.run(scenario, method=method)


def test_terms_are_parts_of_the_limit_that_is_checked():
    recording = swing(0.01)
    named = [one for one in judge(recording) if one.allowance is not None]
    kinds = {
        "position",
        "velocity",
        "acceleration",
        "torque",
        "power",
        "kinetic energy",
        "reaction",
    }
    assert {one.check.name for one in named} >= kinds
    for one in named:
        assert one.allowance.total == one.check.limit
        assert {term.name for term in one.allowance.terms} <= set(TERMS)
        shares = [share for _, share in one.allowance.shown]
        assert sum(shares) == pytest.approx(1.0, rel=1e-12)
        assert shares == sorted(shares, reverse=True)


def test_half_the_step_leaves_a_quarter_of_the_discretisation_and_states_none():
    coarse, fine = terms_of(swing(0.01)), terms_of(swing(0.005))
    assert coarse["discretisation"] / fine["discretisation"] == pytest.approx(4.0, rel=0.02)
    assert coarse["floor"] / fine["floor"] == pytest.approx(1.0, rel=1e-3)
    ideal = terms_of(swing(0.01, "ideal"))
    assert ideal["discretisation"] == 0.0 < ideal["rounding"]


def test_what_is_taken_off_an_error_is_named_with_its_most():
    limit = AllowedError.of(2.0, method=3.0, rounding=1.0)
    assert limit.total == 2.0
    assert limit.with_taken_off("state", 0.0) is limit
    (term,) = limit.with_taken_off("state", 0.5).taken_off
    assert (term.title, term.value, term.meaning) == ("state", 0.5, TERMS["state"])
