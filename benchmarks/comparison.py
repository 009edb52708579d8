"""`sim compare` of two long runs, and `sim compare --all` with its page, as whole processes.

Targets: two runs of 60 s at 1 kHz with 110 channels in at most 2 s and 500 MB; all shipped
scenarios with their page in at most 10 s. Run with ``python benchmarks/comparison.py``; making the
runs takes about two minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from sim.checks import judged
from sim.scenario.script import load_script
from sim.simulation.run import run

SIM = Path(sys.executable).with_name("sim")
ROUNDS = 5


def long_run(folder: Path, payload: float) -> Path:
    scenario, _ = load_script("ur10_step").build({"payload": payload})
    folder.mkdir()
    judged(run(replace(scenario, duration=60.0), name="ur10_step")).write(folder)
    return folder


def measured(*words: str) -> tuple[float, float]:
    """Wall time [s] and the largest resident memory of one process [MB]."""
    begin = time.perf_counter()
    process = subprocess.Popen([str(SIM), *words], stdout=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    return time.perf_counter() - begin, usage.ru_maxrss / 1024


def told(what: str, *words: str) -> None:
    seconds, megabytes = zip(*(measured(*words) for _ in range(ROUNDS)), strict=True)
    print(
        f"{what}: {min(seconds):.2f} s at best, {sorted(seconds)[ROUNDS // 2]:.2f} s in the middle "
        f"of {ROUNDS}, {max(megabytes):.0f} MB"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        above = Path(name)
        pair = [long_run(above / f"long_{k}", 10.0 + 1e-3 * k) for k in range(2)]
        told("60 s, 1 kHz, ur10_step against another", "compare", *map(str, pair))
        measured("run", "--all", "--no-report", "--out", str(above / "runs"))
        words = ("compare", "--all", "--runs", str(above / "runs"), "--out", str(above / "page"))
        told("all shipped scenarios, with the page", *words)


if __name__ == "__main__":
    main()
