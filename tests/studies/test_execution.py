import hashlib
import signal
import sys
from dataclasses import replace
from multiprocessing import forkserver
from pathlib import Path

import msgspec
import pytest

from sim.errors import RecordingError, ScenarioError
from sim.scenario import load_script
from sim.studies.case_log import CaseLog
from sim.studies.case_rows import CaseRow
from sim.studies.design import grid
from sim.studies.report.table import (
    CSV,
    PARQUET,
    response_units,
    study_table,
    table_files,
    write_files,
)
from sim.studies.study import fingerprint_of
from sim.studies.study_file import require_same_study
from sim.studies.variation import parse_variation
from sim.studies.workers.execution import ProgressCallbacks, StudyRun, duration_text, run_cases
from sim.studies.workers.pool import Pool
from sim.studies.workers.server import start_server
from tests.helpers.studies import Here, prepared_study, rows_here, swing_study


def digests(study, rows):
    write_files(study.folder, table_files(study_table(rows), response_units(rows)))
    files = (PARQUET, CSV)
    return [hashlib.sha256((study.folder / name).read_bytes()).hexdigest() for name in files]


def test_one_worker_two_and_this_process_write_the_same_bits(tmp_path):
    found = []
    for workers in (None, 1, 2):
        study = swing_study(tmp_path, "load=0:1:5", name=f"study{workers}")
        if workers is None:
            rows = rows_here(study)
        else:
            study.facts.write(study.folder)
            with CaseLog(study.folder) as log, Pool(study.plan, workers) as pool:
                rows = run_cases(StudyRun(study, log, pool))
        found.append(digests(study, rows))
    assert found[0] == found[1] == found[2]


def test_what_is_finished_is_not_computed_again_and_a_finer_grid_asks_for_the_rest(tmp_path):
    first = swing_study(tmp_path, "load=0:1:3")
    rows = rows_here(first)
    finer = swing_study(tmp_path, "load=0:1:5")
    require_same_study(finer.folder, finer.facts)
    with CaseLog(finer.folder) as log:
        here = Here(finer.plan)
        more = run_cases(StudyRun(finer, log, here))
    assert here.computed == [{"load": 0.25}, {"load": 0.75}]
    assert more[::2] == rows


def other_script(study):
    """The description of a study of another script and robot."""
    identity = {**study.facts.identity, "script": "1", "robot": "2"}
    return msgspec.structs.replace(study.facts, scenario="other", identity=identity)


def test_a_folder_of_another_study_is_refused_by_what_differs(tmp_path):
    study = swing_study(tmp_path, "load=0:1:3")
    study.facts.write(study.folder)
    for other, said in (
        (swing_study(tmp_path, "duration=0.1,0.2"), 'varied parameters is ["load"]'),
        (swing_study(tmp_path, "load=0,1", responses=["energy"]), "its responses is"),
        (replace(swing_study(tmp_path, "load=0,1"), facts=other_script(study)), "its scenario is"),
        (swing_study(tmp_path, "load=0,1", method="stepped"), 'its method is "ideal", not'),
    ):
        with pytest.raises(RecordingError, match="is a different study") as caught:
            require_same_study(other.folder, other.facts)
        assert said in str(caught.value)


def test_another_robot_or_another_function_is_no_finished_case(tmp_path):
    (tmp_path / "mine.py").write_text("def mine(recording):\n    return 1\n", "utf-8")
    asked = {"responses": [f"{tmp_path}/mine.py:mine"], "method": "ideal"}
    study = swing_study(tmp_path, "load=0,1", **asked)
    study.facts.write(study.folder)
    assert swing_study(tmp_path, "load=0,1", **asked).plan.fingerprint == study.plan.fingerprint
    (tmp_path / "mine.py").write_text("def mine(recording):\n    return 2\n", "utf-8")
    other = swing_study(tmp_path, "load=0,1", **asked)
    assert other.plan.fingerprint != study.plan.fingerprint
    with pytest.raises(RecordingError, match="its functions is"):
        require_same_study(other.folder, other.facts)
    # a robot that no file of the script tells of
    script = load_script(str(tmp_path / "swing.py"))
    design = grid([parse_variation(script, "duration=0.1,0.2")])
    light, heavy = (
        prepared_study(script, design, study.folder, settings=settings)
        for settings in ({}, {"load": "2"})
    )
    assert light.facts.identity["robot"] != heavy.facts.identity["robot"]
    same = {**heavy.facts.identity, "settings": {}}
    assert fingerprint_of(same) != fingerprint_of(light.facts.identity)


