"""VARIABLEs that another program would write, from a table."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, PPoly

from sim import sweep
from sim.decks import deck_model, load_script_or_deck
from sim.errors import DeckError, ForeignError, ScenarioError
from tests.helpers.solved_models import solved

PLANT = """a plant in millimetres
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1, REULER = 90D, 90D, 0D
PART/2, MASS = 2, CM = 20, IP = 1E4, 1E4, 1E4
MARKER/20, PART = 2, REULER = 90D, 90D, 0D
PART/3, MASS = 2, CM = 30, IP = 1E4, 1E4, 1E4
MARKER/30, PART = 3, REULER = 90D, 90D, 0D
JOINT/1, TRANSLATIONAL, I = 20, J = 10
JOINT/2, REVOLUTE, I = 30, J = 10
!  adams_view_name='push'
VARIABLE/1, FUNCTION = 0
!  adams_view_name='angle'
VARIABLE/2, FUNCTION = 0.0
VARIABLE/3, FUNCTION = 2*VARVAL(1)
PINPUT/1, VARIABLES = 1, 2
SFORCE/1, TRANSLATIONAL, ACTIONONLY, I = 20, J = 10, FUNCTION = 3*PINVAL(1,1) - VARVAL(3)
MOTION/1, ROTATIONAL, JOINT = 2, FUNCTION = VARVAL(2)*DTOR
REQUEST/1, F2 = VARVAL(1)
END
"""
TABLE = "t,push,angle\n0,0,0\n0.1,4,1\n0.2,4,2\n0.3,0,3\n"


WRONG_PLANTS = {
    "PINVAL(2, 1)": "there is no PINPUT/2",
    "PINVAL(1, 3)": "PINPUT/1 has 2 VARIABLES",
    "POUVAL(1, 1)": "there is no POUTPUT/1",
    "SENVAL(4)": "there is no SENSOR/4",
    "CURVE(TIME, 0, 1, 5)": "a CURVE statement, which is not supported",
}


@pytest.mark.parametrize("call", WRONG_PLANTS)
def test_what_a_plant_or_sensor_does_not_have_is_refused(call):
    with pytest.raises(DeckError, match=rf"SFORCE/1: .*{WRONG_PLANTS[call]}"):
        deck_model(PLANT.replace("PINVAL(1,1)", call))


def test_outputs_of_a_plant_are_read_like_its_inputs():
    text = PLANT.replace(
        "END", "VARIABLE/7, FUNCTION = 8*TIME**2\nPOUTPUT/3, VARIABLES = 2, 7\nEND"
    )
    text = text.replace("VARVAL(2)*DTOR", "POUVAL(3, 2)").replace(
        "F2 = V", "F2 = POUVAL(3,2)\\F3 = V"
    )
    columns = solved(deck_model(text).scenario(0.5, 0.25))
    for name in ("q.JOINT_2", "request.REQUEST_1.F2"):
        assert columns[name].to_numpy() == pytest.approx([0, 0.5, 2], abs=1e-12), name


@pytest.fixture
def given(tmp_path):
    def write(text=TABLE, deck=PLANT, order=""):
        path = tmp_path / "inputs.csv"
        path.write_text(text, encoding="utf-8")
        return deck_model(deck, "plant.adm", path, order=order)

    return write


@pytest.mark.parametrize("titles", ["t,push,angle", "Time [ms],VARIABLE_1,2"])
def test_a_table_drives_a_deck(given, titles):
    """2 kg under a force that rises to 4 N, stays and falls, in 0.1 s each."""
    text = TABLE.replace("t,push,angle", titles)
    if "ms" in titles:
        text = text.replace("\n0.1", "\n100").replace("\n0.2", "\n200").replace("\n0.3", "\n300")
    columns = solved(given(text).scenario(0.3, 0.1))
    way = [0, 20 / 6e3, 20 / 6e3 + 0.02, 20 / 6e3 + 0.02 + 0.03 + 0.01 - 20 / 6e3]
    assert columns["q.JOINT_1"].to_numpy() == pytest.approx(way, abs=1e-9)  # m
    assert columns["q.JOINT_2"].to_numpy() == pytest.approx(np.radians([0, 1, 2, 3]), abs=1e-12)
    assert columns["request.REQUEST_1.F2"].to_numpy() == pytest.approx([0, 4, 4, 0], abs=1e-12)


def rows(t, **columns):
    names = ",".join(("t", *columns))
    lines = (",".join(map(repr, map(float, row))) for row in zip(t, *columns.values(), strict=True))
    return "\n".join((names, *lines, ""))


# The way [m] of 2 kg under a force of 4 N that is held, rises, or follows the cubic, in 0.3 s.
T = np.array([0.0, 0.1, 0.2, 0.3])
PUSH = np.array([4.0, 0.0, 2.0, 6.0])
EXPECTED = {
    "hold": PPoly(PUSH[None, :-1], T),
    "linear": PPoly(np.stack([np.diff(PUSH) / 0.1, PUSH[:-1]]), T),
    "cubic": CubicSpline(T, PUSH, bc_type="not-a-knot"),
}


@pytest.mark.parametrize("order", EXPECTED)
def test_rows_are_joined_as_asked(given, order):
    model = given(rows(T, push=PUSH), order=order)
    columns = solved(model.scenario(0.3, 0.1))
    way = EXPECTED[order].antiderivative(2)(T) / 2
    assert columns["q.JOINT_1"].to_numpy() == pytest.approx(way, abs=1e-10)
    assert columns["request.REQUEST_1.F2"].to_numpy() == pytest.approx(PUSH, abs=1e-12)


@pytest.mark.parametrize("order", ["", *EXPECTED])
def test_what_moves_a_motion_is_cubic_and_its_speed_is_right_from_the_start(given, order):
    """10 degrees times t squared, every 50 ms: a cubic with the not-a-knot ends has it exactly."""
    t = np.linspace(0.0, 0.5, 11)
    model = given(rows(t, angle=10 * t**2), order=order)
    columns = solved(model.scenario(0.5, 0.025))
    fine = np.linspace(0.0, 0.5, 21)
    assert np.degrees(columns["q.JOINT_2"]) == pytest.approx(10 * fine**2, abs=1e-10)
    assert np.degrees(columns["qd.JOINT_2"]) == pytest.approx(20 * fine, abs=1e-9)
    assert np.degrees(columns["qdd.JOINT_2"]) == pytest.approx(np.full(21, 20.0), abs=1e-7)
    noted = [note for note in model.notes if "read as cubic" in note]
    assert len(noted) == (order in ("hold", "linear"))


@pytest.mark.parametrize(
    ("level", "order", "kind"),
    [
        ("VELOCITY", "", "notaknot"),
        ("VELOCITY", "hold", "linear"),
        ("VELOCITY", "linear", "linear"),
        ("ACCELERATION", "hold", "hold"),
        ("ACCELERATION", "", "notaknot"),
    ],
)
def test_rates_of_a_motion_are_as_smooth_as_they_must_be(given, level, order, kind):
    deck = PLANT.replace("MOTION/1, ROTATIONAL", f"MOTION/1, ROTATIONAL, {level}")
    assert given(deck=deck, order=order).inputs[2].kind == kind


@pytest.mark.parametrize("order", EXPECTED)
def test_two_rows_are_enough(given, order):
    """A held force is its first value, and any other the straight line between the two."""
    model = given("t,push,angle\n0,2,0\n0.2,4,6\n", order=order)
    columns = solved(model.scenario(0.2, 0.1))
    end = 0.5 * 0.2**2 if order == "hold" else 0.5 * 0.2**2 + 10 * 0.2**3 / 6 / 2
    assert columns["q.JOINT_1"].to_numpy()[-1] == pytest.approx(end, abs=1e-10)  # 2 kg
    assert np.degrees(columns["q.JOINT_2"]) == pytest.approx([0.0, 3.0, 6.0], abs=1e-10)


@pytest.mark.parametrize("typed", ["AZ(30, 10)", "VARVAL(3)", "VARVAL(2)", "USER(1, 2)"])
def test_a_table_counts_and_not_the_function_of_an_input(given, typed):
    """Whatever is typed there, even what a MOTION cannot read."""
    model = given(deck=PLANT.replace("FUNCTION = 0.0", f"FUNCTION = {typed}"))
    columns = solved(model.scenario(0.3, 0.1))
    assert np.degrees(columns["q.JOINT_2"]) == pytest.approx([0, 1, 2, 3], abs=1e-10)
    assert any(f"VARIABLE/2: the table gives it; its FUNCTION, '{typed}'" in n for n in model.notes)


def test_an_order_that_there_is_not_is_refused(given, tmp_path):
    with pytest.raises(
        DeckError, match="--input-order 'spline': choose one of hold, linear, cubic"
    ):
        given(order="spline")
    (tmp_path / "plant.adm").write_text(PLANT, encoding="utf-8")
    with pytest.raises(DeckError, match="--input-order requires --input"):
        load_script_or_deck(str(tmp_path / "plant.adm")).build({"input_order": "hold"})


def test_without_a_table_it_stays_as_it_is_typed_and_a_note_says_so():
    model = deck_model(PLANT, "plant.adm")
    assert any("stay as the deck types them: push, angle; --input" in n for n in model.notes)
    columns = solved(model.scenario(0.3, 0.1))
    assert not columns["q.JOINT_1"].to_numpy().any()


def test_inputs_that_are_all_given_need_no_note(given):
    assert not any("--input" in note for note in given().notes)


BAD = {
    "t,pull\n0,0\n1,1\n2,2\n3,3\n": r"inputs.csv: column 'pull' is not a VARIABLE .* push, angle",
    "t,VARIABLE_3\n0,0\n1,1\n2,2\n3,3\n": "a FUNCTION of its own, '2.VARVAL.* no PINPUT",
    "t,push\n0,0\n": "at least two rows of numbers",
    "push,angle\n0,0\n1,1\n2,2\n3,3\n": "has no time",
    "t,push\n0,0\n2,1\n1,2\n3,3\n": "times must ascend",
    "t,push\n0,0\n1,x\n2,2\n3,3\n": "inputs.csv: column 'push'",
}


@pytest.mark.parametrize("text", BAD)
def test_a_bad_table_is_an_error_of_its_own(given, text):
    with pytest.raises((DeckError, ForeignError), match=BAD[text]):
        given(text)


def test_a_table_that_ends_before_the_run_is_refused(given):
    with pytest.raises(DeckError, match=r"VARIABLE/1 is from 0 to 0\.3 s, .*--set duration=0\.3"):
        given().scenario(1.0)


def test_plants_and_variables_that_cannot_be_are_refused_by_line():
    with pytest.raises(DeckError, match=r"line 16, PINPUT/1: VARIABLES = 9: there is no"):
        deck_model(PLANT.replace("VARIABLES = 1, 2", "VARIABLES = 1, 9"))
    with pytest.raises(DeckError, match=r"line 16, PINPUT/1: VARIABLES = 1.5: it requires ids"):
        deck_model(PLANT.replace("VARIABLES = 1, 2", "VARIABLES = 1.5"))
    circle = PLANT.replace("FUNCTION = 0.0", "FUNCTION = VARVAL(2)")
    with pytest.raises(DeckError, match=r"line 14, VARIABLE/2: it depends on itself"):
        deck_model(circle)
    with pytest.raises(DeckError, match=r"MOTION/1: AZ depends on the state, and a MOTION may"):
        deck_model(PLANT.replace("FUNCTION = 0.0", "FUNCTION = AZ(30, 10)"))


def test_the_command_takes_a_table_and_repeats_the_run(sim_command, tmp_path):
    (tmp_path / "plant.adm").write_text(PLANT, encoding="utf-8")
    (tmp_path / "inputs.csv").write_text(TABLE, encoding="utf-8")
    short = ("--set", "duration=0.3", "--set", "dt=0.1", "--no-report")
    asked = ("--input", "inputs.csv", "--input-order", "hold", "--out", "one")
    done = sim_command("run", "plant.adm", *asked, *short)
    assert done.status == 0, done.err
    done = sim_command("run", "--from", "one", "--no-report", "--json")
    assert done.document["repeats"]["same"] is True
    done = sim_command("run", "plant.adm", "--input", "nothing.csv", *short)
    assert (done.status, done.err.count("\n")) == (2, 1)
    done = sim_command("run", "two_link", "--input", "inputs.csv", "--no-report")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "has no parameter 'input'" in done.err


def test_variables_that_are_numbers_are_parameters(tmp_path):
    (tmp_path / "plant.adm").write_text(PLANT, encoding="utf-8")
    script = load_script_or_deck(str(tmp_path / "plant.adm"))
    assert script.parameters == {
        "duration": 5.0, "dt": 0.01, "input": "", "push": 0.0, "angle": 0.0
    }  # fmt: skip
    scenario, parameters = script.build({"push": "4", "duration": "0.3", "dt": "0.1"})
    assert parameters["push"] == 4.0
    columns = solved(scenario)
    t = np.array([0, 0.1, 0.2, 0.3])
    assert columns["q.JOINT_1"].to_numpy() == pytest.approx(t**2, abs=1e-9)  # 4 N on 2 kg
    with pytest.raises(ScenarioError, match="has no parameter 'pull'"):
        script.build({"pull": "1"})


def test_a_deck_is_varied(tmp_path):
    (tmp_path / "plant.adm").write_text(PLANT, encoding="utf-8")
    path = str(tmp_path / "plant.adm")
    settings = {"duration": 0.1, "dt": 0.05}
    study = sweep(
        path, {"push": [2.0, 4.0]}, settings=settings, responses="max q.JOINT_1",
        page=False, workers=1, out=tmp_path / "study",
    )  # fmt: skip
    found = [row.responses["max q.JOINT_1"][0] for row in study.rows]
    assert found == pytest.approx([0.005, 0.01], abs=1e-9)
