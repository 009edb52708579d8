import math

import msgspec
import pytest

from sim.errors import ScenarioError
from sim.studies.case_log import CaseLog
from sim.studies.case_rows import CaseRow, Worst
from sim.studies.design import StudyCase, search_design
from sim.studies.optimum import ResponseLimit, Search, find_optimum, parse_limit
from sim.studies.run_study import search_optimum
from sim.studies.variation import parse_variation
from sim.studies.workers.along import expected_optimum
from sim.studies.workers.case_work import compute_row
from sim.studies.workers.execution import StudyRun
from tests.helpers.studies import Here, swing_script, swing_study


@pytest.mark.parametrize(
    ("room", "direction", "zero"),
    [
        (lambda x: 2 - x * x, "largest", math.sqrt(2)),
        (lambda x: x**3 - 8, "smallest", 2.0),
        (lambda x: -1.0 if x > 3.3 else 0.5, "largest", 3.3),  # a case that cannot be computed
        (lambda x: math.exp(-x) - 1e-3, "largest", math.log(1e3)),
    ],
)
def test_the_zero_is_between_what_holds_and_what_does_not(room, direction, zero):
    found = find_optimum(room, 0.0, 10.0, direction, 1e-3)
    assert room(found.holds) >= 0 > room(found.fails)
    assert abs(found.holds - found.fails) <= 1e-3 * (1 + 1e-9)
    assert min(found.holds, found.fails) <= zero <= max(found.holds, found.fails)
    assert len(found.values) < 25


def test_a_range_that_holds_throughout_costs_one_try():
    found = find_optimum(lambda x: 1.0, 0.0, 10.0, "largest", 0.1)
    assert (found.holds, found.fails, list(found.values)) == (10.0, None, [10.0])


def test_where_nothing_holds_it_is_looked_for_between_the_ends_and_said():
    found = find_optimum(lambda x: -1.0, 0.0, 10.0, "smallest", 0.1)
    assert (found.holds, found.fails, found.value) == (None, 10.0, None)
    assert 17 <= len(found.values) < 50


def test_whole_numbers_are_halved_among_themselves():
    found = find_optimum(lambda x: 6.5 - x, 0, 100, "largest", 1.0, is_whole=True)
    assert (found.holds, found.fails) == (6, 7)
    assert all(isinstance(x, int) for x in found.values)


def test_a_limit_is_read_as_it_is_typed():
    assert parse_limit("margin>=0.1") == ResponseLimit("margin", 1, 0.1)
    assert parse_limit(" peak  tau.elbow <= -1e2 ") == ResponseLimit("peak tau.elbow", -1, -100.0)
    for text in ("margin", "margin>0", "margin>=", "margin>=a", "top tau<=3"):
        with pytest.raises(ScenarioError):
            parse_limit(text)


def least(bound, row):
    return min(bound.slacks(row).values())


def test_a_case_without_a_number_is_beyond_every_limit():
    said = {"a": (3.0, "1"), "b": (1.0, ""), "c": (None, "1")}
    row = CaseRow(key="", parameters={}, status="pass", responses=said)
    assert least(ResponseLimit("a", -1, 4.0), row) == 1.0
    assert least(ResponseLimit("[ab]", 1, 2.0), row) == -1.0
    assert least(ResponseLimit("c", -1, 4.0), row) < 0
    assert least(ResponseLimit("d", -1, 4.0), row) < 0
    assert least(ResponseLimit("a", -1, 4.0), CaseRow(key="", parameters={}, status="error")) < 0


def test_a_limit_on_a_function_of_a_file_names_it_and_a_case_without_its_value(tmp_path):
    (tmp_path / "mine.py").write_text("def when(run):\n    return 1.0\n", "utf-8")
    limit = parse_limit(f"{tmp_path / 'mine.py'}:when<=2")
    row = CaseRow(key="k", parameters={}, status="pass", responses={"when": (0.5, "1")})
    assert limit.slacks(row) == {"when": 1.5}
    without = msgspec.structs.replace(row, responses={"when": (None, "1")})
    assert limit.slacks(without) == {"when": -2.0}
    assert limit.binding(without) == "when, which has no value at that point"


def test_what_is_beyond_by_rounding_is_inside_as_a_check_has_it():
    """396 degrees less 36 are 360 and a few 1e-16: margin -2.2e-16, and the check passes."""
    worst = {
        "upper position limit": Worst(1 + 2.2e-16, "q.pan", 6.0, ok=True),
        "rated torque": Worst(0.3, "tau.elbow", 1.0, ok=True),
        "rated speed": Worst(0.6, "qd.pan", 1.0, ok=True),
    }
    said = {"margin": (0.0, "1"), "max q.pan": (2 * math.pi + 9e-10, "rad"), "e": (1 + 1e-13, "J")}
    row = CaseRow(key="", parameters={}, status="pass", worst=worst, responses=said)
    assert ResponseLimit("margin", 1, 0.0).slacks(row) == {
        "rated torque": 0.7, "rated speed": 0.4, "upper position limit": 0.0
    }  # fmt: skip
    assert ResponseLimit("margin", 1, 0.0).binding(row) == "pan upper position limit"
    assert least(ResponseLimit("max q.pan", -1, 2 * math.pi), row) == 0.0
    assert least(ResponseLimit("e", -1, 1.0), row) == 0.0
    assert least(ResponseLimit("e", -1, 1 - 1e-9), row) < 0
    beyond = {**worst, "rated torque": Worst(1.0 + 1e-9, "tau.elbow", 1.0, ok=False)}
    row = CaseRow(key="", parameters={}, status="fail", worst=beyond, responses=said)
    assert least(ResponseLimit("margin", 1, 0.0), row) < 0
    assert ResponseLimit("margin", 1, 0.0).binding(row) == "elbow torque"


