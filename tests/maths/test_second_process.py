import os
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest

from sim.maths import second_process as module
from sim.maths.second_process import VARIABLE, second_process

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="copies are of Linux")


@pytest.fixture
def copies(monkeypatch):
    """Numbers of the processes that are begun, where a second one is always possible."""
    begun, fork = [], os.fork
    monkeypatch.setattr(module, "_is_possible", lambda: True)
    monkeypatch.setattr(module.os, "fork", lambda: begun.append(fork()) or begun[-1])
    return begun


def process_number():
    return np.full(2, float(os.getpid()))


def all_have_ended(copies):
    for number in copies:
        with pytest.raises(ChildProcessError):
            os.waitpid(number, os.WNOHANG)
    return len(copies)


def test_an_array_comes_from_another_process_where_that_is_worth_it(copies):
    with second_process(process_number, is_worthwhile=True) as wait:
        found = wait()
    assert found[0] == found[1] != os.getpid()
    assert copies == [found[0]]
    assert all_have_ended(copies) == 1
    with second_process(process_number, is_worthwhile=False) as wait:
        assert wait()[0] == os.getpid()


def test_what_fails_there_is_computed_here_and_an_error_is_raised_here(copies, capfd):
    here = os.getpid()

    def killed():
        if os.getpid() != here:
            os.write(1, b"of the copy")
            os.kill(os.getpid(), 9)
        return np.ones(3)

    with second_process(killed, is_worthwhile=True) as wait:
        assert wait().tolist() == [1.0, 1.0, 1.0]

    def wrong():
        raise ValueError("of the engine")

    with (
        pytest.raises(ValueError, match="of the engine"),
        second_process(wrong, is_worthwhile=True) as wait,
    ):
        wait()
    assert all_have_ended(copies) == 2
    assert capfd.readouterr() == ("", "")


def test_an_error_here_ends_the_other_process(copies):
    begin = time.monotonic()
    with (
        pytest.raises(KeyError),
        second_process(lambda: time.sleep(60), is_worthwhile=True),
    ):
        raise KeyError
    assert time.monotonic() - begin < 30
    assert all_have_ended(copies) == 1


def test_workers_and_processes_with_threads_or_busy_processors_have_no_copy(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(module.os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(module, "_thread_count", lambda: 1)
    monkeypatch.setattr(module.os, "getloadavg", lambda: (1.2, 9.0, 9.0))
    assert module._is_possible()
    with monkeypatch.context() as change:
        change.setenv(VARIABLE, "0")
        assert not module._is_possible()
    with monkeypatch.context() as change:
        change.setattr(module, "_thread_count", lambda: 2)
        assert not module._is_possible()
    with monkeypatch.context() as change:
        change.setattr(module.os, "getloadavg", lambda: (1.6, 0.0, 0.0))
        change.setattr(module, "_running_count", lambda: 2)
        assert not module._is_possible()
        change.setattr(module, "_running_count", lambda: 1)  # what loaded it has ended
        assert module._is_possible()
    with monkeypatch.context() as change:
        change.setattr(module.os, "sched_getaffinity", lambda _: {0})
        assert not module._is_possible()
    worker = SimpleNamespace(parent_process=lambda: "the study's")
    monkeypatch.setitem(sys.modules, "multiprocessing.process", worker)
    assert not module._is_possible()


def test_threads_that_run_now_are_counted_by_linux(monkeypatch):
    # proc_loadavg(5): three means, running/all threads, the last process
    monkeypatch.setattr(module.Path, "read_text", lambda *_: "0.20 0.18 0.12 3/80 11206\n")
    assert module._running_count() == 3


FORCED = """
import os, sys
from sim.cli.command import main
from sim.maths import second_process as module
module._is_possible = lambda: os.environ["COPIES"] == "1"
forked = []
fork = os.fork
os.fork = lambda: forked.append(1) or fork()
sys.argv[0] = "sim"
try:
    main()
finally:
    print(len(forked))
"""


@pytest.mark.rotates(3)
def test_a_run_and_its_page_are_the_same_to_the_bit_with_and_without_second_processes(tmp_path):
    def counted(copies, *words):
        line = (sys.executable, "-c", FORCED, *words)
        done = subprocess.run(
            line, env={**os.environ, "COPIES": copies}, capture_output=True, text=True, check=True
        )
        return int(done.stdout.splitlines()[-1])

    whole, parts = tmp_path / "whole", tmp_path / "parts"
    words = ("run", "kr210_heart", "--out")
    assert counted("0", *words, str(whole)) == 0
    # the model's answer, the march of full steps, the files, the curves of the page
    assert counted("1", *words, str(parts)) == 4
    tables = {path.name for path in whole.glob("*.parquet")}
    assert {"recording.parquet", "analytic.parquet", "cut_open.parquet"} <= tables
    for name in (*tables, "robot.urdf"):
        assert (whole / name).read_bytes() == (parts / name).read_bytes(), name
    page = parts / "report.html"
    assert counted("0", "report", str(parts)) == 0
    alone = page.read_bytes()
    assert counted("1", "report", str(parts)) == 1
    assert page.read_bytes() == alone
