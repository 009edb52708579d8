import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import sim
from sim.checks import judge_recording
from sim.errors import RecordingError
from sim.recording.files.table_files import read_table
from sim.recording.files.whole_files import json_text
from sim.recording.recording import Recording
from tests.helpers.short_runs import short_run
from tests.helpers.synthetic_runs import with_reference

FILES = ["analytic.parquet", "cut_open.parquet", "recording.parquet", "robot.urdf", "run.json"]

# Doubles that lose bits on any detour through text, single precision or decimals.
AWKWARD = np.array([0.1, -0.0, 5e-324, 1 / 3, np.nextafter(1.0, 2.0), 1.7976931348623157e308])


@pytest.fixture
def recording():
    return short_run()


@pytest.fixture
def folder(recording, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    recording.write(folder)
    return folder


def test_a_run_comes_back_from_disk_bit_by_bit(recording, folder):
    again = Recording.read(folder)
    for mine, theirs in (
        (recording.recorded, again.recorded),
        (recording.analytic, again.analytic),
    ):
        pd.testing.assert_frame_equal(mine, theirs, check_exact=True, check_freq=False)
        assert mine.to_numpy().tobytes() == theirs.to_numpy().tobytes()
    run = again.run
    assert run == msgspec.structs.replace(recording.run, files=run.files, seal=run.seal)
    assert again.units == recording.units
    assert sorted(path.name for path in folder.iterdir()) == FILES


def test_awkward_doubles_come_back_bit_by_bit(recording, tmp_path):
    frame = recording.recorded.copy()
    frame.loc[frame.index[: AWKWARD.size], "q.elbow"] = AWKWARD
    awkward = replace(recording, recorded=frame, analytic=frame)
    awkward.write(tmp_path)
    column = Recording.read(tmp_path).recorded["q.elbow"].to_numpy()
    assert column[: AWKWARD.size].tobytes() == AWKWARD.tobytes()


def cut(table):
    return table.iloc[: len(table) // 2]


def thinned(table):
    return table.iloc[::2]


def shifted(table):
    return table.set_axis(table.index + 1e-6).rename_axis("t")


@pytest.mark.parametrize("change", [cut, thinned, shifted])
def test_tables_of_other_times_than_the_settings_ask_for_are_refused(recording, tmp_path, change):
    """Both tables alike, their hashes and the seal made anew: only the settings can tell."""
    tables = {name: change(getattr(recording, name)) for name in ("recorded", "analytic")}
    replace(recording, **tables).write(tmp_path)
    with pytest.raises(RecordingError, match=r"recording.parquet has \d+ samples .* asks for 301"):
        Recording.read(tmp_path)


def test_plain_pyarrow_reads_the_unit_of_every_column(recording, folder):
    for name in ("recording.parquet", "analytic.parquet"):
        schema = pq.read_schema(folder / name)
        units = {field.name: field.metadata[b"unit"].decode() for field in schema}
        assert units.pop("t") == "s"
        assert units == recording.units
        assert units["tau.elbow"] == "N·m"


def test_plain_pandas_reads_the_tables_with_time_as_their_index(recording, folder):
    table = pd.read_parquet(folder / "recording.parquet")
    assert table.index.name == "t"
    assert table["tau.elbow"].tolist() == recording.recorded["tau.elbow"].tolist()


def test_what_is_written_is_handed_back_with_hashes_and_seal(recording, tmp_path):
    written = recording.write(tmp_path)
    assert written.run == Recording.read(tmp_path).run
    assert set(written.run.files) == set(FILES) - {"run.json"}
    assert (recording.run.files, recording.run.seal) == ({}, "")


def test_another_description_keeps_the_tables_and_leaves_the_original_alone(recording):
    judged = recording.with_description(verdict="pass")
    assert judged.run.verdict == "pass"
    assert recording.run.verdict is None
    assert judged.recorded is recording.recorded


def test_json_says_null_for_what_is_no_number():
    text = json_text({"worst": float("nan"), "limits": [1.0, float("inf")], "unit": "N·m"})
    assert json.loads(text) == {"worst": None, "limits": [1.0, None], "unit": "N·m"}


def test_json_has_the_values_of_numpy():
    values = {"ok": np.bool_(True), "n": np.int64(3), "x": np.float32(0.5), "t": np.str_("s")}
    text = json_text({**values, "rows": np.array([[1.0, np.nan]]), "at": (np.float64("inf"),)})
    assert json.loads(text) == {"ok": True, "n": 3, "x": 0.5, "t": "s", "rows": [[1, None]],
                                "at": [None]}  # fmt: skip


# A run with results of another program.


@pytest.fixture
def referred(recording, tmp_path):
    """A run with a reference, and its folder."""
    table = recording.recorded[["q.elbow", "tau.elbow"]].iloc[::10] + 1e-3
    run = with_reference(recording, table)
    run.write(tmp_path)
    return run, tmp_path


def test_a_reference_comes_back_from_disk_bit_by_bit(referred):
    run, folder = referred
    again = Recording.read(folder)
    pd.testing.assert_frame_equal(run.reference, again.reference, check_exact=True)
    assert again.run.reference == run.run.reference
    assert sorted(path.name for path in folder.iterdir()) == sorted([*FILES, "reference.parquet"])


def test_a_run_without_a_reference_has_none(folder):
    assert Recording.read(folder).reference is None


def test_a_missing_reference_is_named(referred):
    _, folder = referred
    (folder / "reference.parquet").unlink()
    assert message(folder) == f"{folder / 'reference.parquet'} does not exist"


def test_a_changed_reference_is_found(referred):
    _, folder = referred
    shutil.copy(folder / "recording.parquet", folder / "reference.parquet")
    said = f"{folder / 'reference.parquet'} has changed since the run wrote it"
    assert message(folder) == said


# Reading what is not, or no longer, a run.


def message(folder):
    with pytest.raises(RecordingError) as caught:
        Recording.read(folder)
    return str(caught.value)


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    assert message(folder) == f"{folder / name} does not exist"


@pytest.mark.parametrize("name", ["recording.parquet", "analytic.parquet", "cut_open.parquet"])
def test_a_table_of_which_the_description_has_no_hash_is_refused(recording, folder, name):
    written = Recording.read(folder)
    files = {file: value for file, value in written.run.files.items() if file != name}
    written.with_description(files=files).write_description(folder)
    assert message(folder) == f"{folder / name} has changed since the run wrote it"


def test_a_folder_that_does_not_exist_is_no_run(tmp_path):
    assert message(tmp_path / "nowhere").startswith(f"There is no run '{tmp_path / 'nowhere'}'")


def test_a_run_is_read_by_its_scenarios_name_its_folder_or_its_description(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for stamp in ("20260101T000000.000", "20260102T000000.000"):
        written = (
            short_run().with_description(scenario=stamp).write(Path("results/runs/swing") / stamp)
        )
    assert Recording.read("swing").run == written.run
    for path in (f"results/runs/swing/{stamp}", Path(f"results/runs/swing/{stamp}/run.json")):
        assert Recording.read(path).run == written.run


def test_a_recording_gives_channels_checks_sizing_and_verdict():
    plain = short_run()
    pd.testing.assert_series_equal(plain["q.elbow"], plain.recorded["q.elbow"])
    with pytest.raises(RecordingError, match=r"No channel matches 'q\.elbo'.*nearest are"):
        plain["q.elbo"]
    with pytest.raises(RecordingError, match=r"is a pattern; recording\.plot"):
        plain["q.*"]
    with pytest.raises(RecordingError, match="not been checked yet"):
        _ = plain.passed
    done = judge_recording(plain)
    assert (done.passed, done.checks, done.sizing) == (True, done.run.checks, done.run.sizing)
    assert {one.joint for one in done.sizing} == {"shoulder", "elbow"}
    assert not done.with_description(verdict="fail").passed


def test_what_sim_run_gives_is_judged():
    robot, still = sim.load_robot("ur10"), sim.JointMotion.displacement({})
    done = sim.run(sim.Scenario(robot, still, duration=0.01, method="ideal"))
    assert done.passed
    assert done.checks


@pytest.mark.parametrize("name", ["recording.parquet", "analytic.parquet"])
@pytest.mark.parametrize("position", [10, -10])
def test_a_single_changed_byte_is_found(folder, name, position):
    content = bytearray((folder / name).read_bytes())
    content[position] ^= 1
    (folder / name).write_bytes(content)
    assert message(folder) == f"{folder / name} has changed since the run wrote it"


@pytest.mark.parametrize("length", [0, 100])
def test_a_truncated_table_is_found(folder, length):
    path = folder / "recording.parquet"
    path.write_bytes(path.read_bytes()[:length])
    assert message(folder) == f"{path} has changed since the run wrote it"


def test_tables_that_change_places_are_found(folder):
    shutil.move(folder / "recording.parquet", folder / "spare")
    shutil.move(folder / "analytic.parquet", folder / "recording.parquet")
    shutil.move(folder / "spare", folder / "analytic.parquet")
    assert "has changed since the run wrote it" in message(folder)


def test_tables_with_different_channels_are_refused(recording, tmp_path):
    odd = replace(recording, analytic=recording.analytic.drop(columns="pe"))
    odd.write(tmp_path)
    assert "same channels and times" in message(tmp_path)


def test_tables_with_different_times_are_refused(recording, tmp_path):
    odd = replace(recording, analytic=recording.analytic.iloc[:-1])
    odd.write(tmp_path)
    assert "same channels and times" in message(tmp_path)


def test_a_file_that_is_not_parquet_is_refused(tmp_path):
    path = tmp_path / "recording.parquet"
    path.write_text("t,q\n0,1\n")
    with pytest.raises(RecordingError, match="cannot be read as Parquet"):
        read_table(path)
    with pytest.raises(RecordingError, match="does not exist"):
        read_table(tmp_path / "nothing.parquet")
    with pytest.raises(RecordingError, match="cannot be read as Parquet"):
        read_table(tmp_path)


@pytest.mark.parametrize("times", [[], [0.0], [0.0, 2.0, 1.0], [0.0, 1.0, 1.0]])
def test_a_table_without_ascending_times_is_refused(tmp_path, times):
    index = pd.Index(times, name="t", dtype=float)
    pd.DataFrame({"q": np.zeros(index.size)}, index=index).to_parquet(tmp_path / "x.parquet")
    with pytest.raises(RecordingError, match=r"no index t .* ascending times"):
        read_table(tmp_path / "x.parquet")


def test_a_table_whose_index_is_no_time_is_refused(tmp_path):
    pd.DataFrame({"q": [1.0, 2.0]}).to_parquet(tmp_path / "x.parquet")
    with pytest.raises(RecordingError, match=r"no index t .* ascending times"):
        read_table(tmp_path / "x.parquet")


def test_a_run_is_written_into_a_folder_that_is_told_as_text_and_made_if_there_is_none(
    recording, tmp_path
):
    written = recording.write(str(tmp_path / "some" / "where"))
    assert Recording.read(str(tmp_path / "some" / "where")).run == written.run


def test_a_run_cannot_be_written_where_a_file_stands(recording, tmp_path):
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(RecordingError) as caught:
        recording.write(tmp_path / "taken")
    assert str(caught.value).startswith(f"Cannot write the run to {tmp_path / 'taken'}: ")
    assert (tmp_path / "taken").read_text() == "mine"


@pytest.mark.parametrize("name", FILES)
def test_a_pipe_in_the_place_of_a_file_is_refused(tmp_path, name):
    """Nobody writes into it: who reads it waits for ever."""
    short_run().write(tmp_path)
    (tmp_path / name).unlink()
    os.mkfifo(tmp_path / name)
    with pytest.raises(RecordingError, match="is no file; a pipe or a device may never end"):
        Recording.read(tmp_path)
