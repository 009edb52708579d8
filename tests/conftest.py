"""Fixtures that run the command, and each shipped scenario once for all."""

from __future__ import annotations

import os

# As the command does for itself, before NumPy is loaded: threads that wait cost as much as work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import atexit
import fcntl
import gc
import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from sim.cli.command import status
from sim.dynamics import LagrangianDynamics, integrate
from tests.helpers.examples import EXPLORES, USUAL, examples
from tests.helpers.free_paths import loose
from tests.helpers.rotation import headline, without_turn
from tests.helpers.small_robots import double_pendulum

# How long an example takes says nothing of the code (timings belong in benchmarks/). The suite is
# the same each time it runs; `make explore` looks for new examples, and for more of them.
settings.register_profile(
    "everywhere",
    parent=examples(USUAL),
    deadline=None,
    derandomize=not EXPLORES,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("everywhere")

# Compiled modules are kept, as they are for a user: else each process that a test starts compiles
# the program and its libraries anew, a second of it.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Counts of calls are those of this process.
os.environ["SIM_SECOND_PROCESS"] = "0"

# The scripts that these tests run are known code in a folder of their own, not in the user's.
STATE = os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="sim-state-")
# So is what they keep between processes.
CACHE = os.environ["SIM_CACHE"] = tempfile.mkdtemp(prefix="sim-cache-")
for made in (STATE, CACHE):
    atexit.register(shutil.rmtree, made, ignore_errors=True)


@pytest.hookimpl(optionalhook=True)  # there may be no xdist
def pytest_xdist_make_scheduler(config, log):
    """Tests of a file, which share what is made for them, run in one process as long as may be."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


def pytest_collection_modifyitems(config, items):
    """Leave out what rotates and does not have its turn; not of a file or test that is named."""
    if any(".py" in word for word in config.args):
        return
    waiting = without_turn(items)
    config.hook.pytest_deselected(items=[item for item in items if item in waiting])
    items[:] = [item for item in items if item not in waiting]


def pytest_collection_finish(session):
    """What was imported and collected stays: cycles are searched for among what tests make."""
    gc.freeze()
    gc.set_threshold(20_000)


def pytest_sessionfinish(session):
    """Where everything is installed a test that skips is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and reporter.stats.get("skipped") and "SIM_SKIP_NOTHING" in os.environ:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter):
    """Which of the mutations ran, where some did."""
    reports = (report for some in terminalreporter.stats.values() for report in some)
    if any("test_mutations.py" in getattr(report, "nodeid", "") for report in reports):
        terminalreporter.write_line(headline())


@dataclass(frozen=True)
class Outcome:
    """What one command left: its exit status and what it said."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)


@pytest.fixture
def sim_command(tmp_path, monkeypatch, capsys) -> Callable[..., Outcome]:
    """Run ``sim`` with some arguments in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)  # a width that somebody exported

    def command(*arguments: str, columns: int | None = None) -> Outcome:
        if columns is not None:
            monkeypatch.setenv("COLUMNS", str(columns))
        capsys.readouterr()
        try:
            code = status(list(arguments))
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        said = capsys.readouterr()
        return Outcome(code, said.out, said.err)

    return command


@pytest.fixture(scope="session")
def make_once(tmp_path_factory) -> Callable[[str, Callable[[Path], None]], Path]:
    """Make a folder once for all processes of these tests, which then only read it.

    It is given a name, and what fills a folder that is not there yet.
    """
    own = tmp_path_factory.getbasetemp()
    root = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "shared"
    root.mkdir(exist_ok=True)

    def folder_of(name: str, fill: Callable[[Path], None]) -> Path:
        folder = root / name
        with (root / f"{name}.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                made = root / f"{name}.part"
                shutil.rmtree(made, ignore_errors=True)
                fill(made)
                made.rename(folder)
        return folder

    return folder_of


@pytest.fixture(scope="session", autouse="PYTEST_XDIST_WORKER" in os.environ)
def compiled(make_once) -> None:
    """The kernels of machine code, which one process compiles for all: 10 s of a processor."""

    def fill(folder: Path) -> None:
        folder.mkdir()
        plant, t = double_pendulum(1.5, 0.8, 0.6, 0.9), np.linspace(0.0, 1e-3, 2)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SIM_FAST", "1")
            integrate([(0.0, LagrangianDynamics(plant, (0.0, 0.0, -9.81)))], loose([1.0, 0.0]), t)

    make_once("machine-code", fill)


@pytest.fixture(scope="module")
def few_steps():
    """Motions are solved in no more steps than their accuracy takes, however short they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sim.dynamics.smooth_pieces.FEWEST_UNDER_LOADS", 1)
        yield


@pytest.fixture(scope="session")
def shipped_run(make_once) -> Callable[..., Path]:
    """Folder of a shipped scenario's run by a method; each is simulated once."""

    def folder_of(name: str, method: str = "stepped") -> Path:
        def fill(folder: Path) -> None:
            chosen = ["--method", method] if method != "stepped" else []
            assert status(["run", name, *chosen, "--out", str(folder), "--no-report"]) == 0

        return make_once(f"{name}-{method}", fill)

    return folder_of
