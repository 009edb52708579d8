"""FRICTION of decks: a block and a rotor that rub to a stop, in millimetres."""

import numpy as np
import pytest

from sim.decks import deck_model
from sim.errors import DeckError
from tests.helpers.solved_models import solved

G, MU, ARM = 9.80665, 0.2, 0.03  # m/s², 1, m
MASS, MOMENT = 2.0, 0.01  # kg, kg·m²

# z of the slide is the world's x, and so is that of the axle.
RUBBING = """a block on a slide
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1, REULER = 90D, 90D, 0D
PART/2, MASS = 2, CM = 20, IP = 1E4, 1E4, 1E4{start}
MARKER/20, PART = 2, REULER = 90D, 90D, 0D
JOINT/1, {kind}, I = 20, J = 10
FRICTION/1, JOINT = 1, MU_STATIC = 0.3, MU_DYNAMIC = 0.2
, STICTION_TRANSITION_VELOCITY = 1{more}
ACCGRAV/KGRAV = -9806.65
END
"""
SLIDE = RUBBING.format(kind="TRANSLATIONAL", start=", VX = 1000", more=", INITIAL_OVERLAP = 50")
AXLE = RUBBING.format(
    kind="REVOLUTE",
    start=", WZ = 20",
    more=", PIN_RADIUS = 30, FRICTION_ARM = 10, FRICTION_TORQUE_PRELOAD = 40",
)
HELD = """
PART/2, MASS = 2, CM = 20, IP = 1E4, 1E4, 1E4{start}
MARKER/11, PART = 1
MARKER/22, PART = 2, REULER = 0D, 90D, 0D
JPRIM/1, {held}"""
SLEEVE = RUBBING.replace("\nPART/2, MASS = 2, CM = 20, IP = 1E4, 1E4, 1E4{start}", HELD)
IN_SLEEVE = {"kind": "CYLINDRICAL", "more": ", PIN_RADIUS = 30, INITIAL_OVERLAP = 50"}
CROSS = RUBBING.replace("10, PART = 1, REULER = 90D, 90D, 0D", "10, PART = 1").format(
    kind="UNIVERSAL", start=", WY = 20", more=", {yoke}, FRICTION_ARM = 30"
)
CASES = {
    "a rotor in a sleeve": (
        SLEEVE.format(start=", WZ = 20", held="INPLANE, I = 20, J = 10", **IN_SLEEVE),
        20.0,
        MU * ARM * MASS * G / MOMENT,
    ),
    "a block in a sleeve": (
        SLEEVE.format(start=", VX = 1000", held="PERPENDICULAR, I = 22, J = 11", **IN_SLEEVE),
        1.0,
        MU * G,
    ),
    "a cross on an upright pin": (CROSS.format(yoke="J_YOKE"), 20.0, MU * ARM * MASS * G / MOMENT),
    "a cross whose other pin rubs": (CROSS.format(yoke="I_YOKE"), 20.0, 0.0),
    "a block": (SLIDE, 1.0, MU * G),
    "a rotor": (AXLE, 20.0, (MU * ARM * MASS * G + 0.04) / MOMENT),
    "a rotor with its preload alone": (
        AXLE.replace(", PIN", ", INPUTS = PRELOAD, PIN"), 20.0, 0.04 / MOMENT
    ),
}  # fmt: skip


ROUND = RUBBING.replace("20, PART = 2, REULER = 90D, 90D, 0D", "20, PART = 2").format(
    kind="SPHERICAL",
    start=", WX = 12, WY = 16",
    more=", BALL_RADIUS = 30, FRICTION_TORQUE_PRELOAD = 40",
)
HELICAL = RUBBING.replace("1E4, 1E4, 1E4", "1E4, 1E4, 1800").format(
    kind="CYLINDRICAL", start=", VX = 600, WZ = 26.666666666666667", more=", PIN_RADIUS = 30"
)


