"""A finished case is taken over only where all that it was built from is as it was."""

import json
import os
import re
from pathlib import Path

import pytest

import sim
from sim.errors import RecordingError
from sim.studies.case_log import FILE, CaseLog
from sim.studies.design import StudyCase
from sim.studies.workers.case_inputs import find_changes, track_inputs
from sim.studies.workers.pool import Pool
from tests.helpers.studies import QUICK, swing_study

SCRIPT = '''"""A swing whose parts come from everywhere."""
import json
import os
from functools import lru_cache
from pathlib import Path

import sim
from masses import HEAVY

HERE = Path(__file__).parent
FIRST = json.loads((HERE / "first.json").read_text())


@lru_cache
def table():
    return json.loads((HERE / "table.json").read_text())


def scenario(load: float = 0.5, robot: str = "arm"):
    import levers

    extra = json.loads((HERE / f"{robot}.json").read_text())
    mass = load + HEAVY + FIRST + table() + extra + levers.LONG + float(os.environ.get("MASS", 0))
    found = sim.load_robot(HERE / f"{robot}.urdf").with_payload(mass=mass)
    motion = sim.JointMotion.displacement({"elbow": "STEP5(time, 0, 0, 0.1, 1d)"})
    return sim.Scenario(found, motion, duration=0.1)
'''
RESPONSE = """from pathlib import Path

import scale


def mine(recording):
    text = Path(__file__).with_name("factor.txt").read_text()
    return scale.SCALE * float(text) * recording.recorded["tau.elbow"].max()
"""


@pytest.fixture
def parts(tmp_path, monkeypatch):
    """A script with data, modules, robots, a response and the environment: its folder."""
    swing_study(tmp_path, "load=1")
    arm = (tmp_path / "arm.urdf").read_text("utf-8")
    for name, text in {
        "parts.py": SCRIPT, "mine.py": RESPONSE, "masses.py": "HEAVY = 0.0\n",
        "levers.py": "LONG = 0.0\n", "scale.py": "SCALE = 1.0\n", "factor.txt": "1\n",
        "first.json": "0", "table.json": "0", "arm.json": "0", "other.json": "0",
        "other.urdf": arm,
    }.items():  # fmt: skip
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def swept(told, workers=1, loads=(1, 2), **options):
    return sim.sweep(
        "parts.py", {"load": loads, "robot": ["arm", "other"]}, out="s", page=False, **QUICK,
        responses=["peak tau.elbow", "mine.py:mine"], workers=workers, tell=told.append, **options,
    )  # fmt: skip


CHANGES = {
    "first.json": "1", "table.json": "1", "arm.json": "1", "masses.py": "HEAVY = 1.0\n",
    "levers.py": "LONG = 1.0\n", "scale.py": "SCALE = 2.0\n", "factor.txt": "2\n",
}  # fmt: skip


def test_a_case_is_computed_again_where_anything_that_it_was_built_from_has_changed(
    parts, monkeypatch
):
    one = {"loads": [1]}
    before, told = swept([], **one), []
    swept(told, **one)
    assert told == ["2 of 2 cases are already finished"]
    for name, text in CHANGES.items():
        (parts / name).write_text(text, "utf-8")
        told.clear()
        after = swept(told, **one)
        assert re.match(r"recomputed: 2 cases; changed since: ", told[0])
        assert told[0].endswith(str(parts / name))
        again = []
        swept(again, **one)
        assert again == ["2 of 2 cases are already finished"]
        peaks, mines = (
            [row.response(name) for row in after.rows] for name in ("peak tau.elbow", "mine")
        )
        assert mines[0] > 1.01 * before.rows[0].response("mine")  # a kilogram more, or twice
        assert peaks[0] >= before.rows[0].response("peak tau.elbow")
        before = after
    monkeypatch.setenv("MASS", "3")
    told.clear()
    after = swept(told, **one)
    assert told[0] == ("recomputed: 2 cases; changed since: the robot, environment variable MASS")
    assert after.rows[0].response("peak tau.elbow") > before.rows[0].response("peak tau.elbow")


