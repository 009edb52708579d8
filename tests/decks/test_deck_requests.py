"""REQUESTs of decks as channels, against solutions that share no code with the package."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from sim.checks import check
from sim.decks import deck_model
from sim.errors import DeckError, RecordingError
from sim.recording.schema.description import description_text
from sim.simulation import run
from tests.decks.decks_of_tests import PENDULUM, SLIDERS, SPRING
from tests.helpers.adams_files import COLUMNS, fall, swing
from tests.helpers.solved_models import solved_deck

REQUESTS = """REQUEST/01, D,I=0201,J=0101,C=DISPLACEMENT: X Y Z PSI THETA PHI (body-fixed-3-1-3)
REQUEST/02, V,I=0201,J=0101,C=VELOCITY X Y Z WX WY WZ
REQUEST/03, A,I=0201,J=0101,C=ACCELERATION X Y Z WDX WDY WDZ
REQUEST/04, F2=ORIENT(27,1,0201,0101)\\F3=ORIENT(27,2,0201,0101)\\F4=ORIENT(27,3,0201,0101)
, \\F6=ORIENT(27,4,0201,0101),C=EULER PARAMETERS
REQUEST/05, F2=JOINT(1,0,2,0)\\F3=JOINT(1,0,3,0)\\F4=JOINT(1,0,4,0),C=RForce X Y Z
REQUEST/06, CNAMES="", "mx", "m y", "mz", F2=SFORCE(1,0,6,0)\\F3=SFORCE(1,0,7,0)\\F4=SFORCE(1,0,8,0)
REQUEST/07, F, I = 102, J = 202
MARKER/0101, PART = 01
"""
CHANNELS = {
    "Pos": "REQUEST_1.X REQUEST_1.Y REQUEST_1.Z",
    "Vel": "REQUEST_2.VX REQUEST_2.VY REQUEST_2.VZ",
    "Avel": "REQUEST_2.WX REQUEST_2.WY REQUEST_2.WZ",
    "Acc": "REQUEST_3.ACCX REQUEST_3.ACCY REQUEST_3.ACCZ",
    "Aacc": "REQUEST_3.WDTX REQUEST_3.WDTY REQUEST_3.WDTZ",
    "Quat": "REQUEST_4.F2 REQUEST_4.F3 REQUEST_4.F4 REQUEST_4.F6",
    "Rforce": "REQUEST_5.F2 REQUEST_5.F3 REQUEST_5.F4",
    "Rtorque": "REQUEST_6.mx REQUEST_6.m_y REQUEST_6.mz",
}
UNITS = dict(
    Pos="m", Vel="m/s", Avel="rad/s", Acc="m/s²", Aacc="rad/s²", Quat="1", Rforce="N", Rtorque="N·m"
)


def with_requests(text, requests=REQUESTS):
    before, _, after = text.partition("REQUEST/01")
    return before + requests + after.partition("\n")[2]


@pytest.fixture(scope="module")
def spring():
    """A pendulum with a torsion spring: both answers."""
    return run(deck_model(with_requests(PENDULUM)).scenario(2.0, 0.01), name="pendulum")


@pytest.mark.parametrize("quantity", COLUMNS)
def test_both_answers_have_the_requests_of_a_pendulum(spring, quantity):
    wanted = swing(0.0, 200.0, 10.0)[quantity][:, :201]
    for answer in (spring.recorded, spring.analytic):
        for name, row in zip(CHANNELS[quantity].split(), wanted, strict=True):
            channel = f"request.{name}"
            assert spring.run.units[channel] == UNITS[quantity]
            # two integrations at 1e-11, of rates up to 30 rad/s²
            assert np.abs(answer[channel].to_numpy() - row).max() < 3e-8


def test_a_force_request_is_all_that_acts_between_its_markers(spring):
    case = swing(0.0, 200.0, 10.0)
    for quantity, letter in (("Rforce", "F"), ("Rtorque", "T")):
        for axis, row in zip("XYZ", case[quantity][:, :201], strict=True):
            found = spring.analytic[f"request.REQUEST_7.{letter}{axis}"].to_numpy()
            assert np.abs(found - row).max() < 3e-8
    assert spring.run.units["request.REQUEST_7.TM"] == "N·m"


ALONG_Z = PENDULUM.replace(", REULER = 180D, 90D, 180D\n", "").replace(
    PENDULUM[PENDULUM.index("SFORCE/1") : PENDULUM.index("REQUEST/01")], ""
)
CASES = {
    "a slide": (ALONG_Z.replace("REVOLUTE", "TRANSLATIONAL"), fall()),
    "a slide that turns": (ALONG_Z.replace("REVOLUTE", "CYLINDRICAL"), fall()),
    "a cross": (
        PENDULUM.replace(
            PENDULUM[PENDULUM.index("SFORCE/1") : PENDULUM.index("REQUEST/01")], ""
        ).replace("REVOLUTE", "UNIVERSAL").replace(
            "PART = 02\n, REULER = 180D, 90D, 180D\nGRAPHICS",
            "PART = 02\n, REULER = 90D, 90D, 0D\nGRAPHICS",
        ),
        swing(),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_decks_of_other_joints(case):
    text, wanted = CASES[case]
    text = with_requests(
        text, "".join(REQUESTS.splitlines(keepends=True)[k] for k in (0, 1, 2, 5, 8))
    )
    columns = solved_deck(text, 1.0, 0.01)
    for quantity in ("Pos", "Vel", "Avel", "Acc", "Aacc", "Rforce"):
        for name, row in zip(CHANNELS[quantity].split(), wanted[quantity], strict=True):
            found = columns[f"request.{name}"].to_numpy()
            assert np.abs(found - row[: found.size]).max() < 3e-8


MILLI = """REQUEST/1, F2 = DM(21, 31) \\ F3 = 2*ACCX(21, 1) - 1 \\ F4 = TIME \\ F6 = SPDP(1,0,1,0)
, \\ F7 = JOINT(1,0,1,0) \\ F8 = DX(21)*VX(31)
ACCGRAV/JGRAV = -0.00980665
END"""


def test_requests_are_in_si_units_whatever_the_deck_is_in():
    """Millimetres, grams and milliseconds; the spring of 800 N/m is 0.2 m longer than at rest."""
    text = SLIDERS.format(force=SPRING).replace("END", MILLI)
    model = deck_model(text)
    ((_, request),) = model.requests.requests
    assert request.functions["F2"] == "DM(21, 31)"
    assert [*request.units.values()] == ["m", "m/s²", "s", "N", "N", "1"]
    assert any("REQUEST/1: F8: in the deck's units" in note for note in model.notes)
    columns = solved_deck(text, 0.02, 0.01)
    first = {name.rpartition(".")[2]: columns[name].to_numpy()[0] for name in request.units}
    assert first["F2"] == pytest.approx(0.7, abs=1e-12)
    assert first["F3"] == pytest.approx(2 * 160 / 2.0 - 1 * 1e3, rel=1e-12)  # 1 mm/ms² is 1e3
    assert first["F6"] == pytest.approx(160, abs=1e-9)
    assert first["F7"] == pytest.approx(2 * 9.80665, rel=1e-12)
    assert columns["request.REQUEST_1.F4"].to_numpy() == pytest.approx([0, 0.01, 0.02])


def test_what_acts_on_a_floating_marker_is_the_opposite_of_what_acts_on_i():
    """J of a GFORCE stays at I, 2 m from the ground's origin: its torque has no lever."""
    calls = "\\".join(f"F{k} = GFORCE(1, 1, {k}, 0)" for k in range(1, 9))
    force = (
        "GFORCE/1, I = 201, JFLOAT = 105, RM = 103, FX = 1\\FY = 2\\FZ = 2\\TX = 0\\TY = 4\\TZ = 3"
    )
    markers = "MARKER/0105, PART = 01, FLOATING\nMARKER/0103, PART = 01"
    columns = solved_deck(with_requests(PENDULUM, f"REQUEST/3, {calls}\n{force}\n{markers}\n"), 0.1)
    on_j = [columns[f"request.REQUEST_3.F{k}"].to_numpy() for k in range(1, 9)]
    for values, expected in zip(on_j, (3, -1, -2, -2, 5, 0, -4, -3), strict=True):
        assert values == pytest.approx(np.full(2, float(expected)), abs=1e-12)  # N, N·m; rounding


