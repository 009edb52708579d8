"""`sim.sweep`: the studies of the command, from Python."""

import os
import subprocess
import sys
from dataclasses import FrozenInstanceError
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import sim
from sim.errors import RecordingError, ScenarioError
from sim.scenario import load_script
from tests.cli.command_runs import REPOSITORY
from tests.helpers.command_scripts import write_swing

QUICK = {"method": "ideal", "dt": 0.01, "workers": 1, "page": False}
WORDS = ("--method", "ideal", "--dt", "0.01", "--workers", "1", "--no-report")


@pytest.fixture
def swing(tmp_path, monkeypatch):
    write_swing(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_python_and_the_command_write_the_same_bits(sim_command, swing):
    result = sim.sweep(
        "swing.py",
        {"load": np.linspace(0, 40, 3), "duration": [0.1, np.float64(0.2)]},
        out="python",
        responses=["margin", "rms tau.elbow"],
        **QUICK,
    )
    vary = ("--vary", "load=0:40:3", "--vary", "duration=0.1,0.2")
    asked = ("--response", "margin", "--response", "rms tau.elbow")
    done = sim_command("sweep", "swing.py", *vary, *asked, *WORDS, "--out", "command")
    assert (done.status, result.passed) == (1, False)
    for name in ("cases.csv", "cases.parquet"):
        assert (swing / "python" / name).read_bytes() == (swing / "command" / name).read_bytes()
    typed = pd.read_parquet(swing / "command/cases.parquet")
    pd.testing.assert_frame_equal(result.table, typed, check_dtype=False)
    assert result.folder == swing / "python"
    with pytest.raises(FrozenInstanceError):
        result.rows = ()
    assert repr(result).startswith(
        "<StudyResult swing: answered, 6 cases, 2 of 6 cases pass, 4 fail"
    )
    assert "<td" in result._repr_html_()


def test_a_study_from_python_goes_on_by_its_folder_alone_in_both(sim_command, swing):
    first = sim.sweep("swing.py", {"load": "0:1:3"}, settings={"duration": 0.2}, out="s", **QUICK)
    told = []
    again = sim.sweep(resume="s", page=False, tell=told.append)
    assert told == ["3 of 3 cases are already finished"]
    assert again.rows == first.rows
    done = sim_command("sweep", "--resume", "s")
    assert (done.status, done.err) == (0, "3 of 3 cases are already finished\n")
    with pytest.raises(ScenarioError, match=r"with its stored options; .*: --vary$"):
        sim.sweep(resume="s", vary={"load": [1]})
    with pytest.raises(RecordingError, match="is a different study: its settings is"):
        sim.sweep("swing.py", {"load": "0:1:3"}, out="s", **QUICK)


def test_the_program_that_calls_it_is_not_run_again_by_the_workers(swing):
    (swing / "program.py").write_text(
        "print('begun')\n"
        "import sim\n"
        "r = sim.sweep('swing.py', {'load': [0.0, 1.0]}, method='ideal', dt=0.01, workers=2,\n"
        "              out='study', page=False)\n"
        "print(r.passed, len(r.table))\n",
        "utf-8",
    )
    done = subprocess.run(
        [sys.executable, "program.py"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    assert done.stdout == "begun\nTrue 2\n"
    assert done.stderr == ""


def test_a_scenario_that_begins_a_study_whenever_it_is_read_is_told_of(swing):
    script = swing / "swing.py"
    text = script.read_text("utf-8").partition("if __name__")[0]
    script.write_text(text + "sim.sweep(__file__, {'load': [0.0, 1.0]})\n", "utf-8")
    with pytest.raises(ScenarioError, match="called while the scenario's script is imported"):
        load_script("swing.py")


def test_a_function_of_a_file_is_a_response_and_one_without_is_refused(swing, monkeypatch):
    (swing / "own.py").write_text("def span(recording):\n    return recording.t[-1]\n", "utf-8")
    monkeypatch.syspath_prepend(swing)
    import own

    result = sim.sweep("swing.py", {"load": [0, 1]}, responses=own.span, out="s", **QUICK)
    assert result.table["span"].tolist() == pytest.approx([0.1, 0.1])

    def inner(recording):
        return 1.0

    own.span.__module__ = "__main__"
    for refused in (lambda recording: 1.0, inner, own.span, np.max, SimpleNamespace().__init__):
        with pytest.raises(
            ScenarioError, match=r"cannot be sent to other processes.* a separate file"
        ):
            sim.sweep("swing.py", {"load": [0, 1]}, responses=[refused], out="t", **QUICK)
    assert not (swing / "t").exists()


NAN_ABOVE_ONE = """import math
def when(recording):
    return 5.0 if recording.recorded["tau.elbow"].max() > 60.0 else math.nan
"""


def test_cases_without_a_value_are_counted_alike_when_a_study_is_read_again(swing):
    (swing / "mine.py").write_text(NAN_ABOVE_ONE, "utf-8")
    given = {"vary": {"load": (0.0, 40.0)}, "design": "random", "samples": 4, "seed": 1}
    first, again = (
        sim.sweep("swing.py", **given, responses=["mine.py:when"], out="s", **QUICK)
        for _ in range(2)
    )
    values = [row.response("when") for row in first.rows]
    lacking = values.count(None)
    assert set(values) == {5.0, None}
    (note,) = first.study.facts.notes
    assert note.startswith(f"when: {lacking} of 4 cases ha")
    assert again.study.facts.notes == first.study.facts.notes
    assert [row.response("when") for row in again.rows] == values


def test_a_search_a_design_and_the_model_alone_have_their_answers(swing):
    found = sim.sweep("swing.py", largest={"load": (0, 40)}, precision=4, out="a", **QUICK)
    assert found.passed
    assert 0 < found.answer.fails - found.answer.holds <= 4
    ends = {"load": [0, 2], "duration": "0.1:0.2"}
    options = {"design": "tornado", "analytic": True, "proof": 1, "responses": "peak tau.elbow"}
    ranked = sim.sweep("swing.py", ends, out="b", **options, **QUICK)
    assert (ranked.proof.ok, ranked.answer.effects[0].parameter) == (True, "load")
    drawn = sim.sweep(
        "swing.py", tolerance={"load": 0.1, "mass": "2%"}, samples=3, out="c", **QUICK
    )
    assert drawn.table["drawn.load"].between(0.4, 0.6).all()
    assert drawn.table["drawn.load"].nunique() == 3


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"vary": {"load": 3}}, r"vary\['load'\] is a int; give a list"),
        ({"vary": {"load": [1j]}}, r"vary\['load'\] has the value 1j of type complex"),
        ({"vary": {"load": []}}, "has no values"),
        ({"vary": {"load": [float("nan")]}}, "must be a finite number"),
        ({"vary": {"mass": [1, 2]}}, "has no parameter 'mass'"),
        ({"design": "cube"}, r"sim.sweep: design: .*'cube'; choices: grid, lhs"),
        ({"samples": 0}, "sim.sweep: samples: .*>= 1"),
        ({"workers": 0}, "sim.sweep: workers: .*>= 1"),
        ({"largest": {}}, "largest takes one parameter and the ends of its range"),
        ({"cluster": "tcp://h:1", "workers": 1}, "--workers sets the processes of this machine"),
    ],
)
def test_what_is_no_study_is_refused_in_words(swing, given, said):
    with pytest.raises(ScenarioError, match=said):
        sim.sweep("swing.py", **{"vary": {"load": [0, 1]}, "out": "s", **given})
    assert not (swing / "s").exists()
