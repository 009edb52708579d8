"""CONTACT statements of decks: shapes, laws and friction in SI units, and what is refused."""

import numpy as np
import pytest
import trimesh

from sim.decks.deck_model import deck_model, load_deck
from sim.errors import DeckError
from tests.helpers.solved_models import solved

# Two parts in millimetres; MARKER/21 is 300 mm above the ground's, and its z is the ground's y.
DECK = """contact of two parts
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/1, PART = 1, REULER = 0D, -90D, 0D
MARKER/2, PART = 1, QP = 10, 20, 30
PART/2, MASS = 1, CM = 21, IP = 4000, 4000, 4000, QG = 0, 300, 0
MARKER/21, PART = 2, REULER = 0D, -90D, 0D
GRAPHICS/9, FORCE, ETYPE = SFORCE, EID = 7, EMARKER = 21
GRAPHICS/1
, {first}
! adams_view_name='BALL.1'
GRAPHICS/2
, {second}
!  adams_view_name='touch'
CONTACT/3
, IGEOM = 2
, JGEOM = 1
, {law}
ACCGRAV/JGRAV = -9806.65
END
"""
PLANE = "PLANE, RM = 1, XMIN = -500, XMAX = 500, YMIN = -500, YMAX = 500"
BALL = "ELLIPSOID, CM = 21, XSCALE = 200, YSCALE = 200, ZSCALE = 200"
IMPACT = "IMPACT, STIFFNESS = 1E+05, DAMPING = 10, DMAX = 0.1, EXPONENT = 2.2"
RUBS = (
    "COULOMB_FRICTION = ON, MU_STATIC = 0.5, MU_DYNAMIC = 0.4\n"
    ", STICTION_TRANSITION_VELOCITY = 100, FRICTION_TRANSITION_VELOCITY = 1000"
)


def model(first=PLANE, second=BALL, law=IMPACT, text=DECK):
    return deck_model(text.format(first=first, second=second, law=law))


def contact(**parts):
    (pair,) = (force for one, force in model(**parts).forces if one.keyword == "CONTACT")
    return pair


SHAPES = {
    "BOX, CORNER = 2, X = 100, Y = 40, Z = -60": ("box", (0.05, 0.02, 0.03), (0.06, 0.04, 0.0)),
    "BLOCK, CORNER = 2, X = 100, Y = 40, Z = 60": ("box", (0.05, 0.02, 0.03), (0.06, 0.04, 0.06)),
    "CYLINDER, CM = 2, LENGTH = 80, RADIUS = 15": (
        "cylinder", (0.015, 0.04, 0), (0.01, 0.02, 0.07),
    ),
    "CYLINDER, CM = 2, LEN = -80, RAD = 15, ANGLE = 360D, SIDES = 30": (
        "cylinder", (0.015, 0.04, 0), (0.01, 0.02, -0.01),
    ),
    "FRUSTUM, CM = 2, LENGTH = 80, TOP = 15, BOTTOM = 15": (
        "cylinder", (0.015, 0.04, 0), (0.01, 0.02, 0.07),
    ),
    "ELLIPSOID, CM = 2, XS = 30, YS = 30, ZS = 30": ("sphere", (0.015, 0, 0), (0.01, 0.02, 0.03)),
    "POINT, RM = 2": ("sphere", (0, 0, 0), (0.01, 0.02, 0.03)),
    "PLANE, RM = 2": ("plane", (0, 0, 0), (0.01, 0.02, 0.03)),
}  # fmt: skip


@pytest.mark.parametrize("drawn", SHAPES)
def test_pictures_become_shapes_in_metres_about_their_middle(drawn):
    kind, size, place = SHAPES[drawn]
    b = contact(first=drawn).b
    assert b.kind == kind
    np.testing.assert_allclose(b.size, size, rtol=0, atol=1e-15)
    np.testing.assert_allclose(b.at.xyz, place, rtol=0, atol=1e-15)


def test_an_impact_in_si_units():
    pair = contact(law=f"{IMPACT}\n, {RUBS}")
    law = pair.law
    assert pair.name == "touch"
    assert (law.kind, law.exponent) == ("impact", 2.2)
    assert law.stiffness == pytest.approx(1e5 * 1e3**2.2, rel=1e-14)  # N/m^2.2
    assert (law.damping, law.depth) == (pytest.approx(1e4), pytest.approx(1e-4))
    assert pair.friction == pytest.approx((0.5, 0.4, 0.1, 1.0))