def test_a_ball_slows_down_about_the_axis_of_its_turn():
    """I ω' = -(μ R m g + P), whatever the axis, of a body that is held in its mass centre."""
    model = deck_model(ROUND)
    columns = solved(model.scenario(0.1, 0.05))
    speed = 20.0 - (MU * ARM * MASS * G + 0.04) / MOMENT * columns.t
    turning = np.stack([columns[f"qd.JOINT_1.{axis}"].to_numpy() for axis in "xyz"])
    assert np.linalg.norm(turning[:, 0]) == pytest.approx(20.0)
    assert turning == pytest.approx(turning[:, :1] * speed / 20.0, abs=1e-9)
    assert any("FRICTION of JOINT_1: a ball, or a sleeve" in note for note in model.notes)


def test_a_sleeve_rubs_against_the_velocity_of_its_surface():
    """Of I = m R² the surface, which moves by (v, R ω), goes straight on: |v|' = -μ g."""
    model = deck_model(HELICAL)
    columns = solved(model.scenario(0.2, 0.1))
    speed = 1.0 - MU * G * columns.t
    ((slide, law),) = model.friction.items()
    slide, turn = f"qd.{slide}", f"qd.{law.turns_with}"
    assert columns[slide].to_numpy() == pytest.approx(0.6 * speed, abs=1e-9)
    assert columns[turn].to_numpy() == pytest.approx(0.8 / ARM * speed, abs=1e-8)


@pytest.mark.parametrize("case", CASES)
def test_what_rubs_slows_down_by_its_load(case):
    """v = v_0 - μ N/m t, while it is far from sticking."""
    text, speed, slowing = CASES[case]
    model = deck_model(text)
    columns = solved(model.scenario(0.2, 0.1))
    t = np.array([0.0, 0.1, 0.2])
    joint = "JOINT_1_a" if "UNIVERSAL" in text else next(iter(model.friction))
    assert columns[f"qd.{joint}"].to_numpy() == pytest.approx(speed - slowing * t, abs=1e-9)
    way = speed * t - slowing * t**2 / 2
    assert columns[f"q.{joint}"].to_numpy() == pytest.approx(way, abs=1e-9)


def test_a_block_that_was_pushed_stops_and_stays():
    columns = solved(deck_model(SLIDE).scenario(0.8, 0.1))
    end = columns["q.JOINT_1"].to_numpy()[-2:]
    assert end[0] == pytest.approx(end[1], abs=1e-9)
    assert end[0] == pytest.approx(1 / (2 * MU * G), rel=2e-3)  # the last 1.5 mm/s rub a bit more


def test_what_is_not_typed_is_adams_s_default_in_the_deck_s_units():
    (law,) = deck_model(AXLE.replace(", PIN_RADIUS = 30", "")).friction.values()
    assert (law.pin_radius, law.bending_arm, law.friction_arm) == (1e-3, 1e-3, 0.01)
    assert law.stiction_velocity == pytest.approx(1e-3)
    assert law.preload == pytest.approx(0.04)


@pytest.mark.parametrize(
    ("typed", "mu", "inputs"),
    [
        ("EFFECT = SLIDING", 0.2, 4),
        ("EFFECT = (STICTION, SLIDING), INPUTS = (PRELOAD, REACTION_FORCE)", 0.3, 2),
        ("INPUTS = (PRELOAD:BENDING_MOMENT), EFFECT = ALL", 0.3, 2),
    ],
)
def test_effects_and_inputs_are_lists_in_parentheses_or_not(typed, mu, inputs):
    model = deck_model(AXLE.replace("MU_STATIC", f"{typed}, MU_STATIC"))
    (law,) = model.friction.values()
    assert (law.mu_static, len(law.inputs)) == (mu, inputs)
    said = any("EFFECT = SLIDING: at rest" in note for note in model.notes)
    assert said == (typed == "EFFECT = SLIDING")


