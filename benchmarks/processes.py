"""Whole processes: start-up of the command, and a 10 s, 1 kHz UR10 run with all checks and files.

Targets: ``sim --help`` at most 3 times ``python -c pass``; the run under 3 s and 400 MB. Run with
``python benchmarks/processes.py`` in an environment where the project is installed.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIM = str(Path(sys.executable).with_name("sim"))


def measured(*command: str) -> tuple[float, float]:
    """Wall time [s] and peak memory [MB] of one process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} ended with status {status}")
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def main() -> None:
    pairs = [
        (measured(sys.executable, "-c", "pass")[0], measured(SIM, "--help")[0]) for _ in range(15)
    ]
    print(f"python -c pass   {1e3 * statistics.median(a for a, _ in pairs):6.1f} ms")
    print(f"sim --help       {1e3 * statistics.median(b for _, b in pairs):6.1f} ms")
    print(f"ratio            {statistics.median(b / a for a, b in pairs):6.2f} (target at most 3)")
    with tempfile.TemporaryDirectory() as folder:
        for name, options in (("all files", ()), ("no figures", ("--no-report",))):
            runs = [
                measured(SIM, "run", "ur10_step", "--out", f"{folder}/run", *options)
                for _ in range(3)
            ]
            wall, memory = min(runs)[0], max(m for _, m in runs)
            print(f"sim run ur10_step, {name:10} {wall:5.2f} s, {memory:4.0f} MB (aim 3 s, 400 MB)")


if __name__ == "__main__":
    main()