def test_the_largest_load_is_where_the_torque_which_is_linear_in_it_meets_its_limit(tmp_path):
    script = swing_script(tmp_path)
    varied = parse_variation(script, "load=0:10")
    design = search_design(varied, varied.range)
    study = swing_study(tmp_path, design=design, responses=["peak tau.elbow"])
    study.facts.write(study.folder)
    ends = [compute_row(study.plan, StudyCase({"load": load})) for load in (0.0, 10.0)]
    low, high = (row.response("peak tau.elbow") for row in ends)
    bound = ResponseLimit("peak tau.elbow", -1, 0.6 * low + 0.4 * high)
    with CaseLog(study.folder) as log:
        here = Here(study.plan)
        search = Search(varied, "largest", bound, 1e-6)
        found = search_optimum(StudyRun(study, log, here), search)
        again = search_optimum(StudyRun(study, log, Here(study.plan)), search)
    assert again == found
    assert len(here.computed) == len(found.values) == 4  # by the closed form
    # the torque of a given motion is linear in the mass, and here of one sign
    assert found.holds == pytest.approx(4.0, abs=2e-6)


@pytest.mark.parametrize(("direction", "value"), [("largest", 3.0), ("smallest", 1.0)])
def test_what_is_expected_is_confirmed_by_the_values_around_it_or_not_believed(direction, value):
    wanted = find_optimum(parabola, 0.0, 4.0, direction, 0.01)
    found = find_optimum(parabola, 0.0, 4.0, direction, 0.01, expected=value + 1e-4)
    assert (found.value, len(found.values)) == (value, 4)
    assert parabola(found.holds) >= 0 > parabola(found.fails)
    wrong = find_optimum(parabola, 0.0, 4.0, direction, 0.01, expected=2.2)
    assert wrong.value == wanted.value
    assert abs(wrong.holds - wrong.fails) <= 0.01 * (1 + 1e-9)
    whole = find_optimum(lambda x: 6.5 - x, 0, 100, "largest", 1.0, is_whole=True, expected=6.5)
    assert (whole.holds, whole.fails, whole.value, len(whole.values)) == (6, 7, 6, 4)
    rising = find_optimum(lambda x: x - 6.5, 0, 100, "smallest", 1.0, is_whole=True, expected=6.5)
    assert (rising.holds, rising.fails, len(rising.values)) == (7, 6, 4)


@pytest.mark.parametrize(
    ("limit", "value"),
    [("margin>=0.5", True), ("margin.torque>=0.5", True), ("margin.speed>=0", False)],
)
def test_a_closed_form_is_expected_of_torques_alone(tmp_path, limit, value):
    script = swing_script(tmp_path)
    varied = parse_variation(script, "load=0:10")
    study = swing_study(tmp_path, design=search_design(varied, varied.range))
    found = expected_optimum(study.plan, Search(varied, "largest", parse_limit(limit), 1e-6))
    assert (found is not None) == value
    if value:
        row = compute_row(study.plan, StudyCase({"load": found}))
        assert row.response("margin.torque") == pytest.approx(0.5, abs=1e-7)


def test_a_search_ends_though_no_two_values_are_so_near():
    found = find_optimum(lambda x: 1.0 - x, 0.0, 3.0, "largest", 1e-30)
    assert found.holds == 1.0
    assert found.fails == pytest.approx(1.0, abs=1e-10)


def parabola(p):
    return -(p - 1) * (p - 3)


@pytest.mark.parametrize(("direction", "value"), [("largest", 3.0), ("smallest", 1.0)])
def test_a_limit_that_holds_only_in_between_is_found_though_both_ends_break_it(direction, value):
    found = find_optimum(parabola, 0.0, 4.0, direction, 0.01)
    assert found.value == value
    assert parabola(found.holds) >= 0 > parabola(found.fails)
    assert abs(found.holds - found.fails) <= 0.01 * (1 + 1e-9)
    assert min(found.holds, found.fails) <= value <= max(found.holds, found.fails)


def test_what_holds_between_two_coarse_values_is_looked_for_where_it_is_nearest():
    found = find_optimum(lambda p: -(p - 1.93) * (p - 1.95), 0.0, 4.0, "largest", 1e-4)
    assert found.value == pytest.approx(1.95, abs=1e-4)
    found = find_optimum(lambda p: -(p - 1.93) * (p - 1.95), 0.0, 4.0, "smallest", 1e-4)
    assert found.value == pytest.approx(1.93, abs=1e-4)
    whole = find_optimum(lambda p: -(p - 4.5) * (p - 7.5), 0, 12, "largest", 1.0, is_whole=True)
    assert (whole.value, whole.holds, whole.fails) == (7, 7, 8)


@pytest.mark.parametrize("precision", [0.02, 0.01, 1e-5])
def test_the_value_has_the_digits_asked_for_and_is_the_zero_rounded(precision):
    zero = 15.22894321
    found = find_optimum(lambda p: 0.5 if p < 2 else zero - p, 0.0, 20.0, "largest", precision)
    places = {0.02: 2, 0.01: 2, 1e-5: 5}[precision]
    assert found.value == round(zero, places)
    assert found.holds == pytest.approx(found.value - 0.5 * 10**-places, abs=1e-12)
    assert found.fails == pytest.approx(found.value + 0.5 * 10**-places, abs=1e-12)
