from pathlib import Path

import pytest

import sim
from sim.errors import RecordingError
from sim.reports.exports.exporting import SUFFIXES
from tests.helpers.short_runs import short_run

OLD = '"t [s]","q.arm [rad]"\n0,0\n'


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_each_format_writes_one_file_and_returns_it(tmp_path, suffix):
    path = tmp_path / f"a{suffix.upper()}"
    assert sim.export(short_run(), str(path)) == path
    assert list(tmp_path.iterdir()) == [path]


def test_an_earlier_export_is_replaced(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(OLD)
    sim.export(run, path, channels="q.arm")
    assert path.read_text().startswith('"t [s]","q.arm [rad]"\n')


@pytest.mark.parametrize("step", ["write_bytes", "replace"])
def test_a_full_disk_leaves_the_old_file_and_nothing_beside_it(run, tmp_path, monkeypatch, step):
    path = tmp_path / "a.csv"
    path.write_text(OLD)
    whole = Path.write_bytes

    def fail(self, data):
        if step == "write_bytes":
            whole(self, data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, step, fail)
    with pytest.raises(RecordingError, match=r"Cannot write .*a.csv: No space left on device"):
        sim.export(run, path)
    assert path.read_text() == OLD
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["a", "a.txt", "a.xls", "a.csv.gz", ".csv"])
def test_an_unknown_suffix_is_refused_with_those_that_are_known(run, tmp_path, name):
    with pytest.raises(RecordingError, match=r"one of \.csv, \.xlsx, \.mat, .*\.adm"):
        sim.export(run, tmp_path / name)


def test_a_place_where_no_file_can_be_is_refused(run, tmp_path):
    with pytest.raises(RecordingError, match="no is not a folder"):
        sim.export(run, tmp_path / "no" / "a.csv")
    (tmp_path / "b.csv").mkdir()
    with pytest.raises(RecordingError, match="it is a folder"):
        sim.export(run, tmp_path / "b.csv")


@pytest.mark.parametrize("name", ["recording.parquet", "reference.parquet", "drawn.csv"])
@pytest.mark.parametrize("damaged", [False, True])
def test_a_file_of_a_run_is_never_replaced(tmp_path, name, damaged):
    (tmp_path / "drawn.csv").write_text("drawn")
    kept = short_run().with_files(tmp_path, ["drawn.csv"]).write(tmp_path)
    if damaged and name != "drawn.csv":
        (tmp_path / "run.json").write_text("no json")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(RecordingError, match="it is a file of the run in"):
        sim.export(kept, tmp_path / name)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert sim.export(kept, tmp_path / "mine.csv").is_file()


@pytest.mark.parametrize("choice", [{"channels": "q.*"}, {"analytic": True}, {"every": 2}])
def test_drives_take_no_choice_of_channels(tmp_path, choice):
    with pytest.raises(RecordingError, match="apply to tables only"):
        sim.export(short_run(), tmp_path / "a.adm", **choice)
