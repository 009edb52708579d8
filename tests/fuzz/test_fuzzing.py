"""A minute of fuzzing each target, by a seed that every commit has anew."""

import os
import subprocess
import sys

import pytest

from tests.mutations.rotation import drawn
from tools.fuzz.__main__ import TARGETS
from tools.fuzz.target import ROOT

# Of each target; a slow machine tries less. SIM_FUZZ_SECONDS=3600 looks longer.
SECONDS = float(os.environ.get("SIM_FUZZ_SECONDS", "45"))


@pytest.mark.parametrize("target", TARGETS)
def test_nothing_that_nobody_would_write_breaks_the_program(target, tmp_path):
    """In a process of its own, whose memory is limited, and which may crash."""
    seed = str(drawn()[0] % 10**9)
    words = ["-m", "tools.fuzz", "--target", target, "--seed", seed, "--plain"]
    done = subprocess.run(
        [sys.executable, *words, "--minutes", str(SECONDS / 60), "--keep", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    crashed = [path.read_bytes() for path in (tmp_path / target).glob(".current-*")]
    assert done.returncode == 0, (
        f"{done.stderr[-6000:]}\nagain: python {' '.join(words)} --minutes 10\n"
        f"{'the input that it ended at: ' + repr(crashed[0][:6000]) if crashed else ''}"
    )
    tried = int(done.stderr.strip().splitlines()[-1].split()[1])
    assert tried > 0, done.stderr
