"""Words that are values of arguments: their abbreviations, and those that are refused."""

import pytest

from sim.decks import deck_model
from sim.errors import DeckError

DECK = """a slide and a wheel
UNITS/FORCE = NEWT, MASS = KILO, LENGTH = METER, TIME = SEC
PART/1, GROUND
MARKER/1, PART = 1
MARKER/2, PART = 1, QP = 1, 0, 0
PART/2, MASS = 2, CM = 20, IP = 0.1, 0.1, 0.1
MARKER/20, PART = 2
PART/3, MASS = 1, CM = 30, IP = 0.1, 0.1, 0.1, QG = 1, 0, 0
MARKER/30, PART = 3
JOINT/1, TRANSLATIONAL, I = 20, J = 1
JOINT/2, REVOLUTE, I = 30, J = 2
{more}
END
"""
FRICTION = "FRICTION/1, JOINT = 1, MU_STATIC = 0.3, MU_DYNAMIC = 0.2, "

FREE = "PART/4, MASS = 1, CM = 40, IP = 1, 1, 1, "


def friction(more):
    return deck_model(DECK.format(more=FRICTION + more)).friction["JOINT_1"]


def test_words_of_friction_may_be_abbreviated():
    short, long = "INPUTS = pre:REAC, EFFECT = slid", "INPUTS = PRELOAD, REACTION, EFFECT = SLIDING"
    assert friction(short) == friction(long)
    assert friction(short).inputs == ("preload", "reaction_force")
    assert friction(short).mu_static == 0.2  # at rest too


@pytest.mark.parametrize("kinds", ["T:R", "TRANS:ROT", "tr:r", "T"])
def test_freedoms_of_a_coupler_may_be_abbreviated(kinds):
    more = f"COUPLER/1, JOINTS = 1, 2, TYPE = {kinds}, SCALES = 1, 0.5"
    (follower,) = (one for one in deck_model(DECK.format(more=more)).urdf.split() if "mult" in one)
    assert follower == 'multiplier="-2.0"'


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (f"{FRICTION}EFFECT = SLIP", "EFFECT = SLIP: choose one of ALL, SLIDING, STICTION"),
        (f"{FRICTION}EFFECT = S", r"EFFECT = S: .*did you mean SLIDING or STICTION\?"),
        (f"{FRICTION}INPUTS = REACTON", r"INPUTS = REACTON: .*did you mean REACTION_FORCE\?"),
        (f"{FRICTION}FORMULATION = LUG", "FORMULATION = LUGRE: only ORIGINAL is supported"),
        (f"{FREE}EXACT = X:Q", "EXACT = Q: choose one of X, Y, Z, PSI, THETA, PHI"),
        ("COUPLER/1, JOINTS = 1, 2, TYPE = T:X, SCALES = 1, 1", "TYPE = T:X: it requires T or R"),
        ("COUPLER/1, JOINTS = 1, 2, TYPE = R:R, SCALES = 1, 1", "no freedom of TYPE R"),
    ],
)
def test_words_that_mean_nothing_or_several_things_are_refused(more, message):
    with pytest.raises(DeckError, match=f"line 12, .*{message}"):
        deck_model(DECK.format(more=more))
