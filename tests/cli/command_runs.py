"""Runs that the tests of the command make, and processes that make them."""

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.helpers.heeding_signals import heeding_signals

SIM = (sys.executable, "-c", "import sim; sim.main()")
REPOSITORY = Path(__file__).parents[2]

FAST = '{"elbow": "STEP5(time, 0, 0, 0.1, 40d)"}'  # 13 rad/s where 3 are rated

FILES = {"analytic.parquet", "cut_open.parquet", "recording.parquet", "robot.urdf", "run.json"}


def process(*arguments, cwd, **environment):
    """A command in a process of its own, from any folder, with the BLAS that the tests have.

    Another kernel rounds otherwise, and OPENBLAS_CORETYPE may choose it.
    """
    blas = {name: value for name, value in os.environ.items() if name.startswith("OPENBLAS_")}
    return subprocess.run(
        arguments,
        capture_output=True,
        text=True,
        timeout=120,
        cwd=cwd,
        env={"PYTHONPATH": str(REPOSITORY), "PATH": "/usr/bin:/bin", **blas, **environment},
        check=False,
    )


def stopped_study(folder, number, *words):
    """Exit status and stderr of a command that a signal stops once its study has three cases."""
    running = subprocess.Popen(
        [*SIM, *words], cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        preexec_fn=heeding_signals,  # noqa: PLW1509 - no other thread runs here
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )  # fmt: skip
    log = folder / "study/cases.jsonl"
    until = time.monotonic() + 60
    while time.monotonic() < until and not (log.exists() and log.read_bytes().count(b"\n") >= 3):
        time.sleep(0.02)
    running.send_signal(number)
    _, err = running.communicate(timeout=120)
    return running.returncode, err


def runs(folder, name="swing"):
    """Folders of a scenario's runs, the oldest first."""
    return sorted((folder / "results" / "runs" / name).iterdir())


def assert_refused_without_display(*arguments, cwd):
    """A command that needs a window lives to say one line; PyBullet would end the process."""
    for display in ({}, {"DISPLAY": ":8765"}):
        done = process(*SIM, *arguments, cwd=cwd, **display)
        assert (done.returncode, done.stdout) == (2, "")
        assert len(done.stderr.splitlines()) == 1
        assert "display" in done.stderr