def test_a_joint_that_creeps_in_adams_is_a_note():
    model = deck_model(SLIDE.replace(", INITIAL", ", MAX_STICTION_DEFORMATION = 0.01, INITIAL"))
    assert any("FRICTION/1: a joint that sticks does not creep here" in n for n in model.notes)


# fmt: off
@pytest.mark.parametrize("word", ["INACTIVE_DURING", "INACTIVE", "inact"])
def test_friction_that_is_inactive_during_statics_is_read(word):
    model = deck_model(SLIDE.replace("MU_STATIC", f"{word} = STATIC, MU_STATIC"))
    assert [*model.friction] == ["JOINT_1"]
    with pytest.raises(DeckError, match="INACTIVE_DURING = DYNAMIC: choose one of STATIC"):
        deck_model(SLIDE.replace("MU_STATIC", f"{word} = DYNAMIC, MU_STATIC"))


BAD = {
    ("JOINT = 1,", "JOINT = 7,"): "JOINT = 7: there is no JOINT/7",
    ("JOINT = 1,", ""): "it names no JOINT",
    ("MU_STATIC = 0.3, ", ""): "it has no MU_STATIC",
    ("0.3", "0.1"): "mu_dynamic 0.2 exceeds mu_static 0.1",
    ("MU_DYNAMIC", "EFFECT = STICTION, MU_DYNAMIC"): "EFFECT = STICTION: only ALL",
    ("MU_DYNAMIC", "FORMULATION = LUGRE, MU_DYNAMIC"): "FORMULATION = LUGRE: only ORIGINAL",
    ("MU_DYNAMIC", "OVERLAP_DELTA = INCREASE, MU_DYNAMIC"): "OVERLAP_DELTA = INCREASE: only",
    ("MU_DYNAMIC", "INPUTS = WEIGHT, MU_DYNAMIC"): "INPUTS = WEIGHT: choose one of ALL",
    ("TRANSLATIONAL, I = 20, J = 10", "CYLINDRICAL, I = 20, J = 10\nFRICTION/2, JOINT = 1, "
     "MU_S = 1, MU_D = 1, FRICTION_TORQUE_PRELOAD = 1"):
        "FRICTION_TORQUE_PRELOAD: its CYLINDRICAL slides and turns",
    (", VX = 1000\nMARKER/20, PART = 2, REULER = 90D, 90D, 0D\nJOINT/1, TRANSLATIONAL",
     "\nMARKER/20, PART = 2\nJOINT/1, UNIVERSAL"): "JOINT/1 has two pins: give I_YOKE or J_YOKE",
    ("TRANSLATIONAL", "PLANAR"): "JOINT/1 is PLANAR; friction is supported in REVOLUTE",
    ("ACCGRAV", "FRICTION/2, JOINT = 1, MU_S = 1, MU_D = 1\nACCGRAV"): "has a FRICTION already",
}
# fmt: on


def test_a_sleeve_beside_a_closed_loop_rubs_as_one_without():
    loop = """PART/3, MASS = 1, CM = 30, IP = 1E4, 1E4, 1E4
MARKER/12, PART = 1
MARKER/30, PART = 3
JOINT/2, REVOLUTE, I = 30, J = 12
JPRIM/1, INPLANE, I = 30, J = 12
FRICTION/1"""
    model = deck_model(HELICAL.replace("FRICTION/1", loop))
    columns = solved(model.scenario(0.2, 0.1))
    slide = next(iter(model.friction))
    wanted = 0.6 * (1.0 - MU * G * columns.t)
    assert columns[f"qd.{slide}"].to_numpy() == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("change", BAD)
def test_a_law_that_cannot_be_had_is_refused_by_line(change):
    with pytest.raises(DeckError, match=rf"line \d+, FRICTION/\d: .*{BAD[change]}"):
        deck_model(SLIDE.replace(*change, 1))
