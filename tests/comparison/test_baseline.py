import json
import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from sim import shipped
from sim.checks import judge_recording
from sim.comparison import Acceptance, accept, compare, find_baseline, ledger_entry
from sim.comparison import baseline as module
from sim.comparison.compact import write_compact
from sim.comparison.tolerance import Rule
from sim.errors import RecordingError
from sim.recording.files.whole_files import sha256
from sim.recording.schema.channels import group_of
from sim.recording.schema.description import description_text, read_description, with_seal
from tests.helpers.short_runs import short_run, spoiled, with_settings


@pytest.fixture
def passed():
    return judge_recording(short_run("stepped"))


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """No shipped baselines."""
    monkeypatch.setattr(module.shipped, "baselines", lambda: tmp_path / "shipped")
    return tmp_path / "shipped"


def files_of(folder, found):
    return sorted(path.name for path in folder.iterdir()) == sorted(
        ["baseline.json", *found.run.files.values()]
    )


def test_an_accepted_run_becomes_the_baseline_of_its_scenario(passed, tmp_path, nowhere):
    folder = accept(passed, "first one", tmp_path)
    assert folder == tmp_path / "swing"
    found = find_baseline("swing", tmp_path)
    assert files_of(folder, found)
    result = compare(passed, found)
    assert (result.ok, result.level, result.changes) == (True, "bit", ())
    assert found.urdf == passed.urdf


def test_who_accepted_what_and_why_is_written_down(passed, tmp_path):
    given = passed.with_description(parameters={"load": 0.5})
    folder = accept(given, "payload was wrong", tmp_path, who="Ada")
    found = find_baseline("swing", tmp_path).run
    (line,) = found.ledger
    assert (line.who, line.reason, line.level) == ("Ada", "payload was wrong", "new")
    assert datetime.now(UTC) - datetime.fromisoformat(line.accepted) < timedelta(minutes=1)
    assert line.versions["numpy"] == passed.run.provenance.versions["numpy"]
    assert found.parameters == {"load": 0.5}
    for key in ("format", "scenario", "method", "settings", "units", "provenance", "drives"):
        assert getattr(found, key) == getattr(passed.run, key)
    assert found.robot == msgspec.structs.replace(passed.run.robot, mesh_folder=None)
    assert passed.run.robot.mesh_folder is not None  # of one machine
    text = (folder / "baseline.json").read_text("utf-8")
    assert passed.run.robot.mesh_folder not in text


def test_every_acceptance_is_kept_with_what_it_changed(passed, tmp_path):
    accept(passed, "one", tmp_path, who="Ada")
    changed = spoiled(passed, "tau.elbow", 1e-3, 70)
    result = compare(changed, find_baseline("swing", tmp_path))
    folder = accept(changed, "two", tmp_path, who="Bea", entry=ledger_entry(result))
    accept(changed, "three", tmp_path)
    found = find_baseline("swing", tmp_path)
    assert [line.reason for line in found.run.ledger] == ["one", "two", "three"]
    one, two, three = found.run.ledger
    assert (two.level, two.worst[0].channel, two.worst[0].worst) == (
        "outside", "tau.elbow", pytest.approx(1e-3, rel=1e-2),
    )  # fmt: skip
    assert one.digest != two.digest == three.digest
    assert three.who
    assert files_of(folder, found)  # no file of an earlier baseline is left


def test_the_reason_of_a_baseline_of_the_format_before_is_kept(passed, tmp_path):
    folder = tmp_path / "swing"
    folder.mkdir()
    old = {"format": 2, "scenario": "swing", "reason": "once", "accepted": "2026-01-02T03:04:05"}
    (folder / "baseline.json").write_text(json.dumps(old), encoding="utf-8")
    (folder / "baseline.parquet").write_bytes(b"old")
    assert "number 2 of its format" in refused(lambda: find_baseline("swing", tmp_path))
    accept(passed, "again", tmp_path)
    found = find_baseline("swing", tmp_path)
    first = found.run.ledger[0]
    assert (first.accepted[:4], first.reason) == ("2026", "once")
    assert files_of(folder, found)


@pytest.mark.parametrize("stop_at", range(5))
def test_a_kill_at_any_move_leaves_the_baseline_before_or_the_new_one(
    passed, tmp_path, monkeypatch, stop_at
):
    """`Path.replace` is the only way a file takes its place."""
    accept(passed, "old", tmp_path)
    moves, move = iter(range(99)), Path.replace

    def killed(path, target):
        if next(moves) == stop_at:
            raise KeyboardInterrupt
        return move(path, target)

    monkeypatch.setattr(Path, "replace", killed)
    other = spoiled(passed, "pe", 1e-3, 70)
    try:
        accept(other, "new", tmp_path)
        finished = True
    except KeyboardInterrupt:
        finished = False
    monkeypatch.undo()
    found = find_baseline("swing", tmp_path)
    assert found.run.reason == ("new" if finished else "old")
    assert compare(other if finished else passed, found).level == "bit"
    assert finished == (stop_at == 4)
    accept(other, "new", tmp_path)  # what was left behind is no hindrance
    assert find_baseline("swing", tmp_path).run.reason == "new"


