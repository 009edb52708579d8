"""One deck as several programs and people write it: the same model."""

import re

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from sim.decks import deck_model, load_deck
from sim.errors import DeckError
from tests.decks.decks_of_tests import PENDULUM
from tests.helpers.solved_models import solved

LAW = PENDULUM.index(", FUNCTION")
CONTINUED = PENDULUM[:LAW].replace("\n, ", ", &\n") + PENDULUM[LAW:].replace(
    "\n!  between the lines of a function\n, ", " &\n!  between the lines of a function\n"
).replace("\n, 0202", " &\n 0202")


def by_hand(text):
    """Keywords and arguments cut short, in small letters."""
    short = {"MARKER": "mar", "JOINT": "joi", "REVOLUTE": "rev", "FUNCTION": "fun"}
    short |= {"GRAPHICS": "gra", "REULER": "reu", "SFORCE": "sfo", "ROTATIONAL": "rotation"}
    short |= {"REQUEST": "req", "ACCGRAV": "accg", "LENGTH": "len", "SECOND": "SEC"}
    short |= {"NEWTON": "newt", "KILOGRAM": "kg"}
    for word, cut in short.items():
        text = re.sub(rf"\b{word}\b", cut, text)
    return text


STYLES = {
    "small letters": PENDULUM.lower(),
    "cut short": by_hand(PENDULUM),
    "Windows": "\ufeff" + PENDULUM.replace("\n", "\r\n"),
    "tabs": PENDULUM.replace(" = ", "\t=\t").replace(", ", ",\t").replace("/", "\t/\t"),
    "& at the end": CONTINUED,
    "no space at all": "\n".join(
        line if line.startswith("!") or "FUNCTION" in line else line.replace(" ", "")
        for line in PENDULUM.splitlines()
    ),
    "remarks": PENDULUM.replace("\n, ", '\n$ a remark, of "this\n!\n\n, ').replace(
        "J = 0102,C=DISPLACEMENT: X Y Z", 'J=0102,C="up! X, Y, Z", D ! more, of it'
    ),
    "two on a line": PENDULUM.replace("\nREQUEST/01", "; REQUEST/01").replace(
        "\n, REULER = 180D, 90D, 180D\nGRAPHICS", ", REULER = 180D, 90D, 180D ;GRAPHICS"
    ),
    "semicolons at the end": PENDULUM.replace("180D\n", "180D ; \n").replace(
        "GROUND\n", "GROUND;\n"
    ),
    "& before a value": PENDULUM.replace("PART = 02\n", "PART =&\n 02\n").replace(
        "= 0.04, ", "= &\n! a remark\n 0.04, "
    ),
    "powers of ten": PENDULUM.replace("0.04, 0.1, 0.1", "4.0D-02, +1.d-1, .1E+0").replace(
        "QP = 2, 0, 0", "QP = 0.2D+01, 0.0d0, 0E0"
    ),
    "its commands": PENDULUM.replace(
        "END\n",
        "ARRAY/1, IC, SIZE = 2, NUMBERS = 1, 2\nGSE/1, X = 1, NS = 2, FUNCTION = USER(1)\n"
        "STRING/1, STRING = hello\nSENSOR/1, GE, HALT, FUNCTION = TIME, VALUE = 9\n"
        "INTEGRATOR/GSTIFF, ERROR = 1E-6\nLIST_INFO/ALL\nRESULTS/XRF\n"
        "SIMULATE/DYNAMIC, END = 5, STEPS = 500\n"
        "STOP\nEND\n",
    ),
    "a system": PENDULUM.replace(
        PENDULUM[PENDULUM.index("UNITS/") : PENDULUM.index("!  adams_view_name='ground'")],
        "UNITS/SYSTEM = MKS\n",
    ),
    "axes by points": PENDULUM.replace(
        "MARKER/0202, PART = 02\n, REULER = 180D, 90D, 180D",
        "MARKER/0202, PART = 02, USEXP, XP = 3, 0, 0, ZP = 1, 5, 0",
    ),
}


