"""VARIABLEs, forces and states that read each other: each is computed once, in order."""

import numpy as np
import pytest

from sim.decks import deck_model
from sim.errors import DeckError
from tests.helpers.solved_models import solved_deck

SLIDER = """a block on a slide
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND
PART/1, GROUND
MARKER/10, PART = 1, REULER = 90D, 90D, 0D
PART/2, MASS = 2, CM = 20, IP = 1, 1, 1
MARKER/20, PART = 2, REULER = 90D, 90D, 0D
JOINT/1, TRANSLATIONAL, I = 20, J = 10
{more}
END
"""
FORCE = "SFORCE/{id}, TRANSLATIONAL, ACTIONONLY, I = 20, J = 10, FUNCTION = {text}"
ACTS = FORCE.format(id=1, text="VARVAL(1)") + "\nREQUEST/1, F2 = VARVAL(1)"
DRIVES = "MOTION/1, JOINT = 1, FUNCTION = VARVAL(1)"


def chain(count, each, last):
    """VARIABLEs of which each reads the next, the last first in no order that helps."""
    texts = {k: each.format(k + 1) for k in range(1, count)} | {count: last}
    return "\n".join(f"VARIABLE/{k}, FUNCTION = {text}" for k, text in texts.items())


def slid(more):
    return solved_deck(SLIDER.format(more=more), 0.2)


@pytest.mark.parametrize(
    ("count", "each"),
    [(30, "0.5*VARVAL({0}) + 0.5*VARVAL({0})"), (400, "VARVAL({0})"), (60, "-(-VARVAL({0}))")],
)
def test_variables_that_read_one_another_are_computed_once_each(count, each):
    """2 x'' = 4 t, so x = t³/3."""
    columns = slid(f"{chain(count, each, '4*TIME')}\n{ACTS}")
    assert columns["q.JOINT_1"].to_numpy() == pytest.approx(columns.t**3 / 3, abs=1e-12)
    assert columns["request.REQUEST_1.F2"].to_numpy() == pytest.approx(4 * columns.t, abs=1e-14)


@pytest.mark.parametrize(
    ("law", "impulse"),
    [
        ("MAX(0, VARVAL(2))", 9e3 * 9e-5),
        ("IF(VARVAL(3): 0, 1E3, 1E3)", 1e3 * 1.8e-4),
        ("MAX(0, VARVAL(2)) + 0*VZ(20, 10)", 9e3 * 9e-5),
        ("1E4*EXP(-VARVAL(4)**2)", 1e4 * 9e-5 * np.sqrt(np.pi)),
        ("1E4*EXP(-((TIME - 0.10245)/9E-5)**2)", 1e4 * 9e-5 * np.sqrt(np.pi)),
        ("1E4*(TANH(VARVAL(4)) - TANH(VARVAL(4) - 10))", 2e4 * 9e-4),
    ],
)
def test_a_pulse_of_less_than_a_step_acts(law, impulse):
    """Of a block of 2 kg, also where VARIABLEs of TIME give it; its impulse is known."""
    texts = "9E3 - 1E8*ABS(TIME - 0.10245)", "VARVAL(2)", "(TIME - 0.10245)/9E-5"
    more = "\n".join(f"VARIABLE/{k}, FUNCTION = {text}" for k, text in enumerate(texts, 2))
    pushed = "VFORCE/1, I = 20, JFLOAT = 11, RM = 10, FX = 0\\FY = 0\\FZ = "
    for force in (FORCE.format(id=1, text=law), f"MARKER/11, PART = 1, FLOATING\n{pushed}{law}"):
        columns = slid(f"{more}\n{force}")
        assert columns["qd.JOINT_1"].to_numpy()[-1] == pytest.approx(impulse / 2, rel=1e-8)


@pytest.mark.rotates(2)
@pytest.mark.parametrize(
    ("count", "each", "last", "value"),
    [
        (1200, "VARVAL({0})", "2*TIME", 2.0),
        (30, "2*VARVAL({0})", "TIME", 2.0**29),
        (60, "VARVAL({0}) + VARVAL({0})", "2**(-60)", None),
        (1200, "VARVAL({0}) + 1E-3", "1", None),
    ],
)
def test_a_motion_reads_variables_through_many_others(count, each, last, value):
    found = deck_model(SLIDER.format(more=f"{chain(count, each, last)}\n{DRIVES}")).drives
    (text,) = found.drives["displacement"].values()
    at = found.motion().drives["JOINT_1"][1].derivatives(np.array([0.1]))[0]
    wanted = {60: 0.5, 1200: 2.199}[count] if value is None else 0.1 * value
    assert at == pytest.approx(wanted, rel=1e-12)
    assert value is not None or "(" not in text.strip("()")


def test_what_is_too_long_written_out_is_refused_at_once():
    each = "VARVAL({0})*VARVAL({0})"
    with pytest.raises(DeckError, match=r"VARIABLE/\d+: written out, the variables in it are more"):
        deck_model(SLIDER.format(more=f"{chain(100, each, 'TIME')}\n{DRIVES}"))


@pytest.mark.parametrize("acts", [ACTS, DRIVES, "REQUEST/1, F2 = VARVAL(1)"])
def test_a_circle_of_variables_is_refused_by_its_names(acts):
    circle = chain(4, "VARVAL({0})", "2*VARVAL(2)")
    with pytest.raises(DeckError, match=r"VARIABLE/2: .*itself, through 2 -> 3 -> 4 -> 2"):
        deck_model(SLIDER.format(more=f"{circle}\n{acts}"))


def test_forces_that_read_one_another_twice_are_computed_once_each():
    """Each is half of the sum of the next, twice: all 12 are t/3, and 2 x'' = 12 t/3."""
    texts = [f"0.5*(SFORCE({k + 1},0,4,10) + SFORCE({k + 1},0,4,10))" for k in range(1, 12)]
    forces = [FORCE.format(id=k, text=text) for k, text in enumerate([*texts, "TIME/3"], 1)]
    columns = slid("\n".join(forces))
    assert columns["q.JOINT_1"].to_numpy() == pytest.approx(columns.t**3 / 3, abs=1e-12)


def test_forces_that_read_one_another_too_deeply_are_refused():
    texts = [f"SFORCE({k + 1},0,4,10)" for k in range(1, 400)]
    forces = [FORCE.format(id=k, text=text) for k, text in enumerate([*texts, "TIME"], 1)]
    for order in (forces, forces[::-1]):
        with pytest.raises(DeckError, match=r"SFORCE/\d+, which reads more than 30 in turn"):
            deck_model(SLIDER.format(more="\n".join(order)))


def test_rates_read_one_another_through_many_others_but_not_too_deeply():
    """Each rate is that of the next, or twice that."""
    for each, count in (("DIF1({0})", 1000), ("2*DIF1({0})", 200)):
        states = [f"DIFF/{k}, FUNCTION = {each.format(k + 1)}" for k in range(1, count)]
        last = f"DIFF/{count}, FUNCTION = TIME"
        deck = SLIDER.format(more="\n".join([*states, last, FORCE.format(id=1, text="DIF1(1)")]))
        if each.startswith("2"):
            with pytest.raises(DeckError, match=r"SFORCE/1: .* has more than 100 nested parts"):
                deck_model(deck)
        else:
            assert deck_model(deck).forces[0][1].function == "TIME"