def test_a_ledger_that_cannot_be_read_is_never_overwritten(passed, tmp_path):
    path = accept(passed, "one", tmp_path) / "baseline.json"
    path.write_bytes(b"{ damaged")
    assert "it is not overwritten" in refused(lambda: accept(passed, "two", tmp_path))
    assert path.read_bytes() == b"{ damaged"


@pytest.mark.parametrize("path", sorted(shipped.baselines().glob("*/baseline.json")), ids=str)
def test_every_shipped_baseline_is_in_the_present_format_and_whole(path):
    found = find_baseline(path.parent.name, path.parents[1])
    assert found.run.scenario == path.parent.name
    assert len(found.recorded) == found.run.settings.samples
    assert {c for c in found.run.units if group_of(c).is_compared} == set(found.recorded.columns)
    assert path.read_bytes() == description_text(found.run)
    assert sum(file.stat().st_size for file in path.parent.iterdir()) < 1_000_000


def test_no_shipped_baseline_names_a_folder_of_the_machine_that_made_it():
    for file in shipped.baselines().glob("*/baseline.json"):
        assert str(shipped.scenarios().parent) not in file.read_text("utf-8")


@pytest.mark.rotates(3)
@pytest.mark.parametrize("k", [0, 1, 17, 70, 150, 299, 300])
@pytest.mark.parametrize("value", [1.0, math.nan, math.inf])
def test_one_wrong_sample_anywhere_is_seen(passed, tmp_path, k, value):
    """Whether it is one of the instants that are kept to the last bit or not."""
    accept(passed, "all", tmp_path)
    baseline = find_baseline("swing", tmp_path)
    for channel in ("tau.elbow", "reaction.shoulder.fx", "tool.qw", "ke.payload"):
        limit = {d.channel: d.limit for d in compare(passed, baseline).differences}[channel]
        result = compare(spoiled(passed, channel, 1.2 * limit * value, k), baseline)
        assert [d.channel for d in result.differences if not d.ok] == [channel]
        assert result.differences[0].at == passed.t[k]


def test_what_is_lost_by_keeping_is_a_sixteenth_of_the_tolerance_and_counts_for_nothing(
    passed, tmp_path
):
    accept(passed, "all", tmp_path)
    baseline = find_baseline("swing", tmp_path)
    result = compare(passed, baseline)
    assert all(d.worst == 0 for d in result.differences)
    for d in result.differences:
        lost = (baseline.recorded[d.channel] - passed.recorded[d.channel]).abs().max()
        assert lost <= baseline.steps[d.channel] / 2 <= d.limit / 16


def test_a_change_by_rounding_is_the_same_to_rounding(passed, tmp_path):
    accept(passed, "all", tmp_path)
    baseline = find_baseline("swing", tmp_path)
    nudged = replace(passed, recorded=passed.recorded * (1 + 1e-12))
    result = compare(nudged, baseline)
    assert (result.ok, result.level) == (True, "rounding")
    moved = replace(passed, recorded=passed.recorded * (1 + 1e-7))
    assert compare(moved, baseline).level == "tolerance"
    assert (
        compare(replace(passed, recorded=passed.recorded * (1 + 1e-5)), baseline).level == "outside"
    )


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
    text = refused(
        lambda: accept(passed.with_description(verdict=verdict), "because", tmp_path / "b")
    )
    assert text.startswith(f"The run of 'swing' has verdict {verdict!r}; only a run that passes")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("reason", ["", "  ", "\n\t"])
def test_an_empty_reason_is_refused_and_nothing_is_written(passed, tmp_path, reason):
    assert "must not be empty" in refused(lambda: accept(passed, reason, tmp_path / "b"))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_holds_something_else_is_refused_and_kept(passed, tmp_path):
    (tmp_path / "swing").mkdir()
    (tmp_path / "swing" / "notes.txt").write_text("mine")
    assert "contains other files" in refused(lambda: accept(passed, "because", tmp_path))
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


@pytest.mark.parametrize("kind", ["curves", "instants", "robot"])
def test_a_changed_baseline_is_found(passed, tmp_path, kind):
    folder = accept(passed, "because", tmp_path)
    path = folder / find_baseline("swing", tmp_path).run.files[kind]
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(content)
    text = refused(lambda: find_baseline("swing", tmp_path))
    assert text == f"{path} has changed since it was accepted"