def test_the_motion_of_a_joint_is_its_torque_on_either_part():
    """I is on the ground: -(4.1 kg·m² θ'' - m g l cos θ) about y, with θ = -0.3 t² below level."""
    text = with_requests(
        PENDULUM,
        "REQUEST/1, F2 = MOTION(5,0,7,0) \\ F3 = MOTION(5,1,8,202) \\ F4 = JOINT(1,0,7,0)\n"
        "MOTION/5, ROTATIONAL, JOINT = 1, FUNCTION = 0.3*TIME**2\n",
    )
    spring = text[text.index("SFORCE/1") : text.index("REQUEST/1")]
    columns = solved_deck(text.replace(spring, ""), 1.0)
    wanted = 4.1 * 0.6 + 2 * 9.80665 * np.cos(0.3 * columns.t**2)
    assert columns["request.REQUEST_1.F2"].to_numpy() == pytest.approx(wanted, abs=1e-9)
    assert columns["request.REQUEST_1.F3"].to_numpy() == pytest.approx(-wanted, abs=1e-9)
    assert columns["request.REQUEST_1.F4"].to_numpy() == pytest.approx(0, abs=1e-9)


def test_a_variable_of_what_is_solved_is_read_by_requests_only(spring):
    """VARIABLE/7 is -JOINT in mm-free units; a force of it is refused."""
    text = with_requests(
        PENDULUM, "REQUEST/3, F2 = 2*VARVAL(7)\nVARIABLE/7, FUNCTION = -JOINT(1,0,4,0)\n"
    )
    columns = solved_deck(text, 0.1, 0.01)
    wanted = -2 * spring.analytic["request.REQUEST_5.F4"].to_numpy()[:11]
    assert columns["request.REQUEST_3.F2"].to_numpy() == pytest.approx(wanted, abs=1e-8)
    with pytest.raises(DeckError, match=r"SFORCE/1: .*JOINT is the force of a constraint"):
        deck_model(text.replace("200.0*az(0102,0202)", "VARVAL(7)"))
    circle = text.replace("-JOINT(1,0,4,0)", "VARVAL(7)")
    with pytest.raises(DeckError, match="line 33, VARIABLE/7: it depends on itself"):
        deck_model(circle)
    doubled = "".join(
        f"VARIABLE/{k}, FUNCTION = VARVAL({k - 1}) + VARVAL({k - 1})\n" for k in range(8, 40)
    )
    many = text.replace("2*VARVAL(7)", "VARVAL(39)").replace("ACCGRAV/", f"{doubled}ACCGRAV/")
    notes = deck_model(many).notes
    assert any("F2: line" in n and "written out, the variables in it are more" in n for n in notes)