def test_what_is_left_out_is_assumed_and_said():
    notes = model(law="IMPACT, STIFFNESS = 500, COUL = ON").notes
    (note,) = (note for note in notes if "assumed" in note)
    assert "line 15, CONTACT/3: it leaves out what no page of ADAMS states; assumed: " in note
    for number in ("EXPONENT = 2.2", "DAMPING = 10", "DMAX = 0.1", "MU_STATIC = 0.3"):
        assert number in note


def test_poisson_is_a_damped_spring_with_its_restitution_and_says_so():
    bounces = model(law="POISSON, PENALTY = 1000, RESTITUTION = 1, NO_FRICTION")
    ((_, pair),) = bounces.forces
    assert (pair.law.kind, pair.law.stiffness) == ("hunt_crossley", pytest.approx(1e6))
    assert (pair.law.exponent, pair.law.damping, pair.mu_static) == (1.0, 0.0, 0.0)
    assert any("no page states the formula of POISSON" in note for note in bounces.notes)


def test_a_flipped_plane_looks_down_and_off_is_no_friction():
    pair = contact(law=f"{IMPACT}, JFLIP = YES, COULOMB_FRICTION = OFF, MU_STATIC = 0.3")
    np.testing.assert_allclose(pair.b.at.T_lm[:3, 2], [0, -1, 0], rtol=0, atol=1e-15)
    assert pair.mu_static == 0.0
    np.testing.assert_allclose(contact().b.at.T_lm[:3, 2], [0, 1, 0], rtol=0, atol=1e-15)


def test_a_second_velocity_not_above_the_first_is_replaced_and_named():
    law = f"{IMPACT}, {RUBS}".replace("1000", "50")
    assert contact(law=law).friction_velocity == pytest.approx(0.15, rel=1e-14)
    assert any("taken as 150" in note for note in model(law=law).notes)


def test_lists_of_shapes_touch_each_by_each():
    text = DECK.replace("JGEOM = 1", "JGEOM = 1, 4").replace(
        "ACCGRAV", "GRAPHICS/4, BOX, CORNER = 2, X = 1, Y = 1, Z = 1\nACCGRAV"
    )
    pairs = [force for _, force in model(text=text).forces]
    assert [(one.name, one.b.kind) for one in pairs] == [("touch_1", "plane"), ("touch_2", "box")]


def test_a_solid_is_a_mesh_beside_the_deck_in_its_units(tmp_path):
    solid = "EXTERNAL, RM = 21, FILE = press.xmt_txt, ELEMENT = PART_2.SOLID1"
    text = DECK.format(first=PLANE, second=solid, law=IMPACT)
    (tmp_path / "press.adm").write_text(text)
    box = trimesh.creation.box((20, 40, 60)).apply_translation((0, 0, 30))
    for name in ("SOLID1.obj", "press.stl"):
        box.export(tmp_path / name)
        ((_, pair),) = load_deck(tmp_path / "press.adm").forces
        (tmp_path / name).unlink()
        assert (pair.a.kind, len(pair.a.hull.faces)) == ("mesh", 6)
        assert pair.a.smallest == pytest.approx(0.01, rel=1e-6)
        T = pair.a.at.T_lm  # z of MARKER/21, along which the box is 30 mm up, is the part's y
        np.testing.assert_allclose(T[:3, 3], [0, 0.03, 0], rtol=0, atol=1e-8)
    with pytest.raises(DeckError, match=r"SOLID1.obj or .* press.stl, in the deck's unit"):
        load_deck(tmp_path / "press.adm")
    box.faces = box.faces[1:]
    box.export(tmp_path / "SOLID1.obj")
    with pytest.raises(DeckError, match=r"SOLID1.obj cannot touch: not closed"):
        load_deck(tmp_path / "press.adm")


LYING = {
    "plane": PLANE,
    "box": "BOX, CORNER = 4, X = 400, Y = 400, Z = -100",
    "cylinder": "CYLINDER, CM = 1, LENGTH = -100, RADIUS = 300",
    "frustum": "FRUSTUM, CM = 1, LENGTH = -100, TOP = 300, BOTTOM = 300",
}
STANDING = {  # and how high its marker is above what lies, 2 mm deep [mm]
    "ball": (BALL, 98),
    "box": ("BLOCK, CORNER = 21, X = 100, Y = 100, Z = 120", -2),
    "cylinder": ("CYLINDER, CM = 21, LENGTH = 120, RADIUS = 60", -2),
}


