import re

import pytest
from lxml import html

from sim.scenario import load_script
from sim.studies.design import grid
from sim.studies.report.page import study_page
from sim.studies.report.summary import worst_cases
from sim.studies.sensitivity import effects, sensitivity_design
from sim.studies.study import StudyResult
from sim.studies.study_file import EffectsAnswer
from sim.studies.tolerances import Tolerance
from sim.studies.variation import Variation, parse_variation
from tests.helpers.command_scripts import write_swing
from tests.helpers.studies import QUICK, prepared_study, rows_here, swing_script, swing_study

ONE = ["peak tau.elbow"]


def page_of(study, rows, answer=None):
    result = StudyResult(study, tuple(rows), answer)
    text = study_page(result, ["cases.parquet", "cases.csv"])
    return text, html.fromstring(text)


def test_a_page_shows_curves_worst_cases_and_links_to_kept_runs(tmp_path):
    study = swing_study(tmp_path, "load=0:40:3", responses=["margin", *ONE], keep="all")
    rows = rows_here(study)
    text, page = page_of(study, rows)
    assert page.xpath('string(//span[contains(@class,"verdict")])') == "✓ Answered"
    assert "1 of 3 cases pass" in page.text_content()
    assert len(page.xpath('//section[@id="shares"]//svg')) == 2  # for wide and narrow windows
    assert len(page.xpath('//section[@id="responses"]//svg')) == 1
    name, k = worst_cases(rows)[0]
    first = page.xpath('//section[@id="worst"]//tbody/tr')[0]
    assert [first.xpath(f"string(td[{k}])") for k in (1, 6)] == [name, "load=40"]
    assert (name, k) == ("rated torque", 2)
    links = page.xpath("//td/a/@href")
    assert "runs/3/report.html" in links
    assert all((study.folder / link).is_file() for link in links)
    assert text == page_of(study, rows)[0]  # the same bytes once more


def test_a_case_has_its_verdict_with_the_reason_before_its_numbers(tmp_path):
    study = swing_study(tmp_path, "load=0:40:3", responses=ONE)
    _, page = page_of(study, rows_here(study))
    rated, *cases = page.xpath('//section[@id="cases"]//tbody/tr')
    assert rated.get("class") == "rated"
    assert rated.xpath("string(td[last()])") == "15"  # N·m, as arm.urdf says
    assert [case.get("class") for case in cases] == [None, "failed", "failed"]
    last = cases[2].xpath("td")
    assert [cell.text_content() for cell in last[:2]] == ["3", "40"]
    assert re.fullmatch(r"✗ \d+ % shoulder torque", last[2].text_content())
    assert "beyond-rating" in last[3].get("class")


def test_a_text_beside_a_number_makes_a_row_and_a_curve_for_each_text(tmp_path):
    write_swing(tmp_path)
    text = (tmp_path / "swing.py").read_text()
    text = text.replace("def scenario(", 'def scenario(kind="slow", ')
    text = text.replace("duration=duration", 'duration=duration * (2 if kind == "slow" else 1)')
    text = text.replace("0.1, 1d)", "0.1, 40d)")
    (tmp_path / "worded.py").write_text(text)
    script = load_script(str(tmp_path / "worded.py"))
    design = grid([parse_variation(script, v) for v in ("load=0:4:3", "kind=slow,quick")])
    responses = [*ONE, "mean tau.elbow"]
    study = prepared_study(script, design, tmp_path / "study", **QUICK, responses=responses)
    _, page = page_of(study, rows_here(study))
    (drawn,) = page.xpath('//section[@id="families"]//*[local-name()="svg"]')
    assert drawn.get("aria-label") == "mean tau.elbow over load"
    assert {"slow", "quick"} <= {"".join(one.itertext()) for one in drawn.xpath("./text")}


def test_nothing_on_the_page_needs_what_its_policy_forbids(tmp_path):
    study = swing_study(tmp_path, "load=0:2:4", "duration=0.1:0.4:4", responses=ONE)
    text, page = page_of(study, rows_here(study))
    assert page.xpath("//script") == page.xpath("//*[@style]") == []
    assert len(page.xpath("//style")) == 1
    assert not re.search(r'(src|href)="(?!#|runs/|cases\.|data:,)', text)
    assert {section.get("id") for section in page.xpath("//section")} >= {"shares", "cases-lines"}


def test_chance_is_shown_as_histograms_and_sensitivities_as_bars(tmp_path):
    chances = (Tolerance("mass", 0.05, False), Tolerance("payload", 0.05, False))
    study = swing_study(tmp_path, design=grid([], draws=12), tolerances=chances, responses=ONE)
    _, page = page_of(study, rows_here(study))
    assert page.xpath('//section[@id="spread"]//svg')
    assert page.xpath('//section[@id="cases-lines"]//svg')
    varied = [Variation("load", (), (0.0, 2.0)), Variation("duration", (), (0.1, 0.2))]
    design = sensitivity_design("tornado", swing_script(tmp_path), varied, {}, None, 0)
    study = swing_study(tmp_path, design=design, name="tornado", responses=ONE)
    rows = rows_here(study)
    answer = EffectsAnswer(design="tornado", effects=effects(design, rows, 0))
    _, page = page_of(study, rows, answer)
    assert page.xpath('//section[@id="effects"]//svg')
    assert page.xpath('string(//section[@id="effects"]//tbody/tr[1]/td[2])') == "load"


@pytest.mark.parametrize("vary", [["load=-1,-2"], ["load=-1,1"]])
def test_cases_without_a_run_are_told_of(tmp_path, vary):
    study = swing_study(tmp_path, *vary, responses=ONE)
    _, page = page_of(study, rows_here(study))
    assert "load=-1" in page.xpath('string(//section[@id="errors"])')
