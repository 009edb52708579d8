"""Runs that the tests of the command make, and processes that make them."""

import os
import subprocess
import sys
from pathlib import Path

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