def test_a_folder_with_other_files_is_left_alone(tmp_path):
    study = swing_study(tmp_path, "load=0:1:3")
    study.folder.mkdir()
    (study.folder / "letter.txt").touch()
    with pytest.raises(RecordingError, match="contains other files"):
        require_same_study(study.folder, study.facts)


class Slow(Here):
    """Says that a case takes half an hour."""

    def compute(self, cases, add_rows):
        self.computed += cases
        add_rows([CaseRow(key="", parameters={}, status="pass", seconds=1800.0)])


def test_what_takes_more_than_an_hour_is_not_begun_without_yes(tmp_path):
    study = swing_study(tmp_path, "load=0:1:5")
    study.facts.write(study.folder)
    slow, told = Slow(study.plan), []
    with CaseLog(study.folder) as log, pytest.raises(ScenarioError) as caught:
        run_cases(StudyRun(study, log, slow, callbacks=ProgressCallbacks(message=told.append)))
    assert str(caught.value) == (
        "swing: 5 cases of about 30 min on 1 worker: about 90 min; use --yes to start, or vary less"
    )
    assert (len(slow.computed), told) == (2, [])


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (2.34e-4, "0.23 ms"),
        (0.0123, "0.012 s"),
        (9.6, "9.6 s"),
        (59.6, "60 s"),
        (150, "3 min"),
        (7800, "2 h 10 min"),
    ],
)
def test_a_duration_is_said_as_a_person_would(seconds, text):
    assert duration_text(seconds) == text


def test_a_case_that_ends_its_process_is_told_of_and_the_rest_goes_on(tmp_path):
    study = swing_study(tmp_path, "load=0:1:4")
    script = tmp_path / "swing.py"
    text = script.read_text("utf-8").replace(
        "    robot =", "    if load == 1.0:\n        import os\n        os._exit(7)\n    robot ="
    )
    script.write_text(text, "utf-8")
    study = prepared_study(
        load_script(str(script)), study.design, study.folder, method="ideal", dt=0.01
    )
    study.facts.write(study.folder)
    with CaseLog(study.folder) as log, Pool(study.plan, 2) as pool:
        rows = run_cases(StudyRun(study, log, pool))
    assert [row.status for row in rows] == ["pass", "pass", "pass", "error"]
    assert "the worker process ended" in rows[3].reason


class Backwards(Here):
    """Hands rows on from the last to the first."""

    def compute(self, cases, add_rows):
        super().compute(list(reversed(cases)), add_rows)


def test_rows_stand_in_the_order_of_the_design_however_they_come(tmp_path):
    study = swing_study(tmp_path, "load=0:1:4")
    study.facts.write(study.folder)
    with CaseLog(study.folder) as log:
        rows = run_cases(StudyRun(study, log, Backwards(study.plan)))
    assert [row.parameters["load"] for row in rows] == pytest.approx([0, 1 / 3, 2 / 3, 1])


class Failing(Here):
    """Fails fast at loads below 0."""

    def compute(self, cases, add_rows):
        for case in cases:
            self.computed.append(case)
            fails = case.parameters["load"] < 0
            add_rows([CaseRow(key="", parameters={}, status="error" if fails else "pass",
                              seconds=1e-3 if fails else 1000.0)])  # fmt: skip


def test_a_case_that_fails_at_once_does_not_say_how_long_the_others_take(tmp_path):
    study = swing_study(tmp_path, "load=-1:8:10")
    study.facts.write(study.folder)
    failing = Failing(study.plan)
    with CaseLog(study.folder) as log, pytest.raises(ScenarioError, match="of about 17 min"):
        run_cases(StudyRun(study, log, failing))
    assert len(failing.computed) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_ctrl_c_does_not_reach_the_server_of_the_workers():
    """A terminal sends it to all processes, and one that still loads would print its traceback."""
    start_server()
    about = Path(f"/proc/{forkserver._forkserver._forkserver_pid}/status").read_text()
    (blocked,) = (int(x.split()[1], 16) for x in about.splitlines() if x.startswith("SigBlk"))
    assert blocked >> (signal.SIGINT - 1) & 1
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
