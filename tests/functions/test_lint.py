"""What the linter says, and that it keeps quiet about drives that are as they should be."""

import math
import re

import pytest

from sim.functions.expression import expression
from sim.functions.lint import LintWarning, lint, lint_spline
from sim.functions.spline import spline
from sim.maths.units import ANGULAR, LINEAR, Units

PAPER = [
    "STEP(time,0,0,0.5,72d)+STEP(time,0.5,0,5.5,0)+STEP(time,5.5,0,6,-72d)",
    "STEP(time,0,0,1,40d)+STEP(time,1,0,9,0)+STEP(time,9,0,10,-40d)",
    "STEP(time,0,0,1,80d)+STEP(time,1,0,5,0)+STEP(time,5,0,6,-80d)",
]


def findings(text: str, level: str, units: Units = ANGULAR, duration=10.0):
    return lint(expression(text), level, units, duration)


def only(text: str, level: str, units: Units = ANGULAR, duration=10.0) -> LintWarning:
    found = findings(text, level, units, duration)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize("text", PAPER)
def test_the_papers_drives_are_quiet_at_velocity_level(text):
    assert findings(text, "velocity") == ()


# --- a missing d --------------------------------------------------------------------------------


def test_forty_radians_are_asked_about():
    found = only("STEP(time, 0, 0, 1, 40)", "velocity")
    assert found == LintWarning("missing-d", "40 rad/s = 2292°/s: is 40d meant?", 20)
    assert "40 rad = 2292°: is 40d meant?" in [
        f.message for f in findings("STEP5(time, 0, 0, 1, 40)", "displacement")
    ]


def test_three_hundred_metres_of_a_slide_are_asked_about():
    text = "STEP5(time, 0, 0, 1, 300)"
    (found,) = findings(text, "displacement", LINEAR)
    assert found == LintWarning("millimetres", "300 m: is 0.3 meant, 300 mm?", 21)
    assert only("STEP(time,0,0,1,250)", "velocity", LINEAR).code == "millimetres"


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("STEP5(time, 0, 0, 1, 0.3)", "displacement"),
        ("STEP5(time, 0, 0, 1, 12)", "displacement"),  # a gantry
        ("STEP(time, 0, 0, 1, 3)", "velocity"),
        ("STEP5(time, 0, 0, 1, 300/1000)", "displacement"),  # converted by hand
        ("STEP5(time, 0, 0, 1, 300)", "torque"),
    ],
)
def test_a_slide_in_metres_is_not_asked_about(text, level):
    assert "millimetres" not in {f.code for f in findings(text, level, LINEAR)}


def test_every_bare_height_is_asked_about_at_its_place():
    text = "STEP(time,0,0,1,72d)+STEP(time,1,0,9,0)+STEP(time,9,0,10,-72)"
    found = only(text, "velocity")
    assert found.code == "missing-d"
    assert text[found.position :].startswith("72)")


@pytest.mark.parametrize(
    "text",
    [
        "90*SIN(time)",
        "SHF(time, 0, 90, 2, 0, 0)",
        "SWEEP(time, 45, 0, 1, 10, 2, 1)",
        "FORSIN(time, 0, 1, 0, 30)",
        "POLY(time, 0, 0, 10)",
        "40*time",
        "IF(time - 1: 30*SIN(time - 1), 0, 0)",
        "-(30 + SIN(time))",
        "MAX(-20, 20*SIN(time))",
        "DELAY(50*SIN(time), 1, 0)",
    ],
)
def test_amplitudes_are_asked_about_wherever_they_stand(text):
    assert "missing-d" in {found.code for found in findings(text, "displacement")}


