"""A margin for each kind of limit, and the largest payload where another limit is just reached."""

import math

import pytest

import sim
from sim.errors import ScenarioError
from sim.recording.schema.verdicts import Check
from sim.scenario import load_script
from sim.studies.case_log import CaseLog
from sim.studies.design import StudyCase, grid, search_design
from sim.studies.optimum import Search, parse_limit
from sim.studies.responses import margins
from sim.studies.run_study import search_optimum
from sim.studies.variation import parse_variation
from sim.studies.workers.case_work import compute_row
from sim.studies.workers.execution import StudyRun
from sim.studies.workers.model_workers import ModelWorkers
from tests.helpers.studies import ROD, prepared_study

# Its range ends 1e-12 rad before the end of the motion: the check of ranges allows 1e-9.
SCRIPT = f'''"""A massless rod of 0.8 m with a payload, whose drive ends at the end of its range."""
{ROD}

def scenario(payload: float = 1.0, end: float = 7.0, speed: float = 0.0):
    return moved(rod(payload, end - 1e-12), f"{{end}} + {{speed}} * (time - 0.1)")
'''


@pytest.fixture
def rod(tmp_path):
    (tmp_path / "rod.py").write_text(SCRIPT, "utf-8")
    return load_script(str(tmp_path / "rod.py"))


def rod_search(rod, folder, words, precision, workers=None):
    varied = parse_variation(rod, "payload=0:20")
    study = prepared_study(
        rod, search_design(varied, varied.range), folder, responses=("margin", words[0])
    )
    study.facts.write(study.folder)
    with CaseLog(study.folder) as log:
        search = Search(varied, "largest", parse_limit("".join(words)), precision)
        return search_optimum(StudyRun(study, log, ModelWorkers(study)), search)


def test_the_largest_payload_is_found_though_the_drive_ends_at_the_end_of_its_range(rod, tmp_path):
    # the torque m g l |cos q| meets its rating of 50 N·m; q is 1e-12 rad beyond its range of 7 rad,
    # which the check of the range allows as rounding
    largest = 50 / (10 * 0.8 * abs(math.cos(7.0)))
    found = rod_search(rod, tmp_path / "s", ("margin", ">=0"), 1e-3)
    assert found.value == pytest.approx(largest, abs=0.6e-3)
    assert found.binds == "hinge torque"
    assert len(found.values) < 10


def test_each_kind_of_margin_is_searched_by_itself_and_names_its_joint(rod, tmp_path):
    largest = 0.5 * 50 / (10 * 0.8 * abs(math.cos(7.0)))
    found = rod_search(rod, tmp_path / "t", ("margin.torque", ">=0.5"), 1e-3)
    assert (found.value, found.binds) == (pytest.approx(largest, abs=0.6e-3), "hinge torque")
    none = rod_search(rod, tmp_path / "r", ("margin.range", ">=0.1"), 1e-3)
    assert (none.holds, none.binds) == (None, "hinge upper position limit")


def test_margins_are_those_of_the_closed_form_by_both_routes(rod, tmp_path):
    design = grid([parse_variation(rod, "payload=1,2"), parse_variation(rod, "end=0.5,7")])
    study = prepared_study(rod, design, tmp_path / "s", settings={"speed": 4})
    study.facts.write(study.folder)
    cases = [design.case(k) for k in range(design.count)]
    rows, by_model = [compute_row(study.plan, case) for case in cases], []
    ModelWorkers(study).compute(cases, by_model.extend)
    for row, other in zip(rows, by_model, strict=True):
        payload, end = row.parameters["payload"], row.parameters["end"]
        q = [end + 4 * (0.01 * k - 0.1) for k in range(11)]  # rad, of the samples
        torque = max(payload * 8 * abs(math.cos(x)) for x in q)  # N·m
        expected = {
            "margin.torque": 1 - torque / 50,
            "margin.speed": 1 - 4 / 20,
            "margin.range": max(0.0, 1 - (end - (end - 7) / 2) / ((end + 7) / 2)),
            "margin.power": 1 - 4 * torque / (50 * 20),
        }
        expected["margin"] = min(value for name, value in expected.items() if "power" not in name)
        for found in (row, other):
            said = {name: found.response(name) for name in expected}
            assert said == pytest.approx(expected, rel=1e-6, abs=1e-11)


def rated(name, used, *, ok=True):
    return Check(name, "tau.a", used, 1.0, "1", 0.0, ok, used)


def test_a_check_that_holds_has_no_negative_margin_and_one_that_fails_has():
    assert margins("margin", [rated("rated torque", 1 + 2.2e-16)], None) == {"margin": (0.0, "1")}
    failing = rated("rated torque", 1 + 2.2e-16, ok=False)
    assert margins("margin", [failing], None)["margin"][0] < 0
    assert margins("margin", [rated("upper position limit", None, ok=False)], None) == {
        "margin": (None, "1")
    }


def test_what_is_not_rated_has_no_margin_and_one_that_is_asked_for_is_refused(rod, tmp_path):
    assert margins("margin*", [], None) == {"margin": (1.0, "1")}
    assert margins("margin.*", [rated("rated speed", 0.25)], None) == {"margin.speed": (0.75, "1")}
    text = SCRIPT.replace(' effort="50"', "").replace('velocity="20"', 'velocity="20" effort="0"')
    (tmp_path / "rod.py").write_text(text, "utf-8")  # an effort of 0 is none
    bare = load_script(str(tmp_path / "rod.py"))
    study = prepared_study(
        bare,
        grid([parse_variation(bare, "payload=1,2")]),
        tmp_path / "s",
        responses=["margin.torque"],
    )
    row = compute_row(study.plan, StudyCase({"payload": 1.0}))
    assert row.reason == "--response margin.torque: no checked joint has this rating"
    with pytest.raises(ScenarioError, match="seen at the first case"):
        rod_search(bare, tmp_path / "t", ("margin.torque", ">=0"), 1e-3)


def test_the_ur10_of_paper_001_carries_15_23_kg_and_its_elbow_binds(tmp_path):
    """By Pinocchio's rnea its elbow's torque reaches the rated 150 N·m at 15.22895 kg."""
    result = sim.sweep(
        "ur10_step", largest={"payload": (0, 20)}, analytic=True, proof=1, dt=0.01, method="ideal",
        out=tmp_path / "ur10", page=False, workers=1,
    )  # fmt: skip
    assert result.passed
    assert result.sentence == (
        "largest payload with margin >= 0: 15.23 (15.225 satisfies it, 15.235 violates it: "
        "elbow_joint torque)"
    )
    assert "one crossing is assumed" in result.answer.note