def parts_of(model):
    (_, force), *others = model.forces
    assert not others
    law = force.function.replace(" ", "").upper()
    return model.urdf, model.deck.gravity, force.name, force.i, force.j, force.acts, law


@pytest.mark.parametrize("style", STYLES)
def test_a_deck_in_any_style_is_the_same(style):
    assert STYLES[style] != PENDULUM
    assert parts_of(deck_model(STYLES[style])) == parts_of(deck_model(PENDULUM))


@pytest.mark.parametrize("end", ["END\n", "END; ! of the deck\n", "OUTPUT/REQSAVE; END\n"])
def test_a_deck_ends_at_its_end(end):
    below = "PART/77, MASS = 1, CM = 77\nMARKER/77\n"
    *_, note = deck_model(PENDULUM.replace("END\n", f"{end}{below}")).skipped
    line = PENDULUM.count("\n")
    assert note == f"2 statements below END: line {line} ends the deck"
    assert not any("no END" in one for one in deck_model(PENDULUM.replace("END\n", end)).notes)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1", "utf-16"])
def test_a_file_may_have_any_encoding(encoding, tmp_path):
    text = PENDULUM.replace("name='arm'", "name='Schwinge_größer'")
    (tmp_path / "arm.adm").write_bytes(text.replace("\n", "\r\n").encode(encoding))
    assert '<link name="Schwinge_gr__er"' in load_deck(tmp_path / "arm.adm").urdf


def test_each_ignored_statement_has_a_reason():
    skipped = deck_model(STYLES["its commands"]).skipped
    words = {line.partition(" ")[0]: line for line in skipped}
    assert {"GSE", "STRING", "INTEGRATOR", "STOP"} < words.keys()
    assert "sets the length of the run" in words["SIMULATE"]
    assert "no force here reads" in words["GSE"]


def test_a_variable_without_a_function_stays_at_its_ic():
    """As one that another program writes; LABEL names what has no name of ADAMS's window."""
    text = PENDULUM.replace("10*wz(0102,0202,\n, 0202)", "VARVAL(7)*VARVAL(8)*VARVAL(9)").replace(
        "END\n",
        "VARIABLE/7, IC = 3, LABEL = 'in, out'\nVARIABLE/8, FUNCTION =\nVARIABLE/9, IC = 2\nEND\n",
    )
    model = deck_model(text)
    assert model.forces[0][1].names.variables == {"7": "3", "8": "0", "9": "2"}
    assert [name.name for name in model.deck.of("VARIABLE")] == ["in, out", "", ""]
    assert sum("it has no FUNCTION, and stays at" in note for note in model.notes) == 3


NAMES = {  # of F1 to F8, and those of F2 F3 F4 F6 F7
    ", a,": "a F3 F4 F6 F7",
    ", fx, fy, fz, , tx, ty": "fx fy fz tx ty",
    '"", fx, fy, fz, "", tx, ty': "fx fy fz tx ty",
    ", fx\n, fy,, ,\n, tx, ty": "fx fy F4 tx ty",
    "\n, , fx, , fz\n, , tx, ty": "fx F3 fz tx ty",
}


@pytest.mark.parametrize("typed", NAMES)
def test_columns_of_a_request_may_have_no_name(typed):
    functions = "\\".join(f"F{k} = TIME" for k in (2, 3, 4, 6, 7))
    text = PENDULUM.replace(
        "D,I=0201,J=0102,C=DISPLACEMENT: X Y Z", f"CNAMES = {typed}, {functions}"
    )
    ((_, request),) = deck_model(text).requests.requests
    assert tuple(request.functions) == tuple(NAMES[typed].split())


