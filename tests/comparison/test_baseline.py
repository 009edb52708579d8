import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import numpy as np
import pytest

from sim import shipped
from sim.checks.judged import judged
from sim.comparison import accept, compare, find_baseline
from sim.comparison import baseline as module
from sim.errors import RecordingError
from sim.recording.description import description_text
from sim.recording.files import sha256, write_table
from tests.helpers.short_runs import short_run, spoiled


@pytest.fixture
def passed():
    return judged(short_run("stepped"))


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """No shipped baselines."""
    monkeypatch.setattr(module.shipped, "baselines", lambda: tmp_path / "shipped")
    return tmp_path / "shipped"


def test_an_accepted_run_becomes_the_baseline_of_its_scenario(passed, tmp_path, nowhere):
    folder = accept(passed, "first one", tmp_path)
    assert folder == tmp_path / "swing"
    assert sorted(p.name for p in folder.iterdir()) == ["baseline.json", "baseline.parquet"]
    found = find_baseline("swing", tmp_path)
    assert compare(passed, found).ok
    assert found.recorded.equals(passed.recorded)


def test_who_accepted_what_and_why_is_written_down(passed, tmp_path):
    folder = accept(passed.described(parameters={"load": 0.5}), "payload was wrong", tmp_path)
    found = find_baseline("swing", tmp_path).run
    assert found.reason == "payload was wrong"
    assert datetime.now(UTC) - datetime.fromisoformat(found.accepted) < timedelta(minutes=1)
    assert found.parameters == {"load": 0.5}
    for key in ("format", "scenario", "method", "settings", "units", "provenance"):
        assert getattr(found, key) == getattr(passed.run, key)
    assert found.robot == msgspec.structs.replace(passed.run.robot, mesh_folder=None)
    assert passed.run.robot.mesh_folder is not None  # of one machine
    text = (folder / "baseline.json").read_text("utf-8")
    assert passed.run.robot.mesh_folder not in text


@pytest.mark.parametrize("path", sorted(shipped.baselines().glob("*/baseline.json")), ids=str)
def test_every_shipped_baseline_is_in_the_present_format_and_whole(path):
    found = find_baseline(path.parent.name, path.parents[1])
    assert found.run.scenario == path.parent.name
    assert found.run.every * (len(found.recorded) - 1) < found.run.settings.samples
    assert set(found.run.units) == set(found.recorded.columns)
    assert path.read_bytes() == description_text(found.run)


def test_no_shipped_baseline_names_a_folder_of_the_machine_that_made_it():
    for file in shipped.baselines().glob("*/baseline.json"):
        assert str(shipped.scenarios().parent) not in file.read_text("utf-8")


@pytest.mark.parametrize(("most", "every"), [(301, 1), (300, 2), (100, 4), (50, 7)])
def test_a_long_run_is_thinned_to_the_most_samples_from_its_first_on(
    passed, tmp_path, monkeypatch, most, every
):
    monkeypatch.setattr(module, "MOST_SAMPLES", most)
    accept(passed, "thin", tmp_path)
    found = find_baseline("swing", tmp_path)
    assert len(found.recorded) <= most
    assert found.run.every == every
    times = passed.recorded.index.to_numpy()[::every]
    assert np.array_equal(found.recorded.index.to_numpy(), times)
    assert compare(passed, found).ok