def test_a_robot_that_a_parameter_chooses_counts_where_it_is_chosen(parts):
    first = swept([])
    text = (parts / "other.urdf").read_text("utf-8")
    (parts / "other.urdf").write_text(text.replace('mass value="', 'mass value="1'), "utf-8")
    told = []
    after = swept(told)
    assert str(parts / "other.urdf") in told[0]
    same, other = ([row.response("peak tau.elbow") for row in after.rows[k::2]] for k in (0, 1))
    assert same == [row.response("peak tau.elbow") for row in first.rows[::2]]
    assert all(
        a > row.response("peak tau.elbow") for a, row in zip(other, first.rows[1::2], strict=True)
    )


def test_the_model_alone_heeds_the_same(parts):
    def by_model(told):
        return sim.sweep(
            "parts.py", {"load": "0:1:9"}, out="m", page=False, analytic=True, proof=1, workers=1,
            responses=["peak tau.elbow"], tell=told.append, **QUICK,
        )  # fmt: skip

    before, told = by_model([]), []
    (parts / "arm.json").write_text("1", "utf-8")
    after = by_model(told)
    assert str(parts / "arm.json") in told[0]
    assert after.rows[0].response("peak tau.elbow") > before.rows[0].response("peak tau.elbow")


def test_a_case_that_lacked_a_file_is_computed_once_it_is_there(parts):
    (parts / "other.json").unlink()
    assert [row.status for row in swept([]).rows] == ["pass", "error"] * 2
    (parts / "other.json").write_text("0", "utf-8")
    told = []
    assert {row.status for row in swept(told).rows} == {"pass"}
    assert told[0].endswith(f"changed since: {parts / 'other.json'}")


def test_what_is_written_and_what_libraries_read_is_no_input(tmp_path):
    inputs = {}
    with track_inputs(inputs, "s", [str(tmp_path / "own")]):
        (tmp_path / "out.txt").write_text("a", "utf-8")
        (tmp_path / "out.txt").read_text("utf-8")
        (tmp_path / "own").mkdir()
        (tmp_path / "own/in.txt").write_bytes(b"")
        Path(json.__file__).read_bytes()
        (tmp_path / "gone.txt").exists()
        with pytest.raises(OSError, match="No such file"):
            (tmp_path / "lacking.txt").read_text("utf-8")
        assert os.environ.get("NO_SUCH_VARIABLE") is None
    names = {Path(name).name for name in inputs}
    assert {"lacking.txt", "environment variable NO_SUCH_VARIABLE"} <= names
    assert not names & {"out.txt", "in.txt", "gone.txt"}
    assert json.__file__ not in inputs
    assert find_changes(inputs) == []
    (tmp_path / "lacking.txt").write_text("", "utf-8")
    assert find_changes(inputs) == [str(tmp_path / "lacking.txt")]


def test_what_a_script_may_keep_from_cases_before_counts_for_those_that_follow(tmp_path):
    """Of the first case for all of its study, of others for a while: a script may keep a table."""
    paths = [tmp_path / f"{k}.txt" for k in range(40)]
    found = []
    for path in paths:
        path.write_text("", "utf-8")
        found.append({})
        with track_inputs(found[-1], "another study"):
            path.read_text("utf-8")
    assert all(str(paths[0]) in inputs for inputs in found)
    assert str(paths[20]) in found[21]
    assert str(paths[1]) not in found[-1]


def test_the_environment_is_its_own_again(tmp_path):
    kind = type(os.environ)
    with track_inputs({}, "s"):
        assert type(os.environ) is not kind
    assert type(os.environ) is kind


def test_a_row_that_was_edited_is_computed_again_with_a_word(parts):
    swept([])
    path = parts / "s" / FILE
    path.write_bytes(path.read_bytes().replace(b'"status":"pass"', b'"status":"fail"', 1))
    told = []
    assert {row.status for row in swept(told).rows} == {"pass"}
    assert told[0] == f"recomputed: 1 case, because {path} was edited"


def test_a_log_that_is_no_plain_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / FILE)
    with pytest.raises(RecordingError, match="is not a regular file"):
        CaseLog(tmp_path)


def test_workers_tell_what_they_have_read(parts):
    study = swing_study(parts, "load=1,2")
    rows = []
    with Pool(study.plan, 1) as pool:
        pool.compute([StudyCase({"load": 1.0})], rows.extend)
    names = {Path(name).name for name in rows[0].inputs}
    assert "arm.urdf" in names
    assert names <= {"arm.urdf", "arm.toml", "arm.loops.toml"}  # the card and loops, if there