@pytest.mark.parametrize("lying", LYING)
@pytest.mark.parametrize("standing", STANDING)
def test_each_pair_of_shapes_of_a_deck_pushes_by_its_depth(lying, standing, compiled):
    """k d at 2 mm, as four corners share k; names of units other than ours, friction off."""
    second, height = STANDING[standing]
    law = "IMPACT, STIFFNESS = 1000, DAMPING = 10, DMAX = 0.1, EXPONENT = 1, COULOMB = OFF"
    text = (
        DECK.replace("QG = 0, 300, 0", f"QG = 0, {height}, 0")
        .replace("PART/2,", "MARKER/4, PART = 1, QP = -200, 0, 200, REULER = 0D, -90D, 0D\nPART/2,")
        .replace("ACCGRAV", "REQUEST/5, F2=CONTACT(3,0,1,0)\\F3=CONTACT(3,0,3,0)\nACCGRAV")
    )
    made = deck_model(text.format(first=LYING[lying], second=second, law=law))
    columns = solved(made.scenario(1e-3, 1e-3))
    rows = [columns[f"request.REQUEST_5.{name}"][0] for name in ("F2", "F3")]
    np.testing.assert_allclose(rows, 2000.0, rtol=1e-9)  # N, upwards


def test_requests_record_the_force_of_a_contact_and_of_all_its_pairs(compiled):
    """Of a ball 2 mm deep in a plane: k d on I, and on J back; and twice that of two of them."""
    asked = "REQUEST/5, F2=CONTACT(3,0,1,0)\\F3=CONTACT(3,0,3,0)\\F4=CONTACT(3,1,3,0)"
    more = "\\F6=CONTACT(3,0,6,0)\nGRAPHICS/4, SPHERE, CM = 21, RADIUS = 100\nACCGRAV"
    text = DECK.replace("QG = 0, 300, 0", "QG = 0, 98, 0").replace("ACCGRAV", f"{asked}{more}")
    law = "IMPACT, STIFFNESS = 1E+03, DAMPING = 0, DMAX = 0.1, EXPONENT = 1"
    for graphics, share in (("2", 1.0), ("2, 4", 2.0)):
        deck = text.replace("IGEOM = 2", f"IGEOM = {graphics}")
        made = deck_model(deck.format(first=PLANE, second=BALL, law=law))
        columns = solved(made.scenario(0.01, 0.01))
        push = share * 1e6 * 2e-3  # N
        rows = [columns[f"request.REQUEST_5.{name}"][0] for name in ("F2", "F3", "F4")]
        np.testing.assert_allclose(rows, [push, push, -push], rtol=1e-9)
        assert any("no page of ADAMS states the point" in note for note in made.notes)
    with pytest.raises(DeckError, match=r"CONTACT\(9\): there is no CONTACT/9"):
        model(text=DECK.replace("ACCGRAV", "REQUEST/5, F2=CONTACT(9,0,1,0)\nACCGRAV"))


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"second": "ELLIPSOID, CM = 21, XS = 1, YS = 1, ZS = 2"}, "an ellipsoid with unlike"),
        ({"second": "SPHERE, CM = 21"}, "GRAPHICS/2: it needs RADIUS, or XSCALE, YSCALE"),
        ({"second": "EXTERNAL, RM = 21, FILE = a.xmt_txt, ELEMENT = S1"}, "S1 as a mesh"),
        ({"second": "TORUS, CM = 21, MAJOR = 2, MINOR = 1"}, "CONTACT/3 needs it as"),
        ({"second": "FRUSTUM, CM = 21, LENGTH = 8, TOP = 1, BOTTOM = 2"}, "a cone does not"),
        ({"second": "CYLINDER, CM = 21, LENGTH = 8, RADIUS = 0"}, "radius 0.0 m must be"),
        ({"second": "BOX, CORNER = 1, X = 1, Y = 1, Z = 1"}, "CONTACT/3: .*on link"),
        ({"law": "IMPACT, POISSON"}, "CONTACT/3: IMPACT and POISSON exclude each other"),
        ({"law": "NORMAL_FUNCTION = USER(1,2)"}, "CONTACT/3: a subroutine cannot be called here"),
        ({"law": f"{IMPACT}, COULOMB = MAYBE"}, "CONTACT/3: COULOMB_FRICTION = MAYBE: choose one"),
        ({"law": "IMPACT, STIFFNESS = -1"}, "CONTACT/3: .*stiffness"),
        ({"text": DECK.replace("IGEOM = 2", "IFLEX = 2")}, "CONTACT/3: it has IFLEX or JFLEX"),
        ({"text": DECK.replace("IGEOM = 2", "IGEOM = 7")}, "CONTACT/3: there is no GRAPHICS/7"),
        ({"text": DECK.replace("IGEOM = 2", "IGEOM = 2, 2")}, "CONTACT/3: IGEOM has 2 twice"),
    ],
)  # fmt: skip
def test_what_is_not_offered_is_refused_by_line_and_statement(parts, message):
    with pytest.raises(DeckError, match=rf"line \d+, .*{message}"):
        model(**parts)
