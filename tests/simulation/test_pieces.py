"""A long run is evaluated piece by piece: that must change nothing but the memory it takes."""

import gc
import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sim.checks import judge_recording
from sim.comparison.sameness import same_to_the_bit
from sim.errors import RecordingError
from sim.maths import pieces
from sim.motion import JointMotion
from sim.recording import Recording
from sim.recording.files import table_files
from sim.recording.files.table_files import StoredTable
from sim.recording.recorded_run import ANALYTIC, RECORDED
from sim.reports.page.what_if import what_if
from sim.scenario import Scenario, load_script
from sim.simulation.run import run
from tests.helpers.short_runs import SMOOTH, arm, short_run

# Drives that jump and rub, loops that a payload joins and leaves, free joints that are integrated,
# forces that depend on the state; each method.
SCENARIOS = (
    ("ur10_friction", 0.3, "stepped", None),
    ("ur10_step", 0.6, "ideal", 2e-3),
    ("irb460_pick", None, "stepped", 5e-3),
    ("adams_translational", 3.0, "adaptive", None),
)


def scenario(name, duration):
    built, _ = load_script(name).build({})
    built = replace(built, reference=None)
    return built if duration is None else replace(built, duration=duration)


@pytest.mark.parametrize(("name", "duration", "method", "dt"), SCENARIOS)
def test_a_run_in_pieces_is_the_run_as_a_whole(name, duration, method, dt, monkeypatch):
    wanted = run(scenario(name, duration), method=method, dt=dt)
    monkeypatch.setattr(pieces, "PIECE", 97)  # borders fall on no round time
    found = run(scenario(name, duration), method=method, dt=dt)
    assert len(found.recorded) > 2 * 97
    assert found.run.events == wanted.run.events
    for table in ("recorded", "analytic", "cut_open"):
        here, there = getattr(found, table), getattr(wanted, table)
        assert list(here.columns) == list(there.columns)
        for channel in here:
            # rounding alone: products of matrices are added up in another order for fewer columns
            peak = float(np.max(np.abs(there[channel])))
            apart = np.max(np.abs(here[channel] - there[channel]))
            assert apart <= 1e-12 * max(peak, 1e-3), channel


@pytest.fixture
def long_run(tmp_path, monkeypatch):
    """A run whose tables are too large to be held, in the folder where it was written."""
    monkeypatch.setattr(pieces, "PIECE", 64)
    monkeypatch.setattr(table_files, "LARGE", 8 * 64 * 20)  # of 301 samples of some sixty channels
    swing = Scenario(arm(), JointMotion.displacement(SMOOTH), 0.3)
    return judge_recording(run(swing, name="swing", folder=tmp_path)).write(tmp_path)


def test_tables_that_are_large_stay_in_their_files_and_hold_the_same(long_run, tmp_path):
    wanted = short_run()
    for name in (RECORDED, ANALYTIC):
        table = getattr(long_run, name.partition(".")[0].replace("recording", "recorded"))
        assert isinstance(table, StoredTable)
        assert table.path == tmp_path / name
    assert same_to_the_bit(long_run.recorded, wanted.recorded)
    assert same_to_the_bit(long_run.analytic, wanted.analytic)
    assert long_run.run.checks == judge_recording(wanted).run.checks


def test_judging_reads_a_column_of_a_file_a_few_times(long_run, monkeypatch):
    columns, numbers = [], StoredTable.numbers

    def counted(table, channel):
        columns.append((table.path, channel))
        return numbers(table, channel)

    monkeypatch.setattr(StoredTable, "numbers", counted)
    judge_recording(long_run)
    # a column takes 5 ms of a run of ten minutes; with peaks read anew for each limit it is 6
    assert len(columns) < 5 * len(set(columns))


def test_a_file_of_pieces_is_an_ordinary_file(long_run, tmp_path):
    read = pd.read_parquet(tmp_path / RECORDED)
    pd.testing.assert_frame_equal(read, short_run().recorded)
    again = Recording.read(tmp_path)
    assert isinstance(again.recorded, StoredTable)
    assert judge_recording(again).run.checks == long_run.run.checks


def test_the_sliders_of_a_page_are_those_of_tables_in_memory(long_run):
    found, wanted = what_if(long_run), what_if(judge_recording(short_run()))
    assert wanted.facts is not None
    assert found.block == wanted.block
    assert found.facts == wanted.facts


def test_rows_of_a_table_in_a_file_are_read_in_any_order(long_run):
    rows, channels = np.array([300, 0, 64, 63, 64]), ["tau.elbow", "q.shoulder"]
    found = table_files.numbers_at(long_run.analytic, channels, rows)
    assert np.array_equal(found, short_run().analytic[channels].to_numpy()[rows].T)


def test_a_moved_folder_is_read_from_its_new_place(long_run, tmp_path):
    moved = tmp_path.with_name("moved")
    tmp_path.rename(moved)
    here = long_run.in_folder(moved)
    assert same_to_the_bit(here.recorded, short_run().recorded)
    assert same_to_the_bit(here.analytic, short_run().analytic)


@pytest.mark.rotates(2)
def test_memory_grows_with_the_samples_only_by_what_the_methods_keep(tmp_path, monkeypatch):
    """Of each sample: states, torques, powers and works of two joints, and not sixty channels.

    A table of them held in memory would be 2 times 61 numbers. The first, short run fills what is
    made once and kept (modules, caches), which is none of the samples' memory.
    """
    monkeypatch.setattr(pieces, "PIECE", 256)
    monkeypatch.setattr(table_files, "LARGE", 1e5)
    peaks = []
    for duration in (0.3, 0.8, 1.8):
        swing = Scenario(arm(), JointMotion.displacement({"elbow": "SIN(time)"}), duration)
        folder = tmp_path / str(duration)
        folder.mkdir()
        gc.collect()
        tracemalloc.start()
        judge_recording(run(swing, folder=folder))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    numbers = (peaks[2] - peaks[1]) / 8 / 1000
    assert numbers < 50


def test_a_disk_that_is_full_while_the_tables_are_written_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(pieces, "PIECE", 64)
    monkeypatch.setattr(table_files, "LARGE", 1e4)
    (tmp_path / RECORDED).symlink_to("/dev/full")
    swing = Scenario(arm(), JointMotion.displacement(SMOOTH), 0.3)
    with pytest.raises(RecordingError, match=r"recording\.parquet: No space left on device"):
        run(swing, folder=tmp_path)
