import re
from dataclasses import replace

import pytest

from sim.comparison import Baseline, ComparisonStatus, accept, compare
from sim.comparison.baseline import read_baseline
from sim.reports.page.comparisons import (
    ComparedRow,
    comparison_row,
    write_compared,
    write_comparisons,
)
from tests.helpers.page_runs import arm_scene, good_run, meta_of


@pytest.fixture(scope="module")
def baseline(tmp_path_factory) -> Baseline:
    return read_baseline(accept(good_run(), "as it was", tmp_path_factory.mktemp("baselines")))


def late_run():
    """The run with 2 N·m more in the elbow from sample 120 on, which is at 0.12 s."""
    table = good_run().recorded.copy()
    tau = table["tau.elbow"].to_numpy().copy()
    tau[120:] += 2.0
    table["tau.elbow"] = tau
    return replace(good_run(), recorded=table)


def row(baseline, run):
    standing = ComparisonStatus(run.run.scenario, compare(run, baseline))
    return comparison_row(standing, run, baseline, arm_scene(), "short/report.html")


def written(tmp_path, *rows):
    write_comparisons(tmp_path / "index.html", rows)
    return (tmp_path / "index.html").read_text(encoding="utf-8")


def test_a_row_leads_to_the_worst_channel_where_it_first_differs(baseline):
    found = row(baseline, late_run())
    assert found.href == found.first == "short/report.html#ch=tau.elbow&t=0.12&view=compared"
    assert found.worst.startswith("2 of ")
    assert "1e-06 of the peak (default)" in found.worst


def test_the_error_is_drawn_against_its_limit(baseline):
    spark = row(baseline, late_run()).spark
    line = float(re.search(r'y1="([\d.]+)"', spark)[1])
    heights = [float(y) for y in re.findall(r",([\d.]+)", re.search(r'points="([^"]*)"', spark)[1])]
    below, above = heights[: int(0.39 * len(heights))], heights[int(0.41 * len(heights)) :]
    assert min(below) >= line - 0.5  # pixels count downwards
    assert max(above) < line - 20


def test_a_run_that_is_the_same_has_no_worst_channel_and_opens_all_the_same(baseline):
    found = row(baseline, good_run())
    assert found.standing.word == "same to the bit"
    assert found.spark == found.worst == found.first == ""
    assert found.href.startswith("short/report.html#ch=")


def test_the_page_says_word_share_instant_and_summary(tmp_path, baseline):
    lost = ComparedRow(ComparisonStatus("drill", missing="no run", reason="none in results/runs"))
    html = written(tmp_path, row(baseline, late_run()), lost, row(baseline, good_run()))
    bad, none, good = re.findall(r"<tr(?: class=\"failed\")?><td class=\"thumb\">.*?</tr>", html)
    assert bad.startswith('<tr class="failed">')
    assert "differs" in bad
    assert 'href="short/report.html#ch=tau.elbow&amp;t=0.12&amp;view=compared"' in bad
    assert "0.12 s" in bad
    assert "no input changed" in bad
    assert "no run" in none
    assert "href" not in none
    assert "same to the bit" in good
    assert "1 of 3 inside tolerance (1 same to the bit); drill: no run; " in html
    assert f"{good_run().run.scenario} differs first at 0.12 s (tau.elbow)</p>" in html
    assert "data:image/png" in good


def test_names_with_markup_are_shown_as_text(tmp_path):
    evil = "<script>alert(1)</script>"
    html = written(tmp_path, ComparedRow(ComparisonStatus(evil, missing="no run", reason=evil)))
    assert "<script" not in html


def test_the_page_of_a_scenario_knows_what_each_channel_is_allowed(tmp_path, baseline):
    run = late_run()
    found = compare(run, baseline)
    write_compared(tmp_path / "report.html", run, baseline, found, arm_scene())
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    meta = meta_of(html)
    assert meta["compared"] == 0
    allowed = {channel["id"]: channel["allowed"] for channel in meta["channels"]}
    for one in found.differences:
        if one.channel in allowed:
            assert allowed[one.channel] == one.limit
    assert 'data-values="compared"' in html
    head = html[: html.index("<main>")]
    assert "differs" in head
    assert "0.12 s (tau.elbow)" in head
