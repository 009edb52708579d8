import re

import pytest
from lxml import html

from sim.scenario.script import load_script
from sim.studies.chart_svg import VARIABLES, chart
from sim.studies.design import grid
from sim.studies.sensitivity import effects, sensitivity_design
from sim.studies.spread import Tolerance
from sim.studies.study import study_of
from sim.studies.study_answer import EffectsFound
from sim.studies.study_page import study_page
from sim.studies.study_result import StudyResult
from sim.studies.study_summary import worst_cases
from sim.studies.variation import Variation, variation
from tests.helpers.command_scripts import write_swing
from tests.helpers.studies import QUICK, rows_here, swing_script, swing_study

ONE = ["peak tau.elbow"]


def page_of(study, rows, answer=None):
    result = StudyResult(study, tuple(rows), answer)
    text = study_page(result, ["cases.parquet", "cases.csv"])
    return text, html.fromstring(text)


def test_a_page_shows_curves_worst_cases_and_links_to_kept_runs(tmp_path):
    study = swing_study(tmp_path, "load=0:40:3", responses=["margin", *ONE])
    rows = rows_here(study, keep_all=True)
    text, page = page_of(study, rows)
    assert page.xpath('string(//p[contains(@class,"verdict")])') == "✗ Fail"
    assert "1 of 3 cases pass, 2 fail" in page.text_content()
    assert len(page.xpath('//section[@id="curves"]//svg')) == 2
    name, k = worst_cases(rows)[0]
    first = page.xpath('//section[@id="worst"]//tbody/tr')[0]
    assert [first.xpath(f"string(td[{k}])") for k in (1, 6)] == [name, "load = 40"]
    assert (name, k) == ("rated torque", 2)
    links = page.xpath("//td/a/@href")
    assert "runs/3/report.html" in links
    assert all((study.folder / link).is_file() for link in links)
    cells = page.xpath('//section[@id="cases"]//tbody/tr[2]/td')
    assert [cell.text_content() for cell in cells[:3]] == ["2", "20", "✗ fail"]
    assert text == page_of(study, rows)[0]  # the same bytes once more


def test_a_word_beside_a_number_makes_a_curve_for_each_word(tmp_path):
    write_swing(tmp_path)
    text = (
        (tmp_path / "swing.py").read_text().replace("def scenario(", 'def scenario(kind="slow", ')
    )
    (tmp_path / "worded.py").write_text(text)
    script = load_script(str(tmp_path / "worded.py"))
    design = grid([variation(script, v) for v in ("load=0:4:3", "kind=slow,quick")])
    study = study_of(script, design, tmp_path / "study", **QUICK, responses=ONE)
    _, page = page_of(study, rows_here(study))
    (drawn,) = page.xpath('//section[@id="families"]//*[local-name()="svg"]')
    assert drawn.get("aria-label") == "peak tau.elbow over load for each kind"
    words = "".join(drawn.itertext())
    assert "kind = slow" in words
    assert "kind = quick" in words


def test_nothing_on_the_page_needs_what_its_policy_forbids(tmp_path):
    study = swing_study(tmp_path, "load=0:2:4", "duration=0.1:0.4:4", responses=ONE)
    text, page = page_of(study, rows_here(study))
    assert page.xpath("//script") == page.xpath("//*[@style]") == []
    assert len(page.xpath("//style")) == 1
    assert not re.search(r'(src|href)="(?!#|runs/|cases\.)', text.replace("http://www.w3.org", "#"))
    names = page.xpath("//svg//@id")
    assert len(names) == len(set(names))
    assert {section.get("id") for section in page.xpath("//section")} >= {"surfaces", "parallel"}


def test_a_chart_has_the_colours_of_the_page_and_none_of_its_own():
    svg = chart(lambda axis: axis.plot([0, 1], [1, 2], color=next(iter(VARIABLES))), "a line")
    assert 'aria-label="a line"' in svg
    assert "var(--ink)" in svg
    assert not any(colour in svg for colour in VARIABLES)
    assert "style=" not in svg


def test_chance_is_shown_as_histograms_and_sensitivities_as_bars(tmp_path):
    chances = (Tolerance("mass", 0.05, False), Tolerance("payload", 0.05, False))
    study = swing_study(tmp_path, design=grid([], draws=12), tolerances=chances, responses=ONE)
    _, page = page_of(study, rows_here(study))
    assert page.xpath('//section[@id="spread"]//svg')
    assert page.xpath('//section[@id="parallel"]//svg')
    varied = [Variation("load", (), (0.0, 2.0)), Variation("duration", (), (0.1, 0.2))]
    design = sensitivity_design("tornado", swing_script(tmp_path), varied, {}, None, 0)
    study = swing_study(tmp_path, design=design, name="tornado", responses=ONE)
    rows = rows_here(study)
    answer = EffectsFound(design="tornado", effects=effects(design, rows, 0))
    _, page = page_of(study, rows, answer)
    assert page.xpath('//section[@id="effects"]//svg')
    assert page.xpath('string(//section[@id="effects"]//tbody/tr[1]/td[2])') == "load"


@pytest.mark.parametrize("vary", [["load=-1,-2"], ["load=-1,1"]])
def test_cases_without_a_run_are_told_of(tmp_path, vary):
    study = swing_study(tmp_path, *vary, responses=ONE)
    _, page = page_of(study, rows_here(study))
    assert "load = -1" in page.xpath('string(//section[@id="errors"])')


def test_no_label_is_cut_at_the_edge_of_its_drawing():
    pytest.importorskip("matplotlib")
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    def draw(axis):
        axis.plot([0, 4.93, 5.47, 10], [3.286, 10.22, 10.97, 17.33])
        axis.set_xlabel("load")
        axis.margins(x=0.02)

    svg = chart(draw, "a line")
    label = r'font-size="([\d.]+)px"[^>]*text-anchor="end"[^>]* x="([\d.]+)"[^>]*>([^<]+)'
    labels = re.findall(label, svg)
    assert len(labels) > 4
    for size, x, text in labels:
        width = TextPath((0, 0), text, size=float(size), prop=FontProperties()).get_extents().width
        assert float(x) > width, text
