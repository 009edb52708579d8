from dataclasses import replace

import pytest

from sim.errors import RecordingError
from sim.reference import Reference
from sim.reports.page.report import write_report
from tests.helpers.page_runs import block, good_run, meta_of
from tests.helpers.short_runs import arm


def test_the_folder_is_enough_to_write_the_page_again(tmp_path):
    path, _ = write_report(tmp_path, good_run(), arm())
    first = path.read_bytes()
    assert {one.name for one in tmp_path.iterdir()} == {"report.html", "scene.glb"}
    again, scene = write_report(tmp_path, good_run(), path=tmp_path / "again.html")
    assert again.read_bytes() == first
    assert scene is not None


def test_a_folder_without_scene_gives_a_page_without_robot(tmp_path):
    path, scene = write_report(tmp_path, good_run())
    assert scene is None
    assert block(path.read_text(encoding="utf-8"), "curves")


def test_a_damaged_scene_is_a_clear_error(tmp_path):
    (tmp_path / "scene.glb").write_bytes(b"not a scene")
    with pytest.raises(RecordingError, match=r"scene\.glb cannot be read as GLB"):
        write_report(tmp_path, good_run())


def test_what_another_program_computed_is_laid_over(tmp_path):
    table = good_run().recorded[["tau.elbow"]].iloc[10:200:10]
    tolerances = {"tau.*": 1.0}
    reference = Reference("ADAMS", table, 6, tolerances, "peer", tolerances)
    run = replace(good_run(), reference=table).with_description(reference=reference.describe())
    path, _ = write_report(tmp_path, run)
    assert [o["label"] for o in meta_of(path.read_text(encoding="utf-8"))["overlays"]] == ["ADAMS"]


def test_a_folder_that_is_not_there_is_a_clear_error(tmp_path):
    with pytest.raises(RecordingError, match=r"Cannot write .*scene\.glb"):
        write_report(tmp_path / "nowhere", good_run(), arm())
