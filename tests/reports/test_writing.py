from pathlib import Path

import pytest

import sim
from sim.comparison import find_baseline
from sim.reports.writing import baseline_of, report
from tests.short_runs import short_run


def test_figures_and_the_page_are_written_and_the_page_is_named_last(tmp_path):
    written = report(short_run(), tmp_path)
    assert sim.report is report
    assert written[-1] == tmp_path / "report.html"
    assert {path.suffix for path in written[:-1]} == {".png", ".svg"}
    assert all(path.is_file() for path in written)


def test_a_recording_that_nobody_judged_is_judged_for_its_page(tmp_path):
    recording = short_run()
    assert "checks" not in recording.info
    page = report(recording, tmp_path)[-1].read_text("utf-8")
    assert "Lagrange and Newton-Euler" in page
    assert "energy audit" in page


def test_a_scenario_with_a_baseline_is_laid_over_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    recording = short_run().with_info(scenario="two_link")
    (overlay,) = baseline_of(recording)
    assert overlay.label == "baseline"
    assert overlay.recorded.equals(find_baseline("two_link").recorded)
    assert baseline_of(short_run()) == ()  # nobody accepted one


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(sim.SimError, match="Cannot write"):
        report(short_run(), Path(tmp_path / "nowhere"))