NOTES = {
    "F2 = PTCV(1,0,2,0)": "not recorded are F2: PTCV: not supported",
    "D, I = 0201, J = 9\nMARKER/9, PART = 1, FLOATING": "not recorded: MARKER/9 floats",
    "F2 = USER(1)": "not recorded are F2: USER: a subroutine",
    "FUNCTION = USER(1, 2)": "not recorded are FUNCTION: USER: a subroutine",
    "F2 = CURVE(TIME, 0, 1, 1)": "not recorded are F2: line 32, REQUEST/3: CURVE reads a",
    "F2 = INTERP(TIME, 3, 1)\nSPLINE/1, FILE = a.rpc": "SPLINE/1: a spline of X and Y is supported",
    "F, I = 0201": "not recorded are FX, FY, FZ, FM, TX, TY, TZ, TM: no action-only force acts",
    "F2 = FZ(201)": "not recorded are F2: no action-only force acts on MARKER/201",
    "F, I = 0201, J = 0102": "not recorded are FX, FY, FZ, FM, TX, TY, TZ, TM: no force",
}


@pytest.mark.parametrize("given", NOTES)
def test_what_only_adams_has_is_a_note(given):
    model = deck_model(with_requests(PENDULUM, f"REQUEST/3, {given}\n"))
    assert not model.requests.requests
    assert any(NOTES[given] in note and "REQUEST/3" in note for note in model.notes)