def test_a_thinned_baseline_still_sees_a_change(passed, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_SAMPLES", 50)
    accept(passed, "thin", tmp_path)
    result = compare(spoiled(passed, "pe", 1e-3, 70), find_baseline("swing", tmp_path))
    assert [d.channel for d in result.differences if not d.ok] == ["pe"]


def test_a_new_baseline_takes_the_place_of_the_old_one(passed, tmp_path):
    accept(passed, "old", tmp_path)
    accept(passed, "new", tmp_path)
    assert find_baseline("swing", tmp_path).run.reason == "new"
    assert [p.name for p in tmp_path.iterdir()] == ["swing"]


# What cannot be accepted


def refused(act):
    with pytest.raises(RecordingError) as caught:
        act()
    return str(caught.value)


@pytest.mark.parametrize("verdict", ["fail", None])
def test_a_run_that_did_not_pass_is_refused_and_nothing_is_written(passed, tmp_path, verdict):
    text = refused(lambda: accept(passed.described(verdict=verdict), "because", tmp_path / "b"))
    assert text.startswith(f"The run of 'swing' has verdict {verdict!r}; only a run that passes")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("reason", ["", "  ", "\n\t"])
def test_an_empty_reason_is_refused_and_nothing_is_written(passed, tmp_path, reason):
    assert "must not be empty" in refused(lambda: accept(passed, reason, tmp_path / "b"))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_holds_something_else_is_refused_and_kept(passed, tmp_path):
    (tmp_path / "swing").mkdir()
    (tmp_path / "swing" / "notes.txt").write_text("mine")
    assert "holds other files" in refused(lambda: accept(passed, "because", tmp_path))
    assert [p.name for p in (tmp_path / "swing").iterdir()] == ["notes.txt"]


def test_a_place_where_nobody_can_write_is_refused(passed):
    assert "Cannot write to" in refused(lambda: accept(passed, "because", Path("/dev/null/b")))


# Finding one


def test_a_scenario_without_a_baseline_is_told_how_to_get_one(tmp_path, nowhere):
    text = refused(lambda: find_baseline("swing", tmp_path))
    assert "Scenario 'swing' has no baseline" in text
    assert "sim accept RUN --reason TEXT" in text


def test_a_baseline_of_the_working_folder_comes_before_the_shipped_one(passed, tmp_path, nowhere):
    accept(passed, "shipped", nowhere)
    assert find_baseline("swing", tmp_path / "own").run.reason == "shipped"
    accept(passed, "own", tmp_path / "own")
    assert find_baseline("swing", tmp_path / "own").run.reason == "own"


def test_a_changed_baseline_is_found(passed, tmp_path):
    table = accept(passed, "because", tmp_path) / "baseline.parquet"
    content = bytearray(table.read_bytes())
    content[100] ^= 1
    table.write_bytes(content)
    text = refused(lambda: find_baseline("swing", tmp_path))
    assert text == f"{table} has changed since it was accepted"


@pytest.mark.parametrize("name", ["", ".", "..", "../swing", "a/b", "/tmp/x", "a\\b"])
def test_a_scenario_that_is_no_name_of_a_folder_has_no_baseline(passed, tmp_path, name):
    """Such a name would be followed as a path: out of the folder, or over all baselines."""
    root = tmp_path / "baselines"
    accept(passed, "one that must stay", root)
    named = passed.described(scenario=name)
    for action in (lambda: accept(named, "because", root), lambda: find_baseline(name, root)):
        assert "is no name of a folder" in refused(action)
    assert [path.name for path in tmp_path.iterdir()] == ["baselines"]
    assert [path.name for path in root.iterdir()] == ["swing"]


def test_a_baseline_in_the_folder_of_another_scenario_is_found(passed, tmp_path):
    accept(passed, "because", tmp_path).rename(tmp_path / "sway")
    text = refused(lambda: find_baseline("sway", tmp_path))
    assert "is labelled 'swing'" in text
    assert "baseline of 'sway'" in text


def test_a_baseline_of_two_rows_is_found(passed, tmp_path):
    """With its hash made anew: its times are not those that its settings ask for."""
    folder = accept(passed, "because", tmp_path)
    table, path = folder / "baseline.parquet", folder / "baseline.json"
    write_table(table, passed.recorded.iloc[[0, -1]], passed.units)
    text = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**text, "sha256": sha256(table)}), encoding="utf-8")
    assert "has 2 samples" in refused(lambda: find_baseline("swing", tmp_path))


def test_a_baseline_without_its_table_is_found(passed, tmp_path):
    table = accept(passed, "because", tmp_path) / "baseline.parquet"
    table.unlink()
    assert refused(lambda: find_baseline("swing", tmp_path)) == f"{table} is missing"


@pytest.mark.parametrize("content", ["", "[]", "{", '{"sha256": null}', '{"sha256": "0"}'])
def test_a_damaged_description_is_found(passed, tmp_path, content):
    folder = accept(passed, "because", tmp_path)
    (folder / "baseline.json").write_text(content)
    assert str(folder) in refused(lambda: find_baseline("swing", tmp_path))


@pytest.mark.parametrize("key", ["settings", "robot", "units", "method"])
def test_a_description_without_what_a_comparison_needs_is_found(passed, tmp_path, key):
    path = accept(passed, "because", tmp_path) / "baseline.json"
    info = json.loads(path.read_text("utf-8"))
    del info[key]
    path.write_text(json.dumps(info), encoding="utf-8")
    text = refused(lambda: find_baseline("swing", tmp_path))
    assert text.startswith(f"{path} ")
    assert f"`{key}`" in text


def test_a_description_of_the_format_before_is_told_apart(passed, tmp_path):
    path = accept(passed, "because", tmp_path) / "baseline.json"
    info = json.loads(path.read_text("utf-8"))
    del info["format"]
    path.write_text(json.dumps(info), encoding="utf-8")
    text = refused(lambda: find_baseline("swing", tmp_path))
    assert text.startswith(f"{path} has no number of its format; this version reads number 2")


def test_the_description_of_a_run_is_none_of_a_baseline(passed, tmp_path):
    path = accept(passed, "because", tmp_path) / "baseline.json"
    path.write_bytes(description_text(passed.run))
    assert str(path) in refused(lambda: find_baseline("swing", tmp_path))
