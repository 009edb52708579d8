import shutil
from pathlib import Path

import pytest

import sim
from sim.checks import judge_recording
from sim.comparison import find_baseline
from sim.recording import Recording
from sim.recording.files.whole_files import sha256
from sim.reports.page import Overlay
from sim.reports.writing import (
    baseline_of,
    report,
    write_figures_into,
    write_page_into,
    write_page_of,
    write_report_into,
)
from tests.helpers.short_runs import short_run, spoiled


@pytest.fixture(scope="module")
def written_once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("writing")
    return folder, write_report_into(
        judge_recording(short_run()).write(folder), folder, figures=True
    )


@pytest.fixture
def reported(written_once, tmp_path):
    """A judged run in its folder, with its report."""
    original, described = written_once
    return shutil.copytree(original, tmp_path / "run"), described


def in_folder(folder):
    """Hash of every file of a run but its description."""
    return {one.name: sha256(one) for one in folder.iterdir() if one.name != "run.json"}


def test_figures_and_the_page_are_written_and_the_page_is_named_last(tmp_path):
    assert report(short_run(), tmp_path) == (tmp_path / "report.html",)
    written = report(short_run(), tmp_path, figures=True)
    assert sim.report is report
    assert written[-1] == tmp_path / "report.html"
    assert {path.suffix for path in written[:-1]} == {".png", ".svg"}
    assert all(path.is_file() for path in written)


def test_a_recording_that_nobody_judged_is_judged_for_its_page(tmp_path):
    recording = short_run()
    assert recording.run.checks == ()
    page = report(recording, tmp_path)[-1].read_text("utf-8")
    assert "Lagrange and Newton-Euler" in page
    assert "energy balance" in page


def test_a_scenario_with_a_baseline_is_laid_over_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    recording = short_run().with_description(scenario="two_link")
    (overlay,) = baseline_of(recording)
    assert overlay.label == "baseline"
    assert overlay.recorded.frame().equals(find_baseline("two_link").recorded)
    assert baseline_of(short_run()) == ()  # nobody accepted one


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(sim.SimError, match="Cannot write"):
        report(short_run(), Path(tmp_path / "nowhere"))


def test_every_file_of_a_run_is_named_and_hashed_in_its_description(reported):
    folder, described = reported
    read = Recording.read(folder)
    assert read.run == described.run
    assert read.run.page == "report.html"
    assert "torque.svg" in read.run.figures
    assert read.run.files == in_folder(folder)
    assert {*read.run.figures, "report.html", "scene.glb", "robot.urdf"} < read.run.files.keys()


def test_a_page_that_is_written_again_is_the_same_and_so_is_the_description(reported):
    folder, described = reported
    before = in_folder(folder)
    again = write_page_into(Recording.read(folder), folder)
    assert in_folder(folder) == before
    assert again.run == Recording.read(folder).run == described.run


def test_the_description_follows_a_page_that_is_written_again_with_another_run_over_it(reported):
    folder, described = reported
    other = Overlay.of("other", spoiled(short_run(), "tau.elbow", 1.0, 50), short_run())
    write_page_into(Recording.read(folder), folder, [other])
    run = Recording.read(folder).run
    assert run.files == in_folder(folder)
    changed = {name for name in run.files if run.files[name] != described.run.files[name]}
    assert changed == {"report.html"}
    assert run.checks == described.run.checks


def test_a_page_is_not_written_beside_the_tables_of_another_run(reported):
    """A run that replaced the one that was read would be refused for ever after."""
    folder, _ = reported
    read = Recording.read(folder)
    other = write_report_into(
        judge_recording(short_run()).with_description(scenario="other").write(folder), folder
    )
    before = in_folder(folder)
    with pytest.raises(sim.SimError, match="contains a different run than the one"):
        write_page_into(read, folder)
    assert in_folder(folder) == before
    assert Recording.read(folder).run == other.run


def test_a_page_in_another_place_leaves_the_run_as_it_is(reported, tmp_path):
    folder, described = reported
    path = write_page_of(Recording.read(folder), folder, path=tmp_path / "page.html")
    assert path.read_bytes() == (folder / "report.html").read_bytes()
    assert Recording.read(folder).run == described.run


def test_a_folder_without_page_and_scene_gets_both(tmp_path):
    short_run().write(tmp_path)
    run = write_page_into(Recording.read(tmp_path), tmp_path).run
    assert run.files == in_folder(tmp_path)
    assert (run.page, run.verdict) == ("report.html", None)
    assert "scene.glb" in run.files


def test_figures_that_are_drawn_later_are_named_and_hashed_too(tmp_path):
    described = write_report_into(judge_recording(short_run()).write(tmp_path), tmp_path)
    assert described.run.figures == ()
    assert not list(tmp_path.glob("*.png"))
    write_figures_into(Recording.read(tmp_path), tmp_path)
    run = Recording.read(tmp_path).run
    assert {"torque.png", "torque.svg"} < set(run.figures)
    assert run.files == in_folder(tmp_path)
    assert run.checks == described.run.checks