PUSHED = (
    "SFORCE/7, TRANSLATIONAL, ACTIONONLY, I = 0201, J = 0102, FUNCTION = 3\n"
    "SFORCE/8, TRANSLATIONAL, ACTIONONLY, I = 0201, J = 0103, FUNCTION = 4\n"
    "SFORCE/9, ROTATIONAL, ACTIONONLY, I = 0201, J = 0102, FUNCTION = 2\n"
    "SFORCE/10, ROTATIONAL, I = 0201, J = 0102, FUNCTION = 50\n"
    "MARKER/0103, PART = 01\n"  # z is the world's; that of 0102 is its y
)


def test_forces_on_one_marker_are_the_sum_of_those_that_act_on_it_alone():
    """3 N along y and 4 N along z of the world, 2 N·m about y; what has a reaction is none."""
    calls = (
        "F2 = FM(201)\\F3 = FX(201,0)\\F4 = FY(201)\\F6 = FZ(201,0,103)\\F7 = TM(201)\\F8 = TY(201)"
    )
    asked = f"REQUEST/3, {calls}\nREQUEST/4, FORCE, I = 201\nREQUEST/5, F2 = FZ(201,0,201)\n"
    columns = solved_deck(with_requests(PENDULUM, asked + PUSHED), 0.1, 0.01)
    wanted = {"3.F2": 5, "3.F3": 0, "3.F4": 3, "3.F6": 4, "3.F7": 2, "3.F8": 2}
    wanted |= {
        "4.FX": 0,
        "4.FY": 3,
        "4.FZ": 4,
        "4.FM": 5,
        "4.TX": 0,
        "4.TY": 2,
        "4.TZ": 0,
        "4.TM": 2,
    }
    for name, value in wanted.items():
        found = columns[f"request.REQUEST_{name}"].to_numpy()
        assert found == pytest.approx(np.full(11, float(value)), abs=1e-14), name
    own = columns["request.REQUEST_5.F2"].to_numpy()  # z of 201 stays the world's ±y
    assert abs(own) == pytest.approx(np.full(11, 3.0), abs=1e-14)


def test_the_included_angle_is_that_of_two_lines_from_one_marker():
    """From the hinge to the arm's end and to a point on the world's x axis, where the arm began."""
    asked = "REQUEST/3, F2 = INCANG(201,102,104)\\F3 = AZ(102,202)\\F4 = INCANG(201,102,201)\n"
    text = with_requests(PENDULUM, asked + "MARKER/0104, PART = 01, QP = 5, 0, 0\n")
    columns = solved_deck(text, 0.5, 0.01)
    angle, turn, none = (columns[f"request.REQUEST_3.F{k}"].to_numpy() for k in (2, 3, 4))
    assert angle == pytest.approx(abs(turn), abs=1e-9)  # rad; no more than 1e-8 near zero
    assert turn[-1] != 0 and none == pytest.approx(0 * turn, abs=1e-12)
    with pytest.raises(DeckError, match="INCANG requires 3 arguments"):
        deck_model(text.replace("200.0*az(0102,0202)", "INCANG(201,102)"))


def test_the_speed_of_separation_is_the_same_for_every_observer():
    """Along the line from a point on the world's x axis, beyond the arm's end."""
    reads = r"VR(201,104,201)\F3=DM(201,104)\F4=DX(201,104)*VX(201)+DZ(201,104)*VZ(201)"
    asked = f"REQUEST/3, FREQUENCY = 2, F2={reads}\nMARKER/0104, PART = 01, QP = 5, 0, 0\n"
    columns = solved_deck(with_requests(PENDULUM, asked), 0.5, 0.1)
    speed, distance, both = (columns[f"request.REQUEST_3.F{k}"].to_numpy() for k in (2, 3, 4))
    assert speed == pytest.approx(both / distance, abs=1e-12)
    assert abs(speed[-1]) > 0.05  # m/s