@pytest.mark.parametrize(
    "text",
    [
        "STEP5(time, 0, 0, 1, 1.5)",
        "STEP5(time, 0, 0, 1, 400d)",
        "STEP5(time, 0, 0, 1, 400D)",
        "STEP5(time, 0, 0, 1, 40)*DTOR",
        "STEP5(time, 0, 0, 1, 40)/RTOD",
        "STEP5(time, 0, 0, 1, 4*PI)",
        "STEP5(time, 7, 0, 9, 1)",
        "SIN(50*time)",
        "0.01*SIN(100*time - 20)",
        "TIME/20",
        "0.001*700*SIN(time)",
        "3*SHF(time, 0, 3, 40, 0, 0)",
        "IF(2*time - 8: 0, 0, (time - 4)**3)",
        "(time - 8)*0.5",
        "EXP(-20*time)",
        "STEP5(time, 0, 0, 1, MODE)",
    ],
)
def test_radians_that_are_meant_are_not_asked_about(text):
    assert findings(text, "displacement") == ()


def test_metres_have_no_degrees():
    assert findings("STEP5(time, 0, 0, 1, 10)", "displacement", LINEAR) == ()


def test_accelerations_may_be_larger():
    assert findings("STEP(time, 0, 0, 1, 40)", "acceleration") == ()
    assert only("STEP(time, 0, 0, 1, 400)", "acceleration").code == "missing-d"


# --- an exponent with d -------------------------------------------------------------------------


def test_a_fortran_exponent_is_pointed_out():
    found = only("0.1*time + 1.5D-3", "displacement")
    assert found.code == "d-exponent"
    assert found.position == 11
    assert "1.5D-3 is read as 1.5° - 3" in found.message


@pytest.mark.parametrize("text", ["30d-45d", "30d-4.5", "30d - 5", "30d-5*time", "30d+1e-1"])
def test_differences_of_angles_are_no_exponents(text):
    assert "d-exponent" not in {found.code for found in findings(text, "velocity")}


# --- corners of a displacement ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "formula", "jump"),
    [
        ("STEP", "6Δh/Δt²", 6 * math.radians(40) / 2**2),
        ("HAVSIN", "π²Δh/(2Δt²)", math.pi**2 * math.radians(40) / (2 * 2**2)),
    ],
)
def test_profiles_that_jump_in_acceleration_are_told_with_the_number(name, formula, jump):
    found = only(f"1 + {name}(time, 1, 0, 3, 40d)", "displacement")
    assert found.code == "acceleration-jump"
    assert found.position == 4
    assert formula in found.message
    assert "STEP5" in found.message
    assert "velocity level" in found.message
    number, degrees = re.search(r"([\d.]+) rad/s² = ([\d.]+)°/s²", found.message).groups()
    assert float(number) == pytest.approx(jump, rel=1e-3)  # four digits are printed
    assert float(degrees) == pytest.approx(math.degrees(jump), rel=1e-3)


def test_a_scaled_profile_is_told_with_the_jump_it_makes():
    found = only("STEP(2*time, 0, 0, 1, 0.4)*0.5", "displacement", LINEAR)
    assert "4.8 m/s²;" in found.message  # 6 · 0.4 · 2² · 0.5


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("STEP5(time, 0, 0, 1, 40d)", "displacement"),
        ("STEP(time, 0, 1, 5, 1)", "displacement"),
        ("STEP(time, 1, 0, 2, 1) - STEP(time, 1, 0, 2, 1)", "displacement"),
        ("STEP(time, 20, 0, 30, 1)", "acceleration"),
        ("STEP(time, 0, 0, 1, 40d)", "velocity"),
        ("HAVSIN(time, 0, 0, 1, 40d)", "velocity"),
    ],
)
def test_profiles_that_do_not_jump_are_quiet(text, level):
    assert findings(text, level, duration=None) == ()


# --- HAVSIN's arguments -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["HAVSIN(time, 0, 5, 1, 40d)", "HAVSIN(time, 1, 2, 90d, 180d)", "HAVSIN(time,0,5,0.5,9d)"],
)
def test_havsin_in_the_other_order_is_pointed_out(text):
    found = [f for f in findings(text, "velocity") if f.code == "havsin-order"]
    assert len(found) == 1
    assert "(x, begin, initial, end, final)" in found[0].message


