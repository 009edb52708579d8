"""Some fuzzing of each target, by one of a few seeds, in turn from commit to commit."""

import os
import subprocess
import sys

import pytest

from tests.helpers.rotation import drawn
from tools.fuzz.__main__ import TARGETS
from tools.fuzz.target import ROOT

# Inputs of each target, half a second on one core. Which of the
# `SEEDS` is taken the commit says: all have been tried, so that what fails was broken since.
# SIM_FUZZ_SECONDS=3600 looks further, by a seed of its own.
INPUTS = {
    "urdf": 50,
    "expression": 30,
    "runs": 6,
    "tables": 50,
    "decks": 75,
    "logs": 6,
    "command": 8,
    "history": 15,
    "catalogues": 20,
    "controllers": 15,
}
SEEDS = 9
SECONDS = os.environ.get("SIM_FUZZ_SECONDS", "")


@pytest.mark.parametrize("target", TARGETS)
def test_nothing_that_nobody_would_write_breaks_the_program(target, tmp_path):
    """In a process of its own, whose memory is limited, and which may crash."""
    if SECONDS:
        most = ["--seed", str(drawn()[0] % 10**9), "--minutes", str(float(SECONDS) / 60)]
    else:
        most = [
            "--seed",
            str(drawn()[0] % SEEDS),
            "--inputs",
            str(INPUTS[target]),
            "--minutes",
            "1",
        ]
    words = ["-m", "tools.fuzz", "--target", target, "--plain", *most]
    done = subprocess.run(
        [sys.executable, *words, "--keep", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    crashed = [path.read_bytes() for path in (tmp_path / target).glob(".current-*")]
    assert done.returncode == 0, (
        f"{done.stderr[-6000:]}\nagain: PYTHONHASHSEED=0 python {' '.join(words)}\n"
        f"{'the input that it ended at: ' + repr(crashed[0][:6000]) if crashed else ''}"
    )
    tried = int(done.stderr.strip().splitlines()[-1].split()[1])
    assert tried > 0, done.stderr