UNITS = {  # of 1 kg, and of a force
    "UNITS/SYSTEM = IPS": (0.45359237, 4.4482216152605),
    "UNITS/SYSTEM = FPS": (0.45359237, 4.4482216152605),
    "UNITS/SYSTEM = CGS": (1e-3, 1e-5),
    "UNITS/MASS = LBM, LENGTH = IN, TIME = SEC, FORCE = LBF": (0.45359237, 4.4482216152605),
    "UNITS/MASS = US_TON, LENGTH = MILE, TIME = DAY, FORCE = POUNDAL": (907.18474, 0.138254954376),
    "UNITS/UCF = 1000, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND": (1.0, 1.0),
    "ACCGRAV/KGRAV = -386.0886, GC = 2": (1.0, 2.0),
    "UNITS/UCF = 3": (1.0, 3.0),
    "UNITS/MASS = 'GRAM', LENGTH = \"CENTIMETER\", TIME = 's', FORCE = 'dyne'": (1e-3, 1e-5),
    "UNITS/SYSTEM = CGS, LENGTH = CM, FORCE = DYNE": (1e-3, 1e-5),
}


@pytest.mark.parametrize("given", UNITS)
def test_units_in_all_their_forms(given):
    start, end = PENDULUM.index("UNITS/"), PENDULUM.index("!  adams_view_name='ground'")
    text = PENDULUM[:start] + given + "\n" + PENDULUM[end:]
    if given.startswith("ACCGRAV"):
        text = text.replace("ACCGRAV/\n, KGRAV = -9.80665\n", "")
    units = deck_model(text).deck.units
    assert (units.mass, units.force) == pytest.approx(UNITS[given], rel=1e-12)


BAD = {
    "UNITS/SYSTEM = SI": "SYSTEM = SI: choose one of MKS, CGS",
    "UNITS/UCF = 386, FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND": (
        "UCF = 386 makes the force .* 386 N, and FORCE names one of 1 N"
    ),
    "UNITS/SYSTEM = CGS, LENGTH = METER": (
        "SYSTEM = CGS has LENGTH = CENTIMETER, and LENGTH = METER is given too"
    ),
    "UNITS/UCF = -1": "UCF = -1: a factor of units is above 0",
    "UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = M": "TIME is missing: choose one of SECOND",
}


@pytest.mark.parametrize("given", BAD)
def test_units_that_cannot_be_are_refused(given):
    start, end = PENDULUM.index("UNITS/"), PENDULUM.index("!  adams_view_name='ground'")
    with pytest.raises(DeckError, match=f"line 2, UNITS/: {BAD[given]}"):
        deck_model(PENDULUM[:start] + given + "\n" + PENDULUM[end:])


NOTES = {
    "a number that is degrees": (
        "- 200.0*az",
        "- 2.0D+02*az",
        r"line 24, SFORCE/1: '2.0D\+02' in a function is degrees and a sum",
    ),
    "a title that looks like a statement": (
        "ADAMS/View model name: pendulum\n",
        "PART/1, GROUND\n",
        "line 1 is always the title.*'PART/1, GROUND' is not read as a statement",
    ),
    "angles without D": (
        "REULER = 180D, 90D, 180D\n!  adams_view_name='arm'",
        "REULER = 180, 90, 180\n!  adams_view_name='arm'",
        "line 9, MARKER/102: REULER = 180, 90, 180 is in radians; degrees have a D",
    ),
    "no dimensions": (PENDULUM[PENDULUM.index(", FORCE") : PENDULUM.index("!  adams")],
        ", SYSTEM = NONE\n", "no dimensions; SI units are assumed"),
}  # fmt: skip


@pytest.mark.parametrize("case", NOTES)
def test_what_may_not_be_meant_is_a_note(case):
    good, odd, note = NOTES[case]
    assert good in PENDULUM
    assert any(re.search(note, one) for one in deck_model(PENDULUM.replace(good, odd, 1)).notes)


