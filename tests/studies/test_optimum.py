import math

import pytest

from sim.errors import ScenarioError
from sim.studies.case_log import CaseLog
from sim.studies.case_row import CaseRow
from sim.studies.case_work import Item, row_of
from sim.studies.design import Case, searching
from sim.studies.optimum import Limit, limit, optimum, searched
from sim.studies.variation import variation
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
    found = optimum(room, 0.0, 10.0, direction, 1e-3)
    assert room(found.holds) >= 0 > room(found.fails)
    assert abs(found.holds - found.fails) <= 1e-3
    assert min(found.holds, found.fails) <= zero <= max(found.holds, found.fails)
    assert len(found.tried) < 25


def test_a_range_that_holds_throughout_or_nowhere_costs_two_tries_at_most():
    found = optimum(lambda x: 1.0, 0.0, 10.0, "largest", 0.1)
    assert (found.holds, found.fails, list(found.tried)) == (10.0, None, [10.0])
    found = optimum(lambda x: -1.0, 0.0, 10.0, "smallest", 0.1)
    assert (found.holds, found.fails, list(found.tried)) == (None, 10.0, [0.0, 10.0])


def test_whole_numbers_are_halved_among_themselves():
    found = optimum(lambda x: 6.5 - x, 0, 100, "largest", 1.0, is_whole=True)
    assert (found.holds, found.fails) == (6, 7)
    assert all(isinstance(x, int) for x in found.tried)


def test_a_limit_is_read_as_it_is_typed():
    assert limit("margin>=0.1") == Limit("margin", 1, 0.1)
    assert limit(" peak  tau.elbow <= -1e2 ") == Limit("peak tau.elbow", -1, -100.0)
    for text in ("margin", "margin>0", "margin>=", "margin>=a", "top tau<=3"):
        with pytest.raises(ScenarioError):
            limit(text)


def test_a_case_without_a_number_is_beyond_every_limit():
    row = CaseRow(key="", parameters={}, status="pass", responses={"a": (3.0, "1"), "b": (1.0, "")})
    assert Limit("a", -1, 4.0).room(row, ["a"]) == 1.0
    assert Limit("*", 1, 2.0).room(row, ["a", "b"]) == -1.0
    assert Limit("a", -1, 4.0).room(row, []) < 0
    assert Limit("a", -1, 4.0).room(CaseRow(key="", parameters={}, status="error"), ["a"]) < 0


def test_the_largest_load_is_where_the_torque_which_is_linear_in_it_meets_its_limit(tmp_path):
    script = swing_script(tmp_path)
    varied = variation(script, "load=0:10")
    design = searching(varied, varied.range)
    study = swing_study(tmp_path, design=design, responses=["peak tau.elbow"])
    study.facts.write(study.folder)
    ends = [row_of(study.plan, Item(Case({"load": load}))) for load in (0.0, 10.0)]
    least, most = (row.response("peak tau.elbow") for row in ends)
    bound = Limit("peak tau.elbow", -1, 0.6 * least + 0.4 * most)
    with CaseLog(study.folder) as log:
        here = Here(study.plan)
        found = searched(study, log, here, varied, bound, "largest", 1e-6)
        again = searched(study, log, Here(study.plan), varied, bound, "largest", 1e-6)
    assert again == found
    assert len(here.computed) == len(found.tried)
    # the torque of a given motion is linear in the mass, and here of one sign
    assert found.holds == pytest.approx(4.0, abs=2e-6)


def test_a_search_ends_though_no_two_values_are_so_near():
    found = optimum(lambda x: 1.0 - x, 0.0, 3.0, "largest", 1e-30)
    assert found.holds == 1.0
    assert found.fails == pytest.approx(1.0, abs=1e-10)