@pytest.mark.parametrize(
    ("place", "value"),
    [("noise", {"tau.elbow": 1e9}), ("limits", {}), ("digest", "0"), ("method", "ideal")],
)
def test_an_edited_description_is_found(passed, tmp_path, place, value):
    """What a baseline says of its noise would loosen the limits."""
    path = accept(passed, "because", tmp_path) / "baseline.json"
    text = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**text, place: value}), encoding="utf-8")
    assert "its seal does not fit" in refused(lambda: find_baseline("swing", tmp_path))


@pytest.mark.parametrize("name", ["", ".", "..", "../swing", "a/b", "/tmp/x", "a\\b"])
def test_a_scenario_that_is_no_name_of_a_folder_has_no_baseline(passed, tmp_path, name):
    """Such a name would be followed as a path: out of the folder, or over all baselines."""
    root = tmp_path / "baselines"
    accept(passed, "one that must stay", root)
    named = passed.with_description(scenario=name)
    for action in (lambda: accept(named, "because", root), lambda: find_baseline(name, root)):
        assert "is not a valid folder name" in refused(action)
    assert [path.name for path in tmp_path.iterdir()] == ["baselines"]
    assert [path.name for path in root.iterdir()] == ["swing"]


def test_a_baseline_in_the_folder_of_another_scenario_is_found(passed, tmp_path):
    accept(passed, "because", tmp_path).rename(tmp_path / "sway")
    text = refused(lambda: find_baseline("sway", tmp_path))
    assert "belongs to 'swing'" in text
    assert "baseline of 'sway'" in text


def resealed(folder, **entries):
    """The description as a lying writer would leave it."""
    path = folder / "baseline.json"
    run = read_description(path, Acceptance)
    path.write_bytes(description_text(with_seal(msgspec.structs.replace(run, **entries))))


def test_a_baseline_of_two_rows_is_found(passed, tmp_path):
    """With its hashes and its seal made anew: its times are not those that its settings ask for."""
    folder = accept(passed, "because", tmp_path)
    run = find_baseline("swing", tmp_path).run
    curves = folder / "curves.parquet"
    write_compact(curves, passed.recorded.iloc[[0, -1]], {"q.elbow": 2.0**-20}, passed.units)
    name = f"curves-{sha256(curves)[:16]}.parquet"
    curves.rename(folder / name)
    resealed(folder, files={**run.files, "curves": name})
    assert "has 2 samples" in refused(lambda: find_baseline("swing", tmp_path))


def test_a_baseline_that_names_a_file_elsewhere_is_found(passed, tmp_path):
    folder = accept(passed, "because", tmp_path)
    run = find_baseline("swing", tmp_path).run
    resealed(folder, files={**run.files, "robot": f"../{run.files['robot']}"})
    assert "not a file in that folder" in refused(lambda: find_baseline("swing", tmp_path))
    resealed(folder, files={"robot": run.files["robot"]})
    assert "names no curves" in refused(lambda: find_baseline("swing", tmp_path))


def test_a_baseline_without_a_file_is_found(passed, tmp_path):
    folder = accept(passed, "because", tmp_path)
    path = folder / find_baseline("swing", tmp_path).run.files["curves"]
    path.unlink()
    assert refused(lambda: find_baseline("swing", tmp_path)) == f"{path} does not exist"


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
    assert text.startswith(f"{path} has no number of its format; this version reads number 5")


def test_the_description_of_a_run_is_none_of_a_baseline(passed, tmp_path):
    path = accept(passed, "because", tmp_path) / "baseline.json"
    path.write_bytes(description_text(passed.run))
    assert str(path) in refused(lambda: find_baseline("swing", tmp_path))


def test_files_of_a_user_beside_a_baseline_stay(passed, tmp_path):
    """Only names with the hash of a baseline's file are the program's, and halves of them."""
    folder = accept(passed, "one", tmp_path)
    for name in ("robot-notes.txt", "curves-old.parquet", "instants-.md", ".curves.partial"):
        (folder / name).write_text("mine")
    accept(passed, "two", tmp_path)
    left = {path.name for path in folder.iterdir() if path.read_bytes() == b"mine"}
    assert left == {"robot-notes.txt", "curves-old.parquet", "instants-.md"}


def test_a_tolerance_accepted_with_a_run_yields_to_a_rule_of_the_users_own(
    passed, tmp_path, nowhere
):
    """It stands in for the default, and a rule for all channels is not the default."""
    accept(judge_recording(with_settings(passed, tolerances={"tau.*": 0.5})), "known", tmp_path)
    found = find_baseline("swing", tmp_path)

    def rule_of_a_torque(*own):
        return next(d.rule for d in compare(passed, found, own).differences if "tau." in d.channel)

    assert rule_of_a_torque() == "0.5 N·m (accepted)"
    own = Rule("*", 1e-3, 0.0, "", "*", "because", "a test")
    assert rule_of_a_torque(own) == "0.001 of the peak (a test)"