@pytest.mark.parametrize(
    "text",
    [
        "HAVSIN(time, 0, 0, 1, 40d)",
        "HAVSIN(time, -1, 0, 1, 40d)",
        "HAVSIN(time, 0, 10d, 5, 40d)",
        "HAVSIN(time, 1, 0.5, 3, 2)",
    ],
)
def test_havsin_in_its_order_is_quiet(text):
    assert findings(text, "velocity") == ()


# --- a run that is too short --------------------------------------------------------------------


def test_a_run_that_ends_before_its_profile_is_pointed_out():
    found = only(PAPER[1], "velocity", duration=5.0)
    assert found.code == "short-run"
    assert found.message == "the run ends at 5 s but the profile continues to 10 s"
    assert PAPER[1][found.position :].startswith("STEP(time,9")


def test_the_end_of_a_profile_is_found_through_its_argument():
    assert "continues to 5 s" in only("STEP(2*time, 0, 0, 10, 1)", "velocity", duration=3.0).message
    assert (
        "continues to 7 s" in only("STEP(8 - time, 1, 0, 2, 1)", "velocity", duration=6.5).message
    )


def test_a_run_as_long_as_its_profile_is_quiet():
    assert findings(PAPER[1], "velocity", duration=10.0) == ()
    assert findings("STEP(time, 0, 1, 20, 1)", "velocity", duration=10.0) == ()


# --- jumps --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "level", "words"),
    [
        ("IF(time - 2: 0, 0, 0.5)", "velocity", "the velocity jumps by 0.5 rad/s"),
        ("IF(time - 2: 0, 0, 0.5)", "displacement", "the position jumps by 0.5 rad = 28.65°"),
        ("IF(time - 2: 0, 0, 0.5)", "acceleration", "the acceleration jumps by 0.5 rad/s²"),
        ("IF(time - 2: 0, 0, time - 2)", "displacement", "the velocity jumps by 1 rad/s"),
        ("ABS(time - 2)", "displacement", "the velocity jumps by 2 rad/s"),
        ("SIGN(0.1, time - 2)", "velocity", "the velocity jumps by 0.2 rad/s"),
        ("MOD(time, 2)", "velocity", "t = 2 s, and 3 times more"),
        ("AINT(time/2)", "velocity", "the velocity jumps by 1 rad/s"),
        ("DELAY(COS(time), 2, 0)", "velocity", "the velocity jumps by 1 rad/s"),
    ],
)
def test_jumps_are_told_with_their_size_and_time(text, level, words):
    found = only(text, level)
    assert found.code == "discontinuous"
    assert words in found.message
    assert "t = 2 s" in found.message


SUDDEN = "STEP(time, 1, 0, 1.0000001, 1)"


@pytest.mark.parametrize(
    ("text", "level", "words"),
    [
        (SUDDEN, "velocity", "velocity jumps by 1 rad/s = 57.3°/s at t = 1 s within 0.0000001 s:"),
        (f"1-2*{SUDDEN}", "displacement", "position jumps by -2 rad = -114.6° at t = 1 s within"),
    ],
)
def test_what_a_drive_does_in_no_time_is_a_jump_of_all_of_it(text, level, words):
    """Not of what a polynomial through one of its parts leaves."""
    found = [one.message for one in findings(text, level) if one.code == "discontinuous"]
    assert len(found) == 1
    assert words in found[0]


def test_two_steep_steps_are_two_jumps():
    found = only(f"{SUDDEN}-STEP(time, 2, 0, 2.0000001, 1)", "velocity")
    assert "at t = 1 s within 0.0000001 s, and 1 times more:" in found.message


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("IF(time - 2: 0, 0, time - 2)", "velocity"),
        ("IF(time - 2: 0, 0, (time - 2)**2)", "displacement"),
        ("ABS(time - 2)", "velocity"),
        ("MAX(0, SIN(time))", "velocity"),
        ("DELAY(SIN(time), 2, 0)", "velocity"),
        ("IF(time: 1, 0, 0)", "velocity"),
        ("IF(time - 10: 0, 0, 1)", "velocity"),
        ("ABS(SIN(100*time))", "velocity"),
        ("STEP(time, 1, 0, 1.001, 1)", "velocity"),
    ],
)
def test_continuous_functions_are_quiet(text, level):
    assert findings(text, level) == ()


