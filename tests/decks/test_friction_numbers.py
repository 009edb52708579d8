"""FRICTION of a deck: the numbers of the law, and a block that slides to a closed form."""

import numpy as np
import pytest

from sim.decks import deck_model
from sim.decks.converted_files import script_text
from sim.errors import DeckError
from sim.robots import JointFriction
from tests.decks.decks_of_tests import PENDULUM
from tests.helpers.solved_models import solved

BLOCK = """a block on a level slide, in millimetres
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/1, PART = 1, REULER = 90D, 90D, 0D
PART/2, MASS = 2, CM = 21, IP = 1E4, 1E4, 1E4
MARKER/21, PART = 2, REULER = 90D, 90D, 0D
!  adams_view_name='slide'
JOINT/1, TRANSLATIONAL, I = 21, J = 1, ICTRAN = 0, 1000
FRICTION/1, JOINT = 1, MU_STATIC = 0.3, MU_DYNAMIC = 0.25, STICTION_TRANSITION_VELOCITY = 10
, REACTION_ARM = 40, INITIAL_OVERLAP = 200, FRICTION_FORCE_PRELOAD = 3
, MAX_FRICTION_FORCE = 50{more}
ACCGRAV/KGRAV = -9810
END
"""
PIN = """FRICTION/1, JOINT = 1, MU_STATIC = 0.2, MU_DYNAMIC = 0.1, PIN_RADIUS = 0.02
, FRICTION_TORQUE_PRELOAD = 5, INPUTS = {inputs}
ACCGRAV/"""


def pinned(inputs):
    return deck_model(PENDULUM.replace("ACCGRAV/", PIN.format(inputs=inputs)))


def test_a_block_slides_to_rest_by_its_weight_and_preload():
    """dv/dt = -(0.25 m g + 3 N) / m above 1.5 of the stiction velocity."""
    model = deck_model(BLOCK.format(more=""))
    assert model.friction["slide"] == JointFriction(
        0.3,
        0.25,
        0.01,
        1e-3,
        0.04,
        0.2,
        3.0,
        50.0,  # a slide has no pin: ADAMS's 1 mm stands there
    )
    t, a = np.arange(11) * 0.02, 0.25 * 9.81 + 1.5
    found = solved(model.scenario(0.2, 0.02))
    assert found["qd.slide"].to_numpy() == pytest.approx(1.0 - a * t, abs=1e-9)  # m/s
    assert found["q.slide"].to_numpy() == pytest.approx(t - a * t**2 / 2, abs=1e-9)  # m


@pytest.mark.parametrize(
    ("inputs", "counted"),
    [
        ("ALL", ("preload", "reaction_force", "bending_moment", "torsional_moment")),
        ("PRELOAD:REACTION_FORCE", ("preload", "reaction_force")),
        ("PRELOAD, BENDING_MOMENT", ("preload", "bending_moment")),
        ("NONE", ()),
    ],
)
def test_the_arms_that_are_left_out_are_those_of_adams(inputs, counted):
    law = JointFriction(0.2, 0.1, 0.1, 0.02, 1.0, 1.0, 5.0, inputs=counted)
    assert pinned(inputs).friction["hinge"] == law


def test_a_converted_deck_rubs_too():
    text = script_text(pinned("ALL"), "arm")
    law = "sim.JointFriction(mu_static=0.2, mu_dynamic=0.1, pin_radius=0.02, preload=5.0)"
    assert f'sim.load_robot(ROBOT).with_friction({{"hinge": {law}}}),' in text


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (", EFFECT = STICTION", "EFFECT = STICTION: only ALL and SLIDING are supported"),
        (", FORMULATION = LUGRE", "FORMULATION = LUGRE: only ORIGINAL is supported"),
        (", TRANSITION_VELOCITY_COEFFICIENT = 2", "only 1.5 is supported"),
        (", INPUTS = WEIGHT", "INPUTS = WEIGHT: choose one of ALL"),
        (
            "\nFRICTION/2, JOINT = 1, MU_STATIC = 1, MU_DYNAMIC = 1",
            "its joint has a FRICTION already",
        ),
        ("\nFRICTION/2, JOINT = 9", "JOINT = 9: there is no JOINT/9"),
        ("\nFRICTION/2", "FRICTION/2: it names no JOINT"),
    ],
)
def test_what_friction_cannot_be_is_refused(more, reason):
    with pytest.raises(DeckError, match=reason):
        deck_model(BLOCK.format(more=more))


def test_friction_with_impossible_numbers_names_its_statement():
    text = BLOCK.format(more="").replace("MU_STATIC = 0.3", "MU_STATIC = 0.1")
    with pytest.raises(DeckError, match=r"line 9, FRICTION/1: .*mu_dynamic 0.25 exceeds"):
        deck_model(text)
    with pytest.raises(DeckError, match="it has no MU_STATIC"):
        deck_model(text.replace("MU_STATIC = 0.1, ", ""))
