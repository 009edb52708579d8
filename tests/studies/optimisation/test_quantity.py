"""Expressions of responses and parameters, and constraints of them."""

import math

import pytest

from sim.errors import ScenarioError
from sim.studies.case_rows import CaseRow, Rating, Worst
from sim.studies.optimisation.constraint import parse_constraint, parse_quantity

ROW = CaseRow(
    key="k",
    parameters={"load": 3.0, "kind": "steel", "n": 2},
    status="pass",
    responses={
        "energy": (10.0, "J"),
        "peak tau.a": (4.0, "N·m"),
        "peak tau.b-c": (5.0, "N·m"),
        "max q.a": (None, "rad"),
        "margin": (0.25, "1"),
    },
    worst={
        "rated torque": Worst(0.75, "tau.a", 0.1, True),
        "torque": Worst(1.5, "tau.a", 0.1, False),
    },
    ratings={
        "rated torque": {
            "tau.a": Rating(0.75, 4.0, "N·m", True),
            "tau.b-c": Rating(0.5, 9.0, "N·m", True),
        },
        "lower position limit": {"q.a": Rating(None, None, "rad", False)},
    },
)


def value_of(text):
    (value,) = parse_quantity(text, ["load", "n"], "--minimise").values(ROW).values()
    return value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("energy", 10.0),
        ("energy + 2*load", 16.0),
        ("-peak tau.a**2 / n", -8.0),
        ("max(peak tau.a, 'peak tau.b-c')", 5.0),
        ("sqrt(abs(1 - margin))", math.sqrt(0.75)),
        ("load", 3.0),
        ("min(load, n) - max  q.a", math.nan),
        ("sqrt(n - load)", math.nan),
        ("1/(load-3)", math.nan),
    ],
)
def test_an_expression_has_the_value_of_its_formula(text, value):
    assert value_of(text) == pytest.approx(value, nan_ok=True)


def test_a_pattern_has_each_of_its_responses():
    values = parse_quantity("peak tau.*", (), "--minimise").values(ROW)
    assert values == {"peak tau.a": 4.0, "peak tau.b-c": 5.0}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2*margin", "'margin' is both a response and a varied parameter; rename the parameter"),
        ("margin", "'margin' is both"),
        ("energie", "'energie' is neither a response nor a varied parameter; parameters: load"),
        ("energy + mass", "'mass' is neither"),
        ("energy +", "'energy \\+' is not a response; responses: margin"),
        ("__import__('os')", "is not a response"),
        ("energy if load else n", "is not allowed in an expression; allowed: numbers"),
        ("max(energy, key=load)", "is not allowed"),
        ("'peak tau.*' + 1", "the pattern 'peak tau.\\*' names several responses"),
        ("3 + 4", "is a constant"),
    ],
)
def test_what_is_no_expression_is_refused_with_what_is_allowed(text, said):
    with pytest.raises(ScenarioError, match=said):
        parse_quantity(text, ["load", "margin"], "--minimise")


def test_slacks_are_distances_inside_the_bound():
    def slacks(text):
        return parse_constraint(text, ["load"]).slacks(ROW)

    assert slacks("peak tau.* <= 4.5") == {"peak tau.a": 0.5, "peak tau.b-c": -0.5}
    assert slacks("energy - load >= 6") == {"energy - load": 1.0}
    assert slacks("margin >= 0.1") == pytest.approx(
        {"tau.a rated torque": 0.15, "tau.b-c rated torque": 0.4, "q.a lower position limit": -1.1}
    )
    assert slacks("checks") == pytest.approx(
        {"tau.a rated torque": 0.25, "tau.b-c rated torque": 0.5,
         "q.a lower position limit": -1.0, "torque": -0.5}
    )  # fmt: skip


@pytest.mark.parametrize("text", ["energy", "energy < 3", "energy <= 1_0", "energy <= nan", "<= 3"])
def test_a_constraint_without_bound_is_refused(text):
    with pytest.raises(ScenarioError, match="--subject-to"):
        parse_constraint(text, ["load"])