def test_a_jump_takes_infinite_acceleration_and_says_so():
    assert "no finite acceleration" in only("AINT(time/5)", "velocity").message
    assert "jumps with it" in only("AINT(time/5)", "acceleration").message


@pytest.mark.parametrize(
    "text",
    [
        "1/(time - 1)",
        "SQRT(time - 1)",
        "SQRT(-1)",
        "EXP(1000*time)",
        "LOG(time)",
        "1/ABS(time - 2)",
    ],
)
@pytest.mark.parametrize("level", ["displacement", "velocity", "acceleration"])
def test_a_function_that_is_not_finite_does_not_upset_the_linter(text, level):
    for found in findings(text, level):
        assert "nan" not in found.message


def test_a_drive_may_have_several_findings():
    text = "STEP(time, 0, 0, 20, 40) + IF(time - 2: 0, 0, 1)"
    codes = [found.code for found in findings(text, "displacement")]
    assert codes == ["missing-d", "discontinuous", "acceleration-jump", "short-run"]


def test_without_a_duration_the_whole_profile_is_looked_at():
    found = only("STEP(time, 0, 0, 20, 0.5) + AINT(time/15)", "velocity", duration=None)
    assert "t = 15 s" in found.message


@pytest.mark.parametrize(("units", "unit"), [(ANGULAR, "N·m"), (LINEAR, "N")])
def test_a_jump_of_a_torque_is_told_with_its_unit(units, unit):
    (found,) = lint(expression("IF(time - 1: 0, 0, 40)"), "torque", units, 3.0)
    assert found.code == "discontinuous"
    assert found.message == (
        f"the torque or force jumps by 40 {unit} at t = 1 s: the acceleration jumps with it"
    )


@pytest.mark.parametrize("kind", ["cubic", "akima", "linear"])
def test_no_spline_is_too_rough_for_a_torque(kind):
    assert not lint_spline(spline([0, 1, 2, 3], [0, 1, 4, 2], kind), "torque")


# --- points of splines in degrees or millimetres --------------------------------------------------

TIMES = [0, 1, 2, 3]
DEGREES = spline(TIMES, [0, 20, 45, 60])


def test_points_of_a_spline_in_degrees_or_millimetres_are_asked_about():
    (found,) = lint_spline(DEGREES, "displacement")
    said = "the spline's points go up to 60 rad = 3438°: are they in degrees?"
    assert found == LintWarning("degrees", said)
    (found,) = lint_spline(spline(TIMES, [0, 50, 120, 300]), "displacement", LINEAR)
    assert (found.code, found.message[-22:]) == ("millimetres", "300 m: are they in mm?")
    assert not lint_spline(DEGREES, "torque")
    assert not lint_spline(spline(TIMES, [0, 0.5, 1, 6]), "displacement")
    assert not lint_spline(spline(TIMES, [0, 1, 2, 12]), "displacement", LINEAR)


@pytest.mark.parametrize(
    ("text", "level", "code"),
    [
        ("CUBSPL(time, 0, k)", "displacement", "degrees"),
        ("0.1 + CUBSPL(time, 0, k)", "displacement", "degrees"),
        ("CUBSPL(time, 0, k, 1)", "velocity", "degrees"),
        ("DTOR*CUBSPL(time, 0, k)", "displacement", None),
        ("CUBSPL(time, 0, k)/RTOD", "displacement", None),
        ("0.01*CUBSPL(time, 0, k)", "displacement", None),
        ("CUBSPL(time, 0, k)", "torque", None),
    ],
)
def test_a_call_of_such_a_spline_is_asked_about_unless_it_is_converted(text, level, code):
    found = lint(expression(text, {"k": DEGREES}), level, ANGULAR, 3.0)
    asked = [one for one in found if one.code == "degrees"]
    assert [one.code for one in asked] == ([code] if code else [])
    assert all(text[one.position :].startswith("CUBSPL") for one in asked)
