import errno
import os

import pytest

from sim.errors import RecordingError
from sim.studies.case_log import FILE, CaseLog
from sim.studies.case_rows import CaseRow, Worst, key_of
from sim.studies.design import StudyCase

ROWS = [
    CaseRow(
        key=str(k),
        parameters={"load": float(k)},
        status="pass",
        worst={"torque": Worst(0.5, "tau.a", 0.1, True)},
        responses={"margin": (0.25 * k, "1"), "none": (None, "J")},
        seconds=0.1,
    )
    for k in range(3)
]


def test_rows_are_read_back_as_they_were_written(tmp_path):
    with CaseLog(tmp_path) as log:
        log.add(ROWS[:2])
        log.add(ROWS[2:])
    with CaseLog(tmp_path) as log:
        assert list(log.rows.values()) == ROWS


@pytest.mark.parametrize("cut", [1, 20, 100])
def test_a_line_that_was_cut_off_is_no_row_and_the_next_stands_in_its_place(tmp_path, cut):
    with CaseLog(tmp_path) as log:
        log.add(ROWS[:2])
    path = tmp_path / FILE
    path.write_bytes(path.read_bytes()[:-cut])
    with CaseLog(tmp_path) as log:
        assert list(log.rows) == ["0"]
        log.add(ROWS[1:])
    with CaseLog(tmp_path) as log:
        assert list(log.rows.values()) == ROWS


def test_a_damaged_line_is_told_of_and_nothing_is_thrown_away(tmp_path):
    (tmp_path / FILE).write_bytes(b'{"key": 3}\n{"key": ')
    with pytest.raises(RecordingError, match=r"cases.jsonl is damaged"):
        CaseLog(tmp_path)
    assert (tmp_path / FILE).read_bytes() == b'{"key": 3}\n{"key": '


def test_a_full_disk_is_told_of_and_leaves_whole_rows(tmp_path, monkeypatch):
    real, room = os.write, [30]

    def full(handle, block):
        if not room[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        taken, room[0] = room[0], 0
        return real(handle, block[:taken])

    with CaseLog(tmp_path) as log:
        log.add(ROWS[:1])
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(RecordingError, match=r"cases.jsonl: No space left on device"):
            log.add(ROWS[1:])
        monkeypatch.undo()
    with CaseLog(tmp_path) as log:
        assert list(log.rows.values()) == ROWS[:1]


def test_two_at_a_time_are_refused(tmp_path):
    with CaseLog(tmp_path), pytest.raises(RecordingError, match="Another sim process is computing"):
        CaseLog(tmp_path)
    CaseLog(tmp_path).__exit__()


def test_a_key_tells_values_draws_and_scenarios_apart_and_no_order():
    keys = [
        key_of("f", StudyCase({"a": 1.0, "b": 2.0})),
        key_of("g", StudyCase({"a": 1.0, "b": 2.0})),
        key_of("f", StudyCase({"a": 2.0, "b": 1.0})),
        key_of("f", StudyCase({"a": 1.0, "b": 2.0}, 0)),
        key_of("f", StudyCase({"a": 1.0, "b": 2.0}, 1)),
    ]
    assert len(set(keys)) == 5
    assert key_of("f", StudyCase({"b": 2.0, "a": 1.0})) == keys[0]


def test_a_pipe_in_the_place_of_the_rows_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "cases.jsonl")
    with pytest.raises(RecordingError, match=r"cases\.jsonl is not a regular file"):
        CaseLog(tmp_path)