FUNCTIONS = """STEP(TIME,0,0,1,2) + step5(time, 0, 0, 1, 30D) + HAVSIN(TIME,0,0,1,2)
, - IF(TIME-1: 0, 1,
, 2) + SHF(TIME, 0, 2, PI, 0, 1) + FORCOS(TIME, 0, 1, 0, 1, 2) + FORSIN(TIME, 0, 1, 0, 1)
, + POLY(TIME, 0, 1, 2) + CHEBY(TIME, 0, 1, 2) + AKISPL(TIME, 0, 1, 0) + CUBSPL(TIME, 0, 1)
, + SWEEP(TIME, 1, 0, 1, 2, 3, 0.1) + MOD(TIME, 2) + SIGN(1, TIME - 1) + DIM(TIME, 1)
, + AINT(TIME) + ANINT(TIME) + NINT(TIME) + 2*DTOR*RTOD - ABS(TIME)**2 + MAX(TIME, 1)
, + SQRT(TIME) * EXP(-TIME) + ATAN2(TIME, 1) + LOG10(1 + TIME) + TANH(TIME)""".replace(
    "\n, - IF", " - &\nIF"
)
OF_STATE = """
, + BISTOP(AZ(102,202), WZ(102,202,202), -1, 1, 1E3, 1.5, 10, 0.01)
, + IMPACT(AZ(102,202), WZ(102,202,202), 1, 1.0E+03, 1.5, 10, 0.01)"""
POINTS = "SPLINE/1, X = 0, 1, 2,\n, 3, 4, Y = 0, 1, 0, 1, 0\n"


def test_all_functions_of_adams_are_read_over_many_lines():
    """In a force and in a MOTION; a value at 0.5 s by hand for some of them."""
    law = PENDULUM.index("- 200.0*az"), PENDULUM.index("REQUEST/01")
    text = f"{PENDULUM[: law[0]]}{FUNCTIONS}{OF_STATE}\n{POINTS}{PENDULUM[law[1] :]}"
    ((_, force),) = deck_model(text).forces
    for name in re.findall(r"[A-Z0-9]+(?=\()", (FUNCTIONS + OF_STATE).upper()):
        assert f"{name}(" in force.function.upper()
    few = (
        "STEP(TIME,0,0,1,\n, 2) + SHF(TIME, 0, 2, &\nPI, 0, 1) + MOD(TIME, 2)\n, *POLY(TIME,0,1,2)"
    )
    driven = PENDULUM.replace("OUTPUT/", f"MOTION/1, JOINT = 1, FUNCTION = {few}\n{POINTS}OUTPUT/")
    curve = deck_model(driven).drives.motion().on(deck_model(driven).scenario().robot, 1.0)
    q, _, _ = curve.motion(np.array([0.5]))
    assert q[0, 0] == pytest.approx(1 + (2 + 1) + 0.5 * 2)
    every = PENDULUM.replace(
        "OUTPUT/", f"MOTION/1, JOINT = 1, FUNCTION = {FUNCTIONS}\n{POINTS}OUTPUT/"
    )
    assert not deck_model(every).drives.free


CROSS = """markers without parts, a massless cross, and no END
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
MARKER/1
PART/2
MARKER/2
MARKER/20, REULER = 0D, 90D, 0D
PART/3, MASS = 1, CM = 3, IP = 0.1, 0.1, 0.1, QG = 0.5, 0, 0
MARKER/3
MARKER/30, QP = -0.5, 0, 0, REULER = 0D, 90D, 0D
JOINT/1, REVOLUTE, I = 2, J = 1
JOINT/2, REVOLUTE, I = 30, J = 20
REQUEST/1, D, I = 3, J = 1
ACCGRAV/JGRAV = -9.8
"""


def test_a_marker_is_on_the_part_before_it_and_a_massless_part_moves_what_it_carries():
    """φ'' = -m g l cos φ/(I + m l²) about z; the second hinge, along y, stays still."""
    model = deck_model(CROSS)
    assert sum("names no PART; assumed to be on the PART before" in n for n in model.notes) == 5
    columns = solved(model.scenario(0.4, 0.1))
    swung = solve_ivp(
        lambda t, y: [y[1], -9.8 * 0.5 * np.cos(y[0]) / 0.35], (0, 0.4), [0, 0], "DOP853",
        columns.t, rtol=1e-12, atol=1e-12,
    )  # fmt: skip
    for axis, row in zip("XY", (np.cos(swung.y[0]), np.sin(swung.y[0])), strict=True):
        found = columns[f"request.REQUEST_1.{axis}"].to_numpy()
        assert found == pytest.approx(0.5 * row, abs=1e-9)  # m; two integrations at 1e-11