def test_what_a_column_reads_and_only_adams_has_leaves_the_others():
    asked = (
        "REQUEST/3, F2 = DELAY(DZ(201), 0.1, 0)\\F3 = DZ(201)\\F4 = INVPSD(TIME,1,1,4,20,0,0)\\"
        "F6 = PINVAL(2, 1)\\F7 = VR(201, 102, 102, 102)\\F8 = 2*VARVAL(8)\n"
        "VARIABLE/7, FUNCTION = 5\nVARIABLE/8, FUNCTION = DELAY(DZ(201), 0.1, 0)\n"
        "PINPUT/2, VARIABLES = 7\n"
    )
    model = deck_model(with_requests(PENDULUM, asked))
    (request,) = (one for _, one in model.requests.requests if one.group == "request")
    assert [*request.functions] == ["F3", "F6"]
    said = " ".join(note for note in model.notes if "REQUEST/3" in note)
    assert "not recorded are F2, F8: DZ in DELAY: earlier states are not stored" in said
    assert "F4: INVPSD: not supported" in said
    assert "F7: VR requires 1 to 3 arguments" in said
    columns = solved_deck(with_requests(PENDULUM, asked), 0.1, 0.01)
    assert columns["request.REQUEST_3.F6"].to_numpy() == pytest.approx(np.full(11, 5.0))


BAD = {
    "F2 = AZZ(102)": "AZZ is not an ADAMS function",
    "F2 = DX(99)": "'99' is not a marker",
    "F2 = DX(201": "this parenthesis is not closed",
    "F2 = JOINT(9,0,2,0)": r"JOINT\(9\): there is no JOINT/9",
    "F2 = JPRIM(1,0,2,0)": r"JPRIM\(1\): there is no JPRIM/1",
    "F2 = MOTION(1,0,2,0)": r"MOTION\(1\): there is no MOTION/1",
    "F2 = SFORCE(1,2,2,0)": "jflag is one of 0, 1",
    "D, I = 99": "there is no MARKER/99",
    "D, J = 102": "names no marker I",
    "D, V, I = 201": "it is one of DISPLACEMENT, VELOCITY",
    "I = 201": "it is one of DISPLACEMENT, VELOCITY",
    "X, I = 201": "'X' is unknown",
}


@pytest.mark.parametrize("given", BAD)
def test_a_bad_request_is_refused_by_line(given):
    with pytest.raises(DeckError, match=f"line 32, REQUEST/3: .*{BAD[given]}"):
        deck_model(with_requests(PENDULUM, f"REQUEST/3, {given}\n"))


def failing(recording):
    return {(one.name, one.channel) for one in check(recording) if not one.ok}


def test_a_request_that_is_not_its_function_fails_in_the_table_that_has_it(spring):
    assert failing(spring) == set()
    names = "request by its function", "request by its function of model"
    for answer, name in zip(("recorded", "analytic"), names, strict=True):
        for component in ("REQUEST_3.ACCZ", "REQUEST_5.F4"):
            channel, rows = f"request.{component}", getattr(spring, answer)
            off = rows[channel].to_numpy().copy()
            off[17] += 1e-7  # m/s², N
            lied = replace(spring, **{answer: rows.assign(**{channel: off})})
            assert failing(lied) == {(name, channel)}
    other = {**spring.run.units, "request.REQUEST_3.ACCZ": "m/s"}
    lied = replace(spring, run=msgspec.structs.replace(spring.run, units=other))
    assert failing(lied) == {("units", "request.REQUEST_3.ACCZ")}
    rows = {
        of: getattr(spring, of).drop(columns="request.REQUEST_7.TM")
        for of in ("recorded", "analytic")
    }
    with pytest.raises(RecordingError, match=r"request\.REQUEST_7\.TM"):
        check(replace(spring, **rows))


def test_a_run_without_requests_is_described_as_before():
    """A baseline of an earlier version keeps its seal."""
    bare = run(deck_model(with_requests(PENDULUM, "")).scenario(0.02, 0.01), name="bare")
    assert b'"requests":' not in description_text(bare.run)
    assert not bare.run.units_of_requests
