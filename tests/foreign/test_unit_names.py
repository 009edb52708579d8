import math

import pytest

from sim.errors import ForeignError
from sim.foreign.unit_names import NAMES, factor_between, is_unit, unit_named
from sim.recording.schema.channels import GROUPS

# By definition: inch 0.0254 m, pound 0.45359237 kg, g 9.80665 m/s²; pound-force 4.4482216152605 N.
LBF = 4.4482216152605


@pytest.mark.parametrize(
    ("theirs", "ours", "factor"),
    [
        ("mm", "m", 1e-3),
        ("MM", "m", 1e-3),
        ("inch", "m", 0.0254),
        ("ft", "m", 0.3048),
        ("deg", "rad", math.pi / 180),
        ("Degrees", "rad", math.pi / 180),
        ("°", "rad", math.pi / 180),
        ("[deg]", "rad", math.pi / 180),
        ("rpm", "rad/s", math.pi / 30),
        ("deg/s", "rad/s", math.pi / 180),
        ("deg/sec**2", "rad/s²", math.pi / 180),
        ("inch/sec**2", "m/s²", 0.0254),
        ("mm/s^2", "m/s²", 1e-3),
        ("mm s^-2", "m/s²", 1e-3),
        ("N", "N", 1.0),
        ("newton", "N", 1.0),
        ("kN", "N", 1e3),
        ("mN", "N", 1e-3),
        ("pound_force", "N", LBF),
        ("pound", "N", LBF),
        ("kg*m/s^2", "N", 1.0),
        ("N*mm", "N·m", 1e-3),
        ("N·mm", "N·m", 1e-3),
        ("Nmm", "N·m", 1e-3),
        ("newton-mm", "N·m", 1e-3),
        ("N-m", "N·m", 1.0),
        ("Nm", "N·m", 1.0),
        ("lbf*in", "N·m", LBF * 0.0254),
        ("ft-lbf", "N·m", LBF * 0.3048),
        ("pound_force*inch", "N·m", LBF * 0.0254),
        ("J", "N·m", 1.0),
        ("N*mm/s", "W", 1e-3),
        ("ms", "s", 1e-3),
        ("min", "s", 60.0),
    ],
)
def test_a_name_stands_for_its_factor(theirs, ours, factor):
    assert factor_between(theirs, ours, "x") == pytest.approx(factor, rel=1e-14)


@pytest.mark.parametrize("name", ["furlong", "N**m", "", "deg//s", "q", "m^x", "½"])
def test_an_unknown_name_is_refused_with_those_that_are_known(name):
    assert not is_unit(name)
    with pytest.raises(ForeignError, match="N\\*mm, lbf\\*in"):
        unit_named(name)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [("kg", "rad"), ("kg", "N·m"), ("deg", "N·m"), ("mm", "rad"), ("deg/s", "rad"), ("lbm", "N")],
)
def test_a_unit_of_something_else_is_refused(theirs, ours):
    with pytest.raises(ForeignError, match="is not of the same quantity as"):
        factor_between(theirs, ours, "a.csv, column 'x'")


def test_every_unit_of_our_channels_is_known():
    for group in GROUPS.values():
        for unit in (group.unit, group.sliding, *(c.unit for c in group.components.values())):
            assert not unit or unit_named(unit).factor == 1.0


def test_capitals_stand_for_the_small_letters_except_where_two_units_differ_by_them():
    assert unit_named("SEC") == NAMES["sec"]
    assert unit_named("NEWTON*MM").factor == pytest.approx(1e-3)
    assert unit_named("N").dimension != unit_named("Nm").dimension
