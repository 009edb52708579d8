"""Locks: one process at a time, also where Python has no fcntl."""

import json
import os
import subprocess
import sys
import textwrap

import pytest

from sim.recording.files.locks import OPEN, exclusive, try_lock
from tests.cli.command_runs import REPOSITORY, process
from tests.helpers.command_scripts import write_swing

LIKE_WINDOWS = (sys.executable, str(REPOSITORY / "tests" / "helpers" / "like_windows.py"))


def others_lock(path):
    """Whether another process could lock a file."""
    text = (
        "import os; from sim.recording.files.locks import *; "
        f"print(try_lock(os.open({str(path)!r}, OPEN)))"
    )
    return process(sys.executable, "-c", text, cwd=path.parent).stdout == "True\n"


def test_a_lock_is_one_process_s_until_it_is_closed(tmp_path):
    path = tmp_path / "lock"
    handle = os.open(path, OPEN | os.O_CREAT)
    assert try_lock(handle)
    assert not others_lock(path)
    os.close(handle)
    assert others_lock(path)


def test_a_turn_of_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError), exclusive(tmp_path / "none"):
        pass


COUNTS = """
    import time
    from pathlib import Path
    from sim.recording.files.locks import IS_POSIX, exclusive

    assert not IS_POSIX
    counted = Path("count")
    for _ in range(20):
        with exclusive(Path.cwd()):
            number = int(counted.read_text())
            time.sleep(0.002)
            counted.write_text(str(number + 1))
"""


def test_without_fcntl_processes_take_turns_too(tmp_path):
    (tmp_path / "count").write_text("0", encoding="utf-8")
    environment = {"PYTHONPATH": str(REPOSITORY), "TMPDIR": str(tmp_path)}
    text = f"from tests.helpers import like_windows as w; w.take_away()\n{textwrap.dedent(COUNTS)}"
    both = [
        subprocess.Popen((sys.executable, "-c", text), cwd=tmp_path, env=environment)
        for _ in range(2)
    ]
    assert [each.wait(60) for each in both] == [0, 0]
    assert (tmp_path / "count").read_text("utf-8") == "40"


@pytest.mark.rotates(3)
def test_without_fcntl_runs_replace_each_other_and_become_a_baseline(tmp_path):
    write_swing(tmp_path)
    (tmp_path / "tmp").mkdir()

    def done(*words):
        return process(*LIKE_WINDOWS, *words, cwd=tmp_path, TMPDIR=str(tmp_path / "tmp"))

    for load in (1, 2):
        run = ("run", "swing.py", "--no-report", "--set", "duration=0.05", "--set", f"load={load}")
        ended = done(*run, "--out", "runs/x")
        assert ended.returncode == 0, ended.stderr
        (tmp_path / "runs" / "x" / "notes.txt").write_text("mine", encoding="utf-8")
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["x"]
    described = json.loads((tmp_path / "runs" / "x" / "run.json").read_bytes())
    assert described["parameters"]["load"] == 2
    assert (tmp_path / "runs" / "x" / "notes.txt").read_text("utf-8") == "mine"
    assert done("accept", "runs/x", "--reason", "first").returncode == 0
    assert done("compare", "runs/x").returncode == 0
