"""Decks that cannot be read or run: the message names line, statement and reason."""

import math

import pytest

from sim.decks import deck_model
from sim.errors import DeckError
from tests.decks.decks_of_tests import PENDULUM, SLIDERS, SPRING

GOOD = SLIDERS.format(force=SPRING)

BAD = {
    "a marker that is not there": (
        "I = 0102, J = 0202",
        "I = 0102, J = 99",
        r"JOINT/1: J = 99.*MARKER/99",
    ),
    "a part without mass": (", MASS = 1\n", "\n", r"line 12, PART/2: no MASS"),
    "mass that is not above 0": (", MASS = 1\n", ", MASS = -1\n", r"PART/2: MASS = -1"),
    "an unknown statement": (
        "ACCGRAV/",
        "ACGRAW/",
        r"line 33, ACGRAW/: ACGRAW is not supported .did you mean ACCGRAV.\)",
    ),
    "an unknown argument": (
        "CM = 0201",
        "CMM = 0201",
        r"line 12, PART/2: unknown argument CMM .did you mean CM.\)",
    ),
    "an unknown unit": (
        "= METER",
        "= METRE",
        r"line 2, UNITS/: LENGTH = METRE: choose one of METER",
    ),
    "a unit that is missing": (", TIME = SECOND\n", "", r"UNITS/: TIME is missing"),
    "a statement that is cut off": (
        ", J = 0202\nSFORCE",
        ", J =\nSFORCE",
        r"line 22, JOINT/1: J = has no value",
    ),
    "a line that continues nothing": ("UNITS/\n", "", r"line 2: ', FORCE = NEWTON' continues"),
    "an end in the middle of a statement": (
        "OUTPUT/\n, REQSAVE\nEND\n",
        "ACCGRAV/KGRAV = 1, &\n",
        r"line 35: the deck ends in the statement of line 35, which continues; it is cut off",
    ),
    "an argument without its value at the end": (
        "OUTPUT/\n, REQSAVE\nEND\n",
        "SFORCE/2, ROTATIONAL, I = 102, J = 202\n, FUNCTION =",
        r"line 35, SFORCE/2: FUNCTION = has no value; is the statement cut off",
    ),
    "a statement twice": ("ACCGRAV/", "PART/2, GROUND\nACCGRAV/", r"line 33, PART/2: .*line 12"),
    "a CM that is no marker of a part": (
        "MARKER/0201, PART = 02",
        "MARKER/0201, PART = 09",
        r"MARKER/201: PART = 9: there is no PART/9",
    ),
    "a CM that follows another marker": (
        "MARKER/0201, PART = 02",
        "MARKER/0201, FLOATING, PART = 02",
        r"PART/2: CM = 201: there is no MARKER/201 on this part",
    ),
    "a digit of another script": ("az(0102", "az(\u00b2", r"SFORCE/1: .* has no meaning"),
    "a joint without a number": (
        "JOINT/1, REVOLUTE",
        "JOINT/, REVOLUTE",
        r"line 22, JOINT/: the id must be an integer above 0, and none is given",
    ),
    "a marker without a number": (
        "MARKER/0202, PART",
        "MARKER/, PART",
        r"line 17, MARKER/: the id must be an integer above 0, and none is given",
    ),
    "a marker below 0": (
        "MARKER/0202,",
        "MARKER/-202,",
        r"line 17, MARKER/: the id must be an integer above 0, not -202",
    ),
    "half a joint": (
        "JOINT/1,",
        "JOINT/1.5,",
        r"line 22, JOINT/: the id must be an integer above 0, not 1\.5",
    ),
    "two starts of a joint": (
        "JOINT/1, REVOLUTE\n",
        "JOINT/1, REVOLUTE, ICROT = 10D, IC = 20D\n",
        r"line 22, JOINT/1: IC and ICROT exclude each other",
    ),
    "a marker on two parts": (
        "MARKER/0202, PART = 02",
        "MARKER/0202, PART = 02, POINT_MASS = 3",
        r"line 17, MARKER/202: PART and POINT_MASS exclude each other",
    ),
    "axes by angles and by points": (
        "PART = 02\n, QP = 2, 0, 0\n",
        "PART = 02\n, QP = 2, 0, 0, ZP = 2, 0, 1\n",
        r"line 14, MARKER/201: REULER and ZP exclude each other",
    ),
    "an unknown flag of a sensor": (
        "OUTPUT/",
        "SENSOR/1, FUNCTION = AZ(202,102), VALUE = 0.1, XX, HALT\nOUTPUT/",
        r"line 35, SENSOR/1: 'XX' is unknown; arguments VALUE",
    ),
    "two stiffness laws of damping": (
        "OUTPUT/",
        "FIELD/1, I = 202, J = 102, KMATRIX = 36*1, CMATRIX = 1, CRATIO = 1\nOUTPUT/",
        r"line 35, FIELD/1: CMATRIX and CRATIO exclude each other",
    ),
    "an argument twice": (
        ", MASS = 1\n",
        ", MASS = 1, MASS = 2\n",
        r"line 12, PART/2: MASS is given twice",
    ),
    "the ending of an argument": (
        "OUTPUT/",
        "FRICTION/1, JOINT = 1, FORCE_PRELOAD = 1\nOUTPUT/",
        r"unknown argument FORCE_PRELOAD .did you mean FRICTION_FORCE_PRELOAD",
    ),
    "a statement of no kind": (
        "OUTPUT/",
        "UDE/1\nOUTPUT/",
        r"line 35, UDE/1: UDE is not supported; supported statements: UNITS",
    ),
    "a drive of another kind": (
        "SFORCE/1",
        "MOTION/1, JOINT = 1, TRANSLATIONAL, FUNCTION = TIME\nSFORCE/1",
        r"line 24, MOTION/1: it is TRANSLATIONAL, but JOINT/1 is REVOLUTE: use ROTATIONAL",
    ),
    "a variable that is not there": (
        "SFORCE/1",
        "VARIABLE/1, FUNCTION = VARVAL(7)+1\nSFORCE/2, ROTATIONAL, I = 102, J = 202, FUNCTION = "
        "VARVAL(1)\nSFORCE/1",
        r"line 24, VARIABLE/1: there is no VARIABLE/7\n *VARVAL\(7\)\+1\n *\^",
    ),
    "a marker of a function that is not there": (
        "200.0*az(0102,0202)",
        "200*AZ(102,99)",
        r"SFORCE/1: there is no MARKER/99\n.*200\*AZ\(102,99\)",
    ),
    "a part too far away": (
        ", MASS = 1\n",
        ", MASS = 1, QG = 7E6, 0, 0\n",
        r"line 12, PART/2: QG is 7e\+06 m from the ground; at most 100000 m",
    ),
    "a marker too far away": (
        "QP = 2, 0, 0",
        "QP = 2E5, 0, 0",
        r"line 14, MARKER/201: QP is 200000 m from its part; at most 100000 m",
    ),
    "a moment of inertia below 0": (
        "IP = 0.04, 0.1, 0.1",
        "IP = 0.04, 0.1, -0.1",
        r"line 12, PART/2: its principal moments .* are -0\.1, 0\.04, 0\.1 kg",
    ),
    "a number without end": ("az(0102", f"az({'1' * 5000}", r"line 24: a number .* 100 digits"),
    "a CM on another part": ("CM = 0201", "CM = 0102", r"PART/2: CM = 102"),
    "words for numbers": ("QP = 2, 0, 0", "QP = 2, nil, 0", r"MARKER/201.*'nil'"),
    "two numbers for three": (
        "QP = 2, 0, 0",
        "QP = 2, 0",
        r"MARKER/201: QP = 2, 0: it takes three",
    ),
    "a drive of a ball": (
        "JOINT/1, REVOLUTE\n, I = 0102, J = 0202\n",
        "JOINT/1, SPHERICAL, I = 102, J = 202\nMOTION/1, JOINT = 1, FUNCTION = TIME\n",
        r"line 23, MOTION/1: JOINT/1 is SPHERICAL; a MOTION drives one of REVOLUTE",
    ),
    "a start of a ball": (
        "JOINT/1, REVOLUTE\n",
        "JOINT/1, SPHERICAL, ICROT = 1, 0\n",
        r"line 22, JOINT/1: ICROT: it requires",
    ),
    "a drive that closes a loop of drives": (
        "SFORCE/1",
        "JOINT/2, REVOLUTE, I = 102, J = 202\nMOTION/1, JOINT = 1, FUNCTION = 0\n"
        "MOTION/2, JOINT = 2, FUNCTION = 0\nSFORCE/1",
        r"line 26, MOTION/2: JOINT/2 closes a loop of joints",
    ),
    "an elastic part": (
        "OUTPUT/",
        "SECTION/1, TYPE = Solid Rectangular, AREA = 2\nFE_PART/3",
        r"line 36, FE_PART/3: an elastic body",
    ),
    "contact": ("OUTPUT/", "CONTACT/1\nOUTPUT/", r"CONTACT/1: it has no IGEOM; a contact needs"),
    "a function that cannot be read": (
        "200.0*az",
        "200.0*azz",
        r"SFORCE/1: 'azz' is not known .did you mean AZ.*\n *- 200\.0\*azz\(0102,0202\)",
    ),
    "a subroutine": ("- 200.0*az(0102,0202)", "USER(1,2)", r"SFORCE/1: a subroutine"),
    "a subroutine of three": (
        "END",
        "VFORCE/1, I = 0102, JFLOAT = 9, RM = 0102, FUNC = USER(1)\nMARKER/9, PART = 1, FLOAT",
        r"VFORCE/1: a subroutine cannot be called here; give FX, FY, FZ = an expression",
    ),
    "a reaction in a force": ("200.0*az(0102,0202)", "JOINT(1,0,2,0)", r"SFORCE/1.*constraint"),
    "a function of itself": (
        "200.0*az(0102,0202)",
        "SFORCE(1,0,8,0)",
        r"SFORCE/1: .*reads SFORCE/1",
    ),
    "a spline that goes back": (
        "OUTPUT/",
        "SPLINE/5, X = 0, 2, 1, 3, Y = 0, 1, 2, 3\nSFORCE/2, ROTATIONAL, I = 0102, J = 0202"
        ", FUNCTION = CUBSPL(TIME,0,5)\nOUTPUT/",
        r"line \d+, SPLINE/5: The x of a spline must ascend: point 3 is at x = 1, after point 2 at "
        "x = 2",
    ),
    "parts that cannot come together": (
        "SFORCE/1",
        "MARKER/103, PART = 1, QP = 5, 0, 0\nJPRIM/1, ATPOINT, I = 201, J = 103\nSFORCE/1",
        r"line 25, JPRIM/1: it is open by 3 m .*; no place nearby .* at best",
    ),
    "a contact of no depth": (
        "- 200.0*az(0102,0202)",
        "IMPACT(AZ(102,202), WZ(102,202), 0.1, 1E5, 1.5, 10, 1.0D-3)",
        r"SFORCE/1: IMPACT.* requires d above 0; here d = -2\.98",
    ),
    "a stop that pulls": (
        "- 200.0*az(0102,0202)",
        "BISTOP(AZ(102,202), WZ(102,202), -1, 1, -1E5, 1.5, 10, 0.1)",
        r"SFORCE/1: BISTOP.* requires k of at least 0; here k = -100000",
    ),
    "stops that are swapped": (
        "- 200.0*az(0102,0202)",
        "BISTOP(AZ(102,202), WZ(102,202), 1, -1, 1E5, 1.5, 10, 0.1)",
        r"(?s)SFORCE/1: BISTOP.* requires x1 < x2; here x1 = 1 and x2 = -1.*\n +\^",
    ),
    "a spring of the other kind": (
        "OUTPUT/",
        "SPRINGDAMPER/1, ROTATIONAL, I = 102, J = 202, K = 2, CT = 1\nOUTPUT/",
        "SPRINGDAMPER/1: K: it is ROTATIONAL, and takes KT, CT, ANGLE, TORQUE",
    ),
    "a force that reads a spring's": (
        "- 200.0*az(0102,0202)",
        "SPDP(1, 0, 8, 0)\nSPRINGDAMPER/1, ROTATIONAL, I = 102, J = 202, KT = 2\n"
        "VARIABLE/3, FUNCTION = 1",
        "SFORCE/1: its function reads the force of SPRINGDAMPER_1; a force reads only SFORCEs",
    ),
    "points that are not there": (
        "- 200.0*az(0102,0202)",
        "AKISPL(az(0102,0202), 0, 9)",
        "SFORCE/1: there is no SPLINE/9",
    ),
    "a motion by a state": (
        "OUTPUT/",
        "DIFF/1, FUNCTION = TIME\nMOTION/1, JOINT = 1, FUNCTION = DIF(1)\nOUTPUT/",
        r"DIF depends on the state, .* or for a DIFF of TIME alone its FUNCTION as VELOCITY of",
    ),
    "a motion that is infinite at the start": (
        "OUTPUT/",
        "MOTION/1, JOINT = 1, FUNCTION = 1/TIME\nOUTPUT/",
        r"line 35, MOTION/1: its FUNCTION is not finite at TIME = 0: 1 / TIME",
    ),
    "an output that is not there": (
        "OUTPUT/",
        "POUTPUT/1, VARIABLES = 8\nOUTPUT/",
        r"line 35, POUTPUT/1: VARIABLES = 8: there is no VARIABLE/8",
    ),
    "a motion of no joint": (
        "OUTPUT/",
        "MOTION/1, JOINT = 8, FUNCTION = TIME\nOUTPUT/",
        r"MOTION/1: JOINT = 8",
    ),
    "a motion of the state": (
        "OUTPUT/",
        "MOTION/1, JOINT = 1, FUNCTION = AZ(102)\nOUTPUT/",
        r"MOTION/1: .*AZ",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_deck_is_refused_by_line_and_statement(case):
    good, bad, message = BAD[case]
    assert good in PENDULUM
    with pytest.raises(DeckError, match=message):
        deck_model(PENDULUM.replace(good, bad, 1))


def test_an_empty_file_is_named_as_one():
    with pytest.raises(DeckError, match="line 1: the file is empty"):
        deck_model("\n")


def test_a_slide_of_a_deck_has_no_ends():
    limits = [row.limits for row in deck_model(GOOD).scenario().robot.coordinates]
    assert [(one.lower, one.upper) for one in limits] == [(-math.inf, math.inf)] * 2


def test_pictures_that_contacts_use_are_not_called_ignored():
    contact = "CONTACT/1, IGEOM = 202, JGEOM = 203, IMPACT\nGRAPHICS/203, SPHERE, CM = 102"
    read = deck_model(PENDULUM.replace("OUTPUT/", f"{contact}, RADIUS = 0.1\nOUTPUT/"))
    assert not any("GRAPHICS" in line for line in read.skipped)
    assert any("GRAPHICS" in line for line in deck_model(PENDULUM).skipped)


def test_what_stands_below_end_is_passed_over_with_a_note():
    text = PENDULUM.replace("ACCGRAV/", "END\nACCGRAV/")
    (note,) = (n for n in deck_model(text).notes if "below END" in n)
    assert "2 statements below END" in note
    assert any("line 33 ends the deck" in line for line in deck_model(text).skipped)


@pytest.mark.parametrize(
    ("statement", "note"),
    [
        ("MOTION/1, JOINT = 1, VELOCITY, ICVEL = 3, FUNCTION = TIME", "MOTION/1: ICVEL ignored"),
        ("MOTION/1, JOINT = 1, ICDISP = 3, FUNCTION = TIME", "MOTION/1: ICDISP ignored"),
        ("ARRAY/1, U, VARIABLES = 8", "ARRAY/1: VARIABLES: there is no VARIABLE/8; nothing reads"),
    ],
)
def test_what_a_deck_types_without_effect_is_a_note(statement, note):
    model = deck_model(PENDULUM.replace("OUTPUT/", f"{statement}\nOUTPUT/"))
    assert any(note in one for one in model.notes)


def test_a_start_speed_next_to_a_motion_is_ignored_with_a_note():
    deck = PENDULUM.replace("REVOLUTE\n", "REVOLUTE, ICROT = 0, 3\n")
    model = deck_model(deck.replace("OUTPUT/", "MOTION/1, JOINT = 1, FUNCTION = TIME\nOUTPUT/"))
    assert any("the start speed of joint hinge ignored" in note for note in model.notes)
    assert not any("3 rad/s" in note for note in model.notes)


def test_without_units_a_deck_is_in_si_with_a_note():
    text = PENDULUM.replace(PENDULUM[PENDULUM.index("UNITS/") : PENDULUM.index("!  adams")], "")
    model = deck_model(text)
    assert any("no UNITS" in note for note in model.notes)
    assert model.deck.gravity == (0.0, 0.0, -9.80665)


def test_a_function_of_many_lines_is_one():
    longer = "- 200.0*az(0102,0202)\n" + ", + 1.0\n! a remark\n, - 1.0\n" * 8
    force = deck_model(PENDULUM.replace("- 200.0*az(0102,0202)\n", longer)).forces[0][1]
    assert force.function.count("+ 1.0") == 8
    assert force.function.endswith("- 10 * WZ(102, 202, 202)")


@pytest.mark.parametrize("lines", range(0, GOOD.count("\n"), 3))
def test_a_deck_that_is_cut_off_is_an_error_of_its_own_or_says_that_it_may_be(lines):
    text = "\n".join(GOOD.splitlines()[:lines])
    try:
        notes = deck_model(text).notes
    except DeckError:
        return
    assert any("has no END, and its last line has no line end" in note for note in notes)


def test_a_deck_without_end_is_the_same_deck():
    whole, bare = (deck_model(PENDULUM.replace("END\n", end)) for end in ("END\n", ""))
    assert bare.urdf == whole.urdf
    (note,) = (note for note in bare.notes if note not in whole.notes)
    assert note.startswith(
        "deck.adm: line 36: the deck has no END; assumed complete, but it may be"
    )
