"""A real scheduler and two workers, as processes of their own."""

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import pytest

from sim.errors import ScenarioError
from sim.studies.case_log import CaseLog
from sim.studies.report.table import response_units, study_table, table_files, write_files
from sim.studies.workers.cluster import Cluster
from sim.studies.workers.execution import ProgressCallbacks, StudyRun, run_cases
from tests.cli.command_runs import REPOSITORY
from tests.helpers.studies import rows_here, swing_study

pytest.importorskip("distributed")
# what Dask leaves to the collector when a client ends beside a killed worker is not ours to close
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestWarning")

ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")]),
    "DASK_DISTRIBUTED__ADMIN__LOG_FORMAT": "%(message)s",
}


def dask(*words, **environment):
    command = (sys.executable, "-m", "distributed.cli." + words[0], *words[1:])
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    # -m looks for modules in the working folder first: it is none with a sim in it
    env, cwd = {**ENVIRONMENT, **environment}, tempfile.gettempdir()
    return subprocess.Popen(command, env=env, cwd=cwd, **quiet)


def until(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def worker(address, **environment):
    words = ("--nthreads", "1", "--no-nanny", "--no-dashboard")
    return dask("dask_worker", address, *words, **environment)


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    """Address of a scheduler with two workers, and the processes of those."""
    file = tmp_path_factory.mktemp("dask") / "scheduler.json"
    words = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
    begun = [dask("dask_scheduler", *words)]
    try:
        until(file.exists)
        address = json.loads(file.read_text("utf-8"))["address"]
        workers = [worker(address) for _ in range(2)]
        begun += workers
        until(lambda: workers_of(address) == 2)
        yield address, workers
    finally:
        for process in begun:
            process.kill()
            process.wait()


def workers_of(address):
    from distributed import Client

    with Client(address, set_as_default=False, timeout=10) as client:
        return len(client.scheduler_info(n_workers=-1)["workers"])


def digest(study, rows):
    files = write_files(study.folder, table_files(study_table(rows), response_units(rows)))
    return hashlib.sha256(json.dumps(files).encode()).hexdigest()


@pytest.mark.rotates(3)
def test_a_cluster_writes_the_bits_of_one_process_though_a_worker_is_killed(tmp_path, scheduler):
    address, workers = scheduler
    study = swing_study(tmp_path, "load=0:2:16", name="cluster")
    study.facts.write(study.folder)
    ticks = []

    def kill_one(done, total):
        ticks.append(done)
        if done >= 3 and workers[0].poll() is None:
            workers[0].send_signal(signal.SIGKILL)

    with CaseLog(study.folder) as log, Cluster(study.plan, address) as cluster:
        assert cluster.count == 2
        callbacks = ProgressCallbacks(progress=lambda _: contextlib.nullcontext(kill_one))
        rows = run_cases(StudyRun(study, log, cluster, callbacks=callbacks))
        lines = log.path.read_bytes().splitlines()
    assert workers[0].wait() == -signal.SIGKILL
    assert ticks[-1] == len(lines) == len(rows) == 16
    assert all(row.status == "pass" for row in rows)
    alone = swing_study(tmp_path, "load=0:2:16", name="alone")
    assert digest(study, rows) == digest(alone, rows_here(alone))


@pytest.mark.rotates(3)
def test_a_worker_of_another_version_is_refused_and_both_are_named(tmp_path, scheduler):
    address, _ = scheduler
    before = workers_of(address)
    other = tmp_path / "other"
    # the same package but for a comment: its code has another hash
    shutil.copytree(REPOSITORY / "sim", other / "sim", ignore=shutil.ignore_patterns("bundle"))
    shutil.copytree(REPOSITORY / "scenarios", other / "scenarios")
    (other / "sim" / "errors.py").open("a", encoding="utf-8").write("# changed\n")
    stranger = worker(address, PYTHONPATH=f"{other}:{os.environ.get('PYTHONPATH', '')}")
    try:
        until(lambda: workers_of(address) == before + 1)
        study = swing_study(tmp_path, "load=0,1")
        with pytest.raises(ScenarioError, match=r"Worker tcp://.* has a different version of code"):
            Cluster(study.plan, address)
    finally:
        stranger.kill()
        stranger.wait()
        until(lambda: workers_of(address) == before)


@pytest.mark.rotates(3)
def test_a_cluster_that_does_not_answer_is_told_of(tmp_path, monkeypatch):
    monkeypatch.setattr("sim.studies.workers.cluster.ANSWERS_WITHIN", 0.5)
    study = swing_study(tmp_path, "load=0,1")
    with pytest.raises(ScenarioError, match=r"tcp://127.0.0.1:9 does not respond within 0.5 s"):
        Cluster(study.plan, "tcp://127.0.0.1:9")
